package vt

import "unicode/utf8"

// parseState is what the next byte belongs to.
type parseState uint8

const (
	ground     parseState = iota
	escape                // after ESC
	escapeMore            // after ESC and intermediates
	csiHead               // after CSI: a private marker or a parameter may follow
	csiParams
	csiMore   // after intermediates
	csiIgnore // malformed: ignored up to its final byte
	inString
	inStringEscape // after ESC in a string: the end, if a backslash follows
)

// stringKind is the kind of control string.
type stringKind uint8

const (
	oscString stringKind = iota
	dcsString
	otherString // APC, PM, SOS: ignored
)

const (
	paramsMax = 32    // more than any sequence means; the rest is ignored
	paramMax  = 65535 // greater values mean no more than this one
	// shortStringMax bounds control strings but a clipboard's. The longest with a meaning is a
	// link, of a few kilobytes.
	shortStringMax = 16 << 10
	// clipboardStringMax bounds OSC 52, in base64.
	clipboardStringMax = ClipboardMaxBytes/3*4 + 64
	// stringKeep is the size of the buffer for strings that is kept for the next one.
	stringKeep = 64 << 10
)

// parser is what of a sequence has come so far.
type parser struct {
	state    parseState
	params   [paramsMax]uint16
	count    int    // parameters, the one that is being read included
	sub      uint32 // bit i: parameter i is a part of the one before it
	prefix   byte   // <, =, > or ?
	inter    [2]byte
	inters   int
	utf8     [utf8.UTFMax]byte // the start of a character
	utf8Len  int
	kind     stringKind
	str      []byte
	overlong bool
}

// Write takes what a program wrote. It never fails; sequences and characters may be cut anywhere
// and go on in the next Write.
func (s *Screen) Write(p []byte) (int, error) {
	n := len(p)
	s.gen++
	if s.parser.utf8Len > 0 {
		p = s.resumeUTF8(p)
	}
	for len(p) > 0 {
		switch s.parser.state {
		case ground:
			p = s.text(p)
		case csiHead, csiParams:
			p = s.csiBytes(p)
		case inString:
			p = s.stringBytes(p)
		default:
			p = s.step(p)
		}
	}
	return n, nil
}

// text takes bytes in the ground state up to the first that is not a character's.
func (s *Screen) text(p []byte) []byte {
	for len(p) > 0 {
		b := p[0]
		switch {
		case b >= ' ' && b < 0x7F:
			n := 1
			for n < len(p) && p[n]-' ' < 0x7F-' ' {
				n++
			}
			s.printASCII(p[:n])
			p = p[n:]
		case b >= utf8.RuneSelf:
			r, n := decode(p)
			if n == 0 {
				s.parser.utf8Len = copy(s.parser.utf8[:], p)
				return nil
			}
			s.printRune(r)
			p = p[n:]
		case b == 0x1B:
			s.parser.state = escape
			s.parser.inters = 0
			s.last.fresh = false
			p = p[1:]
			if len(p) > 0 && p[0] == '[' { // by far the most frequent
				s.beginCSI()
				p = p[1:]
			}
			return p
		default:
			s.control(b)
			p = p[1:]
		}
	}
	return p
}

// resumeUTF8 goes on with the character that the last Write ended in.
func (s *Screen) resumeUTF8(p []byte) []byte {
	pr := &s.parser
	for len(p) > 0 && pr.utf8Len > 0 {
		pr.utf8[pr.utf8Len] = p[0]
		r, n := decode(pr.utf8[:pr.utf8Len+1])
		switch {
		case n == 0:
			pr.utf8Len++
			p = p[1:]
		case n > pr.utf8Len:
			pr.utf8Len = 0
			s.printRune(r)
			p = p[1:]
		default: // what came before was broken off, and p[0] does not belong to it
			pr.utf8Len = 0
			s.printRune(r)
		}
	}
	return p
}

// step takes one byte in a state that has no loop of its own.
func (s *Screen) step(p []byte) []byte {
	pr := &s.parser
	b := p[0]
	switch {
	case pr.state == inStringEscape:
		return s.endString(p)
	case b == 0x18 || b == 0x1A:
		pr.state = ground
	case b == 0x1B:
		pr.state, pr.inters = escape, 0
	case b < ' ':
		s.control(b)
	case b == 0x7F:
	case b > 0x7F:
		pr.state = ground
		return p
	default:
		s.stepPrintable(b)
	}
	return p[1:]
}

func (s *Screen) stepPrintable(b byte) {
	pr := &s.parser
	switch pr.state {
	case escape, escapeMore:
		switch {
		case b < '0':
			pr.state = escapeMore
			pr.intermediate(b)
		case pr.state == escape && s.escapeOpens(b):
		default:
			pr.state = ground
			s.escapeSequence(b)
		}
	case csiMore:
		switch {
		case b < '0':
			pr.intermediate(b)
		case b < '@':
			pr.state = csiIgnore
		default:
			pr.state = ground
			s.controlSequence(b)
		}
	case csiIgnore:
		if b >= '@' {
			pr.state = ground
		}
	}
}

func (pr *parser) intermediate(b byte) {
	if pr.inters < len(pr.inter) {
		pr.inter[pr.inters] = b
	}
	pr.inters = min(pr.inters+1, len(pr.inter)+1) // one too many matches nothing
}

// escapeOpens starts the longer sequence that ESC b introduces.
func (s *Screen) escapeOpens(b byte) bool {
	switch b {
	case '[':
		s.beginCSI()
	case ']':
		s.beginString(oscString)
	case 'P':
		s.beginString(dcsString)
	case 'X', '^', '_':
		s.beginString(otherString)
	default:
		return false
	}
	return true
}

func (s *Screen) beginCSI() {
	pr := &s.parser
	pr.state = csiHead
	pr.params[0], pr.count, pr.sub, pr.prefix, pr.inters = 0, 1, 0, 0, 0
}

// csiBytes takes the parameters of a control sequence.
func (s *Screen) csiBytes(p []byte) []byte {
	pr := &s.parser
	for i, b := range p {
		switch {
		case b >= '0' && b <= '9':
			if pr.count <= paramsMax {
				v := &pr.params[pr.count-1]
				*v = uint16(min(int(*v)*10+int(b-'0'), paramMax))
			}
		case b == ';' || b == ':':
			pr.nextParam(b == ':')
		case b >= '@' && b <= '~':
			pr.state = ground
			s.controlSequence(b)
			return p[i+1:]
		case b >= '<' && b <= '?' && pr.state == csiHead:
			pr.prefix = b
		case b >= '<' && b <= '?':
			pr.state = csiIgnore
			return p[i+1:]
		case b >= ' ' && b < '0':
			pr.state = csiMore
			pr.intermediate(b)
			return p[i+1:]
		default:
			return s.step(p[i:])
		}
		pr.state = csiParams
	}
	return nil
}

func (pr *parser) nextParam(sub bool) {
	if pr.count < paramsMax {
		pr.params[pr.count] = 0
		if sub {
			pr.sub |= 1 << pr.count
		}
	}
	pr.count = min(pr.count+1, paramsMax+1)
}

// param returns parameter i, or otherwise when it is missing or 0.
func (pr *parser) param(i, otherwise int) int {
	if i < min(pr.count, paramsMax) && pr.params[i] != 0 {
		return int(pr.params[i])
	}
	return otherwise
}

// list returns all parameters.
func (pr *parser) list() []uint16 { return pr.params[:min(pr.count, paramsMax)] }

func (s *Screen) beginString(k stringKind) {
	pr := &s.parser
	pr.state, pr.kind, pr.overlong = inString, k, false
	pr.str = pr.str[:0]
}

// stringBytes takes the bytes of a control string.
func (s *Screen) stringBytes(p []byte) []byte {
	pr := &s.parser
	for i, b := range p {
		if b >= ' ' {
			continue
		}
		switch {
		case b == 0x1B:
			pr.collect(p[:i])
			pr.state = inStringEscape
			return p[i+1:]
		case b == 0x18 || b == 0x1A:
			pr.state = ground
			pr.drop()
			return p[i+1:]
		case b == 0x07 && pr.kind == oscString:
			pr.collect(p[:i])
			pr.state = ground
			s.controlString(true)
			return p[i+1:]
		}
	}
	pr.collect(p)
	return nil
}

// endString takes the byte after an ESC in a string.
func (s *Screen) endString(p []byte) []byte {
	if p[0] == '\\' {
		s.parser.state = ground
		s.controlString(false)
		return p[1:]
	}
	s.parser.drop()
	s.parser.state, s.parser.inters = escape, 0
	return p
}

// collect keeps a part of a control string, unless it is ignored or too long.
func (pr *parser) collect(p []byte) {
	if pr.kind == otherString || pr.overlong {
		return
	}
	limit := shortStringMax
	if pr.kind == oscString && isClipboard(pr.str, p) {
		limit = clipboardStringMax
	}
	if len(pr.str)+len(p) > limit {
		pr.overlong = true
		pr.drop()
		return
	}
	pr.str = append(pr.str, p...)
}

// isClipboard reports whether head and p together begin as OSC 52 does.
func isClipboard(head, p []byte) bool {
	const prefix = "52;"
	var b [len(prefix)]byte
	n := copy(b[:], head)
	n += copy(b[n:], p)
	return string(b[:n]) == prefix
}

func (pr *parser) drop() {
	pr.str = pr.str[:0]
	if cap(pr.str) > stringKeep {
		pr.str = nil
	}
}

func (s *Screen) controlString(bell bool) {
	pr := &s.parser
	if !pr.overlong {
		switch pr.kind {
		case oscString:
			s.osc(pr.str, bell)
		case dcsString:
			s.dcs(pr.str)
		}
	}
	pr.drop()
}

package input

// The marks around a bracketed paste.
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// C1's CSI as a byte, and the byte before it in UTF-8.
const (
	csi     = 0x9b
	csiLead = 0xc2
)

// pasteActs are the control characters that act on what they are typed into, or on the terminal
// driver: xterm's disallowedPasteControls as it comes, BS DEL ENQ EOT ESC NUL and what stty has by
// default for intr, quit, kill, susp, start, stop, werase, lnext, reprint and discard.
const pasteActs = "\x00\x03\x04\x05\x08\x0f\x11\x12\x13\x15\x16\x17\x1a\x1b\x1c\x7f"

// bracketActs are those that act within a bracketed paste: ESC, which begins the end mark in any
// of its spellings, and the interrupt, on which some shells end a paste.
const bracketActs = "\x03\x1b"

var plainTable, bracketTable = pasteTable(pasteActs), pasteTable(bracketActs)

func pasteTable(acts string) (t [256]bool) {
	for _, c := range []byte(acts) {
		t[c] = true
	}
	return t
}

// Paste is text on its way into a program, in chunks of any size cut anywhere. It is made by
// StartPaste, belongs to the caller, and keeps a few bytes between chunks.
//
// Every byte of the text comes out as it went in, with these exceptions:
//
//   - A line end is CR, as the Enter key's is and as in xterm: LF becomes CR, CR LF one CR.
//   - In a bracketed paste ESC, ETX (the interrupt) and C1's CSI become a space each. So the end
//     mark can't be in it, nor one with other parameters or controls in between, which some
//     programs would take for it too. All else is the program's to interpret.
//   - In any other, as in xterm, so does each control character that programs and the terminal
//     driver act on: NUL ETX EOT ENQ BS SI DC1 DC2 DC3 NAK SYN ETB SUB ESC FS DEL, and C1's CSI.
//
// C1's CSI is U+009B, and the byte 9B where it isn't a part of a UTF-8 sequence.
type Paste struct {
	bracketed bool
	cr        bool // the last byte was CR
	lead      bool // C2 is held back: it may begin U+009B
	more      int8 // bytes that are missing from a UTF-8 sequence
	low, high byte // the range of the next of them
}

// StartPaste begins a paste with the modes as they are: a program that ends bracketed pastes while
// one is under way still gets its end mark.
func StartPaste(dst []byte, m Modes) ([]byte, Paste) {
	if m.BracketedPaste {
		dst = append(dst, pasteStart...)
	}
	return dst, Paste{bracketed: m.BracketedPaste}
}

// Append appends what the program gets for the next chunk of the text.
func (p *Paste) Append(dst, chunk []byte) []byte {
	acts := &plainTable
	if p.bracketed {
		acts = &bracketTable
	}
	for len(chunk) > 0 {
		n := 0
		if p.more == 0 && !p.lead {
			for n < len(chunk) && chunk[n] < 0x80 && !acts[chunk[n]] && chunk[n] != '\n' {
				n++
			}
		}
		if n > 0 {
			dst = append(dst, chunk[:n]...)
			p.cr = chunk[n-1] == '\r'
			chunk = chunk[n:]
			continue
		}
		dst = p.appendByte(dst, chunk[0], acts[chunk[0]])
		chunk = chunk[1:]
	}
	return dst
}

// End appends the end of the paste. The Paste is of no use afterwards.
func (p *Paste) End(dst []byte) []byte {
	if p.lead {
		dst = append(dst, csiLead)
	}
	if p.bracketed {
		dst = append(dst, pasteEnd...)
	}
	return dst
}

// appendByte appends one byte that can't be copied with its neighbours.
func (p *Paste) appendByte(dst []byte, c byte, acts bool) []byte {
	if p.lead {
		p.lead = false
		if c == csi {
			p.more = 0
			return append(dst, ' ')
		}
		dst = append(dst, csiLead)
	}
	cr := p.cr
	p.cr = c == '\r'
	if c >= 0x80 {
		return p.appendHigh(dst, c)
	}
	p.more = 0
	switch {
	case c == '\n' && cr:
		return dst
	case c == '\n':
		return append(dst, '\r')
	case acts:
		return append(dst, ' ')
	}
	return append(dst, c)
}

// appendHigh appends a byte of a UTF-8 sequence, or one that is in none.
func (p *Paste) appendHigh(dst []byte, c byte) []byte {
	if p.more > 0 && c >= p.low && c <= p.high {
		p.more--
		p.low, p.high = 0x80, 0xbf
		return append(dst, c)
	}
	p.more, p.low, p.high = 0, 0x80, 0xbf
	switch {
	case c == csi:
		return append(dst, ' ')
	case c == csiLead:
		p.lead, p.more = true, 1
		return dst
	case c > csiLead && c <= 0xdf:
		p.more = 1
	case c >= 0xe0 && c <= 0xef:
		p.more = 2
	case c >= 0xf0 && c <= 0xf4:
		p.more = 3
	}
	switch c { // no overlong forms, surrogates or code points beyond the last
	case 0xe0:
		p.low = 0xa0
	case 0xed:
		p.high = 0x9f
	case 0xf0:
		p.low = 0x90
	case 0xf4:
		p.high = 0x8f
	}
	return append(dst, c)
}

// AppendPaste appends a whole paste, see Paste for what becomes of the text.
func AppendPaste(dst []byte, m Modes, text []byte) []byte {
	dst, p := StartPaste(dst, m)
	return p.End(p.Append(dst, text))
}

package input

import "unicode/utf8"

// The marks around a bracketed paste.
const (
	pasteStart = "\x1b[200~"
	pasteEnd   = "\x1b[201~"
)

// csi is C1's CSI, as a rune and as a byte.
const csi = 0x9b

// pasteActs are the control characters that act on what they are typed into, or on the terminal
// driver: xterm's disallowedPasteControls as it comes, BS DEL ENQ EOT ESC NUL and what stty has by
// default for intr, quit, kill, susp, start, stop, werase, lnext, reprint and discard.
const pasteActs = "\x00\x03\x04\x05\x08\x0f\x11\x12\x13\x15\x16\x17\x1a\x1b\x1c\x7f"

// bracketActs are those that act within a bracketed paste: ESC, which begins the end mark in any
// of its spellings, and the interrupt, on which some shells end a paste.
const bracketActs = "\x03\x1b"

var plainTable, bracketTable = pasteTable(pasteActs), pasteTable(bracketActs)

func pasteTable(acts string) (t [utf8.RuneSelf]bool) {
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
// C1's CSI is U+009B, and the byte 9B where it isn't a part of a UTF-8 character.
type Paste struct {
	bracketed bool
	cr        bool              // the last byte was CR
	held      [utf8.UTFMax]byte // what may be the beginning of a UTF-8 sequence
	n         int               // bytes in held
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
	acts := p.acts()
	for len(chunk) > 0 {
		n := 0
		if p.n == 0 {
			n = plainPrefix(chunk, acts)
		}
		if n == 0 {
			p.held[p.n] = chunk[0]
			p.n++
			chunk = chunk[1:]
			dst = p.drain(dst, false)
			continue
		}
		dst = append(dst, chunk[:n]...)
		p.cr = chunk[n-1] == '\r'
		chunk = chunk[n:]
	}
	return dst
}

// End appends the end of the paste. The Paste is of no use afterwards.
func (p *Paste) End(dst []byte) []byte {
	dst = p.drain(dst, true)
	if p.bracketed {
		dst = append(dst, pasteEnd...)
	}
	return dst
}

func (p *Paste) acts() *[utf8.RuneSelf]bool {
	if p.bracketed {
		return &bracketTable
	}
	return &plainTable
}

// plainPrefix is how much of the beginning of text goes through as it is: whole characters, none
// that is changed.
func plainPrefix(text []byte, acts *[utf8.RuneSelf]bool) (n int) {
	for n < len(text) {
		if c := text[n]; c < utf8.RuneSelf {
			if acts[c] || c == '\n' {
				return n
			}
			n++
			continue
		}
		r, size := utf8.DecodeRune(text[n:])
		if r == csi || r == utf8.RuneError && size <= 1 {
			return n
		}
		n += size
	}
	return n
}

// drain appends the characters and the stray bytes that are held, and at the end what is left of a
// character.
func (p *Paste) drain(dst []byte, end bool) []byte {
	for p.n > 0 && (end || utf8.FullRune(p.held[:p.n])) {
		c := p.held[0]
		r, size := utf8.DecodeRune(p.held[:p.n])
		cr := p.cr
		p.cr = c == '\r'
		switch {
		case c == '\n' && cr:
		case c == '\n':
			dst = append(dst, '\r')
		case r == csi, size == 1 && c == csi, c < utf8.RuneSelf && p.acts()[c]:
			dst = append(dst, ' ')
		default:
			dst = append(dst, p.held[:size]...)
		}
		p.n = copy(p.held[:], p.held[size:p.n])
	}
	return dst
}

// AppendPaste appends a whole paste, see Paste for what becomes of the text.
func AppendPaste(dst []byte, m Modes, text []byte) []byte {
	dst, p := StartPaste(dst, m)
	return p.End(p.Append(dst, text))
}

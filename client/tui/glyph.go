package tui

import (
	"unicode/utf8"

	"apex/client/tui/paint"
	"apex/core/text"
)

// glyphKind says how a glyph is shown.
type glyphKind uint8

const (
	glyphPlain   glyphKind = iota // as it is
	glyphTab                      // blanks to the next stop
	glyphNewline                  // nothing; it ends the row
	glyphEscape                   // by what is in show: ^X, \x9b, \u200b
)

// glyph is what is shown and passed over as one: a grapheme, a control character, a byte that is
// no UTF-8.
type glyph struct {
	q, n  int // its first rune, and how many runes it has
	width int // cells; 0 for tabs, whose width depends on their place, and for newlines
	kind  glyphKind
	text  []byte // its bytes, until the scanner moves on
	show  [8]byte
}

// shown returns what a glyph of kind glyphEscape is shown as, all ASCII.
func (g *glyph) shown() []byte { return g.show[:g.width] }

const (
	// glyphMaxBytes is the longest text of a glyph: paint.First looks no further.
	glyphMaxBytes = 512
	// scanBytes is how much of a text is copied at a time.
	scanBytes = 4 << 10
)

// scanner takes a text apart into glyphs. The zero value is at the end of the empty text.
type scanner struct {
	t    text.Text
	buf  []byte
	pos  int // in buf: where the next glyph begins
	next int // byte of the text that follows buf
	q    int // rune at pos
}

// seek goes to rune q of t. It keeps its memory.
func (s *scanner) seek(t text.Text, q int) {
	s.t, s.q = t, q
	s.next = t.ByteOffset(q)
	s.buf, s.pos = s.buf[:0], 0
}

// fill copies more of the text behind what is left.
func (s *scanner) fill() {
	s.buf = s.buf[:copy(s.buf, s.buf[s.pos:])]
	s.pos = 0
	end := min(s.next+scanBytes, s.t.Bytes())
	for c := range s.t.ChunksRange(s.next, end) {
		s.buf = append(s.buf, c...)
	}
	s.next = end
}

// glyph takes the next glyph, which ends at rune limit at the latest. It is false at the end of the
// text.
func (s *scanner) glyph(g *glyph, limit int) bool {
	if len(s.buf)-s.pos < glyphMaxBytes && s.next < s.t.Bytes() {
		s.fill()
	}
	if s.pos == len(s.buf) {
		return false
	}
	b := s.buf[s.pos:]
	g.q, g.n, g.kind = s.q, 1, glyphPlain
	switch c := b[0]; {
	case c >= ' ' && c < 0x7F && (len(b) == 1 || b[1] < utf8.RuneSelf):
		g.width, g.text = 1, b[:1]
	case c == '\n':
		g.width, g.text, g.kind = 0, b[:1], glyphNewline
	case c == '\t':
		g.width, g.text, g.kind = 0, b[:1], glyphTab
	case c < ' ' || c == 0x7F:
		g.text, g.kind, g.width = b[:1], glyphEscape, 2
		g.show[0], g.show[1] = '^', c^'@'
	default:
		g.wide(b, limit)
	}
	s.pos += len(g.text)
	s.q += g.n
	return true
}

// back returns the glyph that was taken last.
func (s *scanner) back(g *glyph) {
	s.pos -= len(g.text)
	s.q -= g.n
}

// wide is for what begins with or is followed by other than ASCII.
func (g *glyph) wide(b []byte, limit int) {
	n, width := paint.First(b)
	r, size := utf8.DecodeRune(b)
	switch {
	case r == utf8.RuneError && size == 1:
		g.text, g.kind, g.width = b[:1], glyphEscape, 4
		copy(g.show[:], `\x`)
		hex(g.show[2:4], uint32(b[0]))
		return
	case width == 0:
		g.text, g.kind = b[:size], glyphEscape
		g.width = escapeRune(g.show[:], r)
		return
	}
	g.text, g.width, g.n = b[:n], width, utf8.RuneCount(b[:n])
	if g.n > max(limit-g.q, 1) {
		g.cut(max(limit-g.q, 1))
	}
}

// cut leaves the first n runes of a grapheme.
func (g *glyph) cut(n int) {
	size := 0
	for range n {
		_, k := utf8.DecodeRune(g.text[size:])
		size += k
	}
	g.text, g.n = g.text[:size], n
	g.width = max(paint.Width(g.text), 1)
}

// escapeRune writes what stands for an invisible rune and returns how long it is: 6 or 8 bytes.
func escapeRune(dst []byte, r rune) int {
	n := 4
	if r > 0xFFFF {
		n = 6
	}
	copy(dst, `\u`)
	hex(dst[2:2+n], uint32(r))
	return 2 + n
}

func hex(dst []byte, v uint32) {
	for i := len(dst) - 1; i >= 0; i-- {
		dst[i] = "0123456789abcdef"[v&15]
		v >>= 4
	}
}

package paint

import (
	"unicode/utf8"

	"apex/core/cell"
)

// appendText appends what c shows so that it takes width cells by our table, and so that none of it
// is taken for a command.
func (p *Painter) appendText(buf []byte, c cell.Cell, width int) []byte {
	var one [utf8.UTFMax]byte
	var text []byte
	if i, ok := c.Cluster(); ok {
		text = cleanCluster(p.texts[i])
	} else {
		text = utf8.AppendRune(one[:0], cleanRune(c.Rune()))
	}
	end, n := First(text)
	text = text[:end]
	if n == 0 { // a mark by itself needs something to stand on
		text, n = append([]byte{' '}, text...), 1
		if grapheme(text) != len(text) {
			text = text[:0] // it isn't a mark
		}
	}
	if n > width || len(text) == 0 {
		text, n = append(one[:0], "\uFFFD"...), 1
	}
	buf = append(buf, text...)
	for ; n < width; n++ {
		buf = append(buf, ' ')
	}
	return buf
}

func cleanRune(r rune) rune {
	if control(r) {
		return utf8.RuneError
	}
	return r
}

func cleanCluster(s string) []byte {
	b := make([]byte, 0, len(s))
	for _, r := range s {
		b = utf8.AppendRune(b, cleanRune(r))
	}
	return b
}

// joins reports whether the terminal would make one grapheme of text and what was written right
// before it. Text that First cut into graphemes never does; what stands in neighbouring windows, or
// is cut off at an edge, may: two halves of different flags, a mark of its own cell.
func (p *Painter) joins(text []byte) bool {
	before := p.last
	if len(before) == 0 {
		if r, _ := utf8.DecodeRune(text); plain(r) {
			return false
		}
		before = []byte{' '}
	}
	p.pair = append(append(p.pair[:0], before...), text...)
	return grapheme(p.pair) != len(before)
}

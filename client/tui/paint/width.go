package paint

import (
	"unicode/utf8"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// First returns the bytes of the first grapheme of s and the cells that it takes: 1, 2, or 0.
//
// It is 0 for control characters, line ends among them, for tabs, for invisible format characters
// and for a mark by itself; the caller shows those in its own way (^X, \x9b, blanks to a tab stop)
// and must not put them in a cell. Each byte that is not UTF-8 is a grapheme of its own of 1 cell.
// Both results are 0 for an empty s. Ambiguous characters are narrow.
func First[T ~string | ~[]byte](s T) (bytes, width int) {
	if len(s) == 0 {
		return 0, 0
	}
	if b := s[0]; b < utf8.RuneSelf && b != '\r' && (len(s) == 1 || s[1] < utf8.RuneSelf) {
		if b < ' ' || b == 0x7F {
			return 1, 0
		}
		return 1, 1
	}
	return firstSlow([]byte(s[:min(len(s), graphemeMaxBytes)]))
}

// graphemeMaxBytes bounds the search for the end of a grapheme, so that a megabyte of combining
// marks costs no more than as many letters. A longer grapheme counts as several.
const graphemeMaxBytes = 512

func firstSlow(s []byte) (bytes, width int) {
	if r, n := utf8.DecodeRune(s); r == utf8.RuneError && n == 1 {
		return 1, 1
	}
	g := graphemes.FromBytes(s)
	g.Next()
	v := g.Value()
	for i := 0; i < len(v); { // invalid bytes end a grapheme, whatever the tables make of them
		r, n := utf8.DecodeRune(v[i:])
		if r == utf8.RuneError && n == 1 {
			v = v[:i]
			break
		}
		i += n
	}
	if r, _ := utf8.DecodeRune(v); control(r) {
		return len(v), 0
	}
	return len(v), displaywidth.Bytes(v)
}

// Width returns the cells that the graphemes of s take together. See First.
func Width[T ~string | ~[]byte](s T) int {
	cells := 0
	for len(s) > 0 {
		n, w := First(s)
		cells += w
		s = s[n:]
	}
	return cells
}

// widthOf is Width of text without invalid bytes.
func widthOf(text []byte) int {
	if len(text) == 1 {
		return 1
	}
	return displaywidth.Bytes(text)
}

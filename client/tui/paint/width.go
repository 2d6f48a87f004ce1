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
	return firstWide(s)
}

// graphemeMaxBytes bounds the search for the end of a grapheme, so that a megabyte of combining
// marks costs no more than as many letters. A longer grapheme counts as several.
const graphemeMaxBytes = 512

func firstWide[T ~string | ~[]byte](s T) (bytes, width int) {
	r, n := decode(s)
	if r == utf8.RuneError && n == 1 {
		return 1, 1
	}
	if plain(r) {
		if next, _ := decode(s[n:]); n == len(s) || plain(next) {
			return n, displaywidth.Rune(r)
		}
	}
	n = validPrefix(s[:grapheme(s[:min(len(s), graphemeMaxBytes)])])
	if control(r) {
		return n, 0
	}
	return n, clusterWidth(s[:n])
}

// plain reports whether r is one of the many runes that no other plain rune joins.
func plain(r rune) bool {
	return r >= ' ' && r < 0x7F || r > 0xA0 && r < 0x300 && r != 0xAD || r >= 0x4E00 && r < 0xA000
}

// validPrefix returns the bytes of s before the first that is not UTF-8: such a byte ends a
// grapheme, whatever the tables make of it.
func validPrefix[T ~string | ~[]byte](s T) int {
	for i := 0; i < len(s); {
		r, n := decode(s[i:])
		if r == utf8.RuneError && n == 1 {
			return i
		}
		i += n
	}
	return len(s)
}

// decode is utf8.DecodeRune for both.
func decode[T ~string | ~[]byte](s T) (rune, int) {
	var b [utf8.UTFMax]byte
	return utf8.DecodeRune(b[:copy(b[:], s)])
}

// grapheme returns the bytes of the first grapheme of s, which is not empty.
func grapheme[T ~string | ~[]byte](s T) int {
	if b, ok := any(s).([]byte); ok {
		g := graphemes.FromBytes(b)
		g.Next()
		return g.End()
	}
	g := graphemes.FromString(string(s))
	g.Next()
	return g.End()
}

func clusterWidth[T ~string | ~[]byte](s T) int {
	if b, ok := any(s).([]byte); ok {
		return displaywidth.Bytes(b)
	}
	return displaywidth.String(string(s))
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

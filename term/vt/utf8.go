package vt

import "unicode/utf8"

// decode returns the first character of p, which begins with a byte above 0x7F. What is not UTF-8
// is U+FFFD, one for each maximal part of a well-formed sequence (Unicode 3.9). The length is 0
// when p ends before the character does.
func decode(p []byte) (r rune, n int) {
	b := p[0]
	need, low, high := 0, byte(0x80), byte(0xBF)
	switch {
	case b >= 0xC2 && b < 0xE0:
		r, need = rune(b&0x1F), 1
	case b >= 0xE0 && b < 0xF0:
		r, need = rune(b&0x0F), 2
		if b == 0xE0 {
			low = 0xA0 // overlong below
		} else if b == 0xED {
			high = 0x9F // surrogates above
		}
	case b >= 0xF0 && b < 0xF5:
		r, need = rune(b&0x07), 3
		if b == 0xF0 {
			low = 0x90 // overlong below
		} else if b == 0xF4 {
			high = 0x8F // past U+10FFFF
		}
	default:
		return utf8.RuneError, 1
	}
	for n = 1; n <= need; n++ {
		if n == len(p) {
			return 0, 0
		}
		c := p[n]
		if c < low || c > high {
			return utf8.RuneError, n
		}
		r = r<<6 | rune(c&0x3F)
		low, high = 0x80, 0xBF
	}
	return r, n
}

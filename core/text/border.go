package text

import (
	"bytes"
	"encoding/binary"
	"unicode/utf8"
)

const (
	highBits = 0x8080808080808080 // set in bytes that aren't ASCII
	lowBits  = 0x0101010101010101

	blockBytes = 64 // counted at once; fewer than 256, so that a byte holds the count
)

var newline = []byte{'\n'}

// count sums up b, which must begin and end at rune borders.
func count(b []byte) sum {
	return sum{len(b), runeCount(b), bytes.Count(b, newline)}
}

// runeCount is utf8.RuneCount, several times as fast: by blocks where b is ASCII, and by counting
// the bytes that begin a rune where b is valid.
func runeCount(b []byte) int {
	n := ascii(b)
	rest := b[n:]
	switch {
	case len(rest) == 0:
		return n
	case utf8.Valid(rest):
		return n + starts(rest)
	}
	return n + utf8.RuneCount(rest)
}

// ascii gives the length of a run of ASCII that b begins with: all of it, or less than a block of
// it is missing.
func ascii(b []byte) int {
	n := 0
	for ; n+blockBytes <= len(b); n += blockBytes {
		p := b[n : n+blockBytes]
		w := binary.LittleEndian.Uint64(p) | binary.LittleEndian.Uint64(p[8:]) |
			binary.LittleEndian.Uint64(p[16:]) | binary.LittleEndian.Uint64(p[24:]) |
			binary.LittleEndian.Uint64(p[32:]) | binary.LittleEndian.Uint64(p[40:]) |
			binary.LittleEndian.Uint64(p[48:]) | binary.LittleEndian.Uint64(p[56:])
		if w&highBits != 0 {
			return n
		}
	}
	for ; n+8 <= len(b); n += 8 {
		if binary.LittleEndian.Uint64(b[n:])&highBits != 0 {
			return n
		}
	}
	for n < len(b) && b[n] < utf8.RuneSelf {
		n++
	}
	return n
}

// continuations has the low bit of each continuation byte of w set.
func continuations(w uint64) uint64 { return w >> 7 &^ (w >> 6) & lowBits }

// startsInBlock is starts for blockBytes bytes. It adds up the words byte by byte, and then the
// bytes of that sum by a multiplication that leaves it in the highest byte.
func startsInBlock(b []byte) int {
	_ = b[blockBytes-1]
	n := uint64(0)
	for i := 0; i < blockBytes; i += 8 {
		n += continuations(binary.LittleEndian.Uint64(b[i:]))
	}
	return blockBytes - int(n*lowBits>>56)
}

// starts counts the bytes of b that aren't continuation bytes. Each rune begins with one, except
// for a stray continuation byte, which is a rune too. So if b has as many starts as runes, the
// n-th rune begins at the n-th start.
func starts(b []byte) int {
	n := 0
	for ; len(b) >= blockBytes; b = b[blockBytes:] {
		n += startsInBlock(b)
	}
	for _, c := range b {
		if utf8.RuneStart(c) {
			n++
		}
	}
	return n
}

// nthStart gives the n-th start of b, counted from 0; the end of b if there are only n.
func nthStart(b []byte, n int) int {
	i := 0
	for ; i+blockBytes <= len(b); i += blockBytes {
		k := startsInBlock(b[i:])
		if k > n {
			break
		}
		n -= k
	}
	for ; i < len(b); i++ {
		if utf8.RuneStart(b[i]) {
			if n == 0 {
				break
			}
			n--
		}
	}
	return i
}

// byteOfRune gives the byte at which rune q of a leaf with the sum in begins.
func byteOfRune(leaf []byte, in sum, q int) int {
	switch {
	case in.bytes == in.runes:
		return q
	case starts(leaf) == in.runes:
		return nthStart(leaf, q)
	case q > in.runes/2:
		return backward(leaf, len(leaf), in.runes-q)
	}
	return forward(leaf, 0, q)
}

// runeOfByte gives the rune that begins at byte i, a rune border, of a leaf with the sum in.
func runeOfByte(leaf []byte, in sum, i int) int {
	switch {
	case in.bytes == in.runes:
		return i
	case starts(leaf) == in.runes:
		return starts(leaf[:i])
	}
	return runeCount(leaf[:i])
}

// forward gives the byte k runes after byte i of b. Both are rune borders.
func forward(b []byte, i, k int) int {
	for k > 0 {
		if k >= 8 && i+8 <= len(b) && binary.LittleEndian.Uint64(b[i:])&highBits == 0 {
			i += 8
			k -= 8
			continue
		}
		if b[i] < utf8.RuneSelf {
			i++
		} else {
			_, n := utf8.DecodeRune(b[i:])
			i += n
		}
		k--
	}
	return i
}

// backward gives the byte k runes before byte i of b. Both are rune borders.
func backward(b []byte, i, k int) int {
	for ; k > 0; k-- {
		_, n := utf8.DecodeLastRune(b[:i])
		i -= n
	}
	return i
}

// floor gives the last rune border at or before byte i of b, which begins at a rune border.
func floor(b []byte, i int) int {
	if i >= len(b) || utf8.RuneStart(b[i]) {
		return i
	}
	for j := i - 1; j >= 0 && j > i-utf8.UTFMax; j-- {
		if utf8.RuneStart(b[j]) {
			if _, n := utf8.DecodeRune(b[j:]); j+n > i {
				return j
			}
			break
		}
	}
	return i
}

// unfinished gives the length of the encoding that b ends with and that more bytes could complete,
// 0 if there is none. Three bytes of b are enough to tell.
func unfinished(b []byte) int {
	for n := 1; n < utf8.UTFMax && n <= len(b); n++ {
		if tail := b[len(b)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// continuing gives the number of bytes at the start of b that an encoding begun before b could
// claim.
func continuing(b []byte) int {
	n := 0
	for n < len(b) && n < utf8.UTFMax-1 && !utf8.RuneStart(b[n]) {
		n++
	}
	return n
}

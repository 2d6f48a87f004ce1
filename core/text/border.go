package text

import (
	"bytes"
	"encoding/binary"
	"math/bits"
	"unicode/utf8"
)

const (
	highBits = 0x8080808080808080 // set in bytes that aren't ASCII
	lowBits  = 0x0101010101010101
)

var newline = []byte{'\n'}

// count sums up b, which must begin and end at rune borders.
func count(b []byte) sum {
	return sum{len(b), runeCount(b), bytes.Count(b, newline)}
}

// runeCount is utf8.RuneCount, several times as fast: by words where b is ASCII, and by counting
// the bytes that begin a rune where b is valid.
func runeCount(b []byte) int {
	i := 0
	for ; i+8 <= len(b); i += 8 {
		if binary.LittleEndian.Uint64(b[i:])&highBits != 0 {
			break
		}
	}
	rest := b[i:]
	if !utf8.Valid(rest) {
		return i + utf8.RuneCount(rest)
	}
	n := len(rest)
	for ; len(rest) >= 8; rest = rest[8:] {
		w := binary.LittleEndian.Uint64(rest)
		n -= bits.OnesCount64(w >> 7 &^ (w >> 6) & lowBits)
	}
	for _, c := range rest {
		if !utf8.RuneStart(c) {
			n--
		}
	}
	return i + n
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

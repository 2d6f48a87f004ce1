package text

import "bytes"

// needleMax bounds the bytes that are searched for at once, and so what is copied at each border of
// two leaves. What follows them in a longer string is compared where they are found.
const needleMax = 64

// Index gives the rune offset of the first occurrence of s at or after rune q, -1 if there is none.
// An occurrence begins and ends at rune borders, so "\xa0" is not found inside "你". It panics if q
// is outside the text.
func (t Text) Index(q int, s string) int {
	return t.runeOrNone(t.indexBytes(t.ByteOffset(q), t.sum.bytes, s))
}

// LastIndex gives the rune offset of the last occurrence of s that ends at or before rune q, -1 if
// there is none. An occurrence begins and ends at rune borders. It panics if q is outside the text.
func (t Text) LastIndex(q int, s string) int {
	return t.runeOrNone(t.lastIndexBytes(t.ByteOffset(q), s))
}

func (t Text) runeOrNone(b int) int {
	if b < 0 {
		return -1
	}
	return t.RuneOffset(b)
}

// indexBytes gives the first occurrence of s in bytes b0 to b1.
func (t Text) indexBytes(b0, b1 int, s string) int {
	needle := []byte(s[:min(len(s), needleMax)])
	for b0+len(s) <= b1 {
		i := t.indexNeedle(b0, b1, needle)
		if i < 0 || i+len(s) > b1 {
			break
		}
		if t.occurs(i, s) {
			return i
		}
		b0 = i + 1
	}
	return -1
}

// lastIndexBytes gives the last occurrence of s that ends at or before byte b.
func (t Text) lastIndexBytes(b int, s string) int {
	needle := []byte(s[:min(len(s), needleMax)])
	// The needle of an occurrence ends before what follows it in s.
	for b -= len(s) - len(needle); b >= len(needle); {
		i := t.lastIndexNeedle(b, needle)
		if i < 0 || t.occurs(i, s) {
			return i
		}
		b = i + len(needle) - 1
	}
	return -1
}

// occurs tells whether s is at byte b, between rune borders.
func (t Text) occurs(b int, s string) bool {
	if !t.isBorder(b) || !t.isBorder(b+len(s)) {
		return false
	}
	for c := range t.ChunksRange(b, b+len(s)) {
		if string(c) != s[:len(c)] {
			return false
		}
		s = s[len(c):]
	}
	return true
}

// isBorder tells whether a rune begins at byte b or the text ends there.
func (t Text) isBorder(b int) bool {
	if b == 0 || b == t.sum.bytes {
		return true
	}
	leaf, before := t.leafAtByte(b)
	return floor(leaf, b-before.bytes) == b-before.bytes
}

// indexNeedle gives the first place of needle, at most needleMax bytes, in bytes b0 to b1.
func (t Text) indexNeedle(b0, b1 int, needle []byte) int {
	if len(needle) == 0 {
		return b0
	}
	var space [2 * needleMax]byte
	carry := space[:0] // the last bytes before the chunk, too few for the needle
	keep := len(needle) - 1
	for c := range t.ChunksRange(b0, b1) {
		window := append(carry, c[:min(keep, len(c))]...)
		if i := bytes.Index(window, needle); i >= 0 {
			return b0 - len(carry) + i
		}
		if i := bytes.Index(c, needle); i >= 0 {
			return b0 + i
		}
		b0 += len(c)
		if len(c) >= keep {
			window = c
		}
		carry = append(space[:0], window[max(0, len(window)-keep):]...)
	}
	return -1
}

// lastIndexNeedle gives the last place of needle, at most needleMax bytes, that ends at or before
// byte b.
func (t Text) lastIndexNeedle(b int, needle []byte) int {
	if len(needle) == 0 {
		return b
	}
	var space, old [2 * needleMax]byte
	carry := old[:0] // the first bytes after the chunk, too few for the needle
	keep := len(needle) - 1
	for b > 0 {
		c, before := t.leafAtByte(b - 1)
		c = c[:b-before.bytes]
		b = before.bytes
		tail := c[max(0, len(c)-keep):]
		window := append(append(space[:0], tail...), carry...)
		if i := bytes.LastIndex(window, needle); i >= 0 {
			return b + len(c) - len(tail) + i
		}
		if i := bytes.LastIndex(c, needle); i >= 0 {
			return b + i
		}
		if len(c) >= keep {
			window = c
		}
		carry = append(old[:0], window[:min(keep, len(window))]...)
	}
	return -1
}

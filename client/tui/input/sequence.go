package input

import (
	"bytes"
	"unicode/utf8"
)

// span is what the beginning of the input is.
type span uint8

const (
	whole  span = iota // a key or a sequence, all of it
	keyish             // a key, or a sequence of which the rest is still to come: time will tell
	open               // the beginning of a sequence, and of nothing else
	broken             // a sequence of which the end never came: something else comes after it
)

// The control characters that mean something within sequences.
const (
	bel = 0x07
	can = 0x18
	sub = 0x1A
	esc = 0x1B
	st  = 0x9C // where sequences begin with such bytes; else it is part of a rune
)

const (
	consoleKey = 4 // bytes of what the Linux console sends for F1 to F5: ESC [ [ A
	oldMouse   = 6 // bytes of a mouse report from before SGR's: ESC [ M and three more
)

// frame returns how much of b, which has something in it, is its first key or sequence, and whether
// that is all of it. The text of a sequence is never a key: that would be typed.
func frame(b []byte) (n int, s span) {
	kind, n := introducer(b)
	switch {
	case kind == 0 && b[0] == esc:
		return frameAlt(b)
	case kind == 0 && !utf8.FullRune(b):
		return len(b), open
	case kind == 0:
		return len(b), whole // a key may be a cluster of several runes
	case len(b) == n && b[0] == esc:
		return n, keyish
	}
	switch kind {
	case '[':
		return frameControl(b, n)
	case 'O':
		return frameShift(b, n)
	}
	return frameString(b, n, kind)
}

// introducer returns which kind of sequence b begins with, as the byte after ESC, and the length of
// that; 0: none.
func introducer(b []byte) (kind byte, n int) {
	kind, n = b[0]^0xC0, 1 // in eight bits
	if b[0] == esc && len(b) > 1 {
		kind, n = b[1], 2
	} else if b[0] < 0x80 {
		return 0, 0
	}
	switch kind {
	case '[', 'O', ']', 'P', 'X', '^', '_':
		return kind, n
	}
	return 0, 0
}

// frameAlt is for ESC before something that it makes no sequence of: Alt with a key, or Esc.
func frameAlt(b []byte) (n int, s span) {
	if len(b) == 1 {
		return 1, keyish
	}
	if b[1] == esc && len(b) > 2 && b[2] == esc {
		return 1, whole
	}
	switch n, s = frame(b[1:]); s {
	case broken:
		return 1, whole
	case open:
		return 1, open // Esc, if the rest stays away
	}
	return n + 1, s
}

// frameControl is for a control sequence of which the parameters begin at i: they end with a final
// byte.
func frameControl(b []byte, i int) (n int, s span) {
	begin := i
	for i < len(b) && b[i] >= 0x30 && b[i] <= 0x3F {
		i++
	}
	params := b[begin:i]
	for i < len(b) && b[i] >= 0x20 && b[i] <= 0x2F {
		i++
	}
	switch {
	case i == len(b) && i == begin+len(params)+1 && b[i-1] == '$' && isNumber(params):
		return i, whole // rxvt's for a key with shift
	case i == len(b):
		return i, open
	case b[i] < 0x40 || b[i] > 0x7E:
		return cutOff(b, i, begin)
	case b[i] == '[' && i == begin:
		return atLeast(b, consoleKey)
	case b[i] == 'M' && i == begin:
		return atLeast(b, oldMouse)
	}
	return i + 1, whole
}

func atLeast(b []byte, n int) (int, span) {
	if len(b) < n {
		return len(b), open
	}
	return n, whole
}

func isNumber(b []byte) bool {
	return len(b) > 0 && len(bytes.Trim(b, "0123456789")) == 0
}

// frameShift is for a key after SS3, with digits for its modifiers.
func frameShift(b []byte, i int) (n int, s span) {
	begin := i
	for i < len(b) && b[i] >= '0' && b[i] <= '9' {
		i++
	}
	switch {
	case i == len(b):
		return i, open
	case b[i] <= ' ' || b[i] > 0x7E:
		return cutOff(b, i, begin)
	}
	return i + 1, whole
}

// frameString is for a string, such as the answer about a colour, up to its terminator. No other
// control character is in one: it is a key, and the end was lost.
func frameString(b []byte, i int, kind byte) (n int, s span) {
	begin := i
	for ; i < len(b); i++ {
		switch c := b[i]; {
		case c == can, c == sub, c == bel && kind == ']', c == st && b[0] != esc:
			return i + 1, whole
		case c == esc && i+1 < len(b) && b[i+1] == '\\':
			return i + 2, whole
		case c == esc && i+1 == len(b) && i > begin:
			return i, open // and perhaps half the terminator
		case c < ' ':
			return cutOff(b, i, begin)
		}
	}
	return i, open
}

// cutOff is for a sequence in whose place something else comes at i. One that had only begun was a
// key.
func cutOff(b []byte, i, begin int) (n int, s span) {
	if i == begin && b[0] == esc {
		return i, whole
	}
	return i, broken
}

// resumes reports whether in, which was read after what was given up, is surely the rest of it, and
// nothing that a person typed: that comes byte by byte.
func resumes(given, in []byte) bool {
	if len(in) < 2 || in[0] == esc {
		return false
	}
	all := append(append([]byte(nil), given...), in...)
	kind, i := introducer(all)
	n, s := frame(all)
	switch rest := all[i:]; {
	case kind == 0 || len(rest) == 0 || s == broken:
		return false
	case kind == '[' && rest[0] >= '<' && rest[0] <= '?': // what only terminals say
		return true
	case kind == '[':
		return s == open || n == len(all) && isKnownFinal(all[n-1])
	case kind == ']':
		number, _, ok := bytes.Cut(rest, []byte{';'})
		return ok && isNumber(number)
	case kind == 'O':
		return n == len(all) && s == whole && len(in) == 2
	}
	return false
}

// isKnownFinal reports whether c ends a control sequence that keys, the focus or answers are.
func isKnownFinal(c byte) bool { return bytes.IndexByte([]byte("ABCDEFHIMOPQRSZuyn~^@"), c) >= 0 }

package daemon

import (
	"strings"
	"unicode/utf8"
)

// printMaxGrowth is how many bytes one byte of output takes at most where it is shown.
const printMaxGrowth = 4

// sequenceMaxBytes is how long a control sequence may be before it is taken for text.
const sequenceMaxBytes = 4 << 10

const (
	escape   = 0x1b
	bell     = 0x07
	rubout   = 0x7f
	pictures = 0x2400 // the control pictures, in the order of the characters that they stand for
)

// printable is what a window shows of a command's output, which may be anything. The text is kept.
// What only a terminal could make something of, colours and titles, is left out; a carriage return
// ends a line, as a line feed does; other control characters, NUL too, show as their pictures, and
// bytes that are not UTF-8 as \xff. (What takes a selection's place is taken as it is.)
func printable(b []byte) string {
	var s strings.Builder
	s.Grow(len(b))
	for len(b) > 0 {
		n := plain(b)
		s.Write(b[:n])
		if b = b[n:]; len(b) > 0 {
			b = b[printOne(&s, b):]
		}
	}
	return s.String()
}

// plain is how many bytes are shown as they are.
func plain(b []byte) int {
	for i := 0; i < len(b); {
		c := b[i]
		switch {
		case c >= ' ' && c < rubout, c == '\n', c == '\t':
			i++
		case c < utf8.RuneSelf:
			return i
		default:
			r, n := utf8.DecodeRune(b[i:])
			if r == utf8.RuneError && n == 1 || r < 0xa0 {
				return i
			}
			i += n
		}
	}
	return len(b)
}

// printOne shows the first of what is not plain, and returns its length.
func printOne(s *strings.Builder, b []byte) int {
	const digits = "0123456789abcdef"
	switch c := b[0]; {
	case c == '\r':
		s.WriteByte('\n')
		if len(b) > 1 && b[1] == '\n' {
			return 2
		}
	case c == escape && sequence(b) > 0:
		return sequence(b)
	case c == rubout:
		s.WriteRune(pictures + 0x21)
	case c < ' ':
		s.WriteRune(pictures + rune(c))
	default:
		r, n := utf8.DecodeRune(b)
		if r != utf8.RuneError { // a control character of two bytes
			c = byte(r)
		}
		s.WriteString(`\x` + string([]byte{digits[c>>4], digits[c&15]}))
		return n
	}
	return 1
}

// sequence is the length of the control sequence that b begins with: 0 if it is none, -1 if its end
// may still come.
func sequence(b []byte) int {
	if len(b) < 2 {
		return -1
	}
	switch c := b[1]; {
	case c == '[':
		return ends(b, 2, func(c byte) bool { return c >= ' ' && c < '@' })
	case strings.IndexByte("]PX^_", c) >= 0:
		return stringEnds(b)
	case c >= ' ' && c < '0':
		return ends(b, 2, func(c byte) bool { return c >= ' ' && c < '0' })
	case c >= '0' && c < rubout:
		return 2
	}
	return 0
}

// ends is the length of a sequence whose first bytes, from i on, are inner ones.
func ends(b []byte, i int, inner func(byte) bool) int {
	for i < min(len(b), sequenceMaxBytes) && inner(b[i]) {
		i++
	}
	switch {
	case i == len(b) && i < sequenceMaxBytes:
		return -1
	case i < len(b) && b[i] >= '0' && b[i] < rubout:
		return i + 1
	}
	return 0
}

// stringEnds is the length of a control string.
func stringEnds(b []byte) int {
	for i := 2; i < min(len(b), sequenceMaxBytes); i++ {
		switch {
		case b[i] == bell:
			return i + 1
		case b[i] == escape && i+1 < len(b) && b[i+1] == '\\':
			return i + 2
		case b[i] == escape && i+1 < len(b):
			return 0
		}
	}
	if len(b) >= sequenceMaxBytes {
		return 0
	}
	return -1
}

// whole is how much of b can be shown before the rest has come: not half a rune, a control
// sequence that has not ended, or a carriage return whose line feed may follow. All of it, if b is
// a piece as large as they get and has nothing whole.
func whole(b []byte) int {
	n := len(b)
	if n > 0 && b[n-1] == '\r' {
		n--
	}
	for k := 1; k < utf8.UTFMax && k <= n; k++ {
		if c := b[n-k]; utf8.RuneStart(c) {
			if c >= utf8.RuneSelf && !utf8.FullRune(b[n-k:n]) {
				n -= k
			}
			break
		}
	}
	for i := max(0, n-sequenceMaxBytes); i < n; i++ {
		if b[i] != escape {
			continue
		}
		switch k := sequence(b[i:n]); {
		case k < 0:
			n = i
		case k > 0:
			i += k - 1
		}
	}
	if n == 0 && len(b) == pieceMaxBytes {
		return len(b)
	}
	return n
}

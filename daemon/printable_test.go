package daemon

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"
)

func TestPrintable(t *testing.T) {
	for _, c := range []struct{ in, want string }{
		{"plain\ttext\n", "plain\ttext\n"},
		{"grüße 世界 😀\n", "grüße 世界 😀\n"},
		{"dos\r\nlines\r\n", "dos\nlines\n"},
		{" 1%\r 2%\r", " 1%\n 2%\n"},
		{"a\x00b\x07c\x7f\x08", "a␀b␇c␡␈"},
		{"\xff\xfe\xc3", `\xff\xfe\xc3`},
		{"\xe4\xb8", `\xe4\xb8`},
		{"\xed\xa0\x80", `\xed\xa0\x80`}, // half of a surrogate pair
		{"\ufffd", "\ufffd"},
		{"\u0085\u009b31m", `\x85\x9b31m`},
		{"\x1b[1;31mred\x1b[0m\x1b[K", "red"},
		{"\x1b]0;title\x07\x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "link"},
		{"\x1bP1$r0m\x1b\\\x1b(B\x1b=\x1b7x", "x"},
		{"\x1b", "␛"},
		{"\x1b[12", "␛[12"},
		{"\x1b]0;no end", "␛]0;no end"},
		{"\x1b\x1b[0mx", "␛x"},
		{"\x1b[1\nx", "␛[1\nx"},
	} {
		if got := printable([]byte(c.in)); got != c.want {
			t.Errorf("%q: %q, want %q", c.in, got, c.want)
		}
	}
}

func TestWhole(t *testing.T) {
	long := "x\x1b]" + strings.Repeat("y", sequenceMaxBytes)
	for _, c := range []struct {
		in   string
		want int
	}{
		{"", 0}, {"abc", 3}, {"abc\r", 3}, {"a\xe4\xb8", 1}, {"a\xe4\xb8\x96", 4}, {"a\xff", 2},
		{"a\x1b", 1}, {"a\x1b[", 1}, {"a\x1b[0", 1}, {"a\x1b[0m", 5}, {"a\x1b]0;t", 1},
		{"a\x1b]0;t\x07", 7},
		{"a\x1b]0;t\x1b", 1}, {long, len(long)}, {"\xf0\x9f\x98", 0},
	} {
		if got := whole([]byte(c.in)); got != c.want {
			t.Errorf("%.20q: %d, want %d", c.in, got, c.want)
		}
	}
}

// What is shown in pieces is what is shown at once, whatever the pieces: valid text without control
// characters, and not larger than a proposal takes.
func FuzzPrintable(f *testing.F) {
	f.Add([]byte("a\r\n\x1b[31mb\x1b]0;t\x1b\\\xe4\xb8\x96\xff\x00"), uint8(3))
	f.Fuzz(func(t *testing.T, b []byte, size uint8) {
		b = b[:min(len(b), sequenceMaxBytes)] // a sequence longer than that is text, once it is
		want := printable(b)
		if !utf8.ValidString(want) || len(want) > printMaxGrowth*len(b) {
			t.Fatalf("%d bytes of %d: %q", len(want), len(b), want)
		}
		if i := strings.IndexFunc(want, func(r rune) bool {
			return r < ' ' && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0
		}); i >= 0 {
			t.Fatalf("%q has a control character at %d", want, i)
		}
		var got strings.Builder
		var waiting []byte
		for rest := b; len(rest) > 0; {
			n := min(len(rest), int(size)+1)
			waiting, rest = append(waiting, rest[:n]...), rest[n:]
			n = whole(waiting)
			got.WriteString(printable(waiting[:n]))
			waiting = bytes.Clone(waiting[n:])
		}
		got.WriteString(printable(waiting))
		if got.String() != want {
			t.Fatalf("in pieces %q, at once %q", got.String(), want)
		}
	})
}

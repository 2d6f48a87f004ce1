package paint

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestFirst(t *testing.T) {
	cases := []struct {
		s            string
		bytes, width int
	}{
		{"", 0, 0}, {"a", 1, 1}, {"ab", 1, 1}, {" ", 1, 1}, {"\t", 1, 0}, {"\n", 1, 0}, {"\r\n", 2, 0},
		{"\ra", 1, 0}, {"\x1b[m", 1, 0}, {"\x7f", 1, 0}, {"\u0085", 2, 0}, {"\x80", 1, 1},
		{"\xff\xfe", 1, 1},
		{"é", 2, 1}, {"e\u0301x", 3, 1}, {"\u0301", 2, 0}, {"\u200b", 3, 0},
		{"世界", 3, 2}, {"가", 3, 2}, {"🚀", 4, 2}, {"👩‍🚀!", 11, 2}, {"❤️", 6, 2}, {"❤", 3, 1},
		{"🇩🇪🇫🇷", 8, 2}, {"e\x80", 1, 1}, {"é\x80", 2, 1}, {"e\u0301\xcc", 3, 1},
	}
	for _, c := range cases {
		if n, w := First(c.s); n != c.bytes || w != c.width {
			t.Errorf("First(%q): got %d bytes, %d cells, want %d, %d", c.s, n, w, c.bytes, c.width)
		}
		if n, w := First([]byte(c.s)); n != c.bytes || w != c.width {
			t.Errorf("First of bytes %q: got %d, %d, want %d, %d", c.s, n, w, c.bytes, c.width)
		}
	}
	if got := Width("aé世👩‍🚀\t"); got != 6 {
		t.Errorf("Width: got %d, want 6", got)
	}
}

func FuzzFirst(f *testing.F) {
	f.Add("e\u0301👩‍🚀\xff\x1b")
	f.Add(strings.Repeat("\u0301", 1000))
	f.Fuzz(func(t *testing.T, s string) {
		for len(s) > 0 {
			n, w := First(s)
			if n < 1 || n > len(s) || w < 0 || w > 2 {
				t.Fatalf("First(%q): %d bytes, %d cells", s, n, w)
			}
			if n > 1 && !utf8.ValidString(s[:n]) && n < graphemeMaxBytes-utf8.UTFMax {
				t.Fatalf("First(%q): invalid bytes within %q", s, s[:n])
			}
			s = s[n:]
		}
	})
}

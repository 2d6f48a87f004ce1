// Package corpus makes output of programs to measure terminals with: four kinds that between them
// cover what a terminal does all day. The same arguments always make the same bytes.
package corpus

import (
	"fmt"
	"strings"
)

// Kind is a kind of output.
type Kind struct {
	Name string
	// Make returns n bytes or a little more, for a screen of 80 columns and 24 rows. They end where a
	// sequence and a character do.
	Make func(n int) []byte
}

// Kinds are all kinds of output, in the order in which they are reported.
func Kinds() []Kind {
	return []Kind{
		{"plain", Plain},
		{"sgr", SGR},
		{"unicode", Unicode},
		{"redraw", Redraw},
	}
}

// Cols and Rows are the size of the screen that the output is meant for.
const (
	Cols = 80
	Rows = 24
)

// source is a small generator of numbers: its sequence must not change with a library.
type source uint64

func (s *source) next(n int) int {
	*s = *s*6364136223846793005 + 1442695040888963407
	return int(uint64(*s) >> 33 % uint64(n))
}

var words = strings.Fields(`the of and to in is you that it he was for on are as with his they at be
	this have from or one had by word but not what all were we when your can said there use an each
	which she do how their if will up other about out many then them these so some her would make`)

func (s *source) word() string { return words[s.next(len(words))] }

// Plain is text of lines of many lengths, as a build or a log writes it.
func Plain(n int) []byte {
	s := source(1)
	b := make([]byte, 0, n+256)
	for len(b) < n {
		for range 3 + s.next(16) {
			b = append(b, s.word()...)
			b = append(b, ' ')
		}
		b = append(b, "\r\n"...)
	}
	return b
}

// SGR is text in which every word or two has another look, as ls, git and compilers write it.
func SGR(n int) []byte {
	s := source(2)
	b := make([]byte, 0, n+256)
	for len(b) < n {
		for range 3 + s.next(8) {
			switch s.next(5) {
			case 0:
				b = fmt.Appendf(b, "\x1b[%dm", 31+s.next(7))
			case 1:
				b = fmt.Appendf(b, "\x1b[1;%dm", 31+s.next(7))
			case 2:
				b = fmt.Appendf(b, "\x1b[38;5;%dm", s.next(256))
			case 3:
				b = fmt.Appendf(b, "\x1b[38;2;%d;%d;%dm", s.next(8)*32, s.next(8)*32,
					s.next(8)*32)
			case 4:
				b = fmt.Appendf(b, "\x1b[4;48;5;%dm", s.next(256))
			}
			b = append(b, s.word()...)
			b = append(b, "\x1b[0m "...)
		}
		b = append(b, "\r\n"...)
	}
	return b
}

var emoji = []string{"🙂", "🚀", "✅", "👍🏽", "👨\u200d👩\u200d👧", "🇩🇪", "❤\ufe0f", "🎉"}

// Unicode is text of which most characters are two columns wide, with emoji and accents between.
func Unicode(n int) []byte {
	s := source(3)
	b := make([]byte, 0, n+256)
	for len(b) < n {
		for range 10 + s.next(20) {
			switch s.next(10) {
			case 0:
				b = append(b, emoji[s.next(len(emoji))]...)
			case 1:
				b = append(b, "e\u0301a\u0308é "...)
			case 2:
				b = append(b, s.word()...)
			case 3:
				for range 2 {
					b = append(b, string(rune(0x3041+s.next(80)))...)
				}
			default:
				b = append(b, string(rune(0x4E00+s.next(3000)))...)
			}
		}
		b = append(b, "\r\n"...)
	}
	return b
}

// Redraw is a program that draws the whole screen again and again, as top and editors do.
func Redraw(n int) []byte {
	s := source(4)
	b := make([]byte, 0, n+4096)
	b = append(b, "\x1b[?1049h\x1b[?25l"...)
	for frame := 0; len(b) < n; frame++ {
		b = append(b, "\x1b[H"...)
		for y := 1; y <= Rows; y++ {
			b = fmt.Appendf(b, "\x1b[%d;1H\x1b[%dm", y, 30+(y+frame)%8)
			if y == 1 || y == Rows {
				b = append(b, "\x1b[7m"...)
			}
			left := Cols - 1
			for left > 8 {
				w := s.word()
				b = append(append(b, w...), ' ')
				left -= len(w) + 1
			}
			b = fmt.Appendf(b, "\x1b[%dG%3d%%\x1b[0m\x1b[K", Cols-4, s.next(100))
		}
	}
	return append(b, "\x1b[?25h\x1b[?1049l"...)
}

package vt

import (
	"fmt"
	"strings"

	"pgregory.net/rapid"
)

// words are what random programs are made of, beside plain text and sequences with parameters.
var words = []string{
	"\r\n", "\n", "\r", "\b", "\t", "\a", "\x0e", "\x0f", "\x18", "\x1b7", "\x1b8", "\x1bD", "\x1bE",
	"\x1bM", "\x1bH", "\x1bN", "\x1bO", "\x1b(0", "\x1b(B", "\x1b)0", "\x1b*A", "\x1bn", "\x1b#8",
	"\x1bc", "\x1b=", "\x1b>", "世界", "語", "e\u0301", "\u0301", "👨\u200d👩\u200d👧", "🇩🇪", "🇩", "👍🏽", "❤\ufe0f",
	"❤", "\ufe0f", "\u200d", "👩", "क्ष", "각", "\u1100\u1161", "\u0600", "日本語テキスト", "─│┌┐", "é", "\u00ad",
	"\xe4\xb8", "\xff", "\xc0\xaf", "\xf0\x9f", "\xed\xa0\x80", "\x9b1m", "\u009b", "\x1b[", "\x1b]", "\x1bP",
	"\x1b[?1049h", "\x1b[?1049l", "\x1b[?47h", "\x1b[?47l", "\x1b[?1047h", "\x1b[?1047l", "\x1b[?7l", "\x1b[?7h",
	"\x1b[4h", "\x1b[4l", "\x1b[20h", "\x1b[20l", "\x1b[?6h", "\x1b[?6l", "\x1b[?2026h", "\x1b[?2026l",
	"\x1b[!p", "\x1b[r", "\x1b[3J", "\x1b[2J", "\x1b[22J", "\x1b[>1u", "\x1b[<u", "\x1b[=3;2u", "\x1b[?1s\x1b[?1r",
	"\x1b[38;2;1;2;3m", "\x1b[48;5;17m", "\x1b[4:3m", "\x1b[58:5:3m", "\x1b[0m", "\x1b[7;1m", "\x1b[41m",
	"\x1b]0;title\a", "\x1b]2;\u2733\x1b\\", "\x1b]7;file://host/tmp/a%20b\a", "\x1b]8;;http://x/\a", "\x1b]8;;\a",
	"\x1b]133;A\a", "\x1b]133;B\a", "\x1b]133;C\a", "\x1b]133;D;1\a", "\x1b]9;4;1;50\a", "\x1b]52;c;aGk=\a",
	"\x1b]4;1;#ff0000\a", "\x1b]11;?\a", "\x1b]104\a", "\x1b[6n", "\x1b[c", "\x1b[?2026$p", "\x1bP$qm\x1b\\",
	"\x1bP+q544e\x1b\\", "\x1b[22t", "\x1b[23t", "\x1b[5 q", "\x1b[>4;2m", "\x1b_x\x1b\\", "\x1b[?25l",
	"word ", "hello, world", "0123456789abcdefghijklmnopqrstuvwxyz",
}

// drawProgram is what a program might write.
func drawProgram(t *rapid.T, label string) []byte {
	word := rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1:
			n := rapid.IntRange(0, 30).Draw(t, "n")
			return strings.Repeat("x", n)
		case 2, 3:
			final := rapid.SampledFrom([]byte("ABCDEFGHIJKLMPSTXZ@`abdefgrsu")).Draw(t, "final")
			a := rapid.SampledFrom([]int{0, 1, 2, 3, 5, 8, 99, 1 << 31}).Draw(t, "a")
			b := rapid.SampledFrom([]int{0, 1, 2, 3, 5, 8, 99}).Draw(t, "b")
			if rapid.Bool().Draw(t, "two") {
				return fmt.Sprintf("\x1b[%d;%d%c", a, b, final)
			}
			return fmt.Sprintf("\x1b[%d%c", a, final)
		case 4:
			return string(rapid.SliceOfN(rapid.Byte(), 0, 6).Draw(t, "bytes"))
		}
		return rapid.SampledFrom(words).Draw(t, "word")
	})
	return []byte(strings.Join(rapid.SliceOfN(word, 0, 40).Draw(t, label), ""))
}

// step is a thing to do to a screen.
type step struct {
	write      []byte
	cols, rows int // a new size, when not 0
}

func drawSteps(t *rapid.T, label string) []step {
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) step {
		if rapid.IntRange(0, 4).Draw(t, "what") == 0 {
			return step{cols: drawSize(t, "cols"), rows: drawSize(t, "rows")}
		}
		return step{write: drawProgram(t, "write")}
	}), 0, 6).Draw(t, label)
}

func drawSize(t *rapid.T, label string) int {
	return rapid.SampledFrom([]int{1, 2, 3, 4, 5, 8, 10, 20, 33, 80}).Draw(t, label)
}

func (s *Screen) do(steps []step) {
	for _, st := range steps {
		if st.cols > 0 {
			if err := s.Resize(st.cols, st.rows); err != nil {
				panic(err)
			}
			continue
		}
		s.Write(st.write)
	}
}

func drawScreen(t *rapid.T) *Screen {
	o := Options{
		HistoryLines: rapid.SampledFrom([]int{-1, 1, 3, 50, 0}).Draw(t, "history lines"),
		HistoryBytes: rapid.SampledFrom([]int{0, 1, 200, 3000}).Draw(t, "history bytes"),
	}
	return New(drawSize(t, "cols"), drawSize(t, "rows"), o)
}

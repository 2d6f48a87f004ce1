package tui_test

import (
	"strings"
	"testing"

	"apex/client/tui/tuitest"

	tea "charm.land/bubbletea/v2"
)

// BenchmarkKey is a key typed in the middle of a text, from Update to the finished grid, on a
// screen of 200x60. What a terminal and the session's link cost comes on top.
func BenchmarkKey(b *testing.B) {
	line := "\tfor i := range lines { total += len(lines[i]) } // and so on to some length\n"
	for _, c := range []struct{ name, text string }{
		{"10MB", strings.Repeat(line, 10<<20/len(line))},
		{"one line of 8MB", strings.Repeat("0123456789abcdef", 8<<20/16)},
		{"small", strings.Repeat(line, 100)},
	} {
		b.Run(c.name, func(b *testing.B) {
			s := tuitest.NewSession()
			id := s.File("/home/ann/big.go", c.text)
			sc := tuitest.New(s, 200, 60, tuitest.Options{})
			s.Buffer(s.Window(id).Body)
			sc.Key("ctrl+end")
			sc.Key("pgup")
			s.Forget = true
			keys := []tea.KeyPressMsg{{Code: 'x', Text: "x"}, {Code: tea.KeyBackspace}}
			b.ReportAllocs()
			for i := 0; b.Loop(); i++ {
				sc.Model.Update(keys[i&1])
			}
		})
	}
}

package tui_test

import (
	"fmt"
	"strings"
	"testing"

	"apex/client"
	"apex/client/tui/paint"
	"apex/client/tui/tuitest"
	"apex/core"
	"apex/core/cell"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"
)

var randomKeys = strings.Fields(`left right up down shift+left shift+down pgup pgdown home end
	ctrl+home ctrl+end ctrl+left shift+ctrl+right enter tab backspace delete ctrl+z ctrl+y ctrl+x ctrl+c
	ctrl+v ctrl+a ctrl+f f3 esc esc esc ctrl+n ctrl+w f1 f4 f7 f8 alt+left alt+right alt+up alt+down
	ctrl+up ctrl+down ctrl+p ctrl+e ctrl+l ctrl+r ctrl+g ctrl+t ctrl+\ ctrl+\ shift+pgup shift+pgup
	shift+pgdown`)

var randomTexts = []string{"a", "word ", "世界", "e\u0301", "\u200b", "Newcol", "Zerox", "Numbers",
	"Wrap", "Sort", "Delcol"}

var randomPastes = []string{"pasted", "two\rlines\r", "\xff\x00", strings.Repeat("long ", 50)}

var randomButtons = []tea.MouseButton{tea.MouseLeft, tea.MouseLeft, tea.MouseMiddle, tea.MouseRight,
	tea.MouseWheelUp, tea.MouseWheelDown}

// step does something at random.
func step(t *rapid.T, s *tuitest.Screen) {
	w, h := s.Grid.Size()
	x, y := rapid.IntRange(0, w-1), rapid.IntRange(0, h-1)
	switch rapid.IntRange(0, 14).Draw(t, "what") {
	case 0, 1, 2, 3, 4:
		s.Key(rapid.SampledFrom(randomKeys).Draw(t, "key"))
	case 5, 6, 7:
		s.Type(rapid.SampledFrom(randomTexts).Draw(t, "text"))
	case 8, 9:
		b := rapid.SampledFrom(randomButtons).Draw(t, "button")
		at, up := x.Draw(t, "x"), y.Draw(t, "y")
		if b == tea.MouseWheelUp || b == tea.MouseWheelDown {
			s.Wheel(b, at, up)
			return
		}
		s.Press(b, at, up)
		if rapid.Bool().Draw(t, "drag") {
			at, up = x.Draw(t, "x"), y.Draw(t, "y")
			s.Drag(b, at, up)
		}
		s.Release(b, at, up)
	case 10:
		s.Paste(rapid.SampledFrom(randomPastes).Draw(t, "paste"))
	case 11:
		s.Send(tea.WindowSizeMsg{Width: rapid.IntRange(1, 120).Draw(t, "width"),
			Height: rapid.IntRange(1, 40).Draw(t, "height")})
	case 12:
		led := rapid.Bool().Draw(t, "leads")
		s.Session.Led = func(core.Shard) bool { return led }
		s.Session.Status.Leading, s.Session.Status.Watching = led, !led
		s.Session.Tell(client.Event{Kind: client.EventLease, Shard: core.LayoutShard})
		s.Wake()
	case 13, 14:
		term := rapid.SampledFrom(s.Session.Terms).Draw(t, "terminal")
		stepTerm(t, term)
		s.Wake()
	}
}

var randomOutputs = []string{"a", "\n", "a line\nand more\n", strings.Repeat("long 世界 ", 30),
	strings.Repeat("many\n", 60), "e"}

// stepTerm does something in a terminal at random.
func stepTerm(t *rapid.T, term *tuitest.Term) {
	switch rapid.IntRange(0, 9).Draw(t, "in terminal") {
	case 0:
		term.Alt(core.NewTermRow(tuitest.Runs("alternate 世界", cell.Style{Fg: cell.Palette(1)}), false))
	case 1:
		term.Alt()
	case 2:
		term.Clear()
	case 3:
		term.Set(func(st *core.Term) { st.Modes ^= core.TermReverse })
	case 4:
		term.Set(func(st *core.Term) {
			st.Cursor = core.Cursor{Visible: rapid.Bool().Draw(t, "visible"), Shape: core.CursorShapeBar}
		})
	case 5:
		term.Set(func(st *core.Term) {
			st.Cols = rapid.IntRange(1, 100).Draw(t, "cols")
			st.Rows = rapid.IntRange(1, 40).Draw(t, "rows")
		})
	case 6:
		term.Set(func(st *core.Term) { st.Exit.Done = !st.Exit.Done })
	case 7:
		term.Set(func(st *core.Term) { st.Modes = st.Modes.WithMouse(core.MouseDrags) })
	default:
		term.Print(rapid.SampledFrom(randomOutputs).Draw(t, "output"))
	}
}

// TestRedraw does things at random and checks that what was drawn piece by piece is what is drawn
// when everything is, and that the session's texts stay well-formed.
func TestRedraw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		session := tuitest.NewSession()
		session.File("/home/ann/main.go", "package main\n\nfunc main() {\n\tprintln(\"hello\")\n}\n")
		session.File("/home/ann/b.txt", strings.Repeat("some words 世界 \t\x01\xff in a line\n", 40))
		session.NewTerm("/home/ann/-sh", "sh").Print("$ ")
		s := tuitest.New(session, 80, 24, tuitest.Options{Profile: paint.TrueColour})
		for i := range rapid.IntRange(1, 40).Draw(t, "steps") {
			step(t, s)
			if s.Quit {
				return // a screen that is about to be given back
			}
			drawn := cell.NewGrid(0, 0, nil)
			drawn.Copy(s.Grid)
			cursor := s.Cursor
			s.Model.Forget()
			s.Send(tea.FocusMsg{})
			if diff := differ(drawn, s.Grid); diff != "" {
				t.Fatalf("step %d: drawn piece by piece:\n%s", i, diff)
			}
			if cursor != s.Cursor {
				t.Fatalf("step %d: cursor %+v, drawn whole %+v", i, cursor, s.Cursor)
			}
		}
	})
}

// differ returns the first row in which two grids differ.
func differ(a, b *cell.Grid) string {
	_, h := b.Size()
	for y := range h {
		for x, c := range b.Row(y) {
			if a.At(x, y) != c {
				return fmt.Sprintf("row %d, cell %d: %v, want %v\n%s\n%s\n",
					y, x, a.At(x, y), c, a.Text(y), b.Text(y))
			}
		}
	}
	return ""
}

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
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// termScreen returns a screen of 60x12 with a terminal that has the focus.
func termScreen(t *testing.T, text string) (*tuitest.Screen, *tuitest.Term) {
	t.Helper()
	s := tuitest.NewSession()
	term := s.NewTerm("/home/ann/-sh", "sh")
	term.Print(text)
	sc := tuitest.New(s, 60, 12, tuitest.Options{Profile: paint.TrueColour})
	term.Asked = nil
	return sc, term
}

// TestTermKeysStayInOrder: keys are sent without waiting for the answers to those before, until
// very many are on their way; then they wait, in order, and none is lost.
func TestTermKeysStayInOrder(t *testing.T) {
	sc, term := termScreen(t, "$ ")
	sc.Session.Slow = true
	var want strings.Builder
	for i := range 1000 {
		r := rune('a' + i%26)
		want.WriteRune(r)
		sc.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
	}
	if n := len(term.Typed); n < 30 || n > 60 {
		t.Errorf("%d inputs are on their way", n)
	}
	sc.Session.Slow = false
	sc.Session.Answer()
	sc.Wake() // as Remind asks for
	got := strings.NewReplacer("keys ", "", " ", "").Replace(strings.Join(term.Typed, ""))
	if got != want.String() {
		t.Errorf("got %d keys %.40q..., want %d", len(got), got, want.Len())
	}
}

// TestTermKeysUnsure: of keys that were on their way when the link was lost it is said that they may
// not have arrived.
func TestTermKeysUnsure(t *testing.T) {
	sc, _ := termScreen(t, "$ ")
	sc.Session.Mute = true // which is what a call that the link's end answers looks like
	sc.Type("ab")
	for _, connected := range []bool{false, true} {
		sc.Session.Status.Connected = connected
		sc.Session.Tell(client.Event{Kind: client.EventLink})
		sc.Wake()
	}
	if hint := sc.Grid.Text(10) + sc.Grid.Text(11); !strings.Contains(hint, "The last 2 keys") {
		t.Errorf("hint %q", hint)
	}
}

// TestTermInputRefused: what a terminal does not take is told.
func TestTermInputRefused(t *testing.T) {
	for _, code := range []core.Code{core.CodeBusy, core.CodeUnavailable} {
		sc, _ := termScreen(t, "$ ")
		sc.Session.Refusal = core.Errorf(code, "the terminal has no room")
		sc.Type("x")
		if hint := sc.Grid.Text(10) + sc.Grid.Text(11); !strings.Contains(hint, "has no room") {
			t.Errorf("%s: hint %q", code, hint)
		}
	}
}

// TestTermKeysWaitForTheLink: what is typed while the link is down is sent when it is back.
func TestTermKeysWaitForTheLink(t *testing.T) {
	sc, term := termScreen(t, "$ ")
	sc.Session.Status.Connected = false
	sc.Type("ls\n")
	if len(term.Typed) > 0 {
		t.Fatalf("sent without a link: %q", term.Typed)
	}
	sc.Session.Status.Connected = true
	sc.Session.Tell(client.Event{Kind: client.EventLink})
	sc.Wake()
	if got := strings.Join(term.Typed, "|"); got != "keys l s <57345>" {
		t.Errorf("got %q", got)
	}
}

// TestTermPasteIsCut: a paste that is longer than an input goes in several, each of whole
// characters, and all of it goes.
func TestTermPasteIsCut(t *testing.T) {
	sc, term := termScreen(t, "$ ")
	sc.Paste(strings.Repeat("世", 800_000))
	n := 0
	for _, p := range term.Typed {
		text := strings.TrimPrefix(p, "paste ")
		if strings.Contains(text, `\x`) {
			t.Error("a character was cut")
		}
		n += strings.Count(text, "世")
	}
	if n != 800_000 || len(term.Typed) < 3 {
		t.Errorf("got %d characters in %d pastes", n, len(term.Typed))
	}
}

// TestTermLooks: what a program draws keeps its look: colours, attributes, clusters as wide as it
// was told they are, and reverse.
func TestTermLooks(t *testing.T) {
	sc, term := termScreen(t, "")
	style := cell.Style{Fg: cell.RGB(1, 2, 3), Bg: cell.Palette(200),
		Attr: cell.Bold.WithUnderline(cell.CurlyUnderline)}
	term.PrintRuns(cell.Run{Text: "ab", Kind: cell.Narrow, Style: style},
		cell.Run{Text: "👩\u200d🚀", Kind: cell.WideCluster, Style: style},
		cell.Run{Text: "e\u0301", Kind: cell.NarrowCluster},
		cell.Run{Text: "世", Kind: cell.Wide, Style: style},
		cell.Run{Text: "🚀", Kind: cell.Narrow}) // narrow, since its terminal says so
	sc.Wake()
	g := sc.Grid
	if want := "┃ab👩\u200d🚀e\u0301世🚀 "; !strings.HasPrefix(g.Text(3), want) {
		t.Errorf("got %q, want %q", g.Text(3), want)
	}
	for x, want := range map[int]struct {
		style cell.Style
		wide  bool
	}{
		1: {style, false}, 2: {style, false}, 3: {style, true}, 5: {}, 6: {style, true},
		8: {}, 9: {},
	} {
		c := g.At(x, 3)
		if c.Style() != want.style || c.Wide() != want.wide {
			t.Errorf("cell %d: got %+v wide %v, want %+v", x, c.Style(), c.Wide(), want)
		}
	}
	term.Set(func(t *core.Term) { t.Modes |= core.TermReverse })
	sc.Wake()
	for _, at := range [][2]int{{1, 3}, {20, 3}, {20, 9}} {
		if sc.Grid.At(at[0], at[1]).Style().Attr&cell.Reverse == 0 {
			t.Errorf("cell %v is not reverse", at)
		}
	}
}

// TestTermRowsAreNotDrawnAgain: a row that did not change is left alone.
func TestTermRowsAreNotDrawnAgain(t *testing.T) {
	sc, term := termScreen(t, "one\ntwo\n")
	before := sc.Model.TermRowsDrawn()
	term.Print("three")
	sc.Wake()
	if n := sc.Model.TermRowsDrawn() - before; n != 1 {
		t.Errorf("%d rows were drawn for one that changed", n)
	}
	sc.Key("f1", "esc")
	if n := sc.Model.TermRowsDrawn() - before; n != 1+8 {
		t.Errorf("%d rows were drawn, want all 8 after what covered them, and one", n)
	}
}

// TestTermReadsInPages: scrolling far back asks for lines in pages, and not for the same ones again
// and again.
func TestTermReadsInPages(t *testing.T) {
	sc, term := termScreen(t, "")
	var b strings.Builder
	for i := range 5000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	term.Print(b.String())
	sc.Wake()
	for range 5000 / 7 {
		sc.Key("shift+pgup")
	}
	if !sc.Has("line 0 ") && !sc.Has("line 0\n") {
		t.Errorf("the oldest line is not in sight:\n%s", sc)
	}
	if n := len(term.Asked); n < 5000/128 || n > 2*5000/64+2 {
		t.Errorf("%d requests for 5000 lines", n)
	}
}

// A terminal that could not be reached is asked again for the size, by itself.
func TestTermSizeAgain(t *testing.T) {
	sc, term := termScreen(t, "$ ")
	asked := func() (n int) {
		for _, r := range sc.Session.Calls {
			if r, ok := r.(*proto.TermResize); ok && r.Cols == 33 {
				n++
			}
		}
		return n
	}
	sc.Session.Refusal = core.Errorf(core.CodeUnavailable, "it is being started")
	sc.Send(tea.WindowSizeMsg{Width: 50, Height: 20})
	before := asked()
	sc.Session.Refusal = nil
	for range 3 {
		sc.Pause()
	}
	if n := asked(); before != 1 || n != 2 {
		t.Errorf("asked %d times while it was refused, and %d in all; asked %v", before, n, term.Asked)
	}
}

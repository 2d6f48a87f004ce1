package paint

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"apex/core/cell"

	"pgregory.net/rapid"
)

// compare reports where the terminal shows anything but g. With agreed only cells that no terminal
// can disagree about are compared.
func compare(t *vt, g *cell.Grid, agreed bool) error {
	if len(t.bad) > 0 {
		return fmt.Errorf("the terminal was sent: %s", strings.Join(t.bad, "; "))
	}
	w, h := g.Size()
	for y := range h {
		for x := range w {
			c, got := g.At(x, y), t.rows[y][x]
			if agreed && disputed(g, x, y) {
				continue
			}
			want := vtCell{g.Clusters().Text(c), c.Style(), true}
			if want.text == " " && got.text == " " && c == (cell.Cell{}) {
				want.known = got.known // erased or written
			}
			if got != want {
				return fmt.Errorf("cell %d,%d: got %+v, want %+v", x, y, got, want)
			}
		}
	}
	if t.sync {
		return fmt.Errorf("left in a synchronized update")
	}
	return nil
}

func disputed(g *cell.Grid, x, y int) bool {
	c := g.At(x, y)
	if c.Tail() {
		c = g.At(x-1, y)
	}
	_, cluster := c.Cluster()
	return cluster
}

func compareCursor(t *vt, g *cell.Grid, cur Cursor) error {
	show := cur.Visible && g.Bounds().Contains(cur.X, cur.Y)
	if t.shown != show {
		return fmt.Errorf("cursor shown: got %v, want %v", t.shown, show)
	}
	if show && (t.x != cur.X || t.y != cur.Y) {
		return fmt.Errorf("cursor: got %d,%d, want %d,%d", t.x, t.y, cur.X, cur.Y)
	}
	return nil
}

var styles = []cell.Style{
	{}, {}, {},
	{Attr: cell.Bold}, {Attr: cell.Bold | cell.Dim}, {Attr: cell.Dim | cell.Italic},
	{Attr: cell.Reverse | cell.Strike}, {Attr: cell.Hidden | cell.Blink},
	{Attr: cell.Attr(0).WithUnderline(cell.CurlyUnderline)},
	{Attr: cell.Bold.WithUnderline(cell.SingleUnderline), Fg: cell.Palette(1)},
	{Fg: cell.Palette(12), Bg: cell.Palette(9)},
	{Fg: cell.RGB(1, 20, 200), Bg: cell.Palette(200)},
	{Bg: cell.RGB(250, 250, 210)},
}

var texts = []struct {
	s     string
	width int
}{
	{"a", 1}, {"b", 1}, {" ", 1}, {"é", 1}, {"世", 2}, {"界", 2}, {"🚀", 2}, {"e\u0301", 1},
	{"👩‍🚀", 2}, {"❤️", 2}, {"🇩🇪", 2},
}

func draw(rt *rapid.T, g *cell.Grid) {
	w, h := g.Size()
	style := rapid.SampledFrom(styles).Draw(rt, "style")
	x, y := rapid.IntRange(0, w-1).Draw(rt, "x"), rapid.IntRange(0, h-1).Draw(rt, "y")
	switch rapid.IntRange(0, 3).Draw(rt, "what") {
	case 0:
		text := rapid.SampledFrom(texts).Draw(rt, "text")
		g.All().SetText(x, y, text.s, text.width, style)
	case 1:
		r := cell.Rect{X: x, Y: y}
		r.W, r.H = rapid.IntRange(1, w).Draw(rt, "w"), rapid.IntRange(1, h).Draw(rt, "h")
		g.Fill(r, cell.New(rapid.SampledFrom([]rune(" .")).Draw(rt, "fill"), style))
	case 2:
		for i := range rapid.IntRange(1, w).Draw(rt, "run") {
			text := texts[(i*7+x+y)%len(texts)]
			g.All().SetText(x+i*2, y, text.s, text.width, style)
		}
	default:
		scrollRows(g, rapid.IntRange(-3, 3).Draw(rt, "rows"), y, h)
	}
}

// scrollRows moves the rows from top to end by n, as a window that scrolls does.
func scrollRows(g *cell.Grid, n, top, end int) {
	old := cell.NewGrid(0, 0, nil)
	old.Copy(g)
	w, _ := g.Size()
	for y := top; y < end; y++ {
		for x := range w {
			if from := y + n; from >= top && from < end {
				if c := old.At(x, from); !c.Tail() {
					g.Set(x, y, c)
				}
			} else {
				g.Set(x, y, cell.New(rune('0'+y%10), cell.Style{}))
			}
		}
	}
}

// After every frame of every sequence the terminal shows the grid.
func TestTerminalShowsEveryFrame(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		w, h := rapid.IntRange(1, 24).Draw(rt, "width"), rapid.IntRange(1, 9).Draw(rt, "height")
		term := newVT(w, h)
		caps := Caps{Underlines: true, Shapes: true, Titles: true}
		term.legacy = rapid.Bool().Draw(rt, "legacy")
		caps.Clusters = !term.legacy && rapid.Bool().Draw(rt, "clusters")
		caps.Emoji = caps.Clusters
		caps.Sync = rapid.Bool().Draw(rt, "sync")
		p := NewPainter(TrueColour, caps)
		g := cell.NewGrid(w, h, nil)
		for range rapid.IntRange(1, 12).Draw(rt, "frames") {
			for range rapid.IntRange(0, 6).Draw(rt, "draws") {
				draw(rt, g)
			}
			cur := Cursor{rapid.IntRange(-1, w).Draw(rt, "cx"), rapid.IntRange(-1, h).Draw(rt, "cy"),
				rapid.Bool().Draw(rt, "visible"), Shape(rapid.IntRange(0, 6).Draw(rt, "shape"))}
			b := p.Frame(nil, g, cur)
			term.feed(b)
			if err := compare(term, g, term.legacy); err != nil {
				rt.Fatalf("%v\nafter %q", err, b)
			}
			if err := compareCursor(term, g, cur); err != nil {
				rt.Fatalf("%v\nafter %q", err, b)
			}
			if b := p.Frame(nil, g, cur); len(b) > 0 {
				rt.Fatalf("the same frame again sends %q", b)
			}
		}
	})
}

// Whatever cells hold, no byte of it is a command, and each grapheme keeps to its own cells.
func TestCellsAreNeverCommands(t *testing.T) {
	evil := []string{"\x1b[2J", "\x1b]0;x\a", "\x9b2J", "\u009b2J", "\r", "\n", "\t", "\x7f", "\xff", "\x00",
		"\u0301", "\u200d", "\u200b", "\U0001F1E9", "\u1100", "\u1161", "\u0600", "世界", "👩\u200d", "a\x1b"}
	rapid.Check(t, func(rt *rapid.T) {
		g := cell.NewGrid(12, 3, nil)
		caps := Caps{Clusters: rapid.Bool().Draw(rt, "clusters"), Emoji: true}
		p, term := NewPainter(TrueColour, caps), newVT(12, 3)
		text := rapid.OneOf(rapid.SampledFrom(evil), rapid.String())
		for range 4 {
			for range rapid.IntRange(0, 12).Draw(rt, "cells") {
				g.All().SetText(rapid.IntRange(0, 11).Draw(rt, "x"), rapid.IntRange(0, 2).Draw(rt, "y"),
					text.Draw(rt, "text"), rapid.IntRange(1, 2).Draw(rt, "width"), cell.Style{})
			}
			g.Set(rapid.IntRange(0, 11).Draw(rt, "x"), 0, cell.New(rapid.Rune().Draw(rt, "rune"), cell.Style{}))
			for x := 2; x < 12; x += 5 { // known cells between them
				g.Set(x, 1, cell.New('|', cell.Style{}))
			}
			b := p.Frame(nil, g, Cursor{0, 0, true, 0})
			term.feed(b)
			if len(term.bad) > 0 {
				rt.Fatalf("the terminal was sent: %s\nin %q", strings.Join(term.bad, "; "), b)
			}
			for x := 2; x < 12; x += 5 {
				if got := term.rows[1][x].text; got != "|" {
					rt.Fatalf("cell %d,1: got %q, want \"|\"\nafter %q", x, got, b)
				}
			}
		}
	})
}

func TestFrameBytes(t *testing.T) {
	bold := cell.Style{Attr: cell.Bold}
	cases := []struct {
		name string
		caps Caps
		draw func(g *cell.Grid)
		cur  Cursor
		want string
	}{
		{"nothing", Caps{}, func(*cell.Grid) {}, Cursor{0, 0, true, 0}, ""},
		{"one key at the cursor", Caps{}, func(g *cell.Grid) { g.Set(0, 0, cell.New('x', cell.Style{})) },
			Cursor{1, 0, true, 0}, "x"},
		{"cursor only", Caps{}, func(*cell.Grid) {}, Cursor{4, 2, true, 0}, "\x1b[3;5H"},
		{"cursor away", Caps{}, func(*cell.Grid) {}, Cursor{99, 2, true, 0}, "\x1b[?25l"},
		{"bold", Caps{}, func(g *cell.Grid) { g.Set(0, 0, cell.New('x', bold)) },
			Cursor{1, 0, true, 0}, "\x1b[1mx"},
		{"shape", Caps{Shapes: true}, func(*cell.Grid) {}, Cursor{0, 0, true, SteadyBar}, "\x1b[6 q"},
		{"erase", Caps{}, func(g *cell.Grid) { g.Fill(cell.Rect{X: 0, Y: 1, W: 40, H: 1}, cell.Cell{}) },
			Cursor{0, 0, true, 0}, "\r\n\x1b[K\x1b[H"},
		{"bridge", Caps{}, func(g *cell.Grid) {
			g.Set(0, 1, cell.New('x', cell.Style{}))
			g.Set(3, 1, cell.New('y', cell.Style{}))
		}, Cursor{4, 1, true, 0}, "\r\nxbcy"},
		{"control character", Caps{}, func(g *cell.Grid) { g.Set(0, 0, cell.New(0x1B, cell.Style{})) },
			Cursor{1, 0, true, 0}, "\uFFFD"},
		{"joined", Caps{Clusters: true}, func(g *cell.Grid) {
			g.All().SetText(0, 0, "👩‍🚀", 2, cell.Style{})
		},
			Cursor{2, 0, true, 0}, "👩‍🚀"},
		{"halves of two flags", Caps{Clusters: true, Emoji: true}, func(g *cell.Grid) {
			g.Set(0, 0, cell.NewWide('\U0001F1E9', cell.Style{}))
			g.Set(2, 0, cell.NewWide('\U0001F1EA', cell.Style{}))
		}, Cursor{4, 0, true, 0}, "\U0001F1E9\x1b[1;3H\U0001F1EA"},
		{"a prepended mark, then doubt", Caps{}, func(g *cell.Grid) {
			g.Set(0, 0, cell.New('\u0D4E', cell.Style{}))
			g.All().SetText(1, 0, "e\u0301", 1, cell.Style{})
		}, Cursor{2, 0, true, 0}, "\u0D4E\x1b[1;2H \be\u0301\x1b[1;3H\x1b[K"},
		{"joined where widths are doubtful", Caps{},
			func(g *cell.Grid) { g.All().SetText(0, 0, "👩‍🚀", 2, cell.Style{}) },
			Cursor{2, 0, true, 0}, "  \r👩‍🚀\x1b[1;3H\x1b[K"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p := NewPainter(TrueColour, c.caps)
			g := cell.NewGrid(40, 4, nil)
			for x := range 26 {
				g.Set(x, 1, cell.New(rune('a'+x), cell.Style{}))
			}
			p.Frame(nil, g, Cursor{0, 0, true, 0})
			c.draw(g)
			if got := string(p.Frame(nil, g, c.cur)); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}

// The cursor may stand on the second half of a wide grapheme; nothing is written from there.
func TestCursorOnATail(t *testing.T) {
	g, term := cell.NewGrid(12, 1, nil), newVT(12, 1)
	g.Set(4, 0, cell.NewWide('世', cell.Style{}))
	p := NewPainter(TrueColour, Caps{})
	term.feed(p.Frame(nil, g, Cursor{5, 0, true, 0}))
	g.Set(7, 0, cell.New('a', cell.Style{}))
	term.feed(p.Frame(nil, g, Cursor{5, 0, true, 0}))
	if err := compare(term, g, false); err != nil {
		t.Error(err)
	}
}

// fillText draws numbered lines of words, first the number of the top one.
func fillText(g *cell.Grid, first int) {
	w, h := g.Size()
	for y := range h {
		line := fmt.Sprintf("%5d  %s", first+y, strings.Repeat(fmt.Sprint("word", first+y, " "), 40))
		for x := range w {
			s := cell.Style{}
			if x < 5 {
				s.Fg = cell.Palette(8)
			} else if x%17 < 6 {
				s.Fg = cell.RGB(100, 150, 200)
			}
			g.Set(x, y, cell.New(rune(line[x]), s))
		}
	}
}

func TestScrollSparesRows(t *testing.T) {
	g := cell.NewGrid(100, 30, nil)
	for _, by := range []int{1, 3, -1, -5} {
		fillText(g, 50)
		p, term := NewPainter(TrueColour, Caps{}), newVT(100, 30)
		term.feed(p.Frame(nil, g, Cursor{}))
		fillText(g, 50+by)
		b := p.Frame(nil, g, Cursor{})
		term.feed(b)
		if err := compare(term, g, false); err != nil {
			t.Fatalf("by %d: %v", by, err)
		}
		perRow := 300
		if n := max(by, -by); len(b) > 40+n*perRow {
			t.Errorf("scroll by %d: %d bytes, want those of %d rows", by, len(b), n)
		}
	}
}

// Lines that a terminal scrolls in take the background of its rendition.
func TestScrolledInLinesAreBlank(t *testing.T) {
	g := cell.NewGrid(40, 20, nil)
	g.Set(39, 19, cell.New('x', cell.Style{Bg: cell.Palette(4)}))
	for y := range 16 {
		g.Set(y, y, cell.New(rune('a'+y), cell.Style{}))
	}
	p, term := NewPainter(TrueColour, Caps{}), newVT(40, 20)
	term.feed(p.Frame(nil, g, Cursor{}))
	scrollRows(g, 2, 0, 16)
	g.Fill(cell.Rect{X: 0, Y: 14, W: 40, H: 2}, cell.Cell{})
	b := p.Frame(nil, g, Cursor{})
	term.feed(b)
	if err := compare(term, g, false); err != nil {
		t.Errorf("%v\nafter %q", err, b)
	}
	if !bytes.Contains(b, []byte("\x1b[2M")) {
		t.Errorf("no scroll in %q", b)
	}
}

func TestLoudFramesAreWrapped(t *testing.T) {
	g := cell.NewGrid(100, 30, nil)
	for _, caps := range []Caps{{}, {Sync: true}} {
		p := NewPainter(TrueColour, caps)
		p.Frame(nil, g, Cursor{0, 0, true, 0})
		fillText(g, 1)
		b := p.Frame(nil, g, Cursor{0, 0, true, 0})
		first, last := "\x1b[?25l", "\x1b[?25h"
		if caps.Sync {
			first, last = "\x1b[?2026h", "\x1b[?2026l"
		}
		if !bytes.HasPrefix(b, []byte(first)) || !bytes.HasSuffix(b, []byte(last)) {
			t.Errorf("sync %v: begins %q, ends %q", caps.Sync, b[:12], b[len(b)-12:])
		}
		fillText(g, 2)
	}
}

func TestRepaintAfterTheScreenWasLost(t *testing.T) {
	g := cell.NewGrid(20, 4, nil)
	for i, text := range texts {
		g.All().SetText(i*2%19, i%4, text.s, text.width, styles[i])
	}
	p := NewPainter(TrueColour, Caps{Underlines: true, Titles: true})
	if b := p.Repaint(nil); len(b) != 0 {
		t.Fatalf("repaint before the first frame sends %q", b)
	}
	p.SetTitle("one\x1b]2;two\a")
	p.Frame(nil, g, Cursor{3, 2, true, 0})
	want := cell.NewGrid(0, 0, nil)
	want.Copy(g)
	g.Fill(g.Bounds(), cell.New('!', cell.Style{})) // drawn, but never a frame
	term := newVT(20, 4)
	term.feed(p.Repaint(nil))
	if err := compare(term, want, false); err != nil {
		t.Fatal(err)
	}
	if term.title != "one]2;two" || term.x != 3 || term.y != 2 {
		t.Errorf("got title %q, cursor %d,%d", term.title, term.x, term.y)
	}
}

func TestRepaintOutlivesTheTable(t *testing.T) {
	table := &cell.Clusters{}
	g := cell.NewGrid(4, 1, table)
	g.All().SetText(0, 0, "👩‍🚀", 2, cell.Style{})
	p := NewPainter(TrueColour, Caps{Clusters: true})
	p.Frame(nil, g, Cursor{})
	table.Reset()
	if b := p.Repaint(nil); !bytes.Contains(b, []byte("👩‍🚀")) {
		t.Errorf("after a reset of the table: got %q", b)
	}
	g.Fill(g.Bounds(), cell.Cell{})
	g.All().SetText(0, 0, "🇩🇪", 2, cell.Style{}) // the same index in the new generation
	if b := p.Frame(nil, g, Cursor{}); !bytes.Contains(b, []byte("🇩🇪")) {
		t.Errorf("new generation: got %q", b)
	}
}

func TestAnotherTableIsPainted(t *testing.T) {
	p := NewPainter(TrueColour, Caps{Clusters: true})
	for _, text := range []string{"👩‍🚀", "🇩🇪"} {
		g := cell.NewGrid(2, 1, nil)
		g.All().SetText(0, 0, text, 2, cell.Style{})
		if b := p.Frame(nil, g, Cursor{}); !bytes.Contains(b, []byte(text)) {
			t.Errorf("got %q, want %q in it", b, text)
		}
	}
}

func TestResizePaintsEverything(t *testing.T) {
	p := NewPainter(TrueColour, Caps{})
	for _, size := range [][2]int{{10, 3}, {4, 5}, {30, 2}, {0, 0}, {1, 1}} {
		g, term := cell.NewGrid(size[0], size[1], nil), newVT(size[0], size[1])
		g.Fill(g.Bounds(), cell.New('x', cell.Style{Fg: cell.Palette(3)}))
		term.feed(p.Frame(nil, g, Cursor{}))
		if err := compare(term, g, false); err != nil {
			t.Errorf("%v: %v", size, err)
		}
	}
}

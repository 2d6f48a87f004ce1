package cell

import (
	"math/rand/v2"
	"strings"
	"testing"
	"unsafe"
)

func TestCellIsTwelveBytes(t *testing.T) {
	if n := unsafe.Sizeof(Cell{}); n != 12 {
		t.Fatalf("a cell is %d bytes, want 12", n)
	}
}

func TestCellKeepsItsParts(t *testing.T) {
	colours := []Colour{Default, Palette(0), Palette(255), RGB(0, 0, 0), RGB(255, 255, 255),
		RGB(1, 2, 3)}
	for _, fg := range colours {
		for _, bg := range colours {
			for a := Attr(0); a <= AttrMask; a++ {
				s := Style{fg, bg, a}
				if got := New('x', s).Style(); got != s {
					t.Fatalf("style: got %+v, want %+v", got, s)
				}
			}
		}
	}
	for _, r := range []rune{'a', 'é', '世', 0x1F680, 0x10FFFF} {
		if got := New(r, Style{}).Rune(); got != r {
			t.Errorf("rune: got %U, want %U", got, r)
		}
		if w := NewWide(r, Style{}); w.Rune() != r || !w.Wide() || w.Width() != 2 {
			t.Errorf("wide %U: got %U, wide %v", r, w.Rune(), w.Wide())
		}
	}
	if New(' ', Style{}) != (Cell{}) || New(0, Style{}) != (Cell{}) {
		t.Error("a space, the zero rune and the zero cell differ")
	}
	if got := New(0xD800, Style{}).Rune(); got != 0xFFFD {
		t.Errorf("surrogate: got %U, want U+FFFD", got)
	}
}

func TestColour(t *testing.T) {
	if n, ok := Palette(200).Palette(); n != 200 || !ok {
		t.Errorf("palette: got %d, %v", n, ok)
	}
	if r, g, b, ok := RGB(1, 2, 3).RGB(); r != 1 || g != 2 || b != 3 || !ok {
		t.Errorf("rgb: got %d %d %d %v", r, g, b, ok)
	}
	if _, ok := Default.Palette(); ok {
		t.Error("the default colour is a palette entry")
	}
	if _, _, _, ok := Palette(1).RGB(); ok {
		t.Error("a palette entry is an RGB colour")
	}
}

func TestUnderline(t *testing.T) {
	for u := NoUnderline; u <= DashedUnderline; u++ {
		a := (Bold | Strike).WithUnderline(SingleUnderline).WithUnderline(u)
		if a.Underline() != u || a&^underlineMask != Bold|Strike {
			t.Errorf("underline %d: got %d with %b", u, a.Underline(), a)
		}
	}
}

func TestClusters(t *testing.T) {
	var tab Clusters
	a := tab.Cell("e\u0301", 1, Style{})
	b := tab.Cell("👩‍🚀", 2, Style{})
	if a != tab.Cell("e\u0301", 1, Style{}) || tab.Len() != 2 {
		t.Fatalf("the same cluster got two cells; table holds %d", tab.Len())
	}
	if got := tab.Text(a) + tab.Text(b); got != "e\u0301👩‍🚀" {
		t.Errorf("text: got %q", got)
	}
	if !b.Wide() || a.Wide() {
		t.Errorf("wide: got %v and %v", a.Wide(), b.Wide())
	}
	if c := tab.Cell("x", 1, Style{}); c != New('x', Style{}) || tab.Len() != 2 {
		t.Error("a single rune went into the table")
	}
	if c := tab.Cell("", 1, Style{}); c != (Cell{}) {
		t.Errorf("empty text: got %v, want a blank", c)
	}
	long := tab.Cell("a"+strings.Repeat("\u0301", 500), 1, Style{})
	if got := tab.Text(long); len(got) > ClusterMaxBytes || !strings.HasPrefix(got, "a\u0301\u0301") {
		t.Errorf("long cluster: %d bytes kept", len(got))
	}
	gen, texts := tab.Generation(), tab.Texts()
	tab.Reset()
	if tab.Len() != 0 || tab.Generation() == gen {
		t.Errorf("after reset: %d clusters, generation %d", tab.Len(), tab.Generation())
	}
	if got := tab.Text(tab.Cell("o\u0308", 1, Style{})); got != "o\u0308" {
		t.Errorf("after reset: got %q", got)
	}
	if texts[0] != "e\u0301" || texts[1] != "👩‍🚀" {
		t.Errorf("texts kept from before the reset: got %q", texts)
	}
}

func TestRectIntersect(t *testing.T) {
	cases := []struct{ a, b, want Rect }{
		{Rect{0, 0, 10, 10}, Rect{5, 5, 10, 10}, Rect{5, 5, 5, 5}},
		{Rect{0, 0, 10, 10}, Rect{-5, -5, 6, 7}, Rect{0, 0, 1, 2}},
		{Rect{0, 0, 4, 4}, Rect{4, 0, 4, 4}, Rect{}},
		{Rect{0, 0, 4, 4}, Rect{1, 1, -1, 2}, Rect{}},
	}
	for _, c := range cases {
		if got := c.a.Intersect(c.b); got != c.want {
			t.Errorf("%v and %v: got %v, want %v", c.a, c.b, got, c.want)
		}
	}
}

// draw puts each rune of s in turn, wide when it is a Han character.
func draw(v View, x, y int, s string) {
	for _, r := range s {
		if r >= 0x4E00 && r < 0xA000 {
			v.Set(x, y, NewWide(r, Style{}))
			x += 2
			continue
		}
		v.Set(x, y, New(r, Style{}))
		x++
	}
}

func TestWidePairs(t *testing.T) {
	cases := []struct {
		name, first string
		x           int
		second      string
		want        string
	}{
		{"over the lead", "世界ab", 0, "x", "x 界ab"},
		{"over the tail", "世界ab", 1, "x", " x界ab"},
		{"wide over two halves", "世界ab", 1, "中", " 中 ab"},
		{"wide at the edge", "世界ab", 5, "中", "世界a "},
		{"wide over the same", "世界ab", 2, "中", "世中ab"},
		{"outside", "世界ab", 9, "中", "世界ab"},
		{"before", "世界ab", -1, "中", "世界ab"},
	}
	for _, c := range cases {
		g := NewGrid(6, 1, nil)
		draw(g.All(), 0, 0, c.first)
		draw(g.All(), c.x, 0, c.second)
		if got := g.Text(0); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestViewClips(t *testing.T) {
	g := NewGrid(8, 4, nil)
	g.Fill(g.Bounds(), New('.', Style{}))
	v := g.View(Rect{2, 1, 4, 2})
	draw(v, 0, 0, "abcdef")
	draw(v, 3, 1, "世")
	draw(v, 0, 2, "below")
	draw(v.View(Rect{-1, 1, 3, 1}), 0, 0, "xyz")
	want := []string{"........", "..abcd..", "..yz. ..", "........"}
	for y, w := range want {
		if got := g.Text(y); got != w {
			t.Errorf("row %d: got %q, want %q", y, got, w)
		}
	}
	if w, h := g.View(Rect{6, 3, 5, 5}).Size(); w != 5 || h != 5 {
		t.Errorf("size of a clipped view: got %dx%d, want 5x5", w, h)
	}
}

func TestFillAndRestyleKeepPairs(t *testing.T) {
	g := NewGrid(6, 1, nil)
	draw(g.All(), 0, 0, "世界中")
	g.View(Rect{1, 0, 3, 1}).Restyle(Rect{0, 0, 9, 9}, func(s Style) Style {
		s.Attr |= Reverse
		return s
	})
	if got := g.At(0, 0).Style().Attr; got != Reverse || g.At(4, 0).Style().Attr != 0 {
		t.Errorf("restyle: lead %b, next %b", got, g.At(4, 0).Style().Attr)
	}
	g.Fill(Rect{1, 0, 2, 1}, NewWide('中', Style{}))
	if got, want := g.Text(0), "    中"; got != want {
		t.Errorf("fill: got %q, want %q", got, want)
	}
}

// Whatever is drawn through whatever view, leads and tails pair and cells outside the view keep
// everything but half a wide grapheme.
func TestRandomDrawingKeepsPairs(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		g := NewGrid(1+rng.IntN(9), 1+rng.IntN(3), nil)
		for range 60 {
			v := g.View(Rect{rng.IntN(8) - 2, rng.IntN(4) - 1, rng.IntN(9), rng.IntN(4)})
			x, y := rng.IntN(10)-2, rng.IntN(4)-1
			switch rng.IntN(4) {
			case 0:
				v.Set(x, y, New('a', Style{}))
			case 1:
				v.Set(x, y, NewWide('世', Style{}))
			case 2:
				v.SetText(x, y, "👩‍🚀", 2, Style{Fg: Palette(3)})
			case 3:
				v.Fill(Rect{x, y, rng.IntN(5), rng.IntN(3)}, New('.', Style{}))
			}
			checkPairs(t, g, seed)
		}
	}
}

func checkPairs(t *testing.T, g *Grid, seed uint64) {
	t.Helper()
	w, h := g.Size()
	for y := range h {
		for x := range w {
			c := g.At(x, y)
			if c.Wide() && (x+1 >= w || !g.At(x+1, y).Tail()) {
				t.Fatalf("seed %d: lead at %d,%d without tail", seed, x, y)
			}
			if c.Tail() && (x == 0 || !g.At(x-1, y).Wide()) {
				t.Fatalf("seed %d: tail at %d,%d without lead", seed, x, y)
			}
		}
	}
}

func TestCopyAndResize(t *testing.T) {
	a := NewGrid(3, 2, nil)
	draw(a.All(), 0, 1, "abc")
	b := NewGrid(0, 0, nil)
	b.Copy(a)
	if b.Text(1) != "abc" || b.Clusters() != a.Clusters() {
		t.Errorf("copy: got %q", b.Text(1))
	}
	b.Resize(2, 1)
	if w, h := b.Size(); w != 2 || h != 1 || b.Text(0) != "  " || a.Text(1) != "abc" {
		t.Errorf("resize: %dx%d %q, source %q", w, h, b.Text(0), a.Text(1))
	}
	if NewGrid(-1, 5, nil).At(0, 0) != (Cell{}) {
		t.Error("an empty grid has a cell")
	}
}

func BenchmarkSet(b *testing.B) {
	g := NewGrid(200, 60, nil)
	c := New('a', Style{Fg: Palette(4)})
	v := g.All()
	for b.Loop() {
		for y := range 60 {
			for x := range 200 {
				v.Set(x, y, c)
			}
		}
	}
}

package tui

import (
	"testing"

	"apex/core"
	"apex/core/cell"

	"pgregory.net/rapid"
)

func drawLayout(t *rapid.T) *core.Layout {
	l := &core.Layout{}
	next := core.ID(1)
	id := func() core.ID { next++; return next }
	for range rapid.IntRange(1, 5).Draw(t, "columns") {
		c := core.Column{Tag: core.BufferID(id()), Weight: rapid.IntRange(1, 9000).Draw(t, "weight")}
		for range rapid.IntRange(0, 7).Draw(t, "windows") {
			c.Slots = append(c.Slots, core.Slot{
				Window: core.WindowID(id()),
				Share:  rapid.IntRange(1, 9000).Draw(t, "share"),
				Show:   core.Show(rapid.SampledFrom([]int{0, 0, 0, 0, 1, 2, 3}).Draw(t, "show")),
			})
		}
		l.Columns = append(l.Columns, c)
	}
	c := rapid.SampledFrom(l.Columns).Draw(t, "focus column")
	l.Focus = core.ColumnView(c.Tag)
	if len(c.Slots) > 0 {
		l.Focus = rapid.SampledFrom(c.Slots).Draw(t, "focus").Window.Body()
	}
	return l
}

// TestPlace checks for any layout on any screen that what is placed lies on the screen, that no two
// parts overlap, that nothing but what is hidden is without a cell as long as there is room, and
// that what has the focus is in sight.
func TestPlace(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		w, h := rapid.IntRange(1, 220).Draw(t, "width"), rapid.IntRange(1, 70).Draw(t, "height")
		p := place(l, w, h)
		used := cell.NewGrid(w, h, nil)
		take := func(what string, r cell.Rect) {
			if !r.Empty() && r != r.Intersect(used.Bounds()) {
				t.Fatalf("%s at %+v lies outside of %dx%d", what, r, w, h)
			}
			for y := range max(r.H, 0) {
				for x := range max(r.W, 0) {
					if used.At(r.X+x, r.Y+y).Rune() != ' ' {
						t.Fatalf("%s at %+v overlaps", what, r)
					}
					used.Set(r.X+x, r.Y+y, cell.New('x', cell.Style{}))
				}
			}
		}
		take("top", p.top)
		take("hint", p.hint)
		for _, c := range p.columns {
			take("border", c.border)
			take("column tag", c.tag)
			if c.area.W < 1 {
				t.Fatalf("column %d has width %d", c.index, c.area.W)
			}
			for _, win := range c.windows {
				take("tag", win.tag)
				take("body", win.body)
				if win.tag.Empty() {
					t.Fatalf("window %v in sight has no tag", win.id)
				}
			}
		}
		checkFocus(t, l, &p, h)
	})
}

func checkFocus(t *rapid.T, l *core.Layout, p *placing, height int) {
	column := focusColumn(l)
	c, ok := p.column(column)
	if height < 3 {
		return // there may be no room for a window
	}
	if !ok {
		t.Fatalf("column %d with the focus is out of sight", column)
	}
	id, isWindow := l.Focus.Window()
	if !isWindow {
		return
	}
	collapsed := false
	for _, s := range l.Columns[column].Slots {
		collapsed = collapsed || s.Window == id && s.Show == core.ShowCollapsed
		if s.Show == core.ShowHidden && s.Window == id || s.Show == core.ShowMaximised {
			return
		}
	}
	w, ok := p.window(id)
	if !ok {
		t.Fatalf("window %v with the focus is out of sight in %+v", id, c)
	}
	if w.body.Empty() && !collapsed {
		t.Fatalf("window %v with the focus has no row of text in %+v", id, c)
	}
}

// TestPlaceSizes is for sizes by hand: columns by weight, windows by share, what doesn't fit.
func TestPlaceSizes(t *testing.T) {
	l := &core.Layout{}
	l.Columns = []core.Column{
		{Tag: 1, Weight: 3, Slots: []core.Slot{{Window: 11, Share: 2}, {Window: 12, Share: 1},
			{Window: 13, Share: 1, Show: core.ShowCollapsed}}},
		{Tag: 2, Weight: 1, Slots: []core.Slot{{Window: 21, Share: 1, Show: core.ShowHidden},
			{Window: 22, Share: 1}}},
	}
	p := place(l, 100, 34)
	heights := func(c placedColumn) (out []int) {
		for _, w := range c.windows {
			out = append(out, w.tag.H+w.body.H)
		}
		return out
	}
	left, right := p.columns[0], p.columns[1]
	border := cell.Rect{X: 75, Y: 1, W: 1, H: 32}
	if left.area.W != 75 || right.area.W != 24 || right.border != border {
		t.Errorf("columns are %+v and %+v", left.area, right.area)
	}
	if got := heights(left); len(got) != 3 || got[0] != 20 || got[1] != 10 || got[2] != 1 {
		t.Errorf("31 rows for shares 2, 1 and a collapsed window: %v", got)
	}
	if got := heights(right); len(got) != 1 || got[0] != 31 {
		t.Errorf("31 rows for a hidden window and another: %v", got)
	}
	if narrow := place(l, 20, 34); len(narrow.columns) != 1 || narrow.after != 1 {
		t.Errorf("20 cells show %d columns", len(narrow.columns))
	}
	low := place(l, 100, 5)
	if got := heights(low.columns[0]); len(got) != 3 {
		t.Errorf("3 rows show %d of 3 windows", len(got))
	}
}

// A column that shows no window is as wide as its tag needs, as long as another one shows some; and
// where on the screen something is dragged to is found in the columns' weights.
func TestEmptyColumnIsNarrow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := drawLayout(t)
		n := len(l.Columns)
		width := rapid.IntRange(n*columnMinCells, 300).Draw(t, "width")
		p := place(l, width, 40)
		full := 0
		for i := range l.Columns {
			if !showsNothing(&l.Columns[i]) {
				full++
			}
		}
		for _, c := range p.columns {
			cells := c.area.W + c.border.W
			// Those whose weight is less than that leave the others some more.
			most := columnMinCells*width/max(1, width-columnMinCells*(n-full-1)) + 1
			if full > 0 && showsNothing(&l.Columns[c.index]) && cells > most {
				t.Fatalf("column %d shows nothing on %d of %d cells", c.index, cells, width)
			}
		}
		last := 0
		for x := range width + 1 {
			at := int(p.weightAt(l.Columns, x))
			if at < last || at > 1000 {
				t.Fatalf("at %d of %d: %d permille, after %d", x, width, at, last)
			}
			last = at
		}
		if first := p.weightAt(l.Columns, 0); first != 0 || last != 1000 {
			t.Fatalf("from %d to %d permille", first, last)
		}
	})
}

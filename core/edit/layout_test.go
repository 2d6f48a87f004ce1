package edit

import (
	"slices"
	"testing"

	"apex/core"

	"pgregory.net/rapid"
)

// arranged applies an arrangement as the layout would, and checks it against the windows that it
// has to have.
func checkArrange(t tester, a *core.Arrange, want []core.WindowID) {
	t.Helper()
	s := core.NewShardState([16]byte{1}, core.SessionID{1}, core.LayoutShard)
	b := core.Batch{Shard: core.LayoutShard, Epoch: 1, First: 1, Ops: []core.Op{core.Of(a)}}
	sealed, err := core.Open(b.Append(nil))
	if err != nil {
		t.Fatalf("arrangement: %v", err)
	}
	if _, err := s.Apply(sealed); err != nil {
		t.Fatalf("arrangement: %v", err)
	}
	got := windows(a)
	slices.Sort(got)
	want = slices.Clone(want)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Fatalf("windows %v, want %v", got, want)
	}
	for i := range a.Columns {
		c := &a.Columns[i]
		only := slices.IndexFunc(c.Slots,
			func(s core.Slot) bool { return s.Show == core.ShowMaximised })
		for k, s := range c.Slots {
			if k != only && s.Show == core.ShowMaximised {
				t.Fatalf("column %d has two maximised windows", i)
			}
		}
		if sum := whole(c); sum != 0 && (sum < minWhole/2 || sum > 2*maxWhole) {
			t.Fatalf("column %d has shares of %d in all", i, sum)
		}
	}
}

// Whatever is done to a layout, core takes it, and every window is in it exactly once.
func TestArrangeKeepsEveryWindow(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var a core.Arrange
		var have []core.WindowID
		next := core.ID(100)
		draw := func() core.WindowID {
			if len(have) == 0 {
				return 99 // one that is not there
			}
			return rapid.SampledFrom(have).Draw(t, "window")
		}
		column := func() int { return rapid.IntRange(0, len(a.Columns)-1).Draw(t, "column") }
		permille := func() Permille { return Permille(rapid.IntRange(-10, 1010).Draw(t, "at")) }
		lines := func(core.WindowID) int { return rapid.IntRange(0, 60).Draw(t, "lines") }
		NewColumn(&a, 1)
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			next++
			before := a.Clone()
			switch rapid.IntRange(0, 13).Draw(t, "op") {
			case 0, 1, 2:
				Place(&a, core.WindowID(next), column(), draw(), lines)
				have = append(have, core.WindowID(next))
			case 3:
				PlaceLast(&a, core.WindowID(next))
				have = append(have, core.WindowID(next))
			case 4:
				w := draw()
				heir := Remove(&a, w)
				have = slices.DeleteFunc(have, func(x core.WindowID) bool { return x == w })
				if _, _, ok := a.Window(heir); heir != 0 && !ok {
					t.Fatalf("the neighbour %v is not there", heir)
				}
			case 5:
				if len(a.Columns) < core.MaxColumns {
					NewColumn(&a, core.BufferID(next))
				}
			case 6:
				i := column()
				if len(a.Columns) > 1 {
					for _, s := range a.Columns[i].Slots {
						have = slices.DeleteFunc(have,
							func(x core.WindowID) bool { return x == s.Window })
					}
					RemoveColumn(&a, i)
				}
			case 7:
				MoveColumn(&a, column(), permille())
			case 8, 9:
				checkChanged(t, "move", &before, &a, Move(&a, draw(), column(), permille()))
			case 10, 11:
				w, g := draw(), rapid.SampledFrom([]Growth{GrowLittle, GrowColumn,
					GrowOnly}).Draw(t, "growth")
				if Grow(&a, w, g) {
					if c, s, ok := a.Window(w); !ok ||
						a.Columns[c].Slots[s].Show > core.ShowMaximised {
						t.Fatalf("a window that grew is not to be seen")
					}
				}
			case 12:
				Collapse(&a, draw())
				if w := draw(); Reveal(&a, w) {
					c, s, _ := a.Window(w)
					if a.Columns[c].Slots[s].Show != core.ShowNormal {
						t.Fatalf("a revealed window is shown as %d", a.Columns[c].Slots[s].Show)
					}
				}
			case 13:
				Hide(&a, draw())
			}
			checkArrange(t, &a, have)
		}
	})
}

// checkChanged compares what a function says it did with what it did, but for shares settling.
func checkChanged(t *rapid.T, what string, before, after *core.Arrange, said bool) {
	for i := range before.Columns {
		settle(&before.Columns[i])
	}
	same := slices.EqualFunc(before.Columns, after.Columns, func(x, y core.Column) bool {
		return x.Tag == y.Tag && slices.Equal(x.Slots, y.Slots)
	})
	if same && said || !same && !said {
		t.Fatalf("%s: said %v, same %v:\n%v\n%v", what, said, same, before, after)
	}
}

// column makes an arrangement of one column with windows 1, 2, ... of these shares.
func column(shares ...int) *core.Arrange {
	a := &core.Arrange{Columns: []core.Column{{Tag: 1, Weight: 1}}}
	for i, s := range shares {
		a.Columns[0].Slots = append(a.Columns[0].Slots, core.Slot{Window: core.WindowID(i + 1),
			Share: s})
	}
	return a
}

func order(c core.Column) (ids []core.WindowID, shares []int) {
	for _, s := range c.Slots {
		ids = append(ids, s.Window)
		shares = append(shares, s.Share)
	}
	return ids, shares
}

func TestPlace(t *testing.T) {
	const whole = wholeShare
	full := func(core.WindowID) int { return 1000 }
	tests := []struct {
		name  string
		have  []int
		near  core.WindowID
		lines func(core.WindowID) int
		want  []core.WindowID
		share []int
	}{
		{"alone", nil, 0, full, []core.WindowID{9}, []int{whole}},
		{"the largest is split", []int{whole * 3 / 4, whole / 4}, 0, full,
			[]core.WindowID{1, 9, 2}, []int{whole * 3 / 8, whole * 3 / 8, whole / 4}},
		{"the one it was asked for in is split if not much smaller", []int{whole / 2, whole / 2},
			2, full,
			[]core.WindowID{1, 2, 9}, []int{whole / 2, whole / 4, whole / 4}},
		{"not if it is much smaller", []int{whole * 3 / 4, whole / 4}, 2, full,
			[]core.WindowID{1, 9, 2}, []int{whole * 3 / 8, whole * 3 / 8, whole / 4}},
		{"below a short text", []int{whole}, 0, func(core.WindowID) int { return 3 },
			[]core.WindowID{1, 9}, []int{whole - whole*20/25, whole * 20 / 25}},
		{"all give where none is large", []int{1000, 1000, 1000, 1000, 1000, 1000}, 0, full,
			[]core.WindowID{1, 9, 2, 3, 4, 5, 6}, []int{1000, 1000, 1000, 1000, 1000, 1000, 1000}},
	}
	for _, c := range tests {
		a := column(c.have...)
		Place(a, 9, 0, c.near, c.lines)
		ids, shares := order(a.Columns[0])
		if !slices.Equal(ids, c.want) || !slices.Equal(shares, c.share) {
			t.Errorf("%s: windows %v with shares %v, want %v %v", c.name, ids, shares, c.want,
				c.share)
		}
	}
}

func TestGrow(t *testing.T) {
	a := column(2000, 2000, 2000, 2000)
	if !Grow(a, 2, GrowLittle) {
		t.Fatal("nothing changed")
	}
	if _, shares := order(a.Columns[0]); !slices.Equal(shares, []int{2000, 3000, 1000, 2000}) {
		t.Errorf("a little: %v", shares)
	}
	Grow(a, 2, GrowLittle)
	if _, shares := order(a.Columns[0]); !slices.Equal(shares, []int{1100, 4500, 400, 2000}) {
		t.Errorf("and again: %v", shares)
	}
	before := a.Clone()
	Grow(a, 3, GrowColumn)
	for _, s := range a.Columns[0].Slots {
		if want := s.Window != 3; (s.Show == core.ShowCollapsed) != want {
			t.Errorf("full column: window %v shown as %d", s.Window, s.Show)
		}
	}
	Grow(a, 3, GrowColumn)
	if len(normal(&a.Columns[0])) != 4 {
		t.Error("full column again: not all are back")
	}
	Grow(a, 1, GrowOnly)
	Grow(a, 1, GrowOnly)
	ids, _ := order(a.Columns[0])
	if want, _ := order(before.Columns[0]); !slices.Equal(ids, want) ||
		len(normal(&a.Columns[0])) != 4 {
		t.Error("maximised and back: not as before")
	}
}

func TestMove(t *testing.T) {
	a := column(4096, 4096)
	NewColumn(a, 2)
	if !Move(a, 1, 1, 500) {
		t.Fatal("nothing changed")
	}
	if ids, _ := order(a.Columns[1]); !slices.Equal(ids, []core.WindowID{1}) {
		t.Errorf("to an empty column: %v", ids)
	}
	Move(a, 2, 1, 750)
	if ids, shares := order(a.Columns[1]); !slices.Equal(ids, []core.WindowID{1, 2}) ||
		shares[1]*3 != shares[0] {
		t.Errorf("below three quarters: %v %v", ids, shares)
	}
	if ids, _ := order(a.Columns[0]); len(ids) != 0 {
		t.Errorf("left behind: %v", ids)
	}
	Move(a, 2, 1, 500) // within the one above: the border moves
	if ids, shares := order(a.Columns[1]); !slices.Equal(ids, []core.WindowID{1, 2}) ||
		shares[0] != shares[1] {
		t.Errorf("border: %v %v", ids, shares)
	}
	if Move(a, 1, 1, 100) {
		t.Error("the first window's border moved")
	}
	Move(a, 1, 1, 900)
	if ids, _ := order(a.Columns[1]); !slices.Equal(ids, []core.WindowID{2, 1}) {
		t.Errorf("past the other: %v", ids)
	}
}

func TestMoveColumn(t *testing.T) {
	var a core.Arrange
	for tag := range core.BufferID(3) {
		NewColumn(&a, tag+1)
	}
	tags := func() (out []core.BufferID) {
		for _, c := range a.Columns {
			out = append(out, c.Tag)
		}
		return out
	}
	start := tags() // a quarter, a quarter, half
	last := len(start) - 1
	if !MoveColumn(&a, 1, 125) || a.Columns[0].Weight >= a.Columns[1].Weight {
		t.Errorf("border: %v", a.Columns)
	}
	if !slices.Equal(tags(), start) {
		t.Errorf("border: order %v", tags())
	}
	if !MoveColumn(&a, last, 10) || tags()[0] != start[last] {
		t.Errorf("to the front: %v of %v", tags(), start)
	}
	if MoveColumn(&a, 0, 0) {
		t.Error("the first column moved left")
	}
	RemoveColumn(&a, 0)
	RemoveColumn(&a, 1)
	if len(a.Columns) != 1 {
		t.Fatalf("%d columns", len(a.Columns))
	}
	checkArrange(t, &a, nil)
}

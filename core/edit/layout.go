package edit

import (
	"slices"

	"apex/core"
)

// An arrangement's shares and weights are relative. The functions below keep the sum of a
// column's between minWhole and maxWhole, so that halving one many times loses nothing that could
// be seen and nothing overflows; how many cells a share is, each client works out for itself.
const (
	wholeShare = 1 << 13
	minWhole   = wholeShare / 2
	maxWhole   = wholeShare * 2
)

// Rows that a column is taken to have where a rule of acme's speaks of lines: what is on most
// screens. Such a rule may then choose another place than acme would, never a wrong one.
const (
	nominalRows  = 24
	minSplitRows = 8 // a lower window is not split: its halves would show next to nothing
)

// windows returns the windows of an arrangement, column by column, top to bottom.
func windows(a *core.Arrange) []core.WindowID {
	var out []core.WindowID
	for _, c := range a.Columns {
		for _, s := range c.Slots {
			out = append(out, s.Window)
		}
	}
	return out
}

// whole is the sum of the shares of the windows that have a share of the column's height.
func whole(c *core.Column) int {
	sum := 0
	for _, s := range c.Slots {
		if s.Show != core.ShowCollapsed && s.Show != core.ShowHidden {
			sum += s.Share
		}
	}
	return sum
}

// settle brings a column's shares back to where they can be divided.
func settle(c *core.Column) {
	sum := whole(c)
	if sum == 0 || sum >= minWhole && sum <= maxWhole {
		return
	}
	for i := range c.Slots {
		s := &c.Slots[i]
		s.Share = min(max(1, s.Share*wholeShare/sum), core.MaxShare)
	}
}

// normal returns the indices of the slots that stand with their share.
func normal(c *core.Column) []int {
	var out []int
	for i, s := range c.Slots {
		if s.Show == core.ShowNormal {
			out = append(out, i)
		}
	}
	return out
}

// restore ends a maximised window's claim on its column.
func restore(c *core.Column) bool {
	changed := false
	for i := range c.Slots {
		if c.Slots[i].Show == core.ShowMaximised {
			c.Slots[i].Show = core.ShowNormal
			changed = true
		}
	}
	return changed
}

// ActiveColumn returns the column that the focus is in; where it is in none, the last one.
func ActiveColumn(a *core.Arrange, focus core.View) int {
	if w, ok := focus.Window(); ok {
		if c, _, ok := a.Window(w); ok {
			return c
		}
	}
	for i, c := range a.Columns {
		if focus == core.ColumnView(c.Tag) {
			return i
		}
	}
	return len(a.Columns) - 1
}

// Place puts a new window in a column, where acme would: below the text of a window that shows
// mostly nothing, else in the lower half of the largest window, or of near if that is not much
// smaller. Where nothing is large enough to be split, all windows of the column give some room.
// lines returns how many lines a window's body has.
func Place(
	a *core.Arrange, w core.WindowID, column int, near core.WindowID, lines func(core.WindowID) int,
) {
	c := &a.Columns[column]
	restore(c)
	settle(c)
	at := normal(c)
	if len(at) == 0 {
		c.Slots = append(c.Slots, core.Slot{Window: w, Share: wholeShare})
		return
	}
	sum := whole(c)
	rows := func(i int) int { return c.Slots[i].Share * nominalRows / sum }
	blank := func(i int) int { return rows(i) - 1 - lines(c.Slots[i].Window) }
	big, empty := at[0], at[0]
	for _, i := range at {
		if c.Slots[i].Share > c.Slots[big].Share {
			big = i
		}
		if blank(i) > blank(empty) {
			empty = i
		}
	}
	if free := blank(empty); free > 15 || free > 3 && free > (rows(big)-1)/2 {
		splitAt(c, empty, w, c.Slots[empty].Share-max(1, c.Slots[empty].Share*free/(rows(empty)+1)))
		return
	}
	if i := slices.IndexFunc(c.Slots, func(s core.Slot) bool { return s.Window == near }); i >= 0 {
		if c.Slots[i].Show == core.ShowNormal && c.Slots[i].Share > c.Slots[big].Share*2/3 {
			big = i
		}
	}
	if rows(big) < minSplitRows {
		c.Slots = slices.Insert(c.Slots, big+1, core.Slot{Window: w, Share: max(1, sum/len(at))})
		settle(c)
		return
	}
	splitAt(c, big, w, c.Slots[big].Share/2)
}

// PlaceLast puts a window in the lower half of the last window of the last column, where acme
// puts messages.
func PlaceLast(a *core.Arrange, w core.WindowID) {
	c := &a.Columns[len(a.Columns)-1]
	restore(c)
	settle(c)
	at := normal(c)
	if len(at) == 0 {
		c.Slots = append(c.Slots, core.Slot{Window: w, Share: wholeShare})
		return
	}
	i := at[len(at)-1]
	splitAt(c, i, w, c.Slots[i].Share/2)
}

// splitAt puts w below slot i, which keeps that much of its share.
func splitAt(c *core.Column, i int, w core.WindowID, keep int) {
	share := c.Slots[i].Share
	keep = min(max(1, keep), max(1, share-1))
	c.Slots[i].Share = keep
	c.Slots = slices.Insert(c.Slots, i+1, core.Slot{Window: w, Share: max(1, share-keep)})
}

// Remove takes a window out of the arrangement. The one below gets its space, or if it was the
// last, the one above. It returns the window that is next to it now, 0 if the column is empty.
func Remove(a *core.Arrange, w core.WindowID) core.WindowID {
	column, i, ok := a.Window(w)
	if !ok {
		return 0
	}
	c := &a.Columns[column]
	gone := c.Slots[i]
	c.Slots = slices.Delete(c.Slots, i, i+1)
	heir := neighbour(c, i)
	if heir < 0 {
		return 0
	}
	h := &c.Slots[heir]
	takesRoom := gone.Show == core.ShowNormal || gone.Show == core.ShowMaximised
	switch {
	case takesRoom && h.Show == core.ShowNormal:
		h.Share = min(h.Share+gone.Share, core.MaxShare)
	case takesRoom && whole(c) == 0:
		h.Show = core.ShowNormal
	}
	settle(c)
	return h.Window
}

// neighbour returns the slot that gets the space before slot i: the next with a share of its own,
// else the one before, else any that is not hidden, else any; -1 if there is none.
func neighbour(c *core.Column, i int) int {
	for _, fits := range []func(core.Slot) bool{
		func(s core.Slot) bool { return s.Show == core.ShowNormal },
		func(s core.Slot) bool { return s.Show != core.ShowHidden },
		func(core.Slot) bool { return true },
	} {
		if k := slices.IndexFunc(c.Slots[i:], fits); k >= 0 {
			return i + k
		}
		for k := i - 1; k >= 0; k-- {
			if fits(c.Slots[k]) {
				return k
			}
		}
	}
	return -1
}

// Reveal makes a window visible where it is; it reports whether that changes anything.
func Reveal(a *core.Arrange, w core.WindowID) bool {
	column, i, ok := a.Window(w)
	if !ok {
		return false
	}
	c := &a.Columns[column]
	switch c.Slots[i].Show {
	case core.ShowMaximised:
		return false
	case core.ShowNormal:
		return restore(c)
	}
	restore(c)
	settle(c)
	c.Slots[i].Show = core.ShowNormal
	if n, sum := len(normal(c)), whole(c); c.Slots[i].Share*nominalRows < sum*minSplitRows {
		c.Slots[i].Share = max(1, sum/n)
	}
	settle(c)
	return true
}

// Arranged returns the bundle that changes the arrangement by f, which reports whether it changed
// anything; empty if not.
func Arranged(
	s core.Session, by core.Author, f func(*core.Arrange) bool,
) (core.Bundle, error) {
	l, err := layout(s)
	if err != nil {
		return core.Bundle{}, err
	}
	b := core.Bundle{Author: by}
	arr := l.Arrange.Clone()
	if f(&arr) {
		b.Add(core.LayoutShard, core.Of(&arr))
	}
	return checked(s, b)
}

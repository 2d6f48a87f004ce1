package edit

import (
	"slices"

	"apex/core"
)

// Growth says how far a window grows.
type Growth uint8

// The growths: acme's three buttons on a window's handle.
const (
	GrowLittle Growth = iota // takes some room from its neighbours
	GrowColumn               // all of the column but the others' tags; again: back
	GrowOnly                 // all of the column; again: back
)

// Grow makes a window larger in its column and reports whether that changes anything.
func Grow(a *core.Arrange, w core.WindowID, g Growth) bool {
	column, i, ok := a.Window(w)
	if !ok {
		return false
	}
	c := &a.Columns[column]
	settle(c)
	switch g {
	case GrowColumn:
		return growColumn(c, i)
	case GrowOnly:
		was := c.Slots[i].Show
		restore(c)
		c.Slots[i].Show = core.ShowMaximised
		if was == core.ShowMaximised {
			c.Slots[i].Show = core.ShowNormal
		}
		settle(c)
		return true
	}
	if c.Slots[i].Show != core.ShowNormal {
		return Reveal(a, w)
	}
	return restore(c) || growLittle(c, i)
}

// growColumn collapses all others, or if they are, opens them again.
func growColumn(c *core.Column, i int) bool {
	others, open := 0, 0
	for k := range c.Slots {
		if k != i && c.Slots[k].Show != core.ShowHidden {
			others++
			if c.Slots[k].Show != core.ShowCollapsed {
				open++
			}
		}
	}
	was := c.Slots[i].Show
	c.Slots[i].Show = core.ShowNormal
	show := core.ShowCollapsed
	if open == 0 && was == core.ShowNormal {
		show = core.ShowNormal
	}
	for k := range c.Slots {
		if k != i && c.Slots[k].Show != core.ShowHidden {
			c.Slots[k].Show = show
		}
	}
	settle(c)
	return others > 0 || was != core.ShowNormal
}

// A window that grows a little gets growPart of the column, or half of its own share more if that
// is more; its neighbours give it, the nearest first, and keep at least keepPart of the column.
const (
	growPart = 8
	keepPart = 20
)

func growLittle(c *core.Column, i int) bool {
	sum := whole(c)
	want := max(c.Slots[i].Share/2, sum/growPart)
	least := max(1, sum/keepPart)
	got := 0
	for far := 1; far < len(c.Slots) && got < want; far++ {
		for _, k := range []int{i + far, i - far} {
			if k < 0 || k >= len(c.Slots) || c.Slots[k].Show != core.ShowNormal {
				continue
			}
			give := min(want-got, max(0, c.Slots[k].Share-least))
			c.Slots[k].Share -= give
			got += give
		}
	}
	c.Slots[i].Share += got
	return got > 0
}

// Collapse shows a window's tag only, or if that is so, opens it again; it reports whether that
// changes anything. The last open window of a column stays open.
func Collapse(a *core.Arrange, w core.WindowID) bool {
	column, i, ok := a.Window(w)
	if !ok {
		return false
	}
	c := &a.Columns[column]
	if c.Slots[i].Show == core.ShowCollapsed {
		return Reveal(a, w)
	}
	restored := restore(c)
	if c.Slots[i].Show != core.ShowNormal || len(normal(c)) == 1 {
		return restored
	}
	c.Slots[i].Show = core.ShowCollapsed
	settle(c)
	return true
}

// Hide takes a window out of sight without closing it; Reveal brings it back.
func Hide(a *core.Arrange, w core.WindowID) bool {
	column, i, ok := a.Window(w)
	if !ok || a.Columns[column].Slots[i].Show == core.ShowHidden {
		return false
	}
	c := &a.Columns[column]
	c.Slots[i].Show = core.ShowHidden
	if whole(c) == 0 {
		if k := slices.IndexFunc(c.Slots, func(s core.Slot) bool {
			return s.Show == core.ShowCollapsed
		}); k >= 0 {
			c.Slots[k].Show = core.ShowNormal
		}
	}
	settle(c)
	return true
}

// Permille is a part of a column's height or of the screen's width, in thousandths.
type Permille int

// Move puts a window where it was dragged to: at a part of a column's height, which splits what
// stands there. Within its own part of its own column, or that of the window above, only the
// border between the two moves. It reports whether that changes anything.
func Move(a *core.Arrange, w core.WindowID, column int, at Permille) bool {
	from, i, ok := a.Window(w)
	if !ok || column < 0 || column >= len(a.Columns) {
		return false
	}
	at = min(max(0, at), 1000)
	c := &a.Columns[column]
	restored := restore(c)
	settle(c)
	if from == column && c.Slots[i].Show == core.ShowNormal {
		if moved, done := moveBorder(c, i, at); done {
			return moved || restored
		}
	}
	before := slices.Clone(a.Columns[column].Slots)
	slot := a.Columns[from].Slots[i]
	Remove(a, w)
	insertAt(&a.Columns[column], slot.Window, at)
	return from != column || restored || !slices.Equal(before, a.Columns[column].Slots)
}

// moveBorder moves the border above slot i, if at is within the slot or the one above it.
func moveBorder(c *core.Column, i int, at Permille) (moved, done bool) {
	sum := whole(c)
	y := int(at) * sum / 1000
	top, above, start := 0, -1, 0
	for k := range i {
		if c.Slots[k].Show == core.ShowNormal {
			above, start = k, top
			top += c.Slots[k].Share
		}
	}
	switch {
	case y < start || y >= top+c.Slots[i].Share:
		return false, false
	case above < 0:
		return false, true
	}
	both := c.Slots[above].Share + c.Slots[i].Share
	least := min(max(1, sum/keepPart), both/2)
	if both < 2 {
		return false, true
	}
	upper := min(max(y-start, max(1, least)), both-max(1, least))
	moved = upper != c.Slots[above].Share
	c.Slots[above].Share, c.Slots[i].Share = upper, both-upper
	return moved, true
}

// insertAt puts a window at a part of the column's height: in the first half of a window above
// it, else below it, each taking the part up to there.
func insertAt(c *core.Column, w core.WindowID, at Permille) {
	open := normal(c)
	if len(open) == 0 {
		c.Slots = append(c.Slots, core.Slot{Window: w, Share: wholeShare})
		return
	}
	y := int(at) * whole(c) / 1000
	for _, i := range open {
		share := c.Slots[i].Share
		if y > share || y == share && i != open[len(open)-1] {
			y -= share
			continue
		}
		least := max(1, share/4)
		if y == 0 { // at its very top: above it
			give := share / 2
			c.Slots[i].Share = max(1, share-give)
			c.Slots = slices.Insert(c.Slots, i, core.Slot{Window: w, Share: max(1, give)})
			return
		}
		splitAt(c, i, w, min(max(y, least), max(1, share-least)))
		return
	}
}

// MoveColumn puts a column where its handle was dragged to: at a part of the screen's width.
// Within its own width or that of its left neighbour the border between the two moves, else the
// column moves beside the one there. It reports whether that changes anything.
func MoveColumn(a *core.Arrange, i int, at Permille) bool {
	if i < 0 || i >= len(a.Columns) {
		return false
	}
	settleWeights(a)
	sum, left := 0, 0
	for k, c := range a.Columns {
		if k < i {
			left += c.Weight
		}
		sum += c.Weight
	}
	x := int(min(max(0, at), 1000)) * sum / 1000
	if start := left - leftWeight(a, i); x >= start && x < left+a.Columns[i].Weight {
		return moveColumnBorder(a, i, x-start, sum)
	}
	to := 0
	for k, c := range a.Columns {
		if x < c.Weight || k == len(a.Columns)-1 {
			to = k
			break
		}
		x -= c.Weight
	}
	c := a.Columns[i]
	a.Columns = slices.Insert(slices.Delete(a.Columns, i, i+1), to, c)
	return to != i
}

// leftWeight is the weight of the column to the left of i, 0 if there is none.
func leftWeight(a *core.Arrange, i int) int {
	if i == 0 {
		return 0
	}
	return a.Columns[i-1].Weight
}

func moveColumnBorder(a *core.Arrange, i, left, sum int) bool {
	if i == 0 {
		return false
	}
	l, r := &a.Columns[i-1], &a.Columns[i]
	both := l.Weight + r.Weight
	least := max(1, min(sum/keepPart, both/2))
	left = min(max(left, least), max(1, both-least))
	if both < 2 || left == l.Weight {
		return false
	}
	l.Weight, r.Weight = left, both-left
	return true
}

package tui

import (
	"slices"

	"apex/core"
	"apex/core/cell"
)

const (
	// columnMinCells is the least width of a column: a name and a little text. A screen that has
	// not enough for all shows those around the focus.
	columnMinCells = 16
	// hintMinRows is from which height on the last row tells keys and messages.
	hintMinRows = 8
	// columnTagMinRows is from which height on a column shows its tag.
	columnTagMinRows = 4
)

// placing is where everything is on this screen, in cells.
type placing struct {
	top     cell.Rect // the top row, status included
	hint    cell.Rect // the last row; empty on a low screen
	columns []placedColumn
	before  int // columns that are out of sight to the left
	after   int // and to the right
}

// placedColumn is a column in sight.
type placedColumn struct {
	index   int // in the layout
	buffer  core.BufferID
	area    cell.Rect // without the border
	border  cell.Rect // at the left; empty for the first in sight
	tag     cell.Rect // empty where the column is too low
	windows []placedWindow
}

// placedWindow is a window in sight.
type placedWindow struct {
	id     core.WindowID
	column int // index in the layout
	slot   int
	tag    cell.Rect
	body   cell.Rect // empty if only the tag is shown
}

// place works out where a layout's parts go on a screen of a size. What has the focus stays in
// sight.
func place(l *core.Layout, width, height int) placing {
	p := placing{top: cell.Rect{W: width, H: min(height, 1)}}
	bottom := height
	if height >= hintMinRows {
		bottom--
		p.hint = cell.Rect{Y: bottom, W: width, H: 1}
	}
	if l == nil || len(l.Columns) == 0 || bottom <= 1 || width <= 0 {
		return p
	}
	focus := focusColumn(l)
	first, n := columnsInSight(len(l.Columns), focus, width)
	p.before, p.after = first, len(l.Columns)-first-n
	weights := columnWeights(l.Columns[first:first+n], width)
	total := 0
	for _, w := range weights {
		total += w
	}
	x, sum := 0, 0
	for i, c := range l.Columns[first : first+n] {
		sum += weights[i]
		end := share(width, sum, total, x, n-1-i, columnMinCells)
		pc := placedColumn{index: first + i, buffer: c.Tag}
		pc.area = cell.Rect{X: x, Y: 1, W: end - x, H: bottom - 1}
		if i > 0 {
			pc.border = cell.Rect{X: x, Y: 1, W: 1, H: bottom - 1}
			pc.area.X, pc.area.W = x+1, end-x-1
		}
		pc.placeWindows(c.Slots, l.Focus)
		p.columns = append(p.columns, pc)
		x = end
	}
	return p
}

// fineWeight is how much finer weights are while they are worked with: a column's may be 1.
const fineWeight = 1 << 10

// columnWeights are the weights by which columns share a width. One that shows no window needs room
// for its tag only, and the others have the rest.
func columnWeights(columns []core.Column, width int) []int {
	weights := make([]int, len(columns))
	full, empty := 0, 0
	for i := range columns {
		weights[i] = columns[i].Weight * fineWeight
		if showsNothing(&columns[i]) {
			empty++
		} else {
			full += weights[i]
		}
	}
	rest := width - empty*columnMinCells
	if full == 0 || empty == 0 || rest <= 0 {
		return weights
	}
	for i := range columns {
		if showsNothing(&columns[i]) {
			weights[i] = min(weights[i], max(full*columnMinCells/rest, 1))
		}
	}
	return weights
}

// showsNothing reports whether a column has no window that is shown.
func showsNothing(c *core.Column) bool {
	return !slices.ContainsFunc(c.Slots, func(s core.Slot) bool { return s.Show != core.ShowHidden })
}

// share returns where a part ends of which all up to it have sum of total, when the space is size,
// it begins at from, and rest parts come after it. Each gets at least low while there is room.
func share(size, sum, total, from, rest, low int) int {
	end := (size*sum + total/2) / total
	end = max(end, from+low)
	return max(min(end, size-rest*low), from)
}

// focusColumn returns the index of the column with the focus, 0 if none has it.
func focusColumn(l *core.Layout) int {
	if w, ok := l.Focus.Window(); ok {
		if c, _, ok := l.Window(w); ok {
			return c
		}
	}
	for i, c := range l.Columns {
		if l.Focus == core.ColumnView(c.Tag) {
			return i
		}
	}
	return 0
}

// columnsInSight returns the first of n columns and how many fit a width, with focus among them.
func columnsInSight(n, focus, width int) (first, count int) {
	count = min(n, max(width/columnMinCells, 1))
	first = min(max(focus-count/2, 0), n-count)
	return first, count
}

// placeWindows works out the rows of a column's windows.
func (c *placedColumn) placeWindows(slots []core.Slot, focus core.View) {
	rows := c.area
	if rows.H >= columnTagMinRows {
		c.tag = cell.Rect{X: rows.X, Y: rows.Y, W: rows.W, H: 1}
		rows.Y, rows.H = rows.Y+1, rows.H-1
	}
	inSight := slotsInSight(slots, focus, rows.H)
	heights := slotHeights(slots, inSight, focus, rows.H)
	y := rows.Y
	for k, i := range inSight {
		w := placedWindow{id: slots[i].Window, column: c.index, slot: i}
		w.tag = cell.Rect{X: rows.X, Y: y, W: rows.W, H: 1}
		w.body = cell.Rect{X: rows.X, Y: y + 1, W: rows.W, H: heights[k] - 1}
		y += heights[k]
		c.windows = append(c.windows, w)
	}
}

// slotsInSight returns the indices of the windows that get rows: all that are not hidden, or the
// maximised one. If there are more than rows, those around the focus, which has two.
func slotsInSight(slots []core.Slot, focus core.View, rows int) []int {
	var in []int
	focused := 0
	for i, s := range slots {
		if s.Show == core.ShowMaximised && rows > 0 {
			return []int{i}
		}
		if s.Show == core.ShowHidden {
			continue
		}
		if has(s, focus) {
			focused = len(in)
			if s.Show != core.ShowCollapsed && rows > 1 {
				rows--
			}
		}
		in = append(in, i)
	}
	if len(in) > rows {
		first := min(max(focused-rows/2, 0), len(in)-rows)
		in = in[first : first+rows]
	}
	return in
}

// has reports whether a slot's window has the focus.
func has(s core.Slot, focus core.View) bool {
	w, ok := focus.Window()
	return ok && w == s.Window
}

// slotHeights divides rows among windows: a collapsed one has its tag, the others their shares,
// with a row of text under the tag where that is possible: under that of the focus first.
func slotHeights(slots []core.Slot, inSight []int, focus core.View, rows int) []int {
	heights := make([]int, len(inSight))
	total, open := 0, 0
	for k, i := range inSight {
		if slots[i].Show == core.ShowCollapsed {
			heights[k] = 1
			rows--
			continue
		}
		total += slots[i].Share
		open++
	}
	low := 1
	if open*2 <= rows {
		low = 2
	}
	typing := -1
	from, sum := 0, 0
	for k, i := range inSight {
		if slots[i].Show == core.ShowCollapsed {
			continue
		}
		sum += slots[i].Share
		open--
		end := share(rows, sum, total, from, open, low)
		heights[k] = end - from
		from = end
		if has(slots[i], focus) {
			typing = k
		}
	}
	if typing >= 0 && heights[typing] < 2 {
		heights[typing] += spare(heights, rows-from)
	}
	return heights
}

// spare takes a row away: one that nobody has, or one of the highest window, and returns how many
// that were.
func spare(heights []int, free int) int {
	if free > 0 {
		return 1
	}
	highest := 0
	for k := range heights {
		if heights[k] > heights[highest] {
			highest = k
		}
	}
	if len(heights) == 0 || heights[highest] < 2 {
		return 0
	}
	heights[highest]--
	return 1
}

// window returns a window in sight.
func (p *placing) window(id core.WindowID) (placedWindow, bool) {
	for _, c := range p.columns {
		for _, w := range c.windows {
			if w.id == id {
				return w, true
			}
		}
	}
	return placedWindow{}, false
}

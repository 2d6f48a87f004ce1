package term

import (
	"apex/core/cell"
	"apex/term/holder"
	"apex/term/vt"
)

// Row is a row of a frame. Rows that are the same slice are the same row.
type Row struct {
	Runs    []cell.Run
	Wrapped bool // its line goes on in the next row
}

// MarksShown is how many marks a frame has, the newest: a screenful of short commands.
const MarksShown = 64

// Frame is what a terminal shows at a moment. It is not changed afterwards.
type Frame struct {
	Cols, Rows int
	Grid       []Row  // Rows of them
	First      uint64 // the history's oldest line
	Base       uint64 // the line of the main screen's first row
	BaseCol    int    // how many cells of it have scrolled off
	Cursor     vt.Cursor
	Modes      vt.Modes
	Title      string
	Dir        string // the program's working directory as it told, or ""
	Host       string // that it is on, or ""
	Marks      []vt.Mark
	Progress   vt.Progress
	Bells      uint64
	Exit       *holder.Exit // nil while the program runs
}

// draw makes the frame of now from the one before. The turn is held.
func (t *Terminal) draw() *Frame {
	s := t.screen
	f := &Frame{First: s.HistoryFirst(), Cursor: s.Cursor(), Modes: s.Modes(),
		Title: s.Title(), Progress: s.Progress(), Bells: s.Bells(), Exit: t.exit}
	f.Cols, f.Rows = s.Size()
	f.Host, f.Dir = s.Directory()
	f.Base, f.BaseCol = s.RowLine(0)
	f.Grid = t.rows(f.Cols, f.Rows)
	f.Marks = t.marks(f.Cols)
	t.point = s.Point()
	t.shown = f
	return f
}

// rows returns the grid, with those rows of the last frame that did not change.
func (t *Terminal) rows(cols, rows int) []Row {
	grid := make([]Row, rows)
	up, changed := t.screen.Changes(t.point)
	if last := t.shown; last != nil && last.Cols == cols && last.Rows == rows {
		copy(grid, last.Grid[min(up, rows):])
	}
	for y := range changed {
		grid[y] = Row{t.screen.Row(y, nil), t.screen.RowWrapped(y)}
	}
	return grid
}

// marks returns the newest marks; those of the last frame if nothing can have changed them.
func (t *Terminal) marks(cols int) []vt.Mark {
	seen, first := t.screen.MarksSeen(), t.screen.HistoryFirst()
	last := t.shown
	if last != nil && t.marked == seen && last.Cols == cols && last.First == first {
		return last.Marks
	}
	t.marked = seen
	return t.screen.MarksSince(seen - min(seen, MarksShown))
}

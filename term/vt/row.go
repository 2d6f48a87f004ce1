package vt

// row is one row of a grid.
type row struct {
	cells []glyph // as many as the screen has columns
	// used bounds what was written: every cell from it on is the zero glyph.
	used int
	// gen is the generation of the last change to the row's cells or its wrap flag.
	gen uint64
	// wrapped says that the line goes on in the next row because it reached the right edge. The last
	// row is never wrapped between two calls.
	wrapped bool
	// part is the number of cells of the line before this row, for LineMaxCells. It may be too large
	// after rows were moved, never too small.
	part  int
	marks []rowMark
}

// reset makes r an empty row in the look id.
func (r *row) reset(id uint32, gen uint64) {
	clear(r.cells[:r.used])
	r.used, r.wrapped, r.part, r.marks, r.gen = 0, false, 0, nil, gen
	if id != 0 {
		r.fill(0, len(r.cells), id)
	}
}

// fill makes cells x0 to x1 blanks in the look id.
func (r *row) fill(x0, x1 int, id uint32) {
	if id == 0 {
		if x0 < r.used {
			clear(r.cells[x0:min(x1, r.used)])
		}
		if x1 >= r.used {
			r.used = min(r.used, x0)
		}
		return
	}
	part := r.cells[x0:x1]
	for i := range part {
		part[i] = makeGlyph(0, id)
	}
	r.used = max(r.used, x1)
}

// split blanks the wide grapheme that lies across the border before column x, if there is one.
func (r *row) split(x int) {
	if x > 0 && x < r.used && r.cells[x].isTail() {
		r.cells[x-1], r.cells[x] = r.cells[x-1].blank(), r.cells[x].blank()
	}
}

// unpad makes a blank of the free last column that a wide grapheme left.
func (r *row) unpad() {
	if x := len(r.cells) - 1; r.cells[x]&glyphPad != 0 {
		r.cells[x] &^= glyphPad
	}
}

// line returns the cells that r adds to its line: all of a wrapped row, and of another one what is
// before the blanks at its end.
func (r *row) line() []glyph {
	n := len(r.cells)
	if !r.wrapped {
		n = r.shown()
	}
	if n > 0 && r.cells[n-1]&glyphPad != 0 {
		n--
	}
	return r.cells[:n]
}

// width is the number of cells that r adds to its line. It is more than one in a row of one column
// that holds a wide grapheme, which stands there for both of its cells.
func (r *row) width() int {
	line := r.line()
	if len(r.cells) == 1 && len(line) == 1 && line[0].isLead() {
		return 2
	}
	return len(line)
}

// shown is the number of cells before the blanks in the default look at the end of r.
func (r *row) shown() int {
	n := r.used
	for n > 0 && r.cells[n-1]&^glyphPad == 0 {
		n--
	}
	return n
}

// grid is one of the two screens.
type grid struct {
	rows  []*row
	saved cursor // by DECSC
	kitty []uint8
}

func newGrid(cols, rows int, gen uint64) grid {
	g := grid{rows: make([]*row, rows)}
	cells := make([]glyph, cols*rows)
	all := make([]row, rows)
	for y := range g.rows {
		all[y] = row{cells: cells[y*cols : (y+1)*cols : (y+1)*cols], gen: gen}
		g.rows[y] = &all[y]
	}
	return g
}

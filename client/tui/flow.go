package tui

import (
	"apex/core/text"
)

// flow says how a text is laid out in rows of cells. All its methods cost what a screenful costs,
// whatever the length of the text or of its lines.
//
// Wrapping. A line fills rows of width cells; a glyph that doesn't fit begins the next row. So that
// the row of a place in a line of megabytes can be found without reading the line from its
// beginning, a line also begins a new row at every chunk runes, counted from its beginning. A chunk
// is a multiple of the width: in a line of narrow glyphs nothing of it can be seen.
//
// Without wrapping a line is one row, of which the first left cells are out of sight. Beyond
// exactCells the first left runes are, for the same reason.
type flow struct {
	t     text.Text
	width int // cells of a row, at least 1; a caret behind the last of them needs one more
	tab   int // cells from stop to stop, at least 1
	wrap  bool
	left  int // without wrapping: cells scrolled out to the left
}

const (
	// chunkMinRunes is the least length of a chunk: what is read to find a row.
	chunkMinRunes = 4096
	// exactCells is up to where cells are counted without wrapping.
	exactCells = 8192
)

// row is what one row shows: runes [q0, q1), the newline included if it ends a line.
type row struct {
	q0, q1 int
	line   int  // counted from 0
	first  bool // the line's first row
	ends   bool // the line's last row
	cut    bool // without wrapping: there is more to the right
}

// holds reports whether a caret at q is shown in the row. last says that nothing follows the row.
func (r row) holds(q, runes int) bool {
	return q >= r.q0 && (q < r.q1 || q == r.q1 && q == runes && !r.endsInNewline(runes))
}

func (r row) endsInNewline(runes int) bool { return r.ends && r.q1 < runes }

// chunk is the runes of a chunk.
func (f *flow) chunk() int { return (chunkMinRunes + f.width - 1) / f.width * f.width }

// rows goes through the rows of a flow, and through the glyphs of each.
type rows struct {
	*flow
	s     scanner
	g     glyph // the current one
	row   row   // the current row; q1, ends and cut are set when its glyphs have been taken
	x     int   // the cell after the current glyph
	begun int   // where the row's line begins
	limit int   // where the row's chunk ends
	done  bool
	above []int // filled by start: where the chunk's rows begin, the last being the current one's
}

// start goes to the row that shows a caret at q; its glyphs are next.
func (r *rows) start(f *flow, q int) {
	r.flow = f
	line := f.t.LineOf(q)
	r.begun = f.t.LineStart(line)
	r.row = row{q0: r.begun, line: line, first: true}
	if f.wrap {
		if skip := (max(q-1, r.begun) - r.begun) / f.chunk() * f.chunk(); skip > 0 {
			r.row.q0, r.row.first = r.begun+skip, false
		}
	}
	r.s.seek(f.t, r.row.q0)
	r.above = append(r.above[:0], r.row.q0)
	for r.begin(); f.wrap; r.begin() {
		for r.next() {
		}
		if r.row.ends || q < r.row.q1 {
			r.s.seek(f.t, r.row.q0)
			r.begin()
			break
		}
		r.row = row{q0: r.row.q1, line: line}
		r.above = append(r.above, r.row.q0)
	}
}

// begin prepares for the glyphs of the current row, where the scanner is.
func (r *rows) begin() {
	r.x, r.done = 0, false
	if r.wrap {
		r.limit = r.begun + ((r.row.q0-r.begun)/r.chunk()+1)*r.chunk()
		return
	}
	r.limit = r.t.Runes() + 1
	r.beginCut()
}

// beginCut skips what is out of sight to the left. r.x becomes negative if a glyph is cut, or if
// all of the line is out of sight.
func (r *rows) beginCut() {
	switch end := 0; {
	case r.left == 0:
		return
	case r.left > exactCells:
		end = r.lineEnd()
		r.x = min(0, end-(r.row.q0+r.left))
		r.s.seek(r.t, min(r.row.q0+r.left, end))
		return
	}
	r.x = -r.left
	for r.x < 0 && r.s.glyph(&r.g, r.limit) {
		if r.g.kind == glyphTab {
			r.tabWidth()
		}
		if r.g.kind == glyphNewline || r.x+r.g.width > 0 {
			r.s.back(&r.g)
			return
		}
		r.x += r.g.width
	}
}

// lineEnd is the rune offset of the row's line's newline, or the end of the text.
func (r *rows) lineEnd() int {
	if r.row.line < r.t.Newlines() {
		return r.t.LineStart(r.row.line+1) - 1
	}
	return r.t.Runes()
}

// at is the cell of the current glyph.
func (r *rows) at() int { return r.x - r.g.width }

// next takes the row's next glyph and gives tabs their width. It is false when there is none, and
// then r.row is complete.
func (r *rows) next() bool {
	if r.done {
		return false
	}
	if !r.s.glyph(&r.g, r.limit) {
		return r.finish(r.s.q, true)
	}
	g := &r.g
	switch {
	case g.kind == glyphNewline:
		r.finish(g.q+1, true)
		return true
	case !r.wrap && r.x >= r.width:
		r.row.cut = true
		return r.finish(r.afterLine(), true)
	case g.kind == glyphTab:
		r.tabWidth()
	}
	if r.wrap && g.q > r.row.q0 && (r.x+g.width > r.width || g.q == r.limit) {
		r.s.back(g)
		return r.finish(g.q, false)
	}
	if r.wrap {
		g.width = min(g.width, r.width) // one that no row could hold
	}
	r.x += g.width
	return true
}

func (r *rows) tabWidth() {
	x := r.x
	if !r.wrap {
		x += r.left
	}
	r.g.width = r.tab - x%r.tab
	if r.wrap && r.x < r.width {
		r.g.width = min(r.g.width, r.width-r.x)
	}
}

func (r *rows) afterLine() int {
	if r.row.line < r.t.Newlines() {
		return r.t.LineStart(r.row.line + 1)
	}
	return r.t.Runes()
}

func (r *rows) finish(q1 int, ends bool) bool {
	r.row.q1, r.row.ends, r.done = q1, ends, true
	return false
}

// down goes to the beginning of the next row, and is false at the last. It needs a row whose glyphs
// have been taken.
func (r *rows) down() bool {
	last := r.row
	n := r.t.Runes()
	if last.q1 == n && (!last.ends || last.line == r.t.Newlines()) {
		return false
	}
	r.row = row{q0: last.q1, line: last.line}
	if last.ends {
		r.row.line++
		r.row.first = true
		r.begun = last.q1
	}
	if r.s.q != last.q1 { // the row was cut
		r.s.seek(r.t, last.q1)
	}
	r.begin()
	return true
}

// rowAt returns the row that shows a caret at q.
func (f *flow) rowAt(r *rows, q int) row {
	r.start(f, q)
	for r.next() {
	}
	return r.row
}

// up returns the start of the row n rows above the one that shows q, or the first there is.
func (f *flow) up(r *rows, q, n int) int {
	for {
		r.start(f, q)
		if last := len(r.above) - 1; n <= last {
			return r.above[last-n]
		}
		if r.above[0] == 0 {
			return 0
		}
		n -= len(r.above)
		q = r.above[0] - 1
	}
}

// downFrom returns the start of the row n rows below the one that shows q, or of the last there is.
func (f *flow) downFrom(r *rows, q, n int) int {
	r.start(f, q)
	for r.next() {
	}
	for ; n > 0 && r.down(); n-- {
		for r.next() {
		}
	}
	return r.row.q0
}

// cell returns the cell at which a caret at q stands in the row that shows it. Without wrapping it
// may lie outside of [0, width].
func (f *flow) cell(r *rows, q int) int {
	r.start(f, q)
	if !f.wrap && q < r.s.q {
		return -1
	}
	for r.next() {
		if q < r.g.q+r.g.n {
			return r.at()
		}
	}
	if r.row.cut {
		return f.width + 1
	}
	return r.x
}

// runeIn returns the place of cell x in the row that begins at or holds q: the glyph there, or the
// end of the row.
func (f *flow) runeIn(r *rows, q, x int) int {
	r.start(f, q)
	for r.next() {
		if r.g.kind == glyphNewline || x < r.x {
			return r.g.q
		}
	}
	if r.row.cut {
		return r.g.q
	}
	return r.row.q1
}

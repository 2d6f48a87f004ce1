package vt

// Resize changes the size. The main screen's lines are wrapped anew and nothing of them is lost:
// what doesn't fit goes to the history, and when there is room and no blank row at the bottom,
// lines come back from it, so that HistoryEnd may fall. The alternate screen is cut or filled up.
// The scrolling region is the whole screen afterwards. A size that is too small or too large is an
// error and changes nothing.
func (s *Screen) Resize(cols, rows int) error {
	if err := checkSize(cols, rows); err != nil {
		return err
	}
	if cols == s.cols && rows == s.rows {
		return nil
	}
	s.gen++
	if s.tables.full() {
		s.compact()
	}
	onMain := s.g == &s.main
	if s.alt.rows != nil {
		s.crop(&s.alt, cols, rows, onMain)
	}
	s.reflow(cols, rows, onMain)
	s.cols, s.rows = cols, rows
	s.top, s.bottom = 0, rows-1
	s.tabs = defaultTabs(s.tabs, cols)
	s.alt.saved.clip(cols, rows)
	s.main.saved.clip(cols, rows)
	s.cur.clip(cols, rows)
	return nil
}

func (c *cursor) clip(cols, rows int) {
	c.x, c.y = min(max(c.x, 0), cols-1), min(max(c.y, 0), rows-1)
	c.pending = c.pending && c.x == cols-1
}

// crop gives g a new size without wrapping anything. When it is shown and the cursor would be below
// it, the rows at the top go instead.
func (s *Screen) crop(g *grid, cols, rows int, hidden bool) {
	from := 0
	if !hidden {
		from = max(s.cur.y-(rows-1), 0)
	}
	n := newGrid(cols, rows, s.gen)
	for y, r := range g.rows[min(from, len(g.rows)):] {
		if y == rows {
			break
		}
		to := n.rows[y]
		r.unpad()
		to.used = copy(to.cells, r.cells[:r.used])
		for x := range to.used {
			if to.cells[x].isLead() && cols > 1 && (x+1 == cols || !to.cells[x+1].isTail()) {
				to.cells[x] = to.cells[x].blank()
			}
		}
	}
	g.rows = n.rows
}

// reflower wraps lines anew.
type reflower struct {
	cols   int
	gen    uint64
	rows   []*row
	points []*linePoint
}

// logical is a line while it is in no rows.
type logical struct {
	cells []glyph // every lead with its tail, no pads
	marks []rowMark
}

// linePoint is a cursor while the rows under it are in motion.
type linePoint struct {
	c    *cursor
	line int // the index of its line
	off  int // cells before it in the line
	row  int // the index of its row once it is placed
}

// reflow wraps the main screen anew.
func (s *Screen) reflow(cols, rows int, onMain bool) {
	at := &s.main.saved
	points := []*linePoint{{c: &s.main.saved}}
	if onMain {
		at = &s.cur
		points = append(points, &linePoint{c: &s.cur})
	}
	lines, bottomed := s.unwrap(at.y, points)
	f := reflower{cols: cols, gen: s.gen, points: points}
	for i, l := range lines {
		f.add(l, i)
	}
	if bottomed {
		s.pullBack(&f, rows)
	}
	start := max(len(f.rows)-rows, 0)
	for _, r := range f.rows[:start] {
		s.retire(r)
	}
	g := newGrid(cols, rows, s.gen)
	copy(g.rows, f.rows[start:])
	s.main.rows = g.rows
	for _, p := range points {
		p.c.y = p.row - start
		if p.c.y < 0 {
			p.c.x, p.c.pending = 0, false
		}
	}
}

// unwrap returns the lines of the main screen down to the last with something on it, or to the row
// cursorY, and sets the points. bottomed says that this is the last row. A line's part in the
// history is taken from there.
func (s *Screen) unwrap(cursorY int, points []*linePoint) (lines []logical, bottomed bool) {
	last := cursorY
	for y, r := range s.main.rows {
		if len(r.line()) > 0 || len(r.marks) > 0 {
			last = max(last, y)
		}
	}
	l := s.openLine()
	for y, r := range s.main.rows[:last+1] {
		base := len(l.cells)
		for _, p := range points {
			if p.c.y != y {
				continue
			}
			p.line, p.off = len(lines), base+p.c.x
			if p.c.pending {
				p.off++
			}
		}
		for _, m := range r.marks {
			m.x += base
			l.marks = append(l.marks, m)
		}
		for _, g := range r.line() {
			l.cells = append(l.cells, g)
			if s.cols == 1 && g.isLead() {
				l.cells = append(l.cells, makeGlyph(glyphTail, g.look()))
			}
		}
		if !r.wrapped || y == last {
			lines = append(lines, l)
			l = logical{}
		}
	}
	for _, p := range points {
		if p.c.y > last {
			p.line, p.off = len(lines)-1, p.c.x
		}
	}
	return lines, last == s.rows-1
}

// openLine takes the line out of the history that goes on on the screen.
func (s *Screen) openLine() logical {
	if !s.history.open {
		return logical{}
	}
	return s.takeLine()
}

// takeLine takes the newest line out of the history.
func (s *Screen) takeLine() logical {
	h := &s.history
	var l logical
	for _, m := range h.takeMarks(h.end() - 1) {
		l.marks = append(l.marks, rowMark{m.Seq, m.Kind, m.Status, m.Col})
	}
	cells, err := s.tables.unpack(nil, h.takeLast(), 1<<31-1)
	if err != nil {
		panic("vt: a line of the history: " + err.Error())
	}
	l.cells = cells
	return l
}

// pullBack puts lines of the history before f's, until they fill rows.
func (s *Screen) pullBack(f *reflower, rows int) {
	for len(f.rows) < rows && s.history.count() > 0 {
		g := reflower{cols: f.cols, gen: f.gen}
		g.add(s.takeLine(), 0)
		f.rows = append(g.rows, f.rows...)
		for _, p := range f.points {
			p.row += len(g.rows)
		}
	}
}

// add wraps l, which is the line with this index.
func (f *reflower) add(l logical, index int) {
	first := len(f.rows)
	starts := []int{0}
	r := f.newRow(0)
	for i, g := range l.cells {
		if g.isTail() {
			if f.cols > 1 {
				r.cells[r.used] = g
				r.used++
			}
			continue
		}
		width := 1
		if g.isLead() {
			width = min(2, f.cols)
		}
		if r.used+width > f.cols {
			if r.used < f.cols {
				r.cells[r.used] = makeGlyph(glyphPad, 0)
				r.used++
			}
			r.wrapped = true
			r = f.newRow(i)
			starts = append(starts, i)
		}
		r.cells[r.used] = g
		r.used++
	}
	for _, p := range f.points {
		if p.line == index {
			f.place(p, first, starts, len(l.cells))
		}
	}
	for _, m := range l.marks {
		y, x := locate(starts, m.x)
		m.x = min(x, f.cols-1)
		f.rows[first+y].marks = append(f.rows[first+y].marks, m)
	}
}

func (f *reflower) newRow(part int) *row {
	r := &row{cells: make([]glyph, f.cols), gen: f.gen, part: part}
	f.rows = append(f.rows, r)
	return r
}

// locate returns the row, of those with these starts, and the column of a line's cell.
func locate(starts []int, off int) (y, x int) {
	y = len(starts) - 1
	for y > 0 && starts[y] > off {
		y--
	}
	return y, off - starts[y]
}

// place sets p's column and row.
func (f *reflower) place(p *linePoint, first int, starts []int, length int) {
	y, x := locate(starts, p.off)
	p.c.pending = x >= f.cols && p.off == length && p.off > 0
	p.c.x = min(x, f.cols-1)
	p.row = first + y
}

package tui

import (
	"sort"

	"apex/client/tui/input"
	"apex/core/cell"
)

// termPos is a row of what a terminal's pane can scroll through: one of a line of the history, as
// the pane's width wraps it, or one of the grid.
type termPos struct {
	hist bool
	line uint64
	row  int
	y    int // of the grid
}

// hasHistory reports whether there is something before the grid's first row.
func (p *termPane) hasHistory() bool {
	return !p.alt() && (p.t.First < p.t.Base || p.t.BaseCol > 0)
}

// spotOf returns where in the text the row at a position begins.
func (p *termPane) spotOf(at termPos) termSpot {
	if !at.hist {
		return p.spots[min(at.y, len(p.spots)-1)]
	}
	s := termSpot{line: at.line}
	if l := p.lines.line(p.t, at.line); l != nil {
		s.col = l.wrapped(p.area.W)[at.row].col
	}
	return s
}

// find returns the position of the row that a place in the text is in. A place that is gone is in
// the oldest row, one behind the end in the last.
func (p *termPane) find(s termSpot) termPos {
	first := p.spots[0]
	if !s.less(first) || !p.hasHistory() {
		y := sort.Search(len(p.spots), func(y int) bool { return s.less(p.spots[y]) })
		return termPos{y: max(y-1, 0)}
	}
	at := termPos{hist: true, line: max(s.line, p.t.First)}
	if s.line < p.t.First {
		return at
	}
	if l := p.lines.line(p.t, at.line); l != nil {
		rows := l.wrapped(p.area.W)
		at.row = sort.Search(len(rows), func(i int) bool { return s.col < rows[i].col }) - 1
		at.row = max(at.row, 0)
	}
	return at
}

// down returns the position below another; false at the end.
func (p *termPane) down(at termPos) (termPos, bool) {
	if !at.hist {
		return termPos{y: at.y + 1}, at.y+1 < p.t.Rows
	}
	rows := 1
	if l := p.lines.line(p.t, at.line); l != nil {
		rows = len(l.wrapped(p.area.W))
	}
	switch next := at.line + 1; {
	case at.row+1 < rows:
		at.row++
	case at.line < p.t.Base && (next < p.t.Base || p.t.BaseCol > 0):
		at.line, at.row = next, 0
	default:
		return termPos{}, true
	}
	return at, true
}

// up returns the position above another. It is not ok at the oldest row, and not here where the
// line must be asked for first.
func (p *termPane) up(at termPos) (_ termPos, ok, here bool) {
	switch {
	case !at.hist && at.y > 0:
		return termPos{y: at.y - 1}, true, true
	case at.hist && at.row > 0:
		at.row--
		return at, true, true
	case !at.hist && !p.hasHistory(), at.hist && at.line <= p.t.First:
		return at, false, true
	case at.hist:
		at.line--
	case p.t.BaseCol > 0:
		at = termPos{hist: true, line: p.t.Base}
	default:
		at = termPos{hist: true, line: p.t.Base - 1}
	}
	l := p.lines.line(p.t, at.line)
	if l == nil {
		return at, false, false
	}
	at.row = len(l.wrapped(p.area.W)) - 1
	return at, true, true
}

// origin is the position of the first row in sight.
func (p *termPane) origin() termPos {
	if p.scrolled {
		return p.find(p.at)
	}
	return termPos{y: p.top}
}

// scroll moves what is in sight by rows, downwards if positive. At the end it follows the program
// again. Where lines must be asked for first, the rest waits for them, and what comes meanwhile is
// added to it.
func (p *termPane) scroll(n int) {
	if n += p.owed; p.t == nil || n == 0 {
		p.owed = 0
		return
	}
	at, owed := p.origin(), 0
	for ; n > 0; n-- {
		next, ok := p.down(at)
		if !ok {
			break
		}
		at = next
	}
	for ; n < 0; n++ {
		next, ok, here := p.up(at)
		if !here {
			owed = n
		}
		if !ok {
			break
		}
		at = next
	}
	p.show(at)
	p.owed = owed
}

// show puts a position at the pane's top, or follows the program again if that is its place there.
func (p *termPane) show(at termPos) {
	if !at.hist && at.y >= p.last() {
		p.bottom()
		return
	}
	p.scrolled, p.at = true, p.spotOf(at)
}

// last is the first row in sight of a grid whose last row is.
func (p *termPane) last() int { return max(p.t.Rows-p.area.H, 0) }

// bottom follows the program again.
func (p *termPane) bottom() { p.scrolled, p.owed = false, 0 }

// pay scrolls by what waited for lines that have come.
func (m *Model) pay(p *termPane) {
	p.scroll(0)
	p.ahead()
}

// ahead asks for the lines before those in sight, so that they are here when somebody scrolls on.
func (p *termPane) ahead() {
	if p.t == nil || !p.scrolled || p.alt() {
		return
	}
	before := p.at.line - min(p.at.line, uint64(p.area.H))
	if before = max(before, p.t.First); before < p.t.Base {
		p.lines.line(p.t, before)
	}
}

// thumb returns the rows of the scroll bar that the thumb takes: it is to the bar as what is in
// sight is to all lines.
func (p *termPane) thumb() (top, bottom int) {
	h := p.area.H
	end := lineEnd(p.spots)
	if p.t == nil || p.alt() || end <= p.t.First || !p.hasHistory() {
		return 0, h
	}
	total := int64(end - p.t.First)
	from, to := p.spotOf(p.origin()).line, end
	for y := len(p.rows) - 1; y >= 0; y-- {
		if r := &p.rows[y]; r.grid != nil || r.hist != nil {
			to = r.at.line + 1
			break
		}
	}
	top = min(int(int64(from-min(from, p.t.First))*int64(h)/total), h-1)
	bottom = int((int64(to-p.t.First)*int64(h) + total - 1) / total)
	return top, min(max(bottom, top+1), h)
}

// drawTermBar draws the scroll bar.
func (m *Model) drawTermBar(p *termPane) {
	top, bottom := p.thumb()
	if p.bar == [2]int{top, bottom} {
		return
	}
	p.bar = [2]int{top, bottom}
	for y := range p.area.H {
		c := cell.New(m.theme.Glyphs.Track, m.theme.Track)
		if y >= top && y < bottom {
			c = cell.New(m.theme.Glyphs.Thumb, m.theme.Thumb)
		}
		m.grid.Set(p.area.X-1, p.area.Y+y, c)
	}
}

// dragTermBar goes to the lines that stand where the mouse is in the scroll bar. B3 goes on by a
// page.
func (m *Model) dragTermBar(p *termPane, e input.MouseEvent) {
	if e.Button == input.B3 {
		if e.Kind == input.Press {
			p.scroll(p.area.H - 1)
		}
		return
	}
	if p.t == nil || !p.hasHistory() {
		return
	}
	h := max(p.area.H-1, 1)
	y := min(max(e.Y-p.area.Y, 0), h)
	if y == h {
		p.bottom()
		return
	}
	lines := int64(lineEnd(p.spots) - p.t.First)
	p.show(p.find(termSpot{line: p.t.First + uint64(lines*int64(y)/int64(h))}))
	p.ahead()
}

// scrollTerm scrolls a terminal, and asks for lines ahead.
func (m *Model) scrollTerm(p *termPane, rows int) {
	p.scroll(rows)
	p.ahead()
}

// page is how many rows a page is.
func (p *termPane) page() int { return max(p.area.H-1, 1) }

// oldest shows the oldest line that is kept.
func (p *termPane) oldest() {
	if p.t != nil && p.hasHistory() {
		p.show(p.find(termSpot{line: p.t.First}))
	}
}

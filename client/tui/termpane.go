package tui

import (
	"apex/client/tui/input"
	"apex/client/tui/paint"
	"apex/core"
	"apex/core/cell"
)

// termPane is a terminal in a window.
type termPane struct {
	view core.View
	id   core.TermID
	t    *core.Term // as of the last frame or key; nil while it is not known
	area cell.Rect  // of the rows, without the scroll bar

	spots []termSpot // where the grid's rows begin
	lines termLines

	// What of the text is shown: the grid, from a row and a cell on if it has no room, or the
	// history from a place on.
	scrolled  bool
	at        termSpot
	owed      int // rows that are to be scrolled up when the lines are here
	top, left int

	rows  []termRow // as to be drawn, from the top
	drawn []termRow // as they were drawn
	bar   [2]int    // rows of the thumb, as drawn

	sel   termSel
	sweep termSel // by B2 or B3
	with  input.Button
}

// termRow is a row of the screen. Two that are the same look the same.
type termRow struct {
	grid *core.TermRow // one of the two, or none behind the end
	hist *lineRow
	at   termSpot
	skip int // cells of it that are out of sight at the left
	cols int // the grid has, if it is to show where that ends
	area cell.Rect

	on, sweep span // selected, and swept over
	with      input.Button
	focus     bool
	reverse   bool
	theme     *Theme
}

// span is cells of a row. The one after the last stands for the line's end.
type span struct{ from, to int }

func (s span) has(x int) bool { return s.from <= x && x < s.to }

// set takes in the terminal's newest state.
func (p *termPane) set(t *core.Term) {
	if t == nil || t == p.t {
		return
	}
	if p.t != nil && (p.t.Modes^t.Modes)&core.TermAltScreen != 0 || p.t != nil &&
		p.t.Generation != t.Generation {
		p.sel, p.sweep, p.scrolled, p.owed = termSel{}, termSel{}, false, 0
	}
	p.t = t
	p.spots = gridSpots(p.spots[:0], t)
	p.lines.follow(t)
	switch first := (termSpot{line: t.First}); {
	case !p.scrolled || p.alt():
	case !p.hasHistory():
		p.bottom()
	case p.at.less(first):
		p.at = first
	}
}

func (p *termPane) alt() bool { return p.t.Modes&core.TermAltScreen != 0 }

// forget makes the next frame draw all.
func (p *termPane) forget() { p.drawn, p.bar = p.drawn[:0], [2]int{-1, -1} }

// drawTerm draws the terminal in a window's body.
func (m *Model) drawTerm(w *placedWindow) {
	p := m.termPane(w.id.Body())
	if p.t == nil {
		m.grid.Fill(w.body, cell.New(' ', m.theme.Text))
		return
	}
	if area := rest(w.body, 1, 0); area != p.area {
		p.area = area
		p.forget()
	}
	p.clip()
	p.layOut()
	p.mark(m)
	v := m.grid.View(p.area)
	for y := range p.rows {
		if y < len(p.drawn) && p.drawn[y] == p.rows[y] {
			continue
		}
		p.rows[y].draw(v, y)
		m.terms.rowsDrawn++
	}
	p.drawn = append(p.drawn[:0], p.rows...)
	m.drawTermBar(p)
	if cmd := m.fetchLines(p); cmd != nil {
		m.later = append(m.later, cmd)
	}
}

// clip chooses which part of a grid that is larger than the pane is in sight: the cursor's, moving
// as little as can be.
func (p *termPane) clip() {
	c := p.t.Cursor
	down, right := max(p.t.Rows-p.area.H, 0), max(p.t.Cols-p.area.W, 0)
	p.top = min(max(p.top, c.Y-p.area.H+1), c.Y)
	p.left = min(max(p.left, min(c.X, p.t.Cols-1)-p.area.W+1), c.X)
	p.top, p.left = min(max(p.top, 0), down), min(max(p.left, 0), right)
}

// layOut works out which rows are in sight.
func (p *termPane) layOut() {
	p.rows = p.rows[:0]
	at, ok := termPos{y: p.top}, true
	if p.scrolled {
		at = p.find(p.at)
		if !at.hist && at.y >= p.last() {
			p.bottom() // the pane has become higher
			at = termPos{y: p.top}
		}
	}
	for range p.area.H {
		row := termRow{area: p.area}
		if ok {
			row = p.row(at)
			at, ok = p.down(at)
		}
		p.rows = append(p.rows, row)
	}
}

// row returns what is to be drawn at a position.
func (p *termPane) row(at termPos) termRow {
	r := termRow{area: p.area, at: p.spotOf(at)}
	if at.hist {
		if l := p.lines.line(p.t, at.line); l != nil {
			r.hist = &l.wrapped(p.area.W)[at.row]
		}
		return r
	}
	r.grid, r.skip, r.cols = p.t.Grid[at.y], p.left, p.t.Cols
	return r
}

// mark notes in the rows what else they look like: selected, reverse, with the focus.
func (p *termPane) mark(m *Model) {
	focus := p.view == m.focused() && len(m.overlays) == 0
	reverse, leading := p.t.Modes&core.TermReverse != 0, m.session.State().Leading
	plain := p.sel.empty() && p.sweep.empty()
	for y := range p.rows {
		r := &p.rows[y]
		r.theme, r.reverse = m.theme, reverse
		if leading {
			r.cols = 0 // the grid is about to be as wide as the pane
		}
		if plain || r.grid == nil && r.hist == nil {
			continue
		}
		r.focus = focus
		n := r.cells(p.t)
		r.on = p.sel.in(r.at, n)
		r.sweep = p.sweep.in(r.at, n)
		if r.sweep != (span{}) {
			r.with = p.with
		}
	}
}

// runs are what the row shows.
func (r *termRow) runs() []cell.Run {
	switch {
	case r.grid != nil:
		return r.grid.Runs
	case r.hist != nil:
		return r.hist.runs
	}
	return nil
}

// cells is how many cells the row has of its line. The line's end counts as one.
func (r *termRow) cells(t *core.Term) int {
	if r.hist != nil {
		return r.hist.cells + 1
	}
	if r.grid.Wrapped {
		return t.Cols
	}
	return r.grid.Cells() + 1
}

// draw draws the row at y of v.
func (r *termRow) draw(v cell.View, y int) {
	width, _ := v.Size()
	blank := r.style(cell.Style{}, -1)
	v.Fill(cell.Rect{Y: y, W: width, H: 1}, cell.New(' ', blank))
	x := -r.skip
	runs := r.runs()
	for i := range runs {
		u := &runs[i]
		w := u.Kind.Width()
		if u.Kind.Cluster() {
			v.SetText(x, y, u.Text, w, r.style(u.Style, x+r.skip))
			x += w
			continue
		}
		for _, c := range u.Text {
			if style := r.style(u.Style, x+r.skip); w == 2 {
				v.Set(x, y, cell.NewWide(c, style))
			} else {
				v.Set(x, y, cell.New(c, style))
			}
			x += w
		}
	}
	for ; x < width && (r.on.has(x+r.skip) || r.sweep.has(x+r.skip)); x++ {
		if x >= 0 {
			v.Set(x, y, cell.New(' ', r.style(cell.Style{}, x+r.skip)))
		}
	}
	r.drawCuts(v, y, width)
}

// drawCuts marks where something of the grid is out of sight, and where the grid ends before the
// pane does.
func (r *termRow) drawCuts(v cell.View, y, width int) {
	if r.grid == nil {
		return
	}
	g := r.theme.Glyphs
	if r.skip > 0 && len(r.grid.Runs) > 0 {
		v.Set(0, y, cell.New(g.CutLeft, r.theme.Number))
	}
	if cells := r.grid.Cells() - r.skip; cells > width {
		v.Set(width-1, y, cell.New(g.CutRight, r.theme.Number))
	}
	if end := r.cols - r.skip; r.cols > 0 && end < width {
		v.Set(end, y, cell.New(g.Border, r.theme.Border))
	}
}

// style is how a cell of the row looks; x is below 0 for what is behind the text.
func (r *termRow) style(s cell.Style, x int) cell.Style {
	switch {
	case r.sweep.has(x) && r.with == input.B3:
		return r.theme.Look
	case r.sweep.has(x):
		return r.theme.Execute
	case r.on.has(x) && r.focus:
		return r.theme.Select
	case r.on.has(x):
		return r.theme.Selected
	case r.reverse && (r.grid != nil || r.hist != nil):
		s.Attr ^= cell.Reverse
	}
	return s
}

// cursor returns where the terminal's cursor is on the screen.
func (p *termPane) cursor() paint.Cursor {
	if p.t == nil || p.scrolled || p.t.Exit.Done {
		return paint.Cursor{}
	}
	c := p.t.Cursor
	x, y := min(c.X, p.t.Cols-1)-p.left, c.Y-p.top
	if !c.Visible || x < 0 || x >= p.area.W || y < 0 || y >= p.area.H {
		return paint.Cursor{}
	}
	return paint.Cursor{X: p.area.X + x, Y: p.area.Y + y, Visible: true, Shape: shapeOf(c)}
}

// shapeOf returns the shape that a program wishes for its cursor.
func shapeOf(c core.Cursor) paint.Shape {
	shape := paint.UserShape
	switch c.Shape {
	case core.CursorShapeBlock:
		shape = paint.SteadyBlock
	case core.CursorShapeUnderline:
		shape = paint.SteadyUnderline
	case core.CursorShapeBar:
		shape = paint.SteadyBar
	}
	if shape != paint.UserShape && c.Blink {
		shape--
	}
	return shape
}

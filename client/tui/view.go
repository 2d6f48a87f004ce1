package tui

import (
	"apex/client/tui/paint"
	"apex/core"
	"apex/core/cell"
)

// paint draws what changed and hands the grid to the screen.
func (m *Model) paint() {
	width, height := m.grid.Size()
	if width == 0 || height == 0 {
		return
	}
	m.watchLag()
	m.showCaret()
	cur := m.draw()
	m.termFrame()
	if v := m.focused(); v != m.looked {
		m.looked = v
		if _, ok := m.focusWindow(); ok {
			m.worked = v
		}
		m.session.Look(v, 0, 0)
	}
	if title := m.title(); title != m.titled {
		m.titled = title
		m.screen.SetTitle(title)
	}
	if err := m.screen.Paint(m.grid, cur); err != nil && m.err == nil {
		m.err = err
	}
}

// draw brings the grid up to date and returns where the cursor belongs.
func (m *Model) draw() paint.Cursor {
	if m.covered {
		m.Forget()
	}
	if t := m.grid.Clusters(); t.Len() > cell.ClustersMax/2 {
		t.Reset()
		m.Forget()
	}
	m.place()
	m.drawTop()
	for i := range m.placing.columns {
		m.drawColumn(&m.placing.columns[i])
	}
	m.covered = len(m.overlays) > 0
	m.drawHint()
	if len(m.overlays) == 0 {
		return m.cursor()
	}
	cur := paint.Cursor{}
	for _, o := range m.overlays {
		cur = o.draw(m)
	}
	return cur
}

// place works the places out anew if the layout, the focus or the size changed.
func (m *Model) place() {
	width, height := m.grid.Size()
	as := placedAs{m.session.Layout(), m.focused(), width, height}
	if as == m.placedAs {
		return
	}
	before, was := m.placing, m.placedAs
	was.focus = as.focus
	whole := was != as
	m.placedAs = as
	l := as.layout
	if l != nil && l.Focus != as.focus {
		own := *l
		own.Focus = as.focus
		l = &own
	}
	m.placing = place(l, width, height)
	if !whole && before.sameAreas(&m.placing) {
		return
	}
	for v, p := range m.panes {
		if p.ok = false; m.bufferID(v) == 0 {
			delete(m.panes, v)
			delete(m.local, v)
			delete(m.left, v)
		}
	}
	m.terms.forget()
	m.terms.clear(func(v core.View) bool { return m.termID(v) == 0 })
	m.grid.Fill(m.grid.Bounds(), cell.New(' ', m.theme.Text))
}

// sameAreas reports whether two placings show the same windows in the same places.
func (p *placing) sameAreas(q *placing) bool {
	if len(p.columns) != len(q.columns) || p.before != q.before {
		return false
	}
	for i := range p.columns {
		a, b := &p.columns[i], &q.columns[i]
		if a.area != b.area || len(a.windows) != len(b.windows) {
			return false
		}
		for k := range a.windows {
			if a.windows[k] != b.windows[k] {
				return false
			}
		}
	}
	return true
}

// pane returns the pane of a view, laid out to show it in an area; nil if its buffer is not known.
func (m *Model) pane(v core.View, area cell.Rect, s paneState) *pane {
	b := m.buffer(v)
	if b == nil || area.Empty() {
		return nil
	}
	p := m.panes[v]
	if p == nil {
		p = &pane{view: v}
		m.panes[v] = p
	}
	seen := m.seen(v, b)
	s.buffer, s.area, s.theme = b, area, m.theme
	s.q0, s.q1, s.origin, s.left = seen.Q0, seen.Q1, seen.Origin, m.left[v]
	s.focus = v == m.focused() && len(m.overlays) == 0
	if m.sweep.view == v {
		s.sweep = m.sweep
	}
	s.head = s.q1
	if v == m.caret.view && m.caret.front {
		s.head = s.q0
	}
	p.set(s)
	if !s.body { // a row scrolls by itself, so far that a caret that was put there is in sight
		s.left = 0
		p.set(s)
		if v == m.focused() && v == m.caret.view {
			s.left = p.revealLeft(&m.rows, s.head)
			p.set(s)
		}
	}
	return p
}

// cursor returns where the text with the focus has its caret.
func (m *Model) cursor() paint.Cursor {
	if p := m.termFocus(); p != nil {
		return p.cursor()
	}
	p := m.panes[m.focused()]
	if p == nil || !p.ok || p.caret.row < 0 {
		return paint.Cursor{}
	}
	return paint.Cursor{X: p.text.X + min(p.caret.cell, p.text.W), Y: p.text.Y + p.caret.row,
		Visible: true, Shape: paint.SteadyBar}
}

// title is what the terminal's window is called.
func (m *Model) title() string {
	meta := m.session.Meta()
	if meta == nil {
		return "apex"
	}
	name := "apex " + meta.Label
	if w, ok := m.focusWindow(); ok {
		if t := m.termIn(w.Body()); t != nil && t.Title != "" {
			return t.Title + " - " + name
		}
		if b := m.session.Buffer(m.session.Window(w).Body); b != nil && b.Name != "" {
			name = b.Name + " - " + name
		}
	}
	return name
}

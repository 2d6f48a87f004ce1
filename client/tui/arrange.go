package tui

import (
	"apex/client/tui/input"
	"apex/core"
	"apex/core/cell"
	"apex/core/edit"

	tea "charm.land/bubbletea/v2"
)

// rearrange changes the layout's arrangement by f, which reports whether it changed anything. It
// reports whether this client could.
func (m *Model) rearrange(f func(a *core.Arrange) bool) bool {
	l := m.session.Layout()
	if l == nil || !m.session.Leads(core.LayoutShard) {
		m.refuse()
		return false
	}
	a := l.Arrange.Clone()
	if !f(&a) {
		return true
	}
	var b core.Bundle
	b.Add(core.LayoutShard, core.Of(&a))
	m.caret.show = true
	return m.commit(b)
}

// grow gives the window with the focus more room.
func (m *Model) grow(how edit.Growth) {
	if w, ok := m.focusWindow(); ok {
		m.rearrange(func(a *core.Arrange) bool { return edit.Grow(a, w, how) })
	}
}

func (m *Model) collapseWindow() {
	if w, ok := m.focusWindow(); ok {
		m.rearrange(func(a *core.Arrange) bool { return edit.Collapse(a, w) })
	}
}

// show makes a window visible and gives it the focus.
func (m *Model) show(id core.WindowID) {
	if l := m.session.Layout(); l != nil && m.session.Leads(core.LayoutShard) {
		a := l.Arrange.Clone()
		if edit.Reveal(&a, id) {
			var b core.Bundle
			b.Add(core.LayoutShard, core.Of(&a))
			m.commit(b)
		}
	}
	m.setFocus(id.Body())
	m.caret.show = true
}

// toggleTag moves the focus between a window's text and its tag.
func (m *Model) toggleTag() {
	v := m.focused()
	w, ok := v.Window()
	if !ok {
		return
	}
	if v.Kind == core.ViewTag {
		m.setFocus(w.Body())
	} else {
		m.setFocus(w.Tag())
	}
}

// leaveTag renames what the tag that the focus leaves now has another name for.
func (m *Model) leaveTag(v core.View) {
	w, ok := v.Window()
	if ok && v.Kind == core.ViewTag && m.leads(v) && m.leads(w.Body()) {
		m.commit(edit.SyncName(m.session, w))
	}
}

// focusColumn gives a column's tag the focus.
func (m *Model) focusColumn(index int) {
	if c, ok := m.placing.column(index); ok && !c.tag.Empty() {
		m.setFocus(core.ColumnView(c.buffer))
	}
}

// neighbour moves the focus to the nearest window in a direction: beside it, above or below. Above
// the first window of a column is its tag, and above that the top row.
func (m *Model) neighbour(dx, dy int) {
	l := m.session.Layout()
	if l == nil || len(l.Columns) == 0 {
		return
	}
	v := m.focused()
	at := m.middle(v)
	column := edit.ActiveColumn(&l.Arrange, v)
	if dx != 0 {
		if next := column + dx; next >= 0 && next < len(l.Columns) {
			m.setFocus(m.nearestIn(&l.Columns[next], at))
			m.caret.show = true
		}
		return
	}
	c := &l.Columns[column]
	line := []core.View{core.TopView, core.ColumnView(c.Tag)}
	here := 1
	if v == core.TopView {
		here = 0
	}
	for _, s := range c.Slots {
		if s.Show == core.ShowHidden {
			continue
		}
		if w, ok := v.Window(); ok && w == s.Window {
			here = len(line)
		}
		line = append(line, s.Window.Body())
	}
	if next := here + dy; next >= 0 && next < len(line) {
		if w, ok := line[next].Window(); ok {
			m.show(w)
			return
		}
		m.setFocus(line[next])
	}
}

// middle is the row of the screen that a view's caret, or else its middle, is in.
func (m *Model) middle(v core.View) int {
	p := m.panes[v]
	switch {
	case p == nil:
		return 0
	case p.caret.row >= 0:
		return p.text.Y + p.caret.row
	}
	return p.text.Y + p.text.H/2
}

// nearestIn is the view of a column that is at a row of the screen.
func (m *Model) nearestIn(c *core.Column, y int) core.View {
	var first core.View
	for _, s := range c.Slots {
		if s.Show == core.ShowHidden {
			continue
		}
		v := s.Window.Body()
		if first.Kind == core.ViewInvalid {
			first = v
		}
		if w, ok := m.placing.window(s.Window); ok && y < w.body.Y+max(w.body.H, 0) {
			return v
		}
	}
	if first.Kind == core.ViewInvalid {
		return core.ColumnView(c.Tag)
	}
	return first
}

// liftHandle ends a click on, or a drag of, a window's handle.
func (m *Model) liftHandle(g gesture, e input.MouseEvent) tea.Cmd {
	id := g.hit.window
	if g.moved && g.button == input.B1 {
		m.moveWindow(id, e.X, e.Y)
		m.setFocus(id.Body())
		return nil
	}
	how := edit.GrowLittle
	switch g.button {
	case input.B2:
		how = edit.GrowColumn
	case input.B3:
		how = edit.GrowOnly
	}
	m.rearrange(func(a *core.Arrange) bool { return edit.Grow(a, id, how) })
	m.setFocus(id.Body())
	return nil
}

// permille is how far cell x is from a beginning, in thousandths of a size.
func permille(x, from, size int) edit.Permille {
	if size <= 0 {
		return 0
	}
	return edit.Permille(((x-from)*1000 + size/2) / size)
}

func (m *Model) moveWindow(id core.WindowID, x, y int) {
	c, ok := m.placing.columnAt(x)
	if !ok {
		return
	}
	rows := c.rows()
	at := permille(y, rows.Y, rows.H)
	m.rearrange(func(a *core.Arrange) bool { return edit.Move(a, id, c.index, at) })
}

func (m *Model) moveColumn(index, x int) {
	l := m.session.Layout()
	if m.placing.before+m.placing.after > 0 || l == nil {
		m.say("Columns can be moved where the screen has room for all of them.")
		return
	}
	at := m.placing.weightAt(l.Columns, x)
	m.rearrange(func(a *core.Arrange) bool { return edit.MoveColumn(a, index, at) })
}

// weightAt returns which part of the columns' weights is to the left of x: where a column shows no
// window, that is not the part of the screen.
func (p *placing) weightAt(columns []core.Column, x int) edit.Permille {
	sum, left := 0, 0
	for i := range columns {
		sum += columns[i].Weight
	}
	for i, c := range p.columns {
		weight, from := columns[c.index].Weight, c.area.X-c.border.W
		width := c.area.X + c.area.W - from
		if x < from+width || i == len(p.columns)-1 {
			return edit.Permille((left + weight*min(max(0, x-from), width)/width) * 1000 / sum)
		}
		left += weight
	}
	return 0
}

// dragBorder moves the border at the left of a column while the mouse does.
func (m *Model) dragBorder(index, x int) {
	left, ok := m.placing.column(index - 1)
	right, ok2 := m.placing.column(index)
	if !ok || !ok2 {
		return
	}
	if l := m.session.Layout(); showsNothing(&l.Columns[index-1]) || showsNothing(&l.Columns[index]) {
		m.say("A column without windows is as wide as its tag.")
		return
	}
	both := cell.Rect{X: left.area.X, W: right.area.X + right.area.W - left.area.X}
	at := min(max(x, both.X+columnMinCells), both.X+both.W-columnMinCells)
	if at <= both.X || at >= both.X+both.W-1 {
		return
	}
	m.rearrange(func(a *core.Arrange) bool {
		l, r := &a.Columns[index-1], &a.Columns[index]
		sum := l.Weight + r.Weight
		w := min(max(sum*(at-both.X)/both.W, 1), max(sum-1, 1))
		changed := w != l.Weight
		l.Weight, r.Weight = w, max(sum-w, 1)
		return changed
	})
}

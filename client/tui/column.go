package tui

import (
	"apex/core"
	"apex/core/cell"
)

// drawColumn draws a column: its border, its tag and its windows.
func (m *Model) drawColumn(c *placedColumn) {
	t := m.theme
	for y := range c.border.H {
		m.grid.Set(c.border.X, c.border.Y+y, cell.New(t.Glyphs.Border, t.Border))
	}
	if !c.tag.Empty() {
		m.grid.Set(c.tag.X, c.tag.Y, cell.New(t.Glyphs.Column, t.Handle))
		m.drawText(core.ColumnView(c.buffer), rest(c.tag, 1, 0))
	}
	for i := range c.windows {
		m.drawWindow(&c.windows[i])
	}
	if len(c.windows) == 0 && c.index == 0 {
		m.drawEmpty(c.rows())
	}
}

// drawEmpty says what can be done where nothing is open.
func (m *Model) drawEmpty(area cell.Rect) {
	for _, c := range m.session.Layout().Columns {
		if len(c.Slots) > 0 {
			return
		}
	}
	v := m.grid.View(area)
	lines := []hint{
		{"", "Nothing is open yet."},
		{},
		{keyOf("open"), "opens a file"},
		{keyOf("new"), "makes an empty window"},
		{keyOf("terminal"), "opens a terminal"},
		{keyOf("palette"), "finds every command"},
		{keyOf("help"), "shows help"},
	}
	v.Fill(v.Bounds(), cell.New(' ', m.theme.Text))
	for i, h := range lines {
		x := 2
		if h.key != "" {
			x = drawString(v, x, 1+i, h.key, m.theme.Key) + 1
		}
		drawString(v, x, 1+i, h.does, m.theme.Hint)
	}
}

// drawText draws a text of one row, a column's tag or the top row.
func (m *Model) drawText(v core.View, area cell.Rect) {
	p := m.pane(v, area, paneState{})
	if p == nil {
		m.grid.Fill(area, cell.New(' ', m.theme.Top))
		return
	}
	p.draw(m.grid, &m.rows)
}

// rest is r without cells at its left and right.
func rest(r cell.Rect, left, right int) cell.Rect {
	return cell.Rect{X: r.X + left, Y: r.Y, W: r.W - left - right, H: r.H}
}

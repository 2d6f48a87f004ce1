package tui

import (
	"apex/core"
	"apex/core/cell"
)

// hitKind says what is at a cell of the screen.
type hitKind uint8

const (
	hitNothing      hitKind = iota
	hitText                 // a text, at view
	hitTerm                 // a terminal's text, at view
	hitBar                  // the scroll bar of view
	hitHandle               // the handle of window
	hitColumnHandle         // the handle of column
	hitBorder               // the border at the left of column
	hitOffer                // a command beside the text of the tag at view
)

// hit is what is at a cell of the screen.
type hit struct {
	kind   hitKind
	view   core.View
	window core.WindowID
	column int // index in the layout
	offer  string
}

// hit returns what is at a cell.
func (m *Model) hit(x, y int) hit {
	if m.placing.top.Contains(x, y) {
		if p := m.panes[core.TopView]; p != nil && p.want.area.Contains(x, y) {
			return hit{kind: hitText, view: core.TopView}
		}
		return hit{}
	}
	for _, c := range m.placing.columns {
		if c.border.Contains(x, y) {
			return hit{kind: hitBorder, column: c.index}
		}
		if !c.area.Contains(x, y) {
			continue
		}
		if c.tag.Contains(x, y) {
			if x == c.tag.X {
				return hit{kind: hitColumnHandle, column: c.index}
			}
			return hit{kind: hitText, view: core.ColumnView(c.buffer), column: c.index}
		}
		for _, w := range c.windows {
			if h := w.hit(x, y); h.kind != hitNothing {
				if h.kind == hitText && m.termID(h.view) != 0 {
					h.kind = hitTerm
				}
				if h.kind == hitText && h.view.Kind == core.ViewTag {
					if h.offer = m.offerAt(&w, x); h.offer != "" {
						h.kind = hitOffer
					}
				}
				return h
			}
		}
		return hit{column: c.index}
	}
	return hit{}
}

func (w *placedWindow) hit(x, y int) hit {
	h := hit{window: w.id, column: w.column}
	switch {
	case w.tag.Contains(x, y) && x == w.tag.X:
		h.kind = hitHandle
	case w.tag.Contains(x, y):
		h.kind, h.view = hitText, w.id.Tag()
	case w.body.Contains(x, y) && x == w.body.X:
		h.kind, h.view = hitBar, w.id.Body()
	case w.body.Contains(x, y):
		h.kind, h.view = hitText, w.id.Body()
	}
	return h
}

// columnAt returns the column in sight that has a cell of column x, or the nearest.
func (p *placing) columnAt(x int) (placedColumn, bool) {
	for _, c := range p.columns {
		if x < c.area.X+c.area.W {
			return c, true
		}
	}
	if n := len(p.columns); n > 0 {
		return p.columns[n-1], true
	}
	return placedColumn{}, false
}

// column returns the place of a column of the layout.
func (p *placing) column(index int) (placedColumn, bool) {
	for _, c := range p.columns {
		if c.index == index {
			return c, true
		}
	}
	return placedColumn{}, false
}

// rows are the rows that a column's windows have.
func (c *placedColumn) rows() cell.Rect {
	return cell.Rect{X: c.area.X, Y: c.area.Y + c.tag.H, W: c.area.W, H: c.area.H - c.tag.H}
}

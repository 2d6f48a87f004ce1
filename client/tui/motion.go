package tui

import (
	"apex/core"
	"apex/core/edit"
	"apex/core/text"
)

// motion says where the caret goes by rows; motions that the text alone decides are edit's.
type motion uint8

// The motions by rows.
const (
	moveUp motion = iota
	moveDown
	movePageUp
	movePageDown
)

func textStart(text.Text, int) int   { return 0 }
func textEnd(t text.Text, _ int) int { return t.Runes() }

// move moves the caret of the text with the focus, and with extend only that end of the selection.
// Without extend a selection first collapses to the end that step, -1 or 1, goes towards.
func (m *Model) move(to edit.Motion, step int, extend bool) {
	v := m.focused()
	b := m.buffer(v)
	if b == nil {
		return
	}
	s := m.seen(v, b)
	anchor, head := m.ends(v, s)
	switch {
	case extend:
		m.dot(v, anchor, to(b.Text, head))
		return
	case s.Q0 < s.Q1 && step < 0:
		head = s.Q0
	case s.Q0 < s.Q1 && step > 0:
		head = s.Q1
	default:
		head = to(b.Text, head)
	}
	m.dot(v, head, head)
}

// ends returns the end of a selection that stays, and the one with the caret.
func (m *Model) ends(v core.View, s core.ViewState) (anchor, head int) {
	if m.caret.view == v && m.caret.front {
		return s.Q1, s.Q0
	}
	return s.Q0, s.Q1
}

// moveRows moves the caret by rows. It stays in the column where it was before the first of several
// such moves.
func (m *Model) moveRows(to motion, extend bool) {
	v := m.focused()
	p, b := m.panes[v], m.buffer(v)
	if b == nil || p == nil {
		return
	}
	if v.Kind != core.ViewBody { // a text of one row
		if w, ok := v.Window(); ok && to == moveDown {
			m.setFocus(w.Body())
		}
		return
	}
	anchor, head := m.ends(v, m.seen(v, b))
	p.set(m.stateOf(p, v))
	goal := m.caret.goal
	if m.caret.view != v || goal < 0 {
		goal = p.flow.cell(&m.rows, head) + p.flow.left
	}
	q := m.rowTarget(v, p, head, goal, to)
	if !extend {
		anchor = q
	}
	m.dot(v, anchor, q)
	m.caret.goal = goal
}

// rowTarget returns where a motion by rows takes the caret.
func (m *Model) rowTarget(v core.View, p *pane, head, goal int, to motion) int {
	f, r := &p.flow, &m.rows
	from := f.rowAt(r, head).q0
	n := 1
	if to == movePageUp || to == movePageDown {
		n = max(p.text.H-1, 1)
	}
	q := 0
	if to == moveUp || to == movePageUp {
		if q = f.up(r, head, n); q == from {
			return 0
		}
		if n > 1 {
			m.scrollBy(v, -n)
		}
	} else {
		if q = f.downFrom(r, head, n); q == from {
			return f.t.Runes()
		}
		if n > 1 {
			m.scrollBy(v, n)
		}
	}
	whole := *f
	whole.left = 0
	if !whole.wrap {
		whole.width = max(whole.width, goal+1)
	}
	at := whole.runeIn(r, q, goal)
	if row := whole.rowAt(r, q); at >= row.q1 && !row.ends {
		at = leftOf(f.t, row.q1) // the end of a wrapped row would be in the next
	}
	return at
}

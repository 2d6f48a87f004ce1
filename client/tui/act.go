package tui

import (
	"apex/core"
)

// commit applies a bundle that this client may make. It reports whether it did.
func (m *Model) commit(b core.Bundle) bool {
	if b.Empty() {
		return true
	}
	b.Author = m.session.Actor()
	if err := m.session.Commit(b); err != nil {
		m.fail(err)
		return false
	}
	return true
}

// dot selects what lies between anchor and head in a view; the caret is at head. It is everybody's
// selection if this client leads the text, else its own.
func (m *Model) dot(v core.View, anchor, head int) {
	m.caret = caret{view: v, front: head < anchor, goal: -1, show: true}
	m.setDot(v, min(anchor, head), max(anchor, head))
}

func (m *Model) setDot(v core.View, q0, q1 int) {
	id := m.bufferID(v)
	b := m.session.Buffer(id)
	if b == nil {
		return
	}
	s := m.seen(v, b)
	if s.Q0 == q0 && s.Q1 == q1 {
		return
	}
	if m.leads(v) {
		var bundle core.Bundle
		bundle.Add(id.Shard(), core.Select(v, q0, q1))
		m.commit(bundle)
		return
	}
	s.Q0, s.Q1 = q0, q1
	m.local[v] = s
}

// setOrigin scrolls a view.
func (m *Model) setOrigin(v core.View, q int) {
	id := m.bufferID(v)
	b := m.session.Buffer(id)
	if b == nil {
		if p := m.peeked[v]; p != nil {
			p.scroll(q)
		}
		return
	}
	s := m.seen(v, b)
	if s.Origin == q {
		return
	}
	if _, has := b.View(v); has && m.leads(v) {
		var bundle core.Bundle
		bundle.Add(id.Shard(), core.Origin(v, q))
		m.commit(bundle)
		return
	}
	s.Origin = q
	m.local[v] = s
}

// setFocus says which view typing goes to.
func (m *Model) setFocus(v core.View) {
	if v == m.focused() {
		m.focus = v
		return
	}
	m.leaveTag(m.focused())
	m.focus = v
	if m.session.Leads(core.LayoutShard) {
		var bundle core.Bundle
		bundle.Add(core.LayoutShard, core.Of(&core.Focus{View: v}))
		m.commit(bundle)
	}
}

// scrollBy scrolls a view by rows, downwards if positive.
func (m *Model) scrollBy(v core.View, n int) {
	if p := m.termPane(v); p != nil {
		m.scrollTerm(p, n)
		return
	}
	p := m.panes[v]
	if p == nil || v.Kind != core.ViewBody {
		return
	}
	p.set(m.stateOf(p, v))
	if n < 0 {
		m.setOrigin(v, p.flow.up(&m.rows, p.want.origin, -n))
		return
	}
	if !p.shows(&m.rows, p.want.origin, p.flow.t.Runes()) { // at the end it stays
		m.setOrigin(v, p.flow.downFrom(&m.rows, p.want.origin, n))
	}
}

// stateOf is a pane's state with its buffer, dot and origin as they are now.
func (m *Model) stateOf(p *pane, v core.View) paneState {
	s := p.want
	if b := m.buffer(v); b != nil {
		seen := m.seen(v, b)
		s.buffer, s.q0, s.q1, s.origin = b, seen.Q0, seen.Q1, seen.Origin
	}
	return s
}

// showCaret scrolls the text with the focus so that its caret is in sight, after something moved
// it.
func (m *Model) showCaret() {
	if !m.caret.show {
		return
	}
	m.caret.show = false
	v := m.focused()
	w, ok := v.Window()
	if !ok || v.Kind != core.ViewBody {
		return
	}
	m.place()
	at, ok := m.placing.window(w)
	win := m.session.Window(w)
	if !ok || win == nil || win.Term != 0 || at.body.Empty() {
		return
	}
	p := m.pane(v, at.body, paneState{body: true, settings: win.Settings})
	if p == nil {
		return
	}
	m.setOrigin(v, p.reveal(&m.rows, p.want.origin, p.want.head))
	m.left[v] = p.revealLeft(&m.rows, p.want.head)
}

package tui

import (
	"apex/client/tui/input"
	"apex/core"

	tea "charm.land/bubbletea/v2"
)

// gesture is what the mouse is in the middle of, from the press of a button to its release.
type gesture struct {
	hit    hit
	button input.Button
	from   termSpot // in a terminal, what the press selected
	to     termSpot
	q0, q1 int // what the press selected: a place, a word, a line
	clicks int
	x, y   int // of the press
	moved  bool
	done   bool // a chord ended it
	arg    bool // B1 was clicked during B2: the selection is the command's argument
}

// onMouse deals with the mouse.
func (m *Model) onMouse(msg tea.MouseMsg) tea.Cmd {
	var cmds []tea.Cmd
	if m.programMouse(msg) {
		return nil
	}
	for _, e := range m.mouse.Handle(msg, m.now()) {
		if e.Kind == input.Release {
			m.leaving.begin()
		}
		if n := len(m.overlays); n > 0 {
			cmds = append(cmds, m.overlays[n-1].mouse(m, e))
			continue
		}
		switch e.Kind {
		case input.Press:
			m.message = message{}
			m.press(e)
		case input.Chord:
			cmds = append(cmds, m.chord(e))
		case input.Drag:
			m.drag(e)
		case input.Release:
			cmds = append(cmds, m.lift(e))
		case input.Wheel:
			m.wheel(e)
		}
	}
	return tea.Batch(cmds...)
}

// press begins a gesture.
func (m *Model) press(e input.MouseEvent) {
	h := m.hit(e.X, e.Y)
	m.gesture = gesture{hit: h, button: e.Button, clicks: e.Clicks, x: e.X, y: e.Y}
	g := &m.gesture
	switch h.kind {
	case hitBar:
		m.dragBar(e)
	case hitTerm:
		m.pressTerm(e)
	case hitText:
		p := m.panes[h.view]
		if p == nil {
			g.hit.kind = hitNothing
			return
		}
		q := m.placeAt(p, e.X, e.Y)
		g.q0, g.q1 = q, q
		if e.Button == input.B1 {
			m.setFocus(h.view)
			m.select1(e, q)
		}
	case hitNothing:
		if e.Button == input.B1 {
			m.focusColumn(h.column)
		}
	}
}

// placeAt returns the place in a pane's text of a cell of the screen. The text may be another since
// the pane was drawn; the place is in the one that is now.
func (m *Model) placeAt(p *pane, x, y int) int {
	q := p.runeAt(&m.rows, x, y)
	if b := m.buffer(p.view); b != nil {
		q = min(q, b.Text.Runes())
	}
	return q
}

// select1 is B1 at a place of a text: a click puts the caret there, or with shift extends the
// selection; two clicks take a word, three a line.
func (m *Model) select1(e input.MouseEvent, q int) {
	g := &m.gesture
	v := g.hit.view
	switch {
	case e.Clicks >= 2:
		g.q0, g.q1 = m.expandSelect(v, q, e.Clicks)
		m.dot(v, g.q0, g.q1)
	case e.Mod&tea.ModShift != 0:
		s := m.seen(v, m.buffer(v))
		anchor := s.Q0
		if m.caret.view == v && m.caret.front || q < s.Q0 {
			anchor = s.Q1
		}
		g.q0, g.q1 = anchor, anchor
		m.dot(v, anchor, q)
	default:
		m.dot(v, q, q)
	}
	m.caret.show = false
}

// chord is another button pressed while one is held.
func (m *Model) chord(e input.MouseEvent) tea.Cmd {
	g := &m.gesture
	if g.hit.kind != hitText && g.hit.kind != hitTerm {
		return nil
	}
	switch {
	case e.First == input.B1 && e.Button == input.B2:
		g.done = true
		return m.run(commandNamed("cut"))
	case e.First == input.B1 && e.Button == input.B3:
		g.done = true
		return m.run(commandNamed("paste"))
	case e.First == input.B2 && e.Button == input.B1:
		g.arg = true
	default:
		g.done = true // B2 and B3 together take each other back
		m.sweep = sweep{}
	}
	return nil
}

// drag moves the mouse with a button held.
func (m *Model) drag(e input.MouseEvent) {
	g := &m.gesture
	if g.done {
		return
	}
	g.moved = g.moved || e.X != g.x || e.Y != g.y
	switch g.hit.kind {
	case hitBar:
		m.dragBar(e)
	case hitBorder:
		m.dragBorder(g.hit.column, e.X)
	case hitTerm:
		m.dragTerm(e)
	case hitText:
		m.dragText(e)
	case hitHandle:
		m.say("Let go where the window is to be.")
	case hitColumnHandle:
		m.say("Let go where the column is to be.")
	}
}

// dragText sweeps a text. Beyond its edge it scrolls, a row for each move.
func (m *Model) dragText(e input.MouseEvent) {
	g := &m.gesture
	v := g.hit.view
	p := m.panes[v]
	if p == nil || m.buffer(v) == nil {
		return
	}
	switch {
	case e.Y < p.text.Y:
		m.scrollBy(v, -1)
	case e.Y >= p.text.Y+p.text.H && p.want.body:
		m.scrollBy(v, 1)
	}
	n := m.buffer(v).Text.Runes() // it may have become shorter since the press
	g.q0, g.q1 = min(g.q0, n), min(g.q1, n)
	q := m.placeAt(p, e.X, min(max(e.Y, p.text.Y), p.text.Y+p.text.H-1))
	if g.button != input.B1 {
		m.sweep = sweep{v, min(g.q0, q), max(g.q0, q), g.button}
		return
	}
	h0, h1 := q, q
	if g.clicks >= 2 {
		h0, h1 = m.expandSelect(v, q, g.clicks)
	}
	if q < g.q0 {
		m.dot(v, g.q1, h0)
	} else {
		m.dot(v, g.q0, max(h1, g.q1))
	}
	m.caret.show = false
}

// lift ends a gesture.
func (m *Model) lift(e input.MouseEvent) tea.Cmd {
	g := m.gesture
	if e.Button != g.button {
		return nil
	}
	if g.hit.kind == hitHandle || g.hit.kind == hitColumnHandle {
		m.message = message{}
	}
	m.gesture = gesture{}
	m.sweep = sweep{}
	if g.done {
		m.unsweep(g)
		return nil
	}
	switch g.hit.kind {
	case hitHandle:
		return m.liftHandle(g, e)
	case hitColumnHandle:
		if g.moved {
			m.moveColumn(g.hit.column, e.X)
		} else {
			m.focusColumn(g.hit.column)
		}
	case hitTerm:
		return m.liftTerm(g)
	case hitOffer:
		return m.liftOffer(g, e)
	case hitText:
		return m.liftText(g, e)
	}
	return nil
}

// liftText ends a click or a sweep in a text.
func (m *Model) liftText(g gesture, e input.MouseEvent) tea.Cmd {
	v := g.hit.view
	p, b := m.panes[v], m.buffer(v)
	if p == nil || b == nil || g.button == input.B1 {
		return nil
	}
	q := g.q0
	if g.moved {
		q = m.placeAt(p, e.X, min(max(e.Y, p.text.Y), p.text.Y+p.text.H-1))
	}
	q = min(q, b.Text.Runes()) // the text may have changed since the press
	q0, q1 := min(g.q0, q), max(min(g.q0, b.Text.Runes()), q)
	switch g.button {
	case input.B2:
		arg := ""
		if g.arg {
			arg = m.selected()
		}
		return m.execute(v, q0, q1, arg)
	case input.B3:
		return m.look(v, q0, q1)
	}
	return nil
}

// wheel scrolls what is under the pointer.
func (m *Model) wheel(e input.MouseEvent) {
	h := m.hit(e.X, e.Y)
	if h.window == 0 {
		return
	}
	v := h.window.Body()
	if p := m.termPane(v); p != nil {
		m.scrollTerm(p, e.DY)
		return
	}
	p := m.panes[v]
	if p == nil {
		return
	}
	dx := e.DX
	if e.Mod&tea.ModShift != 0 {
		dx += e.DY
		e.DY = 0
	}
	if dx != 0 && !p.flow.wrap {
		m.left[v] = max(m.left[v]+dx, 0)
	}
	if e.DY != 0 {
		m.scrollBy(v, e.DY)
	}
}

// dragBar goes to the place in the text that stands where the mouse is in the scroll bar. B3 goes
// on by a page.
func (m *Model) dragBar(e input.MouseEvent) {
	v := m.gesture.hit.view
	if p := m.termPane(v); p != nil {
		m.dragTermBar(p, e)
		return
	}
	p, b := m.panes[v], m.buffer(v)
	if p == nil || b == nil {
		return
	}
	if e.Button == input.B3 {
		if e.Kind == input.Press {
			m.scrollBy(v, p.text.H-1)
		}
		return
	}
	h := max(p.want.area.H-1, 1)
	y := min(max(e.Y-p.want.area.Y, 0), h)
	p.set(m.stateOf(p, v))
	q := int(int64(b.Text.Runes()) * int64(y) / int64(h))
	if y == h {
		q = p.flow.up(&m.rows, b.Text.Runes(), p.text.H-1)
	}
	m.setOrigin(v, p.flow.rowAt(&m.rows, q).q0)
}

// sweep is a text that B2 or B3 is being swept over.
type sweep struct {
	view   core.View
	q0, q1 int
	button input.Button
}

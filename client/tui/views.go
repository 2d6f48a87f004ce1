package tui

import (
	"context"
	"time"

	"apex/core"

	tea "charm.land/bubbletea/v2"
)

// bufferID returns the buffer that a view shows, 0 if there is none.
func (m *Model) bufferID(v core.View) core.BufferID {
	switch v.Kind {
	case core.ViewBody, core.ViewTag:
		w := m.session.Window(core.WindowID(v.ID))
		switch {
		case w == nil:
			return 0
		case v.Kind == core.ViewBody:
			return w.Body
		}
		return w.Tag
	case core.ViewColumn:
		return core.BufferID(v.ID)
	case core.ViewTop:
		if l := m.session.Layout(); l != nil {
			return l.Top
		}
	}
	return 0
}

// buffer returns the buffer that a view shows, nil if it is not known here.
func (m *Model) buffer(v core.View) *core.Buffer {
	id := m.bufferID(v)
	if id == 0 {
		return nil
	}
	if b := m.session.Buffer(id); b != nil {
		if p := m.peeked[v]; p != nil && !p.scrolled {
			delete(m.peeked, v)
		}
		return b
	}
	if p := m.peeked[v]; p != nil {
		return p.buffer
	}
	return nil
}

// leads reports whether this client may change the text of a view.
func (m *Model) leads(v core.View) bool {
	id := m.bufferID(v)
	return id != 0 && m.session.Leads(id.Shard())
}

// seen returns a view's dot and origin as this client shows them. While another leads, the person
// follows its dot and origin until they scroll or select themselves.
func (m *Model) seen(v core.View, b *core.Buffer) core.ViewState {
	if p := m.peeked[v]; p != nil && p.buffer == b {
		return p.state
	}
	s, _ := b.View(v)
	if own, ok := m.local[v]; ok {
		if m.leads(v) {
			delete(m.local, v)
			return s
		}
		s = own
	} else if t, ok := m.trail[v]; ok && !m.leads(v) && t.theirs == s.Origin {
		s.Origin = t.ours
	}
	n := b.Text.Runes()
	s.View = v
	s.Q0, s.Q1, s.Origin = min(s.Q0, n), min(s.Q1, n), min(s.Origin, n)
	return s
}

// focused returns the view that typing goes to.
func (m *Model) focused() core.View {
	if m.acting.Kind != core.ViewInvalid {
		return m.acting
	}
	l := m.session.Layout()
	if l == nil {
		return core.View{}
	}
	v := l.Focus
	if m.focus.Kind != core.ViewInvalid && !m.session.Leads(core.LayoutShard) {
		v = m.focus
	}
	if m.bufferID(v) != 0 {
		return v
	}
	for _, c := range l.Columns {
		for _, s := range c.Slots {
			if s.Show != core.ShowHidden && m.session.Window(s.Window) != nil {
				return s.Window.Body()
			}
		}
	}
	return core.TopView
}

// focusWindow returns the window with the focus, if one has it.
func (m *Model) focusWindow() (core.WindowID, bool) {
	w, ok := m.focused().Window()
	if !ok || m.session.Window(w) == nil {
		return 0, false
	}
	return w, true
}

const (
	// dirtyNowBytes is up to what size a text is hashed at once to know whether it is dirty. A larger
	// one counts as dirty until it has been hashed beside the loop.
	dirtyNowBytes = 256 << 10
	// dirtyRest is for how long a large text must have rested before it is hashed, so that typing has
	// both processors.
	dirtyRest = 500 * time.Millisecond
)

// isDirty reports whether a buffer has unsaved changes.
func (m *Model) isDirty(id core.BufferID, b *core.Buffer) bool {
	d := m.dirty[id]
	if d.of == b {
		return d.dirty
	}
	d.of = b
	n := b.Text.Bytes()
	if n <= dirtyNowBytes || n != b.DiskBytes || b.Version == b.CleanVersion {
		d.dirty = b.Dirty()
	} else {
		d.dirty = true
		if !d.asked {
			d.asked = true
			m.later = append(m.later, m.rested(id, b))
		}
	}
	m.dirty[id] = d
	return d.dirty
}

// rested waits until a large buffer has rested, and then has it hashed.
func (m *Model) rested(id core.BufferID, b *core.Buffer) tea.Cmd {
	return m.after(dirtyRest, func(m *Model) tea.Cmd {
		d := m.dirty[id]
		switch now := m.session.Buffer(id); {
		case now == b:
			return m.hash(id, b)
		case now != nil && now.Text.Bytes() == now.DiskBytes:
			return m.rested(id, now)
		}
		d.asked = false
		m.dirty[id] = d
		return nil
	})
}

// hash finds out whether a large buffer is dirty. If it has changed meanwhile, drawing asks again.
func (m *Model) hash(id core.BufferID, b *core.Buffer) tea.Cmd {
	return call(func(context.Context) (bool, error) { return b.Dirty(), nil },
		func(m *Model, dirty bool, _ error) tea.Cmd {
			d := m.dirty[id]
			d.asked = false
			if d.of == b {
				d.dirty = dirty
			} else {
				d.of = nil
			}
			m.dirty[id] = d
			return nil
		})
}

// follow moves this client's own selections and origins past the changes of a buffer from one value
// to the next.
func (m *Model) follow(v core.View, from, to *core.Buffer) {
	s, ok := m.local[v]
	if !ok || from == nil || from.Version == to.Version {
		return
	}
	n := to.Text.Runes()
	if d, ok := to.Since(from.Version); ok {
		move := func(q int) int {
			if at, _, ok := d.Map(q, q); ok {
				return at
			}
			return min(q, n)
		}
		s.Q0, s.Q1, s.Origin = move(s.Q0), move(s.Q1), move(s.Origin)
	}
	s.Q0, s.Q1, s.Origin = min(s.Q0, n), min(max(s.Q0, s.Q1), n), min(s.Origin, n)
	m.local[v] = s
}

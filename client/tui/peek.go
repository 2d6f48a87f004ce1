package tui

import (
	"context"
	"slices"

	"apex/core"
	"apex/core/text"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// peek is the lines around a view's origin, shown until the buffer itself has arrived: a first frame
// never waits for a large one. Nothing in it can be changed.
type peek struct {
	buffer *core.Buffer // with these lines only
	state  core.ViewState
	q0     int // rune of the text at which the lines begin
	// Scrolled by the person, who expects the text to stay there when it arrives, and when this
	// client leads it.
	scrolled bool
	arrived  bool
}

// scroll shows the lines from another rune of theirs on.
func (p *peek) scroll(q int) {
	if q != p.state.Origin {
		p.state.Origin, p.scrolled = q, true
	}
}

// PeekLines is how many lines are asked for before and from an origin: a high screen's.
const PeekLines = 100

// unknown returns the views of windows whose bodies have not arrived.
func (m *Model) unknown() []core.View {
	var out []core.View
	l := m.session.Layout()
	if l == nil {
		return nil
	}
	for _, c := range l.Columns {
		for _, s := range c.Slots {
			w := m.session.Window(s.Window)
			if w != nil && s.Show != core.ShowHidden && m.session.Buffer(w.Body) == nil &&
				len(out) < proto.PeekMaxViews {
				out = append(out, s.Window.Body())
			}
		}
	}
	return out
}

// peekNow shows what came when the session was attached to of the texts that have not arrived.
func (m *Model) peekNow() {
	known := func(l proto.Lines) bool { return m.session.Buffer(l.Buffer) != nil }
	m.peek(slices.DeleteFunc(slices.Clone(m.session.Lines()), known))
}

// peekLater asks for what can't be shown yet, beside the loop.
func (m *Model) peekLater() tea.Cmd {
	views := m.unknown()
	if len(views) == 0 {
		return nil
	}
	s, label := m.session, m.label()
	return call(func(ctx context.Context) ([]proto.Lines, error) {
		return s.Peek(ctx, label, views, PeekLines)
	}, func(m *Model, lines []proto.Lines, err error) tea.Cmd {
		if err == nil { // else the buffers themselves will do
			m.peek(lines)
		}
		return nil
	})
}

func (m *Model) peek(lines []proto.Lines) {
	for i := range lines {
		l := &lines[i]
		b := &core.Buffer{Kind: core.BufferFile, Name: l.Name, Text: text.New(l.Bytes), Loading: true}
		n := b.Text.Runes()
		within := func(q int) int { return min(max(q-l.Q0, 0), n) }
		v := core.View(l.View)
		if old := m.peeked[v]; old != nil && old.scrolled {
			continue
		}
		m.peeked[v] = &peek{buffer: b, q0: l.Q0, state: core.ViewState{View: v, Q0: within(l.Dot0),
			Q1: within(l.Dot1), Origin: within(l.Origin)}}
		m.dirty[l.Buffer] = dirtiness{of: b, dirty: l.Dirty}
	}
}

// keepScrolled shows texts that have arrived where their lines were scrolled to. This client may
// lead one a little later, and what it has scrolled itself is then the text's own origin.
func (m *Model) keepScrolled() {
	leading := m.session.State().Leading
	for v, p := range m.peeked {
		b := m.session.Buffer(m.bufferID(v))
		if !p.scrolled || b == nil {
			continue
		}
		at := min(p.q0+p.state.Origin, b.Text.Runes())
		if own, ok := m.local[v]; ok && p.arrived {
			at = own.Origin
		}
		m.setOrigin(v, at)
		p.arrived = true
		if m.leads(v) || !leading {
			delete(m.peeked, v)
		}
	}
}

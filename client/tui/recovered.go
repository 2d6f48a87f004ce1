package tui

import (
	"apex/core"
	"apex/core/edit"
)

// lookedMark is the name of the mark in +Recovered behind which nobody has looked. What is kept there
// later comes behind it.
const lookedMark = "looked"

// unlooked returns the windows that keep what could not be applied and that nobody has looked at since.
func (m *Model) unlooked() (out []core.WindowID) {
	l := m.session.Layout()
	if l == nil || m.session.Meta() == nil {
		return nil
	}
	name := edit.RecoveredName(m.session)
	for _, c := range l.Columns {
		for _, s := range c.Slots {
			w := m.session.Window(s.Window)
			if w == nil {
				continue
			}
			b := m.session.Buffer(w.Body)
			if b == nil || b.Kind != core.BufferScratch || b.Name != name {
				continue
			}
			if mark, ok := b.Mark(lookedMark); !ok || mark.Q1 < b.Text.Runes() {
				out = append(out, s.Window)
			}
		}
	}
	return out
}

// lookAtRecovered notes that a person looks at what was kept: the window has the focus, and its text is led here.
func (m *Model) lookAtRecovered() {
	w, ok := m.focusWindow()
	if !ok || !m.leads(w.Body()) {
		return
	}
	for _, kept := range m.unlooked() {
		if kept == w {
			id := m.session.Window(w).Body
			end := m.session.Buffer(id).Text.Runes()
			var b core.Bundle
			b.Add(id.Shard(), core.Of(&core.MarkSet{Name: lookedMark, Q0: end, Q1: end}))
			m.commit(b)
		}
	}
}

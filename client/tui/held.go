package tui

import (
	"apex/core"

	tea "charm.land/bubbletea/v2"
)

// heldInput is something that changes a text, or comes after what does: typed or pasted text, a
// command of the interface's, or a command line.
type heldInput struct {
	view    core.View
	text    string
	paste   bool
	command *command
	line    string
}

// The bounds of what waits for leases. A lease takes milliseconds, and a minute of typing is some
// 500 keys; pastes are larger, and one that finds no room is refused, visibly and whole.
const (
	heldMaxInputs = 4096
	heldMaxBytes  = 32 << 20
)

// held is the input that waits for leases, in order.
type held struct {
	inputs []heldInput
	bytes  int
}

// add keeps an input; false if there is no room for it.
func (h *held) add(in heldInput) bool {
	if len(h.inputs) >= heldMaxInputs || h.bytes+len(in.text) > heldMaxBytes {
		return false
	}
	h.inputs = append(h.inputs, in)
	h.bytes += len(in.text)
	return true
}

// heldFor returns how many inputs wait for a buffer, with what was handed over and is not answered.
func (m *Model) heldFor(id core.BufferID) int {
	if _, on := m.handing[id]; on {
		return 1 + m.waiting(id)
	}
	return m.waiting(id)
}

// waiting returns how many inputs of a buffer nothing was done about so far.
func (m *Model) waiting(id core.BufferID) (n int) {
	for i := range m.held.inputs {
		if m.bufferID(m.held.inputs[i].view) == id {
			n++
		}
	}
	return n
}

// canEdit reports whether the text of a view can be changed here and now.
func (m *Model) canEdit(v core.View) bool {
	b := m.buffer(v)
	return b != nil && !b.Loading && m.leads(v)
}

// awaits reports whether what is done in a view has to wait for the view's lease, which comes by
// itself: it is not with a tool that may keep it for long, nor with another UI.
func (m *Model) awaits(v core.View) bool {
	id := m.bufferID(v)
	if id == 0 || m.heldFor(id) > 0 {
		return id != 0
	}
	if m.canEdit(v) || m.session.State().Watching {
		return false
	}
	l, ok := m.session.Meta().Lease(id.Shard())
	return !ok || l.Holder == core.Server || l.Released
}

// edit changes the text with the focus, or keeps the input until that can be done. What it can't
// keep it refuses, and says so.
func (m *Model) edit(in heldInput) tea.Cmd {
	if m.starting {
		if !m.early.add(in) {
			m.warn("Not taken: the files that were asked for are not here yet.")
		}
		return nil
	}
	in.view = m.focused()
	if p := m.termFocus(); p != nil {
		return m.typeHeld(p, in)
	}
	switch id := m.bufferID(in.view); {
	case id == 0:
		m.say("There is no text here to change.")
	case (m.canEdit(in.view) || m.proposes(in.view)) && m.heldFor(id) == 0:
		return m.perform(in)
	case m.mayNot():
		m.refuse()
	default:
		m.hold(in)
	}
	return nil
}

// mayNot reports whether this client has no right to change anything. While it has asked for the
// leases and they are on their way, as at the start, it only has to wait.
func (m *Model) mayNot() bool {
	st := m.session.State()
	return st.Observer || st.Watching || m.denied
}

// hold keeps an input for later. What it has no room for it refuses, and says so.
func (m *Model) hold(in heldInput) {
	if !m.held.add(in) {
		m.warn("Not taken: %d keys are waiting already.", len(m.held.inputs))
	}
}

// waits reports whether what is done in a view now has to come after what waits for leases.
func (m *Model) waits(v core.View) bool {
	id := m.bufferID(v)
	return id != 0 && (m.heldFor(id) > 0 || !m.session.State().Leading && !m.mayNot())
}

// perform does what an input says, in its view.
func (m *Model) perform(in heldInput) tea.Cmd {
	m.acting = in.view
	defer func() { m.acting = core.View{} }()
	switch {
	case in.command != nil:
		return in.command.run(m)
	case in.line != "":
		return m.execIn(in.view, in.line)
	case in.paste:
		m.pasteText(in.text)
	default:
		m.typeText(in.text)
	}
	return nil
}

// release does what waited for a lease that has come. The order of what is for one buffer is kept.
func (m *Model) release() tea.Cmd {
	m.keepScrolled()
	if len(m.held.inputs) == 0 {
		return nil
	}
	var cmds []tea.Cmd
	inputs := m.together(m.held.inputs)
	m.held = held{}
	for _, in := range inputs {
		id := m.bufferID(in.view)
		switch {
		case id == 0: // its window is gone, and with it what was to be changed
		case (m.canEdit(in.view) || m.proposes(in.view)) && m.heldFor(id) == 0:
			cmds = append(cmds, m.perform(in))
		default:
			m.held.add(in)
		}
	}
	return tea.Batch(cmds...)
}

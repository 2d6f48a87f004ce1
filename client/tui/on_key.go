package tui

import (
	"apex/client/tui/input"

	tea "charm.land/bubbletea/v2"
)

// onKey deals with a key: an overlay takes it if there is one, else it is a command's, or it types.
func (m *Model) onKey(press tea.KeyPressMsg) tea.Cmd {
	k, text, ok := input.KeyOf(press)
	if !ok {
		return nil
	}
	m.message = message{}
	m.leaving.begin()
	if n := len(m.overlays); n > 0 {
		return m.overlays[n-1].key(m, k, text)
	}
	if p := m.termFocus(); p != nil && !m.starting {
		return m.termKey(p, press, k)
	}
	if c := commands.byKey[k]; c != nil {
		return m.run(c)
	}
	if text != "" {
		m.edit(heldInput{text: text})
		return nil
	}
	if k.Code == tea.KeyEscape {
		m.collapse()
		return nil
	}
	if k.Mod != 0 {
		m.say(showKey(k.String()) + " does nothing. " + keyOf("help") + " shows all keys.")
	}
	return nil
}

// run runs a command; one that changes the text waits for the text's lease if need be, and so does
// one that moves in it, if something waits already or the lease is on its way from the daemon: where
// the caret is then is forgotten when it comes.
func (m *Model) run(c *command) tea.Cmd {
	if p := m.termFocus(); p != nil {
		if cmd, ok := m.runTerm(p, c); ok {
			return cmd
		}
	}
	if c.edits || c.moves && m.awaits(m.focused()) {
		return m.edit(heldInput{command: c})
	}
	return c.run(m)
}

// onPaste deals with a paste from the terminal: it is typed as it is, in one undo step.
func (m *Model) onPaste(p input.Paste) tea.Cmd {
	m.message = message{}
	m.leaving.begin()
	if n := len(m.overlays); n > 0 {
		m.overlays[n-1].paste(m, string(p.Text))
		return nil
	}
	cmd := m.edit(heldInput{text: string(p.Text), paste: true})
	if p.Dropped > 0 {
		m.warn("The paste was cut: %d bytes beyond %d are lost.", p.Dropped, input.PasteMaxBytes)
	}
	return cmd
}

// collapse ends a selection: the caret stays where it is.
func (m *Model) collapse() {
	v := m.focused()
	b := m.buffer(v)
	if b == nil {
		return
	}
	s := m.seen(v, b)
	q := s.Q1
	if m.caret.view == v && m.caret.front {
		q = s.Q0
	}
	m.dot(v, q, q)
}

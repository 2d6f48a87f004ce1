package tui

import (
	"context"

	"apex/core"
	"apex/core/addr"
	"apex/core/edit"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// execute runs what B2 was swept over in a view, or the word where it was clicked.
func (m *Model) execute(v core.View, q0, q1 int, arg string) tea.Cmd {
	b := m.buffer(v)
	if b == nil {
		return nil
	}
	if q0 == q1 {
		s := m.seen(v, b)
		q0, q1 = edit.CommandAt(b.Text, q0, s.Q0, s.Q1)
	}
	line := b.Text.Substring(q0, min(q1, q0+core.MaxCommandBytes))
	if arg != "" {
		line += " " + arg
	}
	return m.execIn(v, line)
}

// executeAtCaret is execute for the keyboard.
func (m *Model) executeAtCaret() tea.Cmd {
	v := m.focused()
	b := m.buffer(v)
	if b == nil {
		return nil
	}
	s := m.seen(v, b)
	return m.execute(v, s.Q0, s.Q1, "")
}

// lookAtCaret is look for the keyboard.
func (m *Model) lookAtCaret() tea.Cmd {
	v := m.focused()
	b := m.buffer(v)
	if b == nil {
		return nil
	}
	s := m.seen(v, b)
	return m.look(v, s.Q0, s.Q1)
}

// look is B3 over a text: it opens the file that the text names and goes to the address behind it;
// where there is no such file, it goes to the text's next occurrence.
func (m *Model) look(v core.View, q0, q1 int) tea.Cmd {
	b := m.buffer(v)
	if b == nil {
		return nil
	}
	dot0, dot1 := q0, q1
	if q0 == q1 {
		s := m.seen(v, b)
		dot0, dot1 = s.Q0, s.Q1
	}
	ref := edit.RefAt(b.Text, q0, dot0, dot1)
	if ref.Q0 == ref.Q1 {
		m.say("There is nothing here to look for.")
		return nil
	}
	text := ref.Text(b.Text)
	if ref.Name == "" {
		return m.lookAddress(v, ref.Addr)
	}
	if !m.session.State().Leading {
		return m.lookCommand(v, text)
	}
	return m.openOrFind(v, ref, text)
}

// openOrFind opens the file that a reference names if there is one, else it looks for the text.
func (m *Model) openOrFind(v core.View, ref edit.Ref, text string) tea.Cmd {
	f := m.fileIn(v, ref.Name)
	f.Addr = ref.Addr
	request, exists := m.opening([]proto.File{f}), m.exists
	return call(func(ctx context.Context) ([]proto.Place, error) {
		if exists != nil && !exists(f.Path) {
			return nil, nil
		}
		return request(ctx)
	}, func(m *Model, places []proto.Place, err error) tea.Cmd {
		if err == nil && places == nil {
			return m.lookFor(v, text, ref.Q1)
		}
		return m.opened(places, err)
	})
}

// lookAddress goes to an address in the text of the view's window.
func (m *Model) lookAddress(v core.View, address string) tea.Cmd {
	v = bodyOf(v)
	b := m.buffer(v)
	if b == nil {
		return nil
	}
	a, err := addr.Parse(address)
	if err != nil {
		m.fail(err)
		return nil
	}
	s := m.seen(v, b)
	r, err := a.Eval(b.Text, addr.Range{Q0: s.Q0, Q1: s.Q1})
	if err != nil {
		m.fail(err)
		return nil
	}
	m.setFocus(v)
	m.dot(v, r.Q1, r.Q0)
	return nil
}

// lookCommand is the command Look: it goes to the next occurrence of its argument, or of what is
// selected.
func (m *Model) lookCommand(v core.View, text string) tea.Cmd {
	v = bodyOf(v)
	b := m.buffer(v)
	if b == nil {
		return nil
	}
	s := m.seen(v, b)
	if text == "" {
		text = b.Text.Substring(s.Q0, s.Q1)
	}
	return m.lookFor(v, text, s.Q1)
}

// lookFor goes to the next occurrence of a text in the view's window. It is searched for from q on,
// or in a window's text whose tag it stands in, from the selection on.
func (m *Model) lookFor(v core.View, text string, q int) tea.Cmd {
	to := bodyOf(v)
	if p := m.termPane(to); p != nil {
		return m.lookInTerm(p, text)
	}
	b := m.buffer(to)
	if b == nil {
		return nil
	}
	if to != v || q > b.Text.Runes() {
		q = m.seen(to, b).Q1
	}
	q0, q1, ok := edit.Look(b.Text, q, text)
	if !ok {
		m.warn("%s: not found", text)
		return nil
	}
	m.setFocus(to)
	m.dot(to, q0, q1)
	return nil
}

// bodyOf is the body of the window whose tag v is, or v itself.
func bodyOf(v core.View) core.View {
	if w, ok := v.Window(); ok {
		return w.Body()
	}
	return v
}

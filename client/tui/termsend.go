package tui

import (
	"context"

	"apex/core"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

const (
	// termWaitMaxInputs and termWaitMaxBytes bound what waits for the daemon: as much as can wait
	// for the lease of a text.
	termWaitMaxInputs = heldMaxInputs
	termWaitMaxBytes  = heldMaxBytes
)

// termInputs is what was typed into terminals and is not sent yet, in order. One request is on its
// way at a time, and takes all keys that have gathered meanwhile for one terminal.
type termInputs struct {
	queue []proto.TermInput
	bytes int
	busy  bool
}

// inputTo sends an input to a terminal's program.
func (m *Model) inputTo(p *termPane, in proto.TermInput) tea.Cmd {
	if p.t != nil && p.t.Exit.Done {
		m.say("The program has ended. Del closes the window.")
		return nil
	}
	return m.queueInput(p.id, in)
}

func (m *Model) queueInput(id core.TermID, in proto.TermInput) tea.Cmd {
	q := &m.terms.inputs
	in.Session, in.Term = m.label(), id.String()
	if n := len(q.queue); n > 0 && join(&q.queue[n-1], &in) {
		return m.sendInputs()
	}
	if len(q.queue) >= termWaitMaxInputs || q.bytes+len(in.Text) > termWaitMaxBytes {
		m.warn("Not taken: %d inputs are waiting already.", len(q.queue))
		return nil
	}
	q.queue = append(q.queue, in)
	q.bytes += len(in.Text)
	return m.sendInputs()
}

// join adds keys to those that wait for the same terminal.
func join(last, in *proto.TermInput) bool {
	if last.Kind != proto.InputKeys || in.Kind != proto.InputKeys || last.Term != in.Term ||
		len(last.Keys)+len(in.Keys) > proto.InputMaxKeys {
		return false
	}
	last.Keys = append(last.Keys, in.Keys...)
	return true
}

// sendInputs sends what waits, if it can be sent now.
func (m *Model) sendInputs() tea.Cmd {
	q := &m.terms.inputs
	st := m.session.State()
	switch {
	case len(q.queue) == 0 || q.busy:
		return nil
	case m.mayNot():
		m.dropInputs()
		m.refuse()
		return nil
	case !st.Connected || !st.Leading:
		return nil // it is sent when that is so
	}
	in := q.queue[0]
	q.queue = q.queue[1:]
	q.bytes -= len(in.Text)
	q.busy = true
	s := m.session
	return func() tea.Msg {
		_, err := s.Call(context.Background(), &in)
		return doneMsg(func(m *Model) tea.Cmd {
			m.terms.inputs.busy = false
			if id, ok := core.ParseTermID(in.Term); ok && m.term(id) != nil { // else it is gone
				m.fail(err)
			}
			return m.sendInputs()
		})
	}
}

func (m *Model) dropInputs() {
	q := &m.terms.inputs
	q.queue, q.bytes = nil, 0
}

// pasteTo pastes into a terminal. What is longer than an input goes in several, each of them whole
// characters.
func (m *Model) pasteTo(p *termPane, text string) tea.Cmd {
	if text == "" {
		return nil
	}
	p.bottom()
	p.sel = termSel{}
	var cmds []tea.Cmd
	for text != "" {
		n := cutAt(text, proto.InputMaxBytes)
		cmds = append(cmds, m.inputTo(p, proto.TermInput{Kind: proto.InputPaste, Text: []byte(text[:n])}))
		text = text[n:]
	}
	return tea.Batch(cmds...)
}

// cutAt returns where s can be cut so that the first part has at most so many bytes.
func cutAt(s string, most int) int {
	if len(s) <= most {
		return len(s)
	}
	for i := most; i > most-4; i-- {
		if s[i]&0xC0 != 0x80 {
			return i
		}
	}
	return most
}

package tui

import (
	"sync/atomic"

	"apex/core"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

const (
	// termWaitMaxInputs and termWaitMaxBytes bound what waits for the daemon: as much as can wait
	// for the lease of a text.
	termWaitMaxInputs = heldMaxInputs
	termWaitMaxBytes  = heldMaxBytes
	// termFlyingMax and termFlyingBytes bound what is on its way: keys as fast as anybody types
	// them over a link of seconds, with room for other requests among those that a connection may
	// have unanswered, and of a long paste no more than the link's queue has room for.
	termFlyingMax   = 48
	termFlyingBytes = 4 << 20
)

// termInputs is what was typed into terminals, in order: what waits to be sent, and how much is on
// its way. What is on its way keeps its order, so that nothing waits for an answer while the link
// is fast enough for it.
type termInputs struct {
	queue  []proto.TermInput
	bytes  int          // of the queue's texts
	flying atomic.Int64 // inputs that are not answered
	weight atomic.Int64 // bytes of their texts
	full   atomic.Bool  // the queue waits for answers
	// unsure counts keys and pastes of which it is not known whether they arrived: the link was lost
	// before the answer. They are not sent again, since a program would have them twice.
	unsure atomic.Int64
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

// sendInputs sends what waits, as far as it can be sent now.
func (m *Model) sendInputs() tea.Cmd {
	q := &m.terms.inputs
	st := m.session.State()
	switch {
	case len(q.queue) == 0:
		return nil
	case m.mayNot():
		m.dropInputs()
		m.refuse()
		return nil
	case !st.Connected || !st.Leading:
		return nil // it is sent when that is so
	}
	var cmds []tea.Cmd
	for len(q.queue) > 0 && q.mayFly() {
		in := q.queue[0]
		q.queue = q.queue[1:]
		q.bytes -= len(in.Text)
		cmds = append(cmds, m.sendInput(&in))
	}
	return tea.Batch(cmds...)
}

// mayFly reports whether one more input can be on its way. If not, who gets an answer tells the
// loop.
func (q *termInputs) mayFly() bool {
	room := func() bool {
		return q.flying.Load() < termFlyingMax && q.weight.Load() < termFlyingBytes
	}
	if room() {
		return true
	}
	q.full.Store(true)
	return room() // an answer may have come before it was known that somebody waits
}

// sendInput sends one input. The command that it returns waits for the answer, of which the loop
// is told if something follows from it.
func (m *Model) sendInput(in *proto.TermInput) tea.Cmd {
	q := &m.terms.inputs
	answered := make(chan error, 1)
	count := int64(max(len(in.Keys), 1))
	err := m.session.Send(in, func(_ proto.Reply, err error) {
		if core.CodeOf(err) == core.CodeUnavailable {
			q.unsure.Add(count)
		}
		answered <- err
	})
	if err != nil {
		m.fail(err)
		return nil
	}
	n := int64(len(in.Text))
	q.flying.Add(1)
	q.weight.Add(n)
	id, _ := core.ParseTermID(in.Term)
	return func() tea.Msg {
		err := <-answered
		q.flying.Add(-1)
		q.weight.Add(-n)
		if !q.full.Swap(false) && err == nil {
			return nil
		}
		return doneMsg(func(m *Model) tea.Cmd {
			// A terminal that is gone takes what was typed with it; of a link that is, back tells.
			if m.term(id) != nil && core.CodeOf(err) != core.CodeUnavailable {
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
		in := proto.TermInput{Kind: proto.InputPaste, Text: []byte(text[:n])}
		cmds = append(cmds, m.inputTo(p, in))
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

package tui

import (
	"errors"
	"sync"
	"sync/atomic"

	"apex/client"
	"apex/core"
	"apex/proto"
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

	mu      sync.Mutex
	refused []refusedInput // that nobody was told of
}

// refusedInput is an input that a terminal did not take.
type refusedInput struct {
	term core.TermID
	why  error
}

// inputTo sends an input to a terminal's program.
func (m *Model) inputTo(p *termPane, in proto.TermInput) {
	if p.t != nil && p.t.Exit.Done {
		m.say("The program has ended. Del closes the window.")
		return
	}
	m.queueInput(p.id, in)
}

func (m *Model) queueInput(id core.TermID, in proto.TermInput) {
	q := &m.terms.inputs
	in.Session, in.Term = m.label(), id.String()
	switch n := len(q.queue); {
	case n > 0 && join(&q.queue[n-1], &in):
	case n >= termWaitMaxInputs || q.bytes+len(in.Text) > termWaitMaxBytes:
		m.warn("Not taken: %d inputs are waiting already.", n)
		return
	default:
		q.queue = append(q.queue, in)
		q.bytes += len(in.Text)
	}
	m.sendInputs()
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
func (m *Model) sendInputs() {
	q := &m.terms.inputs
	st := m.session.State()
	switch {
	case len(q.queue) == 0:
		return
	case m.mayNot():
		m.dropInputs()
		m.refuse()
		return
	case !st.Connected || !st.Leading:
		return // it is sent when that is so
	}
	for len(q.queue) > 0 && q.mayFly() {
		in := q.queue[0]
		q.queue = q.queue[1:]
		q.bytes -= len(in.Text)
		m.sendInput(&in)
	}
}

// mayFly reports whether one more input can be on its way. If not, who gets an answer wakes the
// owner.
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

// sendInput sends one input. Of nearly every answer nobody needs to know: whoever reads it counts
// it, and wakes the owner only if something follows from it.
func (m *Model) sendInput(in *proto.TermInput) {
	q := &m.terms.inputs
	n := int64(len(in.Text))
	count := int64(max(len(in.Keys), 1))
	id, _ := core.ParseTermID(in.Term)
	q.flying.Add(1)
	q.weight.Add(n)
	err := m.session.Send(in, func(_ proto.Reply, err error) {
		q.flying.Add(-1)
		q.weight.Add(-n)
		var lost *client.LostError
		switch {
		case errors.As(err, &lost): // back tells
			q.unsure.Add(count)
		case err != nil:
			q.refuse(refusedInput{id, err})
		}
		if q.full.Swap(false) || err != nil {
			m.session.Remind()
		}
	})
	if err != nil {
		q.flying.Add(-1)
		q.weight.Add(-n)
		m.fail(err)
	}
}

func (q *termInputs) refuse(r refusedInput) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.refused = append(q.refused, r)
}

// tellRefused tells of the inputs that were refused, and reports whether there were any. A terminal
// that is gone takes what was typed with it.
func (m *Model) tellRefused() (told bool) {
	q := &m.terms.inputs
	q.mu.Lock()
	refused := q.refused
	q.refused = nil
	q.mu.Unlock()
	for _, r := range refused {
		if m.term(r.term) != nil {
			m.fail(r.why)
			told = true
		}
	}
	return told
}

func (m *Model) dropInputs() {
	q := &m.terms.inputs
	q.queue, q.bytes = nil, 0
}

// pasteTo pastes into a terminal. What is longer than an input goes in several, each of them whole
// characters.
func (m *Model) pasteTo(p *termPane, text string) {
	if text == "" {
		return
	}
	p.bottom()
	p.sel = termSel{}
	for text != "" {
		n := cutAt(text, proto.InputMaxBytes)
		m.inputTo(p, proto.TermInput{Kind: proto.InputPaste, Text: []byte(text[:n])})
		text = text[n:]
	}
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

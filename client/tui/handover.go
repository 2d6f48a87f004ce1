package tui

import (
	"slices"

	"apex/core"
	"apex/core/edit"
)

// While a tool has the lease of a text, what a person does to it is worked out here as if this client
// led, and handed over as a proposal. One is on its way for each text: what comes after it is worked
// out on what it made, so it waits, as what waits for a lease does. Until it is answered it is pending.

// handing are the proposals on their way, by buffer.
type handing map[core.BufferID]core.View

// proposes reports whether what is done to the text of a view is handed to the tool that leads it.
func (m *Model) proposes(v core.View) bool {
	b := m.buffer(v)
	if b == nil || b.Loading || m.leads(v) || m.mayNot() {
		return false
	}
	l, ok := m.session.Meta().Lease(m.bufferID(v).Shard())
	return ok && l.ToolHeld()
}

// desk is the session as the verbs of package edit take it: one that leads what is handed over, with
// this client's own dot.
type desk struct {
	Session
	id   core.BufferID
	here *core.Buffer
}

// desk returns what verbs work on in the text with the focus.
func (m *Model) desk() core.Session {
	v := m.focused()
	if !m.proposes(v) {
		return m.session
	}
	b := m.buffer(v)
	s := m.seen(v, b)
	return &desk{m.session, m.bufferID(v), b.WithDot(v, s.Q0, s.Q1)}
}

// Leads implements core.Session.
func (d *desk) Leads(s core.Shard) bool { return s == d.id.Shard() || d.Session.Leads(s) }

// Buffer implements core.Session.
func (d *desk) Buffer(id core.BufferID) *core.Buffer {
	if id == d.id {
		return d.here
	}
	return d.Session.Buffer(id)
}

// commitAll applies bundles that are one after the other. It reports whether it did.
func (m *Model) commitAll(bundles []core.Bundle) bool {
	v := m.focused()
	if m.proposes(v) {
		return m.hand(v, bundles)
	}
	for _, b := range bundles {
		if !m.commit(b) {
			return false
		}
	}
	return true
}

// hand hands over what bundles do to the text of a view, and commits the rest of them.
func (m *Model) hand(v core.View, bundles []core.Bundle) bool {
	id := m.bufferID(v)
	var ops []core.Op
	for _, b := range bundles {
		rest := core.Bundle{New: b.New, Del: b.Del}
		for _, p := range b.Parts {
			if p.Shard == id.Shard() {
				ops = append(ops, p.Ops...)
			} else {
				rest.Parts = append(rest.Parts, p)
			}
		}
		if !m.commit(rest) {
			return false
		}
	}
	ask := edit.AskOf(id, m.buffer(v), ops)
	if ask == nil {
		return true
	}
	m.handing[id], m.guest[v] = v, true
	m.session.Hand(ask, func(r core.Result) {
		delete(m.handing, id)
		m.answered = append(m.answered, answered{v, id, ask, r})
	})
	return true
}

// backFrom takes in that this client leads a text again that a tool led: the dot stays where the person
// has it who went on there.
func (m *Model) backFrom(shard core.Shard) {
	for v := range m.guest {
		if m.bufferID(v).Shard() != shard || !m.leads(v) {
			continue
		}
		delete(m.guest, v)
		if own, ok := m.local[v]; ok {
			delete(m.local, v)
			m.setDot(v, own.Q0, own.Q1)
			m.setOrigin(v, own.Origin)
		}
	}
}

// answered is something that was handed over, and what became of it.
type answered struct {
	view core.View
	id   core.BufferID
	ask  core.Ask
	res  core.Result
}

// settle takes in what became of what was handed over, when all that arrived with it is known.
func (m *Model) settle() {
	all := m.answered
	m.answered = nil
	for _, a := range all {
		switch {
		case a.res.Err != nil:
			m.warn("%v", a.res.Err)
		case a.res.Window != 0:
			m.warn("What could not be applied is in +Recovered.")
		default:
			m.goBehind(a)
		}
	}
}

// goBehind puts the caret behind what was put in.
func (m *Model) goBehind(a answered) {
	e, ok := a.ask.(*core.AskEdit)
	b := m.buffer(a.view)
	if !ok || b == nil || m.bufferID(a.view) != a.id {
		return
	}
	end := e.Edits[len(e.Edits)-1].Q1
	delta, reached := b.Since(e.Base)
	if q, _, there := delta.Map(end, end); reached && there {
		m.dot(a.view, q, q)
	}
}

// pending counts what waits for a tool: in a text, or in all if id is 0.
func (m *Model) pending(id core.BufferID) (n int) {
	for b := range m.handing {
		if id == 0 || b == id {
			n += 1 + m.waiting(b)
		}
	}
	return n
}

// together makes keys one input that are typed one after the other into a text that a tool leads, so
// that they wait for one answer, not each for its own.
func (m *Model) together(inputs []heldInput) []heldInput {
	out := slices.Clone(inputs[:0:0])
	for _, in := range inputs {
		if n := len(out); n > 0 && in.types() && out[n-1].types() && out[n-1].view == in.view &&
			len(out[n-1].text)+len(in.text) <= togetherMaxBytes && m.proposes(in.view) {
			out[n-1].text += in.text
			continue
		}
		out = append(out, in)
	}
	return out
}

// togetherMaxBytes is how much of what was typed is still typing: more is a paste.
const togetherMaxBytes = 1024

// types reports whether an input is text that was typed.
func (in *heldInput) types() bool { return in.text != "" && !in.paste && in.command == nil }

// toolOn names the tool that leads the text with the focus, empty if none does.
func (m *Model) toolOn(v core.View) string {
	if !m.proposes(v) {
		return ""
	}
	l, _ := m.session.Meta().Lease(m.bufferID(v).Shard())
	at, _ := m.session.Meta().Attached(l.Holder)
	return at.Actor
}

package tui

import (
	"apex/client"
	"apex/core"

	tea "charm.land/bubbletea/v2"
)

// wakeMsg says that something has arrived at the session.
type wakeMsg struct{}

// endMsg ends the program, for an error if there is one.
type endMsg struct{ err error }

// doneMsg is what a tea.Cmd brings back: what to do with its result, in the loop.
type doneMsg func(*Model) tea.Cmd

func (m *Model) onDone(done doneMsg) tea.Cmd { return done(m) }

// onWake takes in what has arrived, and reports whether it may show. That what was typed is stored
// shows only where that has taken long: it comes after every key.
func (m *Model) onWake() (cmd tea.Cmd, shows bool) {
	shows = m.lagging()
	m.heard()
	before := m.followed()
	for _, e := range m.session.Process() {
		m.onEvent(e)
		shows = true
	}
	m.catchUp(before)
	m.settle()
	st := m.session.State()
	st.Unsynced = 0
	shows = shows || st != m.stood
	m.stood = st
	m.tellColours()
	reported := m.report()
	shows = m.tellRefused() || shows
	if m.mayLeave() {
		return tea.Quit, false // of a session that has ended there is nothing to show
	}
	m.sendInputs()
	cmd = tea.Batch(reported, m.release())
	return cmd, shows || cmd != nil
}

func (m *Model) onEvent(e client.Event) {
	switch st := m.session.State(); e.Kind {
	case client.EventChanged:
		if e.Shard.Kind == core.KindWindow {
			m.complete(core.WindowID(e.Shard.ID))
		}
		if e.Shard.Kind == core.KindTerm {
			m.termChanged(core.TermID(e.Shard.ID))
		}
	case client.EventLease:
		m.Forget() // the log may have gone on without what was made here
		m.backFrom(e.Shard)
		m.onLease(e.Shard, st)
	case client.EventRecovered:
		m.Forget()
		m.onRecovered(e, st)
	case client.EventRefused:
		m.Forget()
		if core.CodeOf(e.Err) == core.CodeFenced {
			m.warn("Another interface took over meanwhile: what was not stored yet is tried again.")
			return
		}
		m.warn("%v: refused: %v", e.Shard, e.Err)
	case client.EventLink:
		m.onLink(st)
	case client.EventDraining:
		m.say("The daemon is stopping; this interface waits and comes back.")
	case client.EventEnded:
		m.err = e.Err
		m.quit = true
	}
}

// back says that the link is there again, and what of the typing got lost with it, perhaps.
func (m *Model) back() {
	n := m.terms.inputs.unsure.Swap(0)
	if n == 0 {
		m.say("Connected again.")
		return
	}
	m.warn("Connected again. The last %d keys that went to terminals may not have arrived: look first.", n)
}

// onLease notices that another took over, or that this client leads again.
func (m *Model) onLease(shard core.Shard, st client.State) {
	switch {
	case shard != core.LayoutShard:
	case st.Leading:
		if m.watched {
			m.say("This interface leads.")
			m.caret.show = true
		}
		m.fenced, m.watched, m.taking, m.denied = false, false, false, false
	case st.Watching && !m.watched:
		m.watched = true
		m.warn("Another interface took over; this one watches. %s takes it back.", keyOf("take-over"))
	}
}

// onRecovered tells that changes of this client's came too late for a shard that it had lost.
func (m *Model) onRecovered(e client.Event, st client.State) {
	m.fenced = !st.Leading
	if e.Err != nil {
		m.warn("What was not stored of %v could not be recovered: %v", e.Shard, e.Err)
		return
	}
	m.warn("Another took over meanwhile; what was not stored was applied, or is in +Recovered.")
}

// followed returns the buffers of the texts in sight that others lead, as they are now.
func (m *Model) followed() map[core.View]*core.Buffer {
	var out map[core.View]*core.Buffer
	for v := range m.panes {
		if b := m.buffer(v); b != nil && !m.leads(v) {
			if out == nil {
				out = map[core.View]*core.Buffer{}
			}
			out[v] = b
		}
	}
	return out
}

// catchUp moves what is this client's own past the changes that others made, and keeps the
// leader's caret in sight while this client follows it.
func (m *Model) catchUp(before map[core.View]*core.Buffer) {
	for v, old := range before {
		b := m.buffer(v)
		if b == nil || b == old {
			continue
		}
		m.follow(v, old, b)
		was, _ := old.View(v)
		is, _ := b.View(v)
		_, own := m.local[v]
		moved := b.Version != old.Version || was.Q1 != is.Q1
		if p := m.panes[v]; !own && p != nil && p.want.body && moved {
			p.set(m.stateOf(p, v))
			m.trail[v] = trail{is.Origin, p.reveal(&m.rows, p.want.origin, is.Q1)}
		}
	}
}

// trail is where a follower of another's caret shows its text, as long as that one does not scroll.
type trail struct{ theirs, ours int }

// WakeMsg is the message that says that something has arrived at the session.
func WakeMsg() tea.Msg { return wakeMsg{} }

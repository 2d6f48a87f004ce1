package tui

import (
	"context"
	"time"

	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// lag is what is known about changes that are not on the disk yet.
type lag struct {
	since   time.Time // there have been some; zero: there are none
	heard   time.Time // the daemon last said something
	lags    bool      // they are on their way for long
	silent  bool      // and the daemon says nothing
	trouble string    // why it stores nothing; empty: it does, or that is not known
	timer   bool      // one is to look again
	asks    bool      // the daemon was asked why, and has not answered
	kept    time.Time // of the link, as State.Since, since whose beginning the daemon stored everything
}

const (
	// lagAfter is for how long changes must have been on their way to the disk before that is shown:
	// it is milliseconds where all is well.
	lagAfter = time.Second
	// silentAfter is for how long the daemon must have said nothing to be taken for stuck.
	silentAfter = 3 * time.Second
)

// lagging reports whether there has been something unsynced for longer than it should be.
func (m *Model) lagging() bool { return !m.session.State().Connected || m.lag.lags }

// watchLag notices when changes are on their way for long. One timer at a time looks again.
func (m *Model) watchLag() {
	l := &m.lag
	if m.session.State().Unsynced == 0 && !m.unkept() {
		*l = lag{timer: l.timer, asks: l.asks, kept: l.kept}
		return
	}
	if l.since.IsZero() {
		l.since, l.heard = m.now(), m.now()
	}
	if !l.timer {
		l.timer = true
		m.later = append(m.later, m.after(lagAfter, (*Model).lookAtLag))
	}
}

// unkept reports whether the session was not durable when the link was made, and the daemon has not
// said since that it is.
func (m *Model) unkept() bool {
	st := m.session.State()
	return st.Connected && st.Unkept && !st.Since.Equal(m.lag.kept)
}

// lookAtLag finds out how long it has been, and asks the daemon why.
func (m *Model) lookAtLag() tea.Cmd {
	l := &m.lag
	l.timer = false
	if l.since.IsZero() {
		return nil
	}
	l.lags = m.now().Sub(l.since) >= lagAfter
	l.silent = m.now().Sub(l.heard) >= silentAfter
	if !l.lags || l.asks || !m.session.State().Connected {
		return nil
	}
	l.asks = true
	s, label := m.session, m.label()
	return call(func(ctx context.Context) (proto.Reply, error) {
		return s.Call(ctx, &proto.SessionList{})
	}, func(m *Model, r proto.Reply, _ error) tea.Cmd {
		m.lag.asks = false
		list, ok := r.(*proto.Sessions)
		if ok && !m.lag.since.IsZero() {
			m.heard()
			for _, info := range list.Sessions {
				if info.Label == label {
					m.troubled(info.Trouble)
				}
				if info.Label == label && !info.Unkept {
					m.lag.kept = m.session.State().Since
				}
			}
		}
		return nil
	})
}

// heard notes that the daemon says something.
func (m *Model) heard() { m.lag.heard, m.lag.silent = m.now(), false }

// troubled tells why the daemon does not store what is done here, once.
func (m *Model) troubled(why string) {
	switch {
	case why != "" && why != m.lag.trouble:
		m.warn("%s. What is typed is kept in memory only.", why)
	case why == "" && m.lag.trouble != "":
		m.say("The disk takes it again: the session is kept.")
	}
	m.lag.trouble = why
}

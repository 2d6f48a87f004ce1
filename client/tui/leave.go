package tui

import (
	"fmt"
	"time"

	tea "charm.land/bubbletea/v2"
)

// leaveMax is how long leaving waits for the daemon to say that all is stored, which takes
// milliseconds where all is well, before it asks what to do.
const leaveMax = time.Second

// leaving is the state of an interface that was asked to detach.
type leaving struct {
	waits  bool // for what is not stored yet
	wishes int  // how often it was asked, so that an old timer is known
	warned bool // the warning is the last that happened: to detach again is to insist
	insist bool // while an input is dealt with: it came right after the warning
}

// begin is called before an input is dealt with that could be the wish to leave or another.
func (l *leaving) begin() { *l = leaving{wishes: l.wishes, insist: l.warned} }

// detach leaves. What would be lost is not left behind unsaid: it asks, each time.
func (m *Model) detach() tea.Cmd {
	l := &m.leaving
	if l.insist || m.lost() == "" {
		m.quit = true
		return tea.Quit
	}
	if len(m.held.inputs) > 0 || !m.session.State().Connected {
		m.askToLeave()
		return nil
	}
	m.say("Waiting until all is stored...")
	l.waits = true
	l.wishes++
	wish := l.wishes
	return m.after(leaveMax, func(m *Model) tea.Cmd {
		if m.leaving.waits && wish == m.leaving.wishes {
			m.askToLeave()
		}
		return nil
	})
}

// mayLeave ends an interface that waited for what it did to be stored, when it is.
func (m *Model) mayLeave() bool {
	if m.leaving.waits && m.lost() == "" {
		m.quit = true
	}
	return m.quit
}

func (m *Model) askToLeave() {
	m.leaving.waits, m.leaving.warned = false, true
	m.warn("%s if you leave now. %s once more leaves all the same.", m.lost(), keyOf("detach"))
}

// lost says what would be lost by leaving now; empty: nothing.
func (m *Model) lost() string {
	st := m.session.State()
	switch n := len(m.held.inputs); {
	case n > 0:
		return fmt.Sprintf("%d keys still wait and are lost", n)
	case st.Unsynced == 0:
		return ""
	case !st.Connected:
		return fmt.Sprintf("Offline: %d changes are not stored and may be lost", st.Unsynced)
	}
	return fmt.Sprintf("The daemon does not answer: %d changes may be lost", st.Unsynced)
}

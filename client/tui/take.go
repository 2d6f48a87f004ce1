package tui

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// takeMax is how long a take-over may take. It is a round trip to the daemon, which asks nobody;
// typing waits for it as long as a person still looks at what is typed.
const takeMax = 5 * time.Second

// takeOver asks for the session's leases. What is typed from now on waits for them.
func (m *Model) takeOver() tea.Cmd {
	st := m.session.State()
	switch {
	case st.Observer:
		m.refuse()
	case !st.Connected:
		m.session.Redial()
		m.say("Connecting...")
	case st.Leading:
		m.say("This interface leads already.")
	default:
		m.session.TakeAll()
		m.say("Taking over...")
		m.taking, m.denied = true, false
		m.takes++
		take := m.takes
		return m.after(takeMax, func(m *Model) tea.Cmd {
			if m.taking && take == m.takes {
				m.giveUp()
			}
			return nil
		})
	}
	return nil
}

// giveUp ends the wait for a take-over. What was typed meanwhile must not come up later, when the
// person no longer expects it.
func (m *Model) giveUp() {
	m.taking, m.denied = false, true
	n := len(m.held.inputs)
	m.held = held{}
	if n == 0 {
		m.warn("Taking over failed: the daemon does not answer. %s tries again.", keyOf("take-over"))
		return
	}
	m.warn("Taking over failed: the daemon does not answer; %d keys are lost. %s tries again.",
		n, keyOf("take-over"))
}

package tui

import (
	"fmt"
	"time"

	"apex/client"

	tea "charm.land/bubbletea/v2"
)

// outage is what is told of a link that is down.
type outage struct {
	down  bool   // when last told
	why   string // it is down, as told
	timer bool   // one counts down to the next try
}

// onLink tells that the link went down, or is there again. On another machine it also tells why,
// each time that is another reason.
func (m *Model) onLink(st client.State) {
	o := &m.outage
	if st.Connected {
		if o.down {
			m.back()
		}
		*o = outage{timer: o.timer}
		return
	}
	why := ""
	if m.remote != "" && st.Err != nil && !st.Draining {
		why = " (" + st.Err.Error() + ")"
	}
	if !o.down || why != o.why {
		m.warn("Offline: what you type is kept, and sent when the daemon is back.%s", why)
	}
	o.down, o.why = true, why
	m.countDown()
}

// nextTry says in how long a link to another machine is tried again; empty: at any moment.
func (m *Model) nextTry() string {
	st := m.session.State()
	if m.remote == "" || st.Connected {
		return ""
	}
	wait := st.Retry.Sub(m.now())
	if wait <= 0 {
		return ""
	}
	return fmt.Sprintf(", again in %d s", int((wait+time.Second-1)/time.Second))
}

// countDown has the wait for the next try shown second by second.
func (m *Model) countDown() {
	if m.nextTry() == "" || m.outage.timer {
		return
	}
	m.outage.timer = true
	m.later = append(m.later, m.after(time.Second, func(m *Model) tea.Cmd {
		m.outage.timer = false
		m.countDown()
		return nil
	}))
}

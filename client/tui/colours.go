package tui

import (
	"context"

	"apex/client/tui/input"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// tellColours tells the session, when this interface leads it, in which colours its terminals are
// seen: programs there ask for that. It is told again when the answer changes, or the lead has been
// elsewhere.
func (m *Model) tellColours() {
	st := m.session.State()
	if !st.Connected || !st.Leading || !m.answers.Complete {
		m.coloursTold = proto.TermColours{}
		return
	}
	c := proto.TermColours{Session: m.session.Meta().Label, Fg: wire(m.answers.Fg), Bg: wire(m.answers.Bg)}
	if c == m.coloursTold || c.Fg == 0 && c.Bg == 0 {
		return
	}
	m.coloursTold = c
	m.later = append(m.later, call(func(ctx context.Context) (proto.Reply, error) {
		return m.session.Call(ctx, &c)
	}, func(*Model, proto.Reply, error) tea.Cmd { return nil })) // the next link tells it again
}

func wire(c input.RGB) proto.Colour {
	if !c.Known {
		return 0
	}
	return proto.RGB(c.R, c.G, c.B)
}

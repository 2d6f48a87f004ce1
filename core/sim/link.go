package sim

import (
	"encoding/binary"
	"slices"

	"apex/core"
)

// link is one connection.
type link struct {
	conn     core.ConnID
	client   *Client // nil once the client is gone from it
	up, down []core.Msg
	behind   bool // it overflowed and has not drained
	closing  bool // the daemon closes it after what was sent
	over     bool // a failure has ended it for the client, who takes no more from it
}

func (w *World) link(c core.ConnID) *link {
	for _, l := range w.links {
		if l.conn == c {
			return l
		}
	}
	return nil
}

// Connect opens a connection for a client and sends its hello.
func (w *World) Connect(c *Client) {
	if c.failed { // its attachment is gone: it attaches anew
		c.R.Forget()
		c.failed = false
	}
	w.nextConn++
	l := &link{conn: w.nextConn, client: c}
	w.links = append(w.links, l)
	c.link = l
	w.logf("%s connects as c%d", c.Name, l.conn)
	w.post(c, c.R.Hello())
}

// post puts a client's message on its way.
func (w *World) post(c *Client, msgs ...core.Msg) {
	if c.link == nil {
		return
	}
	for _, m := range msgs {
		c.link.up = append(c.link.up, w.wire(m))
	}
}

// Up gives the daemon the next message of a connection.
func (w *World) Up(l *link) {
	m := l.up[0]
	l.up = l.up[1:]
	if w.hooks.up != nil {
		if m = w.hooks.up(l, m); m == nil {
			return
		}
	}
	if w.Trace != nil {
		w.logf("c%d > %s", l.conn, core.Describe(m))
	}
	in := &core.Received{Conn: l.conn, Msg: m}
	if _, ok := m.(*core.Hello); ok {
		w.secrets++
		binary.BigEndian.PutUint64(in.Secret[:], w.secrets)
	}
	w.step(in)
}

// Down gives the client of a connection its next message.
func (w *World) Down(l *link) {
	m := l.down[0]
	l.down = l.down[1:]
	if l.client != nil {
		if w.Trace != nil {
			w.logf("c%d %s < %s", l.conn, l.client.Name, core.Describe(m))
		}
		if !l.over {
			l.client.receive(w, m)
		}
		if _, failed := m.(*core.Failure); failed {
			l.over = true
		}
	}
	if l.behind && len(l.down) == 0 {
		l.behind = false
		w.step(&core.Drained{Conn: l.conn})
	}
	if l.closing && len(l.down) == 0 {
		w.Cut(l, 0)
		w.Gone(l, 0)
	}
}

// Cut makes a client lose its connection, after up to n more messages have reached it. The daemon
// has not noticed yet.
func (w *World) Cut(l *link, n int) {
	for ; n > 0 && len(l.down) > 0 && l.client != nil; n-- {
		w.Down(l)
	}
	l.down = nil
	if c := l.client; c != nil {
		w.logf("%s loses c%d", c.Name, l.conn)
		l.client, c.link = nil, nil
		c.R.Disconnected()
	}
}

// Gone makes the daemon notice that a connection is gone, after up to n more of its messages.
func (w *World) Gone(l *link, n int) {
	for ; n > 0 && len(l.up) > 0; n-- {
		w.Up(l)
	}
	i := slices.Index(w.links, l)
	if i < 0 {
		return
	}
	w.links = slices.Delete(w.links, i, i+1)
	w.logf("c%d closed", l.conn)
	w.step(&core.Closed{Conn: l.conn})
	if l.client != nil {
		w.Cut(l, 0)
	}
}

// Overflow drops the entries that wait for a slow client.
func (w *World) Overflow(l *link) {
	if l.behind {
		return
	}
	l.behind = true
	l.down = slices.DeleteFunc(l.down, func(m core.Msg) bool {
		switch m.(type) {
		case *core.Deliver, *core.Snapshot, *core.CaughtUp:
			return true
		}
		return false
	})
	w.logf("c%d overflows", l.conn)
	w.step(&core.Overflowed{Conn: l.conn})
}

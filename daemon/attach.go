package daemon

import (
	"crypto/rand"
	"slices"

	"apex/core"
	"apex/proto"
)

// attach attaches a connection; the Welcome answers the call.
func (s *session) attach(c *conn, call uint64, h *core.Hello) error {
	var secret [32]byte
	rand.Read(secret[:])
	s.admit()
	defer s.unlock()
	if s.ended {
		return errEnded
	}
	c.attach = call
	i, _ := slices.BinarySearchFunc(s.conns, c.id, compareConn)
	s.conns = slices.Insert(s.conns, i, c)
	c.session.Store(s)
	s.run(&core.Received{Conn: c.id, Msg: h, Secret: secret})
	return nil
}

// errEnded answers what comes too late for a session.
var errEnded = core.Errorf(core.CodeNotFound, "the session has ended")

// welcome answers an attach; the turn is held.
func (s *session) welcome(id core.ConnID, w *core.Welcome) {
	c := s.conn(id)
	if c == nil || c.attach == 0 {
		return
	}
	c.answer(c.attach, &proto.Attached{Label: s.a.Meta().Label, Now: now(), Welcome: *w}, nil)
	c.attach = 0
	s.touch(c)
	s.arrives(c)
}

// failAttach answers an attach with an error; false if the connection is attached already. The
// turn is held.
func (s *session) failAttach(id core.ConnID, err *core.Error) bool {
	c := s.conn(id)
	if c == nil || c.attach == 0 {
		return false
	}
	c.answer(c.attach, nil, err)
	c.attach = 0
	s.touch(c)
	return true
}

// receive takes a message of an attached client.
func (s *session) receive(c *conn, m core.Msg) {
	s.admit()
	s.hears(c)
	if p, ok := m.(*core.Propose); ok {
		if err := s.meter(c); err != nil {
			s.send(core.Send{To: []core.ConnID{c.id},
				Msg: &core.ProposeResult{ID: p.ID, Result: core.Failed(err)}})
			s.unlock()
			return
		}
		s.address(&p.Proposal)
	}
	s.run(&core.Received{Conn: c.id, Msg: m})
	s.unlock()
}

// leave forgets a connection that ended.
func (s *session) leave(c *conn) {
	s.mu.Lock()
	s.departs(c)
	s.conns = slices.DeleteFunc(s.conns, func(x *conn) bool { return x == c })
	s.run(&core.Closed{Conn: c.id})
	s.rosterDue = true
	s.unlock()
}

// drained tells the session that a client that was behind has taken everything.
func (c *conn) drained() {
	if s := c.session.Load(); s != nil {
		s.step(&core.Drained{Conn: c.id})
	}
}

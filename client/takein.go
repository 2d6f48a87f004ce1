package client

import (
	"time"

	"apex/core"
	"apex/proto"
)

// What waits in the inbox besides *proposing and the daemon's messages.
type (
	linkUp   struct{ conn *Conn }
	linkDown struct { // also when none could be made
		err   error
		again time.Time // when the next try is
	}
	retrying struct{} // it is time to send again what was refused
	welcomed struct{ reply *proto.Attached }
	glimpsed struct{ lines []proto.Lines }
	rejected struct {
		conn *Conn
		err  error
	}
)

// takeIn takes in one item, as the replica's owner.
func (s *Session) takeIn(what any) {
	switch m := what.(type) {
	case *linkUp:
		s.conn = m.conn
		s.attach()
	case *linkDown:
		s.state.Retry = m.again
		s.unlinked(m.err)
	case *welcomed:
		s.welcome(m.reply)
	case *rejected:
		s.rejected(m)
	case *glimpsed:
		s.lines = m.lines
	case *proposing:
		s.propose(m)
	case *retrying:
		s.took(s.replica.Retry())
	case *proto.Presence:
		s.peers = m.Peers
		s.event(Event{Kind: EventPresence})
	case *core.CaughtUp:
		s.took(s.replica.Receive(m))
		s.lead.stir()
		if m.Shard == core.MetaShard && s.replica.Knows(core.MetaShard) {
			s.joined = true
		}
	case *core.Ack:
		s.kept.Store(true)
		s.took(s.replica.Receive(m))
	case core.Msg:
		s.took(s.replica.Receive(m))
	}
}

// attachRequest is the hello of a new link: for the session that was asked for at first, and from
// then on for the same one, whatever it is called by now.
func (s *Session) attachRequest() *proto.Attach {
	req := &proto.Attach{Session: s.opts.Label, Hello: *s.replica.Hello(), ID: s.replica.Session()}
	if m := s.replica.Meta(); m != nil && m.Label != "" {
		req.Session = m.Label // it may have been renamed
	}
	if !s.kept.Load() { // it may have gone with a daemon whose disk never had it
		req.Create, req.Dir = s.opts.Create || s.attached.Load(), s.opts.Dir
	}
	return req
}

// attach sends the hello of a new link. An answer that doesn't come ends the link.
func (s *Session) attach() {
	s.glimpse()
	conn := s.conn
	req := s.attachRequest()
	late := time.AfterFunc(AnswerTimeout, func() {
		conn.fail(unavailable("the daemon has not let us in for %v", AnswerTimeout))
	})
	_, err := conn.start(req, func(m *proto.Return, err error) {
		late.Stop()
		if err != nil {
			s.inbox.post(&rejected{conn, err})
			return
		}
		reply, ok := m.Reply.(*proto.Attached)
		if !ok {
			s.inbox.put(&rejected{conn, badReply(req, m.Reply)}, 0)
			return
		}
		s.inbox.put(&welcomed{reply}, 0) // by who reads
	})
	if err != nil {
		late.Stop()
	}
}

// glimpse asks for what the session's windows show, before the first attach, whose answer waits for
// the disk: a first frame needs nothing else. An error means that there is nothing to show yet.
func (s *Session) glimpse() {
	if s.opts.Lines == 0 || s.attached.Load() {
		return
	}
	req := &proto.Peek{Session: s.opts.Label, Lines: s.opts.Lines}
	_, _ = s.conn.start(req, func(m *proto.Return, err error) { // a link that is lost says so itself
		if err != nil {
			return
		}
		if reply, ok := m.Reply.(*proto.Peeked); ok {
			s.inbox.put(&glimpsed{reply.Views}, 0) // by who reads
		}
	})
}

// Lines returns what the windows' bodies showed when this client attached: see Options.Lines. The
// owner calls it.
func (s *Session) Lines() []proto.Lines { return s.lines }

// welcome takes in that the attachment is confirmed.
func (s *Session) welcome(m *proto.Attached) {
	if s.conn == nil {
		return // and gone again
	}
	s.attached.Store(true)
	if !m.Welcome.Unkept {
		s.kept.Store(true)
	}
	s.state.Unkept = m.Welcome.Unkept
	s.fresh.Store(true)
	s.draining.Store(false)
	s.joined = false
	s.lead.welcomed()
	s.state.Connected, s.state.Draining = true, false
	s.state.Since, s.state.Err = time.Now(), nil
	s.took(s.replica.Welcomed(&m.Welcome))
	s.event(Event{Kind: EventLink})
}

// rejected takes in that the daemon did not let us in. An attachment that it doesn't know any more
// is made anew; a session that has ended, and a client that may not, are over.
func (s *Session) rejected(m *rejected) {
	switch code := core.CodeOf(m.err); code {
	case core.CodeNotAttached:
		s.replica.Forget()
	case core.CodeDenied:
		if s.replica.Hello().Resume != nil {
			s.replica.Forget()
		} else {
			s.end(m.err)
		}
	case core.CodeNotFound, core.CodeBadRequest:
		s.end(m.err)
	}
	m.conn.fail(m.err)
}

// unlinked takes in that there is no link.
func (s *Session) unlinked(err error) {
	if core.CodeOf(err) == core.CodeNotAttached {
		s.replica.Forget()
	}
	s.conn, s.out, s.joined = nil, s.out[:0], false
	s.replica.Disconnected()
	if s.state.Ended {
		return
	}
	if core.CodeOf(err) == core.CodeNotFound {
		s.end(err)
		return
	}
	if s.state.Connected {
		s.state.Connected, s.state.Since = false, time.Now()
	}
	s.state.Err = err
	s.event(Event{Kind: EventLink, Err: err})
}

// end ends the attachment for good.
func (s *Session) end(err error) {
	if s.state.Ended {
		return
	}
	s.state.Ended, s.state.Err = true, err
	s.state.Connected = false
	s.stop()
	s.event(Event{Kind: EventEnded, Err: err})
}

package tuitest

import (
	"context"

	"apex/proto"
)

// Hold implements tui.Session. What is committed is applied at once: there is nothing to send.
func (s *Session) Hold() {}

// Send implements tui.Session. Requests are answered at once, or if Slow by Answer.
func (s *Session) Send(req proto.Request, answer func(proto.Reply, error)) error {
	if s.Slow {
		reply, err := s.Call(context.Background(), req)
		s.waiting = append(s.waiting, func() { answer(reply, err) })
		return nil
	}
	answer(s.Call(context.Background(), req))
	return nil
}

// Answer answers requests that were sent while Slow.
func (s *Session) Answer() {
	waiting := s.waiting
	s.waiting = nil
	for _, f := range waiting {
		f()
	}
}

// Remind implements tui.Session: the screen sees to it.
func (s *Session) Remind() { s.reminded = true }

// Flush implements tui.Session.
func (s *Session) Flush() {}

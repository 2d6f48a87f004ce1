package daemon

import "apex/core"

// localCall is a Local without an answer.
type localCall struct {
	answer chan core.Result
	client bool // it is a client's, who takes an answer for a promise that the disk holds it
}

// local makes a proposal on the daemon's own behalf and waits for its answer; the turn is not
// held. Every proposal is answered: by whoever leads, by the daemon when they do not in time, or
// when the session ends.
func (s *session) local(p core.Proposal) core.Result {
	s.mu.Lock()
	return s.await(p, false, false)
}

// ask is local for a client without an attachment, which takes its place behind what waits for the
// disk.
func (s *session) ask(p core.Proposal) core.Result {
	s.admit()
	return s.await(p, true, false)
}

// askBy is ask for who opens something.
func (s *session) askBy(by opener, p core.Proposal) core.Result {
	p.Author = by.Author
	s.admit()
	return s.await(p, !by.unkept, by.unkept)
}

// await makes a proposal in the turn that is held, ends the turn and waits for the answer.
func (s *session) await(p core.Proposal, client, unkept bool) core.Result {
	if s.ended {
		s.unlock()
		return core.Failed(errEnded)
	}
	answer := make(chan core.Result, 1)
	s.nextTag++
	tag := s.nextTag
	s.calls[tag] = localCall{answer, client}
	if p.Intent == (core.IntentID{}) {
		p.Intent = newIntent() // by which a leader's batch is known to answer it
	}
	s.address(&p)
	s.run(&core.Local{Tag: tag, Proposal: p, Unkept: unkept})
	s.unlock()
	return <-answer
}

// resolve answers a local proposal; the turn is held.
func (s *session) resolve(e *core.Resolved) {
	if c, waits := s.calls[e.Tag]; waits {
		c.answer <- e.Result
		delete(s.calls, e.Tag)
	}
}

// commitLocal does what the daemon does as a leader.
func (s *session) commitLocal(b core.Bundle) error { return s.commitBy(opener{}, b) }

// commitBy is commitLocal for who opens something.
func (s *session) commitBy(by opener, b core.Bundle) error {
	s.admit()
	defer s.unlock()
	if s.ended {
		return errEnded
	}
	if s.a.Failed() && (!by.unkept || s.a.NoRoom()) {
		return s.a.DiskRefuses()
	}
	r, err := s.a.CommitLocal(s.clock.now(), b)
	s.perform(r)
	return err
}

package client

import (
	"context"
	"crypto/rand"

	"apex/core"
)

// maxProposing bounds the proposals of one client that its owner has not taken in: more come only
// from a loop that waits for no answer.
const maxProposing = 4096

// proposing is a proposal on its way, and who waits for its result.
type proposing struct {
	proposal core.Proposal
	result   chan core.Result
}

// Propose asks whoever leads to make a change, and waits for the result, also over a lost link:
// the intent makes it safe to ask again, and that is done. A daemon that is busy is asked again when it
// says. A result that is an error is returned
// as one too. If the context ends first, the change may be made all the same. Any goroutine but
// the owner may call it.
func (s *Session) Propose(ctx context.Context, ask core.Ask) (core.Result, error) {
	return s.ProposeAs(ctx, core.Proposal{Ask: ask})
}

// ProposeAs is Propose with a proposal of which more than the Ask is given. Without an intent it
// gets one; its author is always this client.
func (s *Session) ProposeAs(ctx context.Context, p core.Proposal) (core.Result, error) {
	if p.Intent == (core.IntentID{}) {
		rand.Read(p.Intent[:])
	}
	late, _ := ctx.Deadline()
	return patiently(ctx, late, func() (core.Result, error) { return s.proposeOnce(ctx, p) })
}

func (s *Session) proposeOnce(ctx context.Context, p core.Proposal) (core.Result, error) {
	m := &proposing{p, make(chan core.Result, 1)}
	if err := s.enqueue(m); err != nil {
		return core.Result{}, err
	}
	select {
	case r := <-m.result:
		return checked(r)
	case <-ctx.Done():
		return core.Result{}, context.Cause(ctx)
	case <-s.over:
		return core.Result{}, unavailable("the session was closed")
	}
}

func (s *Session) enqueue(m *proposing) error {
	s.mu.Lock()
	waiting := s.waiting
	if waiting < maxProposing {
		s.waiting++
	}
	s.mu.Unlock()
	if waiting >= maxProposing {
		return core.Errorf(core.CodeBusy, "%d proposals are waiting", waiting)
	}
	s.inbox.post(m)
	return nil
}

// propose hands a proposal to the replica, as its owner.
func (s *Session) propose(m *proposing) {
	s.mu.Lock()
	s.waiting--
	s.mu.Unlock()
	if s.state.Ended {
		m.result <- core.Failed(s.state.Err)
		return
	}
	id, out := s.replica.Propose(m.proposal)
	s.proposing[id] = m
	s.took(out)
}

// Hand asks whoever leads a buffer for what a person did to it here, over lost links and until it is
// answered: an edit that no leader takes is kept in +Recovered. It is for the owner, who is told the
// result by Process. It counts as unsynced until then.
func (s *Session) Hand(ask core.Ask, done func(core.Result)) {
	p := core.Proposal{Ask: ask}
	rand.Read(p.Intent[:])
	propose := s.replica.Propose
	if _, edits := ask.(*core.AskEdit); edits {
		propose = s.replica.Hand
	}
	id, out := propose(p)
	s.handed[id] = done
	s.do(out)
}

// answered hands a result to who waits for it. One that nobody waits for is that of a recovery.
func (s *Session) answered(id uint64, r core.Result) {
	if done := s.handed[id]; done != nil {
		delete(s.handed, id)
		done(r)
		return
	}
	if m := s.proposing[id]; m != nil {
		delete(s.proposing, id)
		m.result <- r
		return
	}
	if r.Err != nil {
		s.event(Event{Kind: EventRecovered, Shard: r.Shard, Err: r.Err})
	}
}

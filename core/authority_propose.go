package core

import "slices"

// call is a proposal without an answer.
type call struct {
	askers   []asker // all who sent this intent; those who have gone are left out
	proposal Proposal
	shard    Shard
	unkept   bool // it is taken while the disk refuses

	number   uint64       // under which a leader was asked
	leader   AttachmentID // that was asked; 0 while it is held
	deadline Millis       // when a leader that has not answered is passed over
	here     bool         // the daemon itself is making the change
	said     Result       // by the leader, of a change whose batch follows
	await    *await       // an effect that has to end first
}

// asker is who waits for an answer.
type asker struct {
	conn ConnID // 0 for the daemon itself
	id   uint64 // the asker's number for it
	tag  uint64 // the daemon's own
}

// await is a command whose outcome answers a call.
type await struct {
	window WindowID
	at     Seq
	result Result
}

// propose routes a proposal to whoever leads its shard. The proposer never learns who that is.
func (a *Authority) propose(c *call) {
	c.shard = c.proposal.Ask.Target()
	if c.proposal.At == 0 {
		c.proposal.At = a.now
	}
	c.deadline = a.now + heldProposal
	same := a.sameCall(c)
	switch {
	case a.draining:
		a.turnAway(c, Errorf(CodeDraining, "the daemon is stopping"))
	case same != nil:
		same.askers = append(same.askers, c.askers...)
	case a.failed && c.unkept && !a.NoRoom():
		if !a.route(c) {
			a.calls = append(a.calls, c)
		}
	case a.failed && a.done(c):
		a.turnAway(c, Errorf(CodeUnavailable, "done before, but perhaps not on disk, which refuses"))
	case a.failed:
		a.turnAway(c, a.DiskRefuses())
	case len(a.calls) >= maxCalls:
		a.turnAway(c, Busy(busyRetry, "%d proposals are waiting", len(a.calls)))
	case a.crowds(c):
		a.turnAway(c, Busy(busyRetry, "%d proposals of this client are waiting", maxCallsEach))
	case !a.route(c):
		a.calls = append(a.calls, c)
	}
}

// crowds reports whether so many proposals of a client wait that the others need what room is left.
func (a *Authority) crowds(c *call) bool {
	if len(a.calls) < maxCallsEach || len(c.askers) == 0 || c.askers[0].conn == 0 {
		return false
	}
	n := 0
	for _, x := range a.calls {
		for _, w := range x.askers {
			if w.conn == c.askers[0].conn {
				n++
			}
		}
	}
	return n >= maxCallsEach
}

// turnAway answers a proposal that nothing was done about. The answer speaks of nothing that would
// have to be on disk first, and a disk that refuses must not hold it up.
func (a *Authority) turnAway(c *call, err *Error) {
	for _, w := range c.askers {
		if w.conn != 0 {
			a.now1(w.conn, &ProposeResult{w.id, Failed(err)})
		} else if w.tag != 0 {
			a.effect(&Resolved{w.tag, Failed(err)})
		}
	}
}

// sameCall returns the call that a proposal repeats while it waits: it is made once, and everybody
// who asked is answered.
func (a *Authority) sameCall(c *call) *call {
	if c.proposal.Intent == (IntentID{}) {
		return nil
	}
	for _, x := range a.calls {
		if x.proposal.Intent == c.proposal.Intent && x.shard == c.shard {
			return x
		}
	}
	return nil
}

// done reports whether a proposal repeats one that was made.
func (a *Authority) done(c *call) bool {
	sl, ok := a.shards[c.shard]
	if !ok || c.proposal.Intent == (IntentID{}) {
		return false
	}
	_, done := sl.Answered(c.proposal.Intent)
	return done
}

// Awaiting returns the tags of the Locals that wait for the outcome of the command that is recorded
// in a window at a place.
func (a *Authority) Awaiting(w WindowID, at Seq) []uint64 {
	var tags []uint64
	for _, c := range a.calls {
		if c.await == nil || c.await.window != w || c.await.at != at {
			continue
		}
		for _, x := range c.askers {
			if x.tag != 0 {
				tags = append(tags, x.tag)
			}
		}
	}
	return tags
}

// route takes a call one step further and reports whether it has been answered.
func (a *Authority) route(c *call) bool {
	sl, ok := a.shards[c.shard]
	if !ok {
		a.reply(c, Failed(Errorf(CodeNotFound, "no shard %v", c.shard)))
		return true
	}
	if why := a.frozen[c.shard]; why != "" {
		a.reply(c, Failed(Errorf(CodeReadOnly, "shard %v is read-only: %s", c.shard, why)))
		return true
	}
	l, leased := a.Meta().Lease(c.shard)
	if r, ok := a.before(c, sl, l); ok {
		if a.awaits(c, &r) {
			return false
		}
		a.reply(c, r)
		return true
	}
	switch {
	case !leased:
		a.reply(c, Failed(Errorf(CodeDenied, "shard %v takes no proposals", c.shard)))
		return true
	case l.Released:
		return false
	case l.Holder == Server:
		return a.evaluateHere(c)
	}
	if c.leader == l.Holder && a.connOf(l.Holder) != 0 {
		return false // asked already
	}
	c.leader, c.number = 0, 0
	if conn := a.connOf(l.Holder); conn != 0 && a.peer(conn).joined {
		a.nextCall++
		c.leader, c.number = l.Holder, a.nextCall
		c.deadline = a.now + heldProposal
		// After the disk, as the metalog is: a proposal may speak of a shard made just now.
		a.later1(conn, &Evaluate{c.number, c.proposal})
	}
	return false
}

// before decides what needs no evaluation: a repeated intent, and a fence.
func (a *Authority) before(c *call, sl *shardLog, l Lease) (Result, bool) {
	p := &c.proposal
	if p.Intent != (IntentID{}) {
		if d, ok := sl.Answered(p.Intent); ok {
			r := a.result(AlreadyDone, sl, d.First, d.Last)
			r.Version = d.Version
			return r, true
		}
	}
	if p.ExpectedEpoch != 0 && p.ExpectedEpoch < l.Epoch {
		return a.result(RejectedFence, sl, 0, 0), true
	}
	return Result{}, false
}

func (a *Authority) result(o Outcome, sl *shardLog, first, last Seq) Result {
	r := Result{Outcome: o, Shard: sl.Shard, First: first, Last: last}
	if l, ok := a.Meta().Lease(sl.Shard); ok {
		r.Epoch = l.Epoch
	}
	if b := sl.Buffer(); b != nil {
		r.Version = b.Version
	}
	return r
}

// evaluateHere answers a call as the shard's leader; false if it has to wait for an effect or for
// leases that are elsewhere.
func (a *Authority) evaluateHere(c *call) bool {
	b, r := a.evaluate(a, a, &c.proposal)
	if r.Err != nil || b.Empty() {
		a.reply(c, r)
		return true
	}
	target, err := a.stageBundle(&b)
	if err != nil {
		a.discard()
		if CodeOf(err) == CodeNotLeader && a.now < c.deadline {
			return false // a part is led by somebody else: for the time of a transfer
		}
		a.reply(c, Failed(err))
		return true
	}
	c.here = true
	a.commitStep()
	if target != nil {
		r.Shard, r.First, r.Last = target.Shard, target.First, target.Last()
		if l, ok := a.Meta().Lease(target.Shard); ok {
			r.Epoch = l.Epoch
		}
		if buf := a.Buffer(BufferID(target.Shard.ID)); target.Shard.Kind == KindBuffer && buf != nil {
			r.Version = buf.Version
		}
	}
	return a.applied(c, r, target)
}

// applied answers a call whose change was made; false if its answer is the outcome of an effect.
func (a *Authority) applied(c *call, r Result, b *Sealed) bool {
	x, runs := c.proposal.Ask.(*AskExec)
	if at := execIn(b); at != 0 && !(runs && x.NoWait) {
		c.await = &await{WindowID(b.Shard.ID), at, r}
		return false
	}
	a.reply(c, r)
	return true
}

// awaits reports whether a repeated proposal waits for the outcome of the command that it recorded
// the first time. If that has ended, r becomes its outcome: whoever lost the first answer, with the
// daemon perhaps, gets it. One whose outcome is no longer kept was done, and no more is known.
func (a *Authority) awaits(c *call, r *Result) bool {
	x, runs := c.proposal.Ask.(*AskExec)
	if !runs || x.NoWait || r.Outcome != AlreadyDone || r.Shard.Kind != KindWindow {
		return false
	}
	id := WindowID(r.Shard.ID)
	w := a.Window(id)
	if w == nil {
		return false
	}
	for _, run := range w.Runs {
		switch {
		case run.At < r.First || run.At > r.Last:
		case !run.Done:
			c.await = &await{id, run.At, *r}
			return true
		default:
			*r = outcome(*r, run.Code, run.Message)
		}
	}
	return false
}

// outcome is the answer to a command that has ended.
func outcome(r Result, code Code, message string) Result {
	if code != "" {
		return Result{Err: &Error{Code: code, Message: message}}
	}
	r.Message = message
	return r
}

// execIn returns the sequence number of the batch's Exec, 0 if it has none.
func execIn(b *Sealed) Seq {
	if b == nil {
		return 0
	}
	for i := range b.Ops {
		if k := b.Ops[i].Kind; k == OpExec || k == OpLayoutExec {
			return b.First + Seq(i)
		}
	}
	return 0
}

// settle answers the call whose intent a leader's batch carries.
func (a *Authority) settle(b *Sealed) {
	for i, c := range a.calls {
		if c.proposal.Intent != b.Intent || c.shard != b.Shard || c.await != nil || c.here {
			continue
		}
		sl, ok := a.shards[b.Shard]
		if !ok {
			return
		}
		r := a.result(Applied, sl, b.First, b.Last())
		if d, ok := sl.Answered(b.Intent); ok {
			r.Version = d.Version
		}
		r.Window, r.Message = c.said.Window, c.said.Message
		if a.applied(c, r, b) {
			a.calls = slices.Delete(a.calls, i, i+1)
		}
		return
	}
}

// settleExec answers the call that waits for a command's outcome.
func (a *Authority) settleExec(w WindowID, s *Status) {
	for i, c := range a.calls {
		if c.await == nil || c.await.window != w || c.await.at != s.Of {
			continue
		}
		a.reply(c, outcome(c.await.result, s.Code, s.Message))
		a.calls = slices.Delete(a.calls, i, i+1)
		return
	}
}

// answer takes a leader's answer to a proposal that it did not apply as such.
func (a *Authority) answer(p *peer, m *Answer) {
	for i, c := range a.calls {
		if c.number != m.Call || c.leader != p.att || c.await != nil {
			continue
		}
		if m.Follows {
			c.said = m.Result
			return
		}
		if m.Result.Err != nil && m.Result.Err.Code == CodeNotLeader && a.now < c.deadline {
			c.leader, c.number = 0, 0 // it has lost the lease: whoever has it next is asked
			return
		}
		r := m.Result
		if l, ok := a.Meta().Lease(c.shard); ok {
			r.Epoch = l.Epoch
		}
		a.calls = slices.Delete(a.calls, i, i+1)
		a.reply(c, r)
		return
	}
}

// retryCalls goes through the calls that wait: leases may have moved, deadlines passed.
func (a *Authority) retryCalls() {
	for _, c := range slices.Clone(a.calls) {
		if c.await != nil || !slices.Contains(a.calls, c) {
			continue // waits for an effect, or was answered by what another one did
		}
		if a.now >= c.deadline {
			a.passOver(c)
		}
		if a.route(c) {
			a.calls = slices.DeleteFunc(a.calls, func(x *call) bool { return x == c })
		}
	}
}

// passOver takes the leases from a leader that is gone or silent, so that the daemon can answer.
func (a *Authority) passOver(c *call) {
	l, ok := a.Meta().Lease(c.shard)
	if !ok || l.Holder == Server {
		return
	}
	m := a.Meta()
	epoch := m.NextEpoch(a.now)
	var ops []Op
	for _, x := range m.Leases {
		if x.Holder == l.Holder {
			a.unask(x.Shard)
			ops = append(ops, Of(&LeaseReclaim{x.Shard, Server, epoch, a.last(x.Shard)}))
		}
	}
	if err := a.stageMeta(ops...); err != nil {
		a.discard()
		return
	}
	a.commitStep()
}

// reply answers the askers. What was applied is told when it is durable; an answer never overtakes
// what it speaks of.
func (a *Authority) reply(c *call, r Result) {
	for _, w := range c.askers {
		switch {
		case w.conn != 0:
			a.later1(w.conn, &ProposeResult{w.id, r})
		case w.tag != 0:
			a.effect(&Resolved{w.tag, r})
		}
	}
}

package core

import "slices"

// timedLease is a tool's lease and until when it lasts, if it is not renewed. It is of no account
// any more once the lease is another's or has another epoch.
type timedLease struct {
	shard Shard
	by    AttachmentID
	epoch Epoch
	ttl   Millis
	until Millis
}

// mayTake returns why a client can't have leases, nil if it can. A tool may lease buffers, for a
// time; what a person arranges stays with people's interfaces and the daemon.
func (a *Authority) mayTake(p *peer, m *Take) *Error {
	switch {
	case p.kind == AttachObserver || a.draining:
		return Errorf(CodeDenied, "attachment %d takes no leases", p.att)
	case p.kind != AttachTool && m.TTL == 0:
		return nil
	case p.kind != AttachTool:
		return badf("a lease for %d ms is a tool's: an interface has it until it gives it back", m.TTL)
	}
	if err := CheckTTL(m.TTL); err != nil {
		return err
	}
	for _, s := range m.Shards {
		_, leased := a.Meta().Lease(s)
		switch {
		case !s.Kind.Leasable():
			return Errorf(CodeDenied, "shard %v is led by the daemon", s)
		case s.Kind != KindBuffer:
			return Errorf(CodeDenied, "shard %v: a tool leases buffers", s)
		case !leased:
			return Errorf(CodeNotFound, "no shard %v", s)
		case a.frozen[s] != "":
			return Errorf(CodeReadOnly, "shard %v is read-only: %s", s, a.frozen[s])
		}
	}
	return nil
}

// startTenure begins to count the time of a lease that was given to somebody who has it for a time.
func (a *Authority) startTenure(s Shard) {
	l, ok := a.Meta().Lease(s)
	if !ok {
		return
	}
	a.timed = slices.DeleteFunc(a.timed, func(t timedLease) bool { return t.shard == s })
	if ttl, ok := l.TTLOf(l.Holder); ok {
		a.timed = append(a.timed, timedLease{s, l.Holder, l.Epoch, ttl, a.now + ttl})
	}
}

// startTenures begins with the leases that were on record when the daemon came back.
func (a *Authority) startTenures() {
	for _, l := range a.Meta().Leases {
		a.startTenure(l.Shard)
	}
}

// renew takes in that a client is there: its leases last for their whole time again.
func (a *Authority) renew(at AttachmentID) {
	for i := range a.timed {
		if t := &a.timed[i]; t.by == at {
			t.until = a.now + t.ttl
		}
	}
}

// holds reports whether a timed lease is still what it was.
func (a *Authority) holds(t *timedLease) bool {
	l, ok := a.Meta().Lease(t.shard)
	return ok && l.Holder == t.by && l.Epoch == t.epoch && !l.Released
}

// lapseTenures takes back the leases whose time is up.
func (a *Authority) lapseTenures() {
	var ops []Op
	epoch := a.Meta().NextEpoch(a.now)
	kept := a.timed[:0]
	for _, t := range a.timed {
		if !a.holds(&t) {
			continue
		}
		next, over := lapse(a.now, t.until, t.ttl)
		if over {
			l, _ := a.Meta().Lease(t.shard)
			ops = append(ops, a.reclaimOp(l, epoch))
			continue
		}
		t.until = next
		kept = append(kept, t)
	}
	a.timed = kept
	a.stageLease(ops)
}

// Until returns when a tool's lease lapses if it is not renewed; not ok if no tool has it.
func (a *Authority) Until(s Shard) (Millis, bool) {
	for i := range a.timed {
		if t := &a.timed[i]; t.shard == s && a.holds(t) {
			return t.until, true
		}
	}
	return 0, false
}

// recall asks a tool to give a lease back, and takes it when it has not in time.
func (a *Authority) recall(s Shard) {
	l, ok := a.Meta().Lease(s)
	if !ok || !l.ToolHeld() || a.isAsked(s) {
		return
	}
	if c := a.connOf(l.Holder); c != 0 {
		a.asked = append(a.asked, askedLease{s, a.now + transferDeadline, l.Epoch})
		a.now1(c, &Asked{[]Shard{s}})
		return
	}
	a.stageLease([]Op{a.reclaimOp(l, a.Meta().NextEpoch(a.now))})
}

// nextLapse returns when the first of the timed leases is over.
func (a *Authority) nextLapse() (due Millis, ok bool) {
	for i := range a.timed {
		if t := &a.timed[i]; !ok || t.until < due {
			due, ok = t.until, true
		}
	}
	return due, ok
}

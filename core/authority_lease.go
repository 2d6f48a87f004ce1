package core

import "slices"

// askedLease is a lease that a connected holder was asked to release, and until when.
type askedLease struct {
	shard    Shard
	deadline Millis
	recalled Epoch // of the lease that is taken back though nobody waits for it; 0: none
}

// take asks for leases: at once where the daemon leads or the holder is gone, by transfer where
// the holder is there. All grants of one message are one batch.
func (a *Authority) take(p *peer, t *Take) {
	if err := a.mayTake(p, t); err != nil {
		if t.TTL == 0 { // older builds know no other answer
			a.now1(p.conn, &Refused{nil, err})
		} else {
			a.now1(p.conn, &NotTaken{t.Shards, err})
		}
		return
	}
	if a.veils(p.att) { // it would not hear of the grant
		a.now1(p.conn, &Refused{nil, Errorf(CodeReadOnly, "the disk refuses, and attachment %d takes "+
			"nothing until it has taken what was typed there (%s)", p.att, a.why)})
		return
	}
	m := a.Meta()
	epoch := m.NextEpoch(a.now)
	var ops []Op
	asks := map[ConnID][]Shard{}
	var holders []ConnID
	for _, s := range t.Shards {
		l, ok := m.Lease(s)
		holds := l.Holder == p.att && !l.Released
		if holds && t.TTL != 0 {
			ops = append(ops, Of(&LeaseTTL{s, p.att, t.TTL}))
		}
		waits := slices.Contains(l.Waiting, p.att)
		if !ok || holds || waits && a.isAsked(s) || a.frozen[s] != "" {
			continue
		}
		if t.TTL != 0 {
			ops = append(ops, Of(&LeaseTTL{s, p.att, t.TTL}))
		}
		holder := a.connOf(l.Holder)
		switch {
		case l.Holder == Server || l.Released:
			ops = append(ops, Of(&LeaseGrant{s, p.att, epoch, a.last(s)}))
		case holder == 0:
			ops = append(ops, Of(&LeaseReclaim{s, p.att, epoch, a.last(s)}))
		case t.TTL != 0 && l.ToolHeld(): // its time is its own, but for people
			ops = appendRequest(ops, waits, s, p.att)
		default: // who waits already has not been heard since a restart
			ops = appendRequest(ops, waits, s, p.att)
			a.asked = append(a.asked, askedLease{s, a.now + transferDeadline, 0})
			if asks[holder] == nil {
				holders = append(holders, holder)
			}
			asks[holder] = append(asks[holder], s)
		}
	}
	if !a.stageLease(ops) && len(ops) > 0 {
		return
	}
	defer a.askAgain(t.Shards) // for those who waited before it
	for _, h := range holders {
		a.now1(h, &Asked{asks[h]})
	}
}

// appendRequest adds the request of who does not wait already.
func appendRequest(ops []Op, waits bool, s Shard, by AttachmentID) []Op {
	if waits {
		return ops
	}
	return append(ops, Of(&LeaseRequest{s, by}))
}

// serveWaiting gives the leases that the daemon has to those who wait for them, and asks those who
// have not been asked for the others: a leader was passed over, or a restart forgot who was asked.
func (a *Authority) serveWaiting() {
	var ops []Op
	var shards []Shard
	epoch := a.Meta().NextEpoch(a.now)
	for _, l := range a.Meta().Leases {
		if len(l.Waiting) == 0 || a.frozen[l.Shard] != "" {
			continue
		}
		shards = append(shards, l.Shard)
		if to := a.nextHolder(l); l.Holder == Server && to != Server {
			ops = append(ops, Of(&LeaseGrant{l.Shard, to, epoch, a.last(l.Shard)}))
		}
	}
	a.stageLease(ops)
	a.askAgain(shards)
}

// stageLease commits lease ops; false if there are none or they don't apply.
func (a *Authority) stageLease(ops []Op) bool {
	if len(ops) == 0 {
		return false
	}
	if err := a.stageMeta(ops...); err != nil {
		a.discard()
		return false
	}
	a.commitStep()
	a.retryCalls()
	return true
}

// release gives leases up: each goes to the first who waits and is there, else to the daemon.
func (a *Authority) release(p *peer, shards []Shard) {
	m := a.Meta()
	epoch := m.NextEpoch(a.now)
	var ops []Op
	for _, s := range shards {
		l, ok := m.Lease(s)
		if !ok || l.Holder != p.att || l.Released {
			continue
		}
		at := a.last(s)
		ops = append(ops, Of(&LeaseRelease{s, at}), Of(&LeaseGrant{s, a.nextHolder(l), epoch, at}))
		a.unask(s)
	}
	a.stageLease(ops)
	a.askAgain(shards)
}

// nextHolder is who gets a lease: the first who waits and is connected, else the daemon.
func (a *Authority) nextHolder(l Lease) AttachmentID {
	for _, w := range l.Waiting {
		if a.connOf(w) != 0 {
			return w
		}
	}
	return Server
}

// askAgain passes the next request on to the new holders of shards.
func (a *Authority) askAgain(shards []Shard) {
	for _, s := range shards {
		l, ok := a.Meta().Lease(s)
		if !ok || l.Holder == Server || a.nextHolder(l) == Server || a.isAsked(s) {
			continue
		}
		if _, tool := l.TTLOf(a.nextHolder(l)); tool && l.ToolHeld() {
			continue // it waits for its turn
		}
		if c := a.connOf(l.Holder); c != 0 {
			a.asked = append(a.asked, askedLease{s, a.now + transferDeadline, 0})
			a.now1(c, &Asked{[]Shard{s}})
		}
	}
}

func (a *Authority) isAsked(s Shard) bool {
	return slices.ContainsFunc(a.asked, func(q askedLease) bool { return q.shard == s })
}

func (a *Authority) unask(s Shard) {
	a.asked = slices.DeleteFunc(a.asked, func(q askedLease) bool { return q.shard == s })
}

// reclaimOp takes a lease from its holder, for who waits or for the daemon.
func (a *Authority) reclaimOp(l Lease, epoch Epoch) Op {
	a.unask(l.Shard)
	return Of(&LeaseReclaim{l.Shard, a.nextHolder(l), epoch, a.last(l.Shard)})
}

// reclaimAll takes every lease that an attachment holds.
func (a *Authority) reclaimAll(at AttachmentID) {
	m := a.Meta()
	epoch := m.NextEpoch(a.now)
	var ops []Op
	for _, l := range m.Leases {
		if l.Holder == at {
			l = l.without(at)
			ops = append(ops, a.reclaimOp(l, epoch))
		}
	}
	a.stageLease(ops)
}

// yield takes the leases that others wait for from a holder that is gone.
func (a *Authority) yield(at AttachmentID) {
	m := a.Meta()
	epoch := m.NextEpoch(a.now)
	var ops []Op
	for _, l := range m.Leases {
		if l.Holder == at && a.nextHolder(l) != Server {
			ops = append(ops, a.reclaimOp(l, epoch))
		}
	}
	a.stageLease(ops)
}

// tick lets deadlines pass: transfers, grace times, held proposals, quiet shards.
func (a *Authority) tick() {
	a.reclaimLate()
	a.lapseTenures()
	a.checkDue()
	for _, o := range slices.Clone(a.offline) {
		if !a.failed && a.now >= o.since+a.grace(o.att) {
			a.detach(o.att, "not resumed in time")
		}
	}
	a.retryCalls()
	a.serveWaiting()
}

// reclaimLate fences the holders that did not release in time.
func (a *Authority) reclaimLate() {
	m := a.Meta()
	epoch := m.NextEpoch(a.now)
	var ops []Op
	var late []Shard
	for _, q := range slices.Clone(a.asked) {
		l, ok := m.Lease(q.shard)
		switch {
		case !ok || a.nextHolder(l) == Server && l.Epoch != q.recalled:
			a.unask(q.shard) // gone, or nobody waits any more
		case a.now >= q.deadline:
			ops = append(ops, a.reclaimOp(l, epoch))
			late = append(late, q.shard)
		}
	}
	a.stageLease(ops)
	a.askAgain(late)
}

func (a *Authority) grace(at AttachmentID) Millis {
	if x, ok := a.Meta().Attached(at); ok && x.Kind == AttachTool {
		return graceTool
	}
	return graceUI
}

// Deadline returns when the next Tick is due; not ok if nothing waits.
func (a *Authority) Deadline() (Millis, bool) {
	var due Millis
	ok := false
	at := func(t Millis) {
		if !ok || t < due {
			due, ok = t, true
		}
	}
	for _, q := range a.asked {
		at(q.deadline)
	}
	if t, ok := a.nextLapse(); ok {
		at(t)
	}
	for _, o := range a.offline {
		if !a.failed { // who could not be told that it is gone stays
			at(o.since + a.grace(o.att))
		}
	}
	if len(a.quiet) > 0 {
		at(a.quiet[0].at)
	}
	for _, c := range a.calls {
		if c.await == nil {
			at(c.deadline)
		}
	}
	return due, ok
}

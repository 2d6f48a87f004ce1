package core

import "slices"

// unkept is what the daemon has to know of its clients while the disk refuses.
//
// People's interfaces go on then, and new ones come: they are told at once what else waits for the
// disk, that they are attached and what the metalog says, since nobody can type without a lease. It
// is no promise (Welcome.Unkept): a client keeps everything that it has done until it is
// acknowledged, and brings it to the next daemon if this one dies.
//
// One thing would be taken for a promise all the same. The metalog tells whose lease was taken from
// it which of its entries the log has, and it drops those. So who is owed acknowledgements and has
// lost a lease hears of the metalog only when all is on disk, as at other times:
//
//  1. a1 types under its lease; the entries are in the log, and not on disk;
//  2. a2 takes the lease;
//  3. the daemon dies. If a1 had heard of 2, nobody would have what it typed in 1.
//
// Nor is who is owed acknowledgements let in again until then, if its link drops: it may hear that way of
// a lease that it lost, or of a bundle that can't be taken any more, and would recover what the log has
// but no disk.
//
// The zero value is good. It is cleared when nothing waits for the disk.
type unkept struct {
	appended map[AttachmentID]bool // has appended what may not be on disk
	// yielded has lost a lease to somebody else, or a shard that it led, by an entry that may not be on
	// disk.
	yielded map[AttachmentID]bool
}

// veils reports whether an attachment hears of the metalog only when all is on disk.
func (a *Authority) veils(at AttachmentID) bool {
	return a.failed && a.unkept.appended[at] && a.unkept.yielded[at]
}

// turnBack ends a connection whose client has to wait for the disk; it keeps what it has and comes
// again.
func (a *Authority) turnBack(c ConnID) {
	a.now1(c, &Failure{a.DiskRefuses()})
	a.effect(&CloseConn{c})
}

// clear makes it empty. It is what every key comes to: the tables stay.
func (u *unkept) clear() {
	clear(u.appended)
	clear(u.yielded)
}

func (u *unkept) noteAppended(at AttachmentID) {
	if u.appended == nil {
		u.appended = map[AttachmentID]bool{}
	}
	u.appended[at] = true
}

// noteYielded notes from whom batches that are about to be committed take leases.
func (u *unkept) noteYielded(before *Meta, batches []*Sealed) {
	for _, b := range batches {
		if b.Shard != MetaShard {
			continue
		}
		for i := range b.Ops {
			switch o := b.Ops[i].Body.(type) {
			case *LeaseGrant:
				u.yield(before, o.Shard, o.To)
			case *LeaseReclaim:
				u.yield(before, o.Shard, o.To)
			}
		}
	}
}

// yield notes that a lease goes to somebody, or its shard by them.
func (u *unkept) yield(before *Meta, s Shard, to AttachmentID) {
	l, ok := before.Lease(s)
	if !ok || l.Holder == Server || l.Holder == to {
		return
	}
	if u.yielded == nil {
		u.yielded = map[AttachmentID]bool{}
	}
	u.yielded[l.Holder] = true
}

// storeFailed takes in that the disk refuses. What waits for it of the metalog comes too late for
// those who may see it now: they get it whole.
func (a *Authority) storeFailed(why string) {
	a.why = why
	if a.failed {
		return
	}
	a.failed = true
	for _, p := range a.conns {
		for _, s := range p.follows {
			if s == MetaShard && !p.behind && a.unveiled(p) {
				a.subscribe(p, FollowShard{Shard: s})
			}
		}
	}
}

// unveiled reports whether a peer hears of the metalog although the disk refuses.
func (a *Authority) unveiled(p *peer) bool {
	return a.failed && !p.durableOnly() && !a.veils(p.att)
}

// unveil sends entries of the metalog while the disk refuses: at once to those who may have them.
func (a *Authority) unveil(s Send) {
	now, later := s, s
	now.To, later.To = nil, nil
	for _, c := range s.To {
		if p := a.peer(c); p != nil && a.unveiled(p) {
			now.To = append(now.To, c)
		} else {
			later.To = append(later.To, c)
		}
	}
	if len(now.To) > 0 {
		a.ready.SendNow = append(a.ready.SendNow, now)
	}
	if len(later.To) > 0 {
		a.later(later)
	}
}

// neverAttached reports whether a credential is not this history's, whatever of it the disk has.
func (a *Authority) neverAttached(c *Credential) bool {
	if c == nil {
		return false
	}
	_, there := a.Meta().Attached(c.ID)
	return there || c.ID >= a.Meta().NextAttach
}

// Unkept splits what of an earlier step's After the disk does not hold up any more once it is known to
// refuse: who attaches is let in, and told. News of the metalog that are out of date, since their
// receiver has got it whole, are left out. The rest still waits.
func (a *Authority) Unkept(x After) (now []Send, rest After) {
	rest.Effects = x.Effects
	for _, s := range x.Send {
		w, welcome := s.Msg.(*Welcome)
		switch {
		case welcome && !a.unkept.appended[w.Attachment]:
			told := *w
			told.Unkept = true
			s.Msg = &told
			now = append(now, s)
			continue
		case isMetaNews(s.Msg):
			s.To = slices.DeleteFunc(slices.Clone(s.To), func(c ConnID) bool {
				p := a.peer(c)
				return p != nil && a.unveiled(p)
			})
		}
		if len(s.To) > 0 {
			rest.Send = append(rest.Send, s)
		}
	}
	return now, rest
}

func isMetaNews(m Msg) bool {
	switch m := m.(type) {
	case *Deliver:
		return m.Batches[0].Shard == MetaShard
	case *Snapshot:
		return m.State.Shard == MetaShard
	case *CaughtUp:
		return m.Shard == MetaShard
	}
	return false
}

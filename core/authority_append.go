package core

import "slices"

// append takes what a leader did: all of the message or none of it.
func (a *Authority) append(p *peer, m *Append) {
	if a.draining {
		return // unacknowledged: the client sends it again to the next daemon
	}
	if a.NoRoom() {
		a.refuse(p, m, Errorf(CodeReadOnly, "the disk refuses and %d bytes wait for it", a.unstored))
		return
	}
	fresh, again := a.split(m)
	if err := a.admitAll(p, m, fresh); err != nil {
		a.discard()
		a.refuse(p, m, err)
		return
	}
	a.commitStep()
	a.unkept.noteAppended(p.att)
	for _, s := range m.New {
		if _, has := a.shards[s]; has {
			a.followOwn(p, s)
		}
	}
	if heads := heads(append(again, fresh...)); len(heads) > 0 {
		a.later1(p.conn, &Ack{heads})
	}
}

// split separates batches that the log already holds, sent again after a resume: they are
// acknowledged again.
func (a *Authority) split(m *Append) (fresh, again []*Sealed) {
	for _, b := range m.Batches {
		if sl, ok := a.shards[b.Shard]; ok && sl.has(b) {
			b.Chain = sl.chainAt(b.Last())
			again = append(again, b)
		} else {
			fresh = append(fresh, b)
		}
	}
	return fresh, again
}

func (l *shardLog) chainAt(s Seq) Hash {
	for i := len(l.tail) - 1; i >= 0; i-- {
		if l.tail[i].Last() == s {
			return l.tail[i].Chain
		}
	}
	return Hash{}
}

func (a *Authority) admitAll(p *peer, m *Append, batches []*Sealed) error {
	if p.kind == AttachObserver {
		return Errorf(CodeDenied, "an observer appends nothing")
	}
	if err := a.createFor(p, m.New); err != nil {
		return err
	}
	for _, b := range batches {
		if err := a.admit(p, b); err != nil {
			return err
		}
	}
	return a.stageDeletes(m.Del, p.att)
}

// createFor makes shards for a client: led by it from the first entry, at the epoch that Welcome
// named. They belong to a layout, so who makes them leads it.
func (a *Authority) createFor(p *peer, shards []Shard) error {
	at, _ := a.step.meta().Attached(p.att)
	var ops []Op
	for _, s := range shards {
		if s.ID.Creator() != p.att {
			return Errorf(CodeDenied, "shard %v: made by attachment %d", s, p.att)
		}
		if a.Meta().Has(s) && a.Meta().Leads(p.att, s) {
			continue // made before the link dropped
		}
		if s.ID.Counter() < at.Next && !a.Meta().Has(s) {
			return Errorf(CodeNotFound, "shard %v was deleted", s)
		}
		if !s.Kind.Leasable() {
			return Errorf(CodeDenied, "shard %v is not a client's to make", s)
		}
		ops = append(ops, Of(&ShardNew{s, p.att, at.Epoch}))
		a.step.create(s)
	}
	if len(ops) == 0 {
		return nil
	}
	if !a.step.meta().Leads(p.att, LayoutShard) {
		return Errorf(CodeFenced, "shards are made by who leads the layout")
	}
	return a.stageMeta(ops...)
}

func (a *Authority) admit(p *peer, b *Sealed) error {
	st, ok := a.step.state(b.Shard)
	if !ok {
		return Errorf(CodeNotFound, "no shard %v", b.Shard)
	}
	if why := a.frozen[b.Shard]; why != "" {
		return Errorf(CodeReadOnly, "shard %v is read-only: %s", b.Shard, why)
	}
	if b.Attachment != p.att {
		return Errorf(CodeDenied, "batch of attachment %d sent by %d", b.Attachment, p.att)
	}
	if b.Author.Attachment == p.att && b.Author.Actor != p.actor {
		return Errorf(CodeDenied, "batch signed %q by %q", b.Author.Actor, p.actor)
	}
	var lease *Lease
	if l, ok := a.step.meta().Lease(b.Shard); ok {
		lease = &l
	}
	if err := Admit(lease, st.Mark.Seq, &b.Batch); err != nil {
		return err
	}
	return a.step.apply(b)
}

// refuse says that a message had no effect. What was refused although its sender leads would
// leave a gap for everything after it, so the daemon takes those leases back: the client takes
// snapshots and sends its tail through recovery. What the message was to make is told apart: it
// exists nowhere else.
func (a *Authority) refuse(p *peer, m *Append, err error) {
	var shards, unmade []Shard
	var ops []Op
	meta := a.Meta()
	epoch := meta.NextEpoch(a.now)
	seen := map[Shard]bool{}
	for _, b := range m.Batches {
		if seen[b.Shard] {
			continue
		}
		seen[b.Shard] = true
		l, ok := meta.Lease(b.Shard)
		switch {
		case !meta.Has(b.Shard):
			unmade = append(unmade, b.Shard)
			continue
		case ok && l.Holder == p.att:
			ops = append(ops, a.reclaimOp(l, epoch))
		}
		shards = append(shards, b.Shard)
	}
	if len(unmade) > 0 {
		// A deletion that a crash undoes did not happen: what is in the shard's log is there again.
		a.later1(p.conn, &Refused{unmade, Errorf(CodeNotFound, "not made: %v", err)})
	}
	code := CodeOf(err)
	if code == CodeNotFound { // of another part: these are there, and are taken back
		code = CodeFenced
	}
	a.now1(p.conn, &Refused{shards, &Error{Code: code, Message: err.Error()}})
	if len(ops) > 0 {
		if err := a.stageMeta(ops...); err != nil {
			a.discard()
			return
		}
		a.commitStep()
		a.retryCalls()
	}
}

// followOwn enters the maker of a shard as its follower: whoever leads next, it goes on from what
// it made.
func (a *Authority) followOwn(p *peer, s Shard) {
	if slices.Contains(p.follows, s) {
		return
	}
	p.follows = append(p.follows, s)
	if !p.behind {
		a.enter(p, s)
	}
}

// heads returns the last mark of each shard in batches, in the order of their first appearance.
func heads(batches []*Sealed) []Head {
	var out []Head
next:
	for _, b := range batches {
		for i := range out {
			if out[i].Shard == b.Shard {
				if b.Last() > out[i].Mark.Seq {
					out[i].Mark = b.Mark()
				}
				continue next
			}
		}
		out = append(out, Head{b.Shard, b.Mark()})
	}
	return out
}

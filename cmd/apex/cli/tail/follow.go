package tail

import (
	"slices"

	"apex/core"
	"apex/proto"
)

// attach attaches as a tool and returns the shards' marks.
func (t *Tail) attach(l *link) ([]core.Head, error) {
	reply, err := l.call(&proto.Attach{Session: t.opts.Session,
		Hello: core.Hello{Kind: core.AttachTool, Name: "apex follow", Actor: t.opts.Actor}})
	if err != nil {
		return nil, err
	}
	a, ok := reply.(*proto.Attached)
	switch {
	case !ok:
		return nil, core.Errorf(core.CodeInternal, "reply %T to attach", reply)
	case t.begun && a.Welcome.Session != t.id:
		return nil, core.Errorf(core.CodeNotFound, "session %q is another one now", t.opts.Session)
	}
	t.id = a.Welcome.Session
	return a.Welcome.Heads, nil
}

// follow follows the shards that there are, reads what came before, and takes in what comes.
func (t *Tail) follow(l *link, heads []core.Head) error {
	if err := t.subscribe(l, heads); err != nil {
		return err
	}
	for _, h := range heads {
		if err := t.catchUp(l, h); err != nil {
			return err
		}
	}
	t.begun = true
	for {
		m, err := l.receive()
		if err != nil {
			return err
		}
		if err := t.take(l, m); err != nil {
			return err
		}
		if len(l.queue) == 0 && len(l.dropped) > 0 {
			if err := t.makeUp(l); err != nil {
				return err
			}
		}
		if l.idle() {
			if err := t.sink.Flush(); err != nil {
				return err
			}
		}
	}
}

// subscribe asks for what comes after the marks: of the wanted shards, and of the metalog, which
// tells of new ones.
func (t *Tail) subscribe(l *link, heads []core.Head) error {
	for _, s := range t.opts.Shards {
		known := slices.ContainsFunc(heads, func(h core.Head) bool { return h.Shard == s })
		if !known && t.next[s] == 0 {
			return core.Errorf(core.CodeNotFound, "no shard %v", s)
		}
	}
	f := &core.Follow{}
	for _, h := range heads {
		wanted := t.wants(h.Shard)
		if !wanted && h.Shard != core.MetaShard {
			continue
		}
		f.Shards = append(f.Shards, core.FollowShard{Shard: h.Shard, From: &h.Mark})
		switch {
		case t.next[h.Shard] != 0: // as before the link was lost
		case t.begun || wanted && t.opts.From > 0:
			t.next[h.Shard] = max(t.opts.From, 1)
		default:
			t.next[h.Shard] = h.Mark.Seq + 1
		}
	}
	return l.send(f)
}

// take takes in one message.
func (t *Tail) take(l *link, m proto.Message) error {
	switch m := m.(type) {
	case *core.Deliver:
		for _, b := range m.Batches {
			if err := t.batch(l, b); err != nil {
				return err
			}
		}
	case *core.CaughtUp:
		return t.catchUp(l, core.Head{Shard: m.Shard, Mark: m.Mark})
	case *core.Refused: // it was deleted before it could be followed
		for _, s := range m.Shards {
			if err := t.rest(l, s); err != nil {
				return err
			}
		}
	case *core.Draining:
		t.sink.Notice("the daemon is stopping")
	}
	return nil
}

// batch takes in a batch that came live.
func (t *Tail) batch(l *link, b *core.Sealed) error {
	next, followed := t.next[b.Shard]
	if !followed || b.Last() < next {
		return nil
	}
	if b.First > next {
		if err := t.read(l, b.Shard, b.First-1); err != nil {
			return err
		}
	}
	return t.give(l, b)
}

// give hands over a batch that continues where the shard is, or overlaps it.
func (t *Tail) give(l *link, b *core.Sealed) error {
	if t.wants(b.Shard) {
		if err := t.sink.Batch(b, t.next[b.Shard]); err != nil {
			return err
		}
	}
	t.next[b.Shard] = b.Last() + 1
	if b.Shard == core.MetaShard {
		return t.meet(l, &b.Batch)
	}
	return nil
}

// meet follows the shards that a batch of the metalog makes.
func (t *Tail) meet(l *link, b *core.Batch) error {
	f := &core.Follow{}
	for i := range b.Ops {
		o, ok := b.Ops[i].Body.(*core.ShardNew)
		if ok && t.wants(o.Shard) && t.next[o.Shard] == 0 {
			t.next[o.Shard] = max(t.opts.From, 1)
			f.Shards = append(f.Shards, core.FollowShard{Shard: o.Shard})
		}
	}
	if len(f.Shards) == 0 {
		return nil
	}
	return l.send(f)
}

// catchUp reads what is missing up to a shard's mark.
func (t *Tail) catchUp(l *link, h core.Head) error {
	if next, followed := t.next[h.Shard]; !followed || next > h.Mark.Seq {
		return nil
	}
	return t.read(l, h.Shard, h.Mark.Seq)
}

// makeUp reads what was dropped because too much arrived at once. A shard that was dropped from is
// whole again when the log has been read up to where the dropping went.
func (t *Tail) makeUp(l *link) error {
	dropped := l.dropped
	l.dropped = map[core.Shard]core.Seq{}
	shards := make([]core.Shard, 0, len(dropped))
	for s := range dropped {
		shards = append(shards, s)
	}
	slices.SortFunc(shards, core.Shard.Compare)
	for _, s := range shards {
		if err := t.catchUp(l, core.Head{Shard: s, Mark: core.Mark{Seq: dropped[s]}}); err != nil {
			return err
		}
	}
	return nil
}

// rest reads all that the log has of a shard that is gone.
func (t *Tail) rest(l *link, s core.Shard) error {
	if _, followed := t.next[s]; !followed {
		return nil
	}
	err := t.read(l, s, 0)
	if core.CodeOf(err) == core.CodeNotFound {
		return nil
	}
	return err
}

// read reads a shard's log up to a number, 0 for all there is.
func (t *Tail) read(l *link, s core.Shard, upTo core.Seq) error {
	for upTo == 0 || t.next[s] <= upTo {
		reply, err := l.call(&proto.Log{Session: t.opts.Session, Shard: proto.Shard(s),
			From: t.next[s]})
		if err != nil {
			return err
		}
		got, ok := reply.(*proto.Logged)
		if !ok {
			return core.Errorf(core.CodeInternal, "reply %T to log", reply)
		}
		if len(got.Batches) == 0 {
			return t.gap(s, max(upTo, got.Last))
		}
		for _, x := range got.Batches {
			if err := t.stored(l, x.Batch, upTo); err != nil {
				return err
			}
		}
		if upTo == 0 && !got.More {
			return nil
		}
	}
	return nil
}

// stored takes in a batch that was read, unless it is beyond what was wanted: that comes live.
func (t *Tail) stored(l *link, b *core.Sealed, upTo core.Seq) error {
	if upTo != 0 && b.First > upTo {
		return t.gap(b.Shard, upTo)
	}
	if err := t.gap(b.Shard, b.First-1); err != nil || b.Last() < t.next[b.Shard] {
		return err
	}
	return t.give(l, b)
}

// gap tells of entries from the next one up to a number that are no longer kept, if there are any.
func (t *Tail) gap(s core.Shard, upTo core.Seq) error {
	first := t.next[s]
	if upTo < first {
		return nil
	}
	t.next[s] = upTo + 1
	if !t.wants(s) {
		return nil
	}
	return t.sink.Gap(s, first, upTo)
}

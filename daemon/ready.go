package daemon

import (
	"slices"

	"apex/core"
	"apex/core/edit"
	"apex/proto"
)

// perform does what a step wants: store, send, and what has to wait until it is durable. The turn
// is held.
func (s *session) perform(r core.Ready) {
	if r.Store != nil {
		s.watching.due = s.watching.due || renames(r.Store)
		s.store(r.Store)
	}
	for _, x := range r.SendNow {
		s.send(x)
	}
	after := r.AfterStore
	if s.a.Failed() {
		after = s.refusals(after)
	}
	switch {
	case len(after.Send)+len(after.Effects) == 0:
	case s.settled():
		s.after(after)
	default:
		s.waiting = append(s.waiting, due{s.last, after})
	}
}

// settled reports whether nothing waits for the disk; the turn is held.
func (s *session) settled() bool {
	return s.durable >= s.last && len(s.waiting) == 0 && !s.gated
}

func (s *session) after(a core.After) {
	for _, x := range a.Send {
		s.send(x)
	}
	for _, e := range a.Effects {
		s.effect(e)
	}
}

// refusals tells at once what needs no disk: while the disk refuses, nobody waits for it to be
// told no, or that a change is not kept so far. The rest is returned.
func (s *session) refusals(a core.After) (rest core.After) {
	now, a := s.a.Unkept(a)
	for _, x := range now {
		s.send(x)
	}
	for _, x := range a.Send {
		if m, ok := x.Msg.(*core.ProposeResult); ok && m.Result.Err != nil {
			s.send(x)
		} else {
			rest.Send = append(rest.Send, x)
		}
	}
	for _, e := range a.Effects {
		switch e := e.(type) {
		case *core.Resolved:
			s.resolve(s.unkept(e))
			continue
		case *core.CloseConn, *core.Differs:
			s.effect(e)
			continue
		case *core.RunExec:
			if isPut(e.Exec.Command) || isKill(e.Exec.Command) {
				s.effect(e)
				continue
			}
			s.answer(e, core.Failed(s.notKept("recorded, to be done when it is stored")))
		}
		rest.Effects = append(rest.Effects, e)
	}
	return rest
}

// effect does what a step wants done in the world; the turn is held.
func (s *session) effect(e core.Effect) {
	switch e := e.(type) {
	case *core.Resolved:
		s.resolve(e)
	case *core.HashState:
		s.hashLater(e)
	case *core.Differs:
		s.differs(e)
	case *core.CloseConn:
		if c := s.conn(e.Conn); c != nil {
			c.out.finish()
		}
	case *core.RunExec:
		if s.ended {
			return // the next start finds that its outcome is unknown
		}
		switch p, runs := edit.ParseProgram(e.Exec.Command); {
		case runs:
			s.goRun(e, p)
		case isKill(e.Exec.Command):
			s.goKill(e)
		default:
			s.lanes.run(e.Exec.Buffer, func() { s.runExec(e) })
		}
	}
}

// send queues a message for its connections, encoded once; the turn is held.
func (s *session) send(x core.Send) {
	switch m := x.Msg.(type) {
	case *core.Welcome:
		s.welcome(x.To[0], m)
		return
	case *core.Failure:
		if s.failAttach(x.To[0], m.Err) {
			return
		}
	}
	items := s.encode(x.Msg)
	for _, id := range x.To {
		c := s.conn(id)
		if c == nil || id == x.Except {
			continue
		}
		for _, it := range items {
			if c.out.put(it) {
				s.run(&core.Overflowed{Conn: id})
				c.out.told()
			}
		}
		s.touch(c)
	}
}

// encode makes the items of a message.
func (s *session) encode(m core.Msg) []item {
	switch m := m.(type) {
	case *core.Snapshot:
		it := item{snapshot: &m.State, class: entry, shard: m.State.Shard}
		if !it.shard.Kind.Journaled() {
			it.class = screen
		}
		return []item{it}
	case *core.Deliver:
		if !m.Batches[0].Shard.Kind.Journaled() {
			return s.change(m)
		}
		var out []item
		for rest := m.Batches; len(rest) > 0; {
			n := proto.DeliverFits(rest)
			out = append(out, s.frame(&core.Deliver{Batches: rest[:n]},
				item{class: entry, shard: rest[0].Shard, news: true})...)
			rest = rest[n:]
		}
		return out
	case *core.CaughtUp: // goes with the snapshot before it, and is dropped with it
		return s.frame(m, item{class: entry, shard: m.Shard})
	case *core.Evaluate:
		return s.frame(m, item{class: bulk})
	case *core.Resync:
		return s.frame(m, item{class: control, barrier: true})
	}
	return s.frame(m, item{class: control})
}

// change makes the item of a change of a terminal, which may be left out for the state that it
// leads to. Changes that no frame holds together are, at once.
func (s *session) change(m *core.Deliver) []item {
	shard := m.Batches[0].Shard
	st, ok := s.a.State(shard)
	if !ok {
		return nil // deleted in the same step
	}
	it := item{class: screen, shard: shard, state: &st}
	if proto.DeliverFits(m.Batches) < len(m.Batches) {
		it.snapshot, it.state = &st, nil
		return []item{it}
	}
	return s.frame(m, it)
}

// frame puts a message's bytes into an item. One that can't be encoded is not sent: it is an
// Evaluate longer than a frame, whose proposal the daemon makes itself when the leader has not
// answered in time.
func (s *session) frame(m proto.Message, it item) []item {
	frame, err := proto.Append(nil, m)
	if err != nil {
		s.log.Error("message not encoded", "err", err)
		return nil
	}
	it.frame = frame
	return []item{it}
}

func (s *session) conn(id core.ConnID) *conn {
	i, ok := slices.BinarySearchFunc(s.conns, id, compareConn)
	if !ok {
		return nil
	}
	return s.conns[i]
}

func compareConn(c *conn, id core.ConnID) int { return int(int64(c.id) - int64(id)) }

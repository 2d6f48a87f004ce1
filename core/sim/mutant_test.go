package sim

import (
	"bytes"
	"slices"
	"testing"

	"apex/core"
)

// mutants are systems with one promise broken, each at a border of the honest one. The simulator
// must catch every one within maxMutantSeeds seeds: a check that no mutant needs may check nothing.
var mutants = []struct {
	name   string
	mutate func(*World)
}{
	{"acknowledge before store", func(w *World) { w.hooks.ready = early[*core.Ack] }},
	{"answer a proposal before store", func(w *World) { w.hooks.ready = early[*core.ProposeResult] }},
	{"tell of leases before store", func(w *World) { w.hooks.ready = early[*core.Deliver] }},
	{"welcome before store", func(w *World) { w.hooks.ready = early[*core.Welcome] }},
	{"begin a command before store", effectsEarly},
	{"no admit", noAdmit},
	{"epochs forgotten by a restart", epochsForgotten},
	{"chain not checked on resume", chainNotChecked},
	{"batch half applied", halfApplied},
	{"record half stored", func(w *World) { w.Disk.tear = halfRecord }},
	{"a record in the middle lost", func(w *World) { w.Disk.tear = middleLost }},
	{"replay repeats effects", repeatEffects},
	{"gap stitched", gapStitched},
	{"intents forgotten", intentsForgotten},
	{"a lost batch acknowledged", lostAcknowledged},
	{"a fenced tail dropped", tailDropped},
	{"a tail cut anew", tailCut},
	{"a bundle cut in two", bundleCut},
	{"lost entries resent to nobody", deliveryLost},
	{"chain of terminals not checked", termNotChecked},
	{"who is owed an acknowledgement told of its lost lease", unveiled},
	{"an op is impure", impureAtObservers},
}

const maxMutantSeeds = 1000

func TestMutants(t *testing.T) {
	for _, m := range mutants {
		t.Run(m.name, func(t *testing.T) {
			for seed := uint64(1); seed <= maxMutantSeeds; seed++ {
				if _, err := runWith(seed, Options{}, m.mutate); err != nil {
					t.Logf("caught by seed %d: %v", seed, err)
					return
				}
			}
			t.Errorf("not caught by %d seeds", maxMutantSeeds)
		})
	}
}

// early sends messages of one kind without waiting for the disk.
func early[M core.Msg](r *core.Ready) {
	var after []core.Send
	for _, s := range r.AfterStore.Send {
		if _, ok := s.Msg.(M); ok {
			r.SendNow = append(r.SendNow, s)
		} else {
			after = append(after, s)
		}
	}
	r.AfterStore.Send = after
}

func effectsEarly(w *World) {
	w.hooks.ready = func(r *core.Ready) {
		for _, e := range r.AfterStore.Effects {
			w.effect(e)
		}
		r.AfterStore.Effects = nil
	}
}

// noAdmit stores what a fenced leader sends.
func noAdmit(w *World) {
	w.hooks.up = func(l *link, m core.Msg) core.Msg {
		a, ok := m.(*core.Append)
		if !ok {
			return m
		}
		for _, b := range a.Batches {
			if held, ok := w.Auth.Meta().Lease(b.Shard); ok && held.Epoch != b.Epoch {
				b.Chain = chain(w.Disk.Ledger.log(b.Shard).chain, b.Bytes)
				w.Disk.take([]*core.Sealed{b})
				return nil
			}
		}
		return m
	}
}

// unveiled tells every interface of the metalog while the disk refuses, also those that drop what
// they are not acknowledged when they hear whose lease the log has it under.
func unveiled(w *World) {
	w.hooks.ready = func(r *core.Ready) {
		if !w.Disk.Failed {
			return
		}
		var after []core.Send
		for _, s := range r.AfterStore.Send {
			d, ok := s.Msg.(*core.Deliver)
			if ok && d.Batches[0].Shard == core.MetaShard && !w.anyTool(s.To) {
				r.SendNow = append(r.SendNow, s)
			} else {
				after = append(after, s)
			}
		}
		r.AfterStore.Send = after
	}
}

func (w *World) anyTool(conns []core.ConnID) bool {
	return slices.ContainsFunc(conns, func(c core.ConnID) bool {
		l := w.link(c)
		return l != nil && l.client != nil && l.client.Kind == core.AttachTool
	})
}

func epochsForgotten(w *World) {
	w.Disk.worn = func(s *core.ShardState) {
		if m := s.Meta(); m != nil {
			m.MaxEpoch = 0
		}
	}
}

// chainNotChecked lets a client go on from any mark whose number the log has.
func chainNotChecked(w *World) {
	w.hooks.up = func(l *link, m core.Msg) core.Msg {
		f, ok := m.(*core.Follow)
		if !ok {
			return m
		}
		out := &core.Follow{}
		for _, s := range f.Shards {
			if g := w.Disk.Ledger.logs[s.Shard]; s.From != nil && g != nil {
				if c, ok := g.marks[s.From.Seq]; ok {
					s.From = &core.Mark{Seq: s.From.Seq, Chain: c}
				}
			}
			out.Shards = append(out.Shards, s)
		}
		return out
	}
	w.hooks.down = func(l *link, m core.Msg) core.Msg {
		c, ok := m.(*core.CaughtUp)
		if !ok || l.client == nil {
			return m
		}
		if st, ok := l.client.R.State(c.Shard); ok && st.Mark.Seq == c.Mark.Seq {
			return &core.CaughtUp{Shard: c.Shard, Mark: st.Mark}
		}
		return m
	}
}

// halfApplied loses the selection of a batch that also edits, at one follower.
func halfApplied(w *World) {
	w.hooks.down = func(l *link, m core.Msg) core.Msg {
		d, ok := m.(*core.Deliver)
		if !ok {
			return m
		}
		for _, b := range d.Batches {
			if n := len(b.Ops); n > 1 && b.Ops[n-1].Kind == core.OpSelect {
				b.Ops = append([]core.Op(nil), b.Ops...)
				b.Ops[n-1].Q0, b.Ops[n-1].Q1 = 0, 0
			}
		}
		return m
	}
}

// halfRecord keeps the first batch of a record that a crash tears.
func halfRecord(lost [][]*core.Sealed) [][]*core.Sealed {
	if len(lost) > 0 && len(lost[0]) > 1 {
		return [][]*core.Sealed{lost[0][:1]}
	}
	return nil
}

// middleLost keeps a record after one that is lost.
func middleLost(lost [][]*core.Sealed) [][]*core.Sealed {
	if len(lost) > 1 {
		return lost[1:2]
	}
	return nil
}

func repeatEffects(w *World) {
	w.hooks.restart = func() {
		for _, s := range w.Auth.Meta().Shards {
			win := w.Auth.Window(core.WindowID(s.ID))
			if s.Kind != core.KindWindow || win == nil {
				continue
			}
			for _, r := range win.Runs {
				w.effect(&core.RunExec{Window: core.WindowID(s.ID), At: r.At, Author: r.Author, Exec: r.Exec})
			}
		}
	}
}

// gapStitched loses a batch on its way to one client and renumbers what follows.
func gapStitched(w *World) {
	type at struct {
		conn  core.ConnID
		shard core.Shard
	}
	lost := map[at]core.Seq{}
	w.hooks.down = func(l *link, m core.Msg) core.Msg {
		d, ok := m.(*core.Deliver)
		if !ok || d.Batches[0].Shard.Kind != core.KindBuffer {
			return m
		}
		k := at{l.conn, d.Batches[0].Shard}
		if _, has := lost[k]; !has && w.Count.Steps%7 == 0 {
			lost[k] = core.Seq(len(d.Batches[0].Ops))
			d.Batches = d.Batches[1:]
		}
		for _, b := range d.Batches {
			b.First -= min(lost[k], b.First-1)
		}
		return m
	}
}

// intentsForgotten makes every proposal that arrives a new one.
func intentsForgotten(w *World) {
	n := byte(0)
	w.hooks.up = func(l *link, m core.Msg) core.Msg {
		if p, ok := m.(*core.Propose); ok {
			n++
			p.Proposal.Intent[0] ^= n
		}
		return m
	}
}

// lostAcknowledged welcomes a client with the marks that it has itself.
func lostAcknowledged(w *World) {
	w.hooks.down = func(l *link, m core.Msg) core.Msg {
		welcome, ok := m.(*core.Welcome)
		if !ok || l.client == nil {
			return m
		}
		out := *welcome
		out.Heads = nil
		for _, h := range welcome.Heads {
			if st, ok := l.client.R.State(h.Shard); ok {
				h.Mark = st.Mark
			}
			out.Heads = append(out.Heads, h)
		}
		return &out
	}
}

// tailDropped answers what fenced leaders hand over, and forgets it.
func tailDropped(w *World) {
	w.hooks.up = func(l *link, m core.Msg) core.Msg {
		p, ok := m.(*core.Propose)
		if !ok {
			return m
		}
		if a, ok := p.Proposal.Ask.(*core.AskEdit); ok && a.OnConflict == core.ConflictRecover {
			l.down = append(l.down, &core.ProposeResult{ID: p.ID,
				Result: core.Result{Outcome: core.Superseded}})
			return nil
		}
		return m
	}
}

// tailCut makes two batches of one whose acknowledgement did not arrive.
func tailCut(w *World) {
	w.hooks.up = func(l *link, m core.Msg) core.Msg {
		a, ok := m.(*core.Append)
		if !ok {
			return m
		}
		var out []*core.Sealed
		for _, b := range a.Batches {
			if n := len(b.Ops); n < 2 || b.Shard.Kind != core.KindBuffer || b.First == 1 {
				out = append(out, b)
				continue
			}
			left, right := b.Batch, b.Batch
			left.Ops, right.Ops = b.Ops[:1], b.Ops[1:]
			right.First++
			for _, half := range []core.Batch{left, right} {
				out = append(out, &core.Sealed{Batch: half, Bytes: bytes.Clone(half.Append(nil))})
			}
		}
		return &core.Append{New: a.New, Del: a.Del, Batches: out}
	}
}

// bundleCut loses the last part of a bundle that makes nothing.
func bundleCut(w *World) {
	w.hooks.up = func(l *link, m core.Msg) core.Msg {
		a, ok := m.(*core.Append)
		if !ok || len(a.Batches) < 2 || len(a.New) > 0 {
			return m
		}
		return &core.Append{Del: a.Del, Batches: a.Batches[:len(a.Batches)-1]}
	}
}

// deliveryLost loses what goes to one client and says that it has caught up all the same.
func deliveryLost(w *World) {
	w.hooks.down = func(l *link, m core.Msg) core.Msg {
		if _, ok := m.(*core.Deliver); ok && w.Count.Steps%31 == 0 {
			return nil
		}
		return m
	}
}

// termNotChecked lets a client go on with whatever it has of a terminal.
func termNotChecked(w *World) {
	w.hooks.up = func(l *link, m core.Msg) core.Msg {
		f, ok := m.(*core.Follow)
		if !ok {
			return m
		}
		out := &core.Follow{}
		for _, s := range f.Shards {
			if st, ok := w.Auth.State(s.Shard); ok && s.From != nil && s.Shard.Kind == core.KindTerm {
				s.From = &st.Mark
			}
			out.Shards = append(out.Shards, s)
		}
		return out
	}
	w.hooks.down = func(l *link, m core.Msg) core.Msg {
		c, ok := m.(*core.CaughtUp)
		if !ok || l.client == nil || c.Shard.Kind != core.KindTerm {
			return m
		}
		if st, ok := l.client.R.State(c.Shard); ok {
			return &core.CaughtUp{Shard: c.Shard, Mark: st.Mark}
		}
		return m
	}
}

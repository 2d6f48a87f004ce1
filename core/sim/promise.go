package sim

import (
	"apex/core"
)

// promise compares what the daemon tells with what is durable, at the moment it is sent.
func (w *World) promise(l *link, m core.Msg) {
	g := w.Disk.Ledger
	durableOnly := l.client != nil && l.client.Kind == core.AttachTool
	switch m := m.(type) {
	case *core.Ack:
		w.headsDurable("acknowledged", m.Heads)
	case *core.Welcome:
		if m.Unkept {
			if !w.Disk.Failed {
				w.failf("welcome to attachment %d says that the disk refuses", m.Attachment)
			}
			return
		}
		if !g.attached[m.Attachment] {
			w.failf("welcome to attachment %d, which is not durable", m.Attachment)
		}
		w.headsDurable("welcomed", m.Heads)
	case *core.Deliver:
		for _, b := range m.Batches {
			if w.onDisk(b.Shard, durableOnly) {
				w.batchDurable(b)
			}
		}
	case *core.Snapshot:
		if w.onDisk(m.State.Shard, durableOnly) {
			w.headsDurable("snapshot", []core.Head{{Shard: m.State.Shard, Mark: m.State.Mark}})
		}
	case *core.CaughtUp:
		if w.onDisk(m.Shard, durableOnly) {
			w.headsDurable("caught up", []core.Head{{Shard: m.Shard, Mark: m.Mark}})
		}
	case *core.ProposeResult:
		w.resultDurable(l, m)
	}
}

// onDisk reports whether what is told of a shard has to be durable: not to UIs of what clients lead,
// nor of the metalog while the disk refuses, and never of what no disk holds.
func (w *World) onDisk(s core.Shard, durableOnly bool) bool {
	return s.Kind.Journaled() && (durableOnly || !s.Kind.Leasable() && !w.Disk.Failed)
}

func (w *World) headsDurable(what string, heads []core.Head) {
	for _, h := range heads {
		if !w.Disk.Ledger.holds(h.Shard, h.Mark) {
			w.failf("%s %v@%v, which is not durable", what, h.Shard, h.Mark)
		}
	}
}

func (w *World) batchDurable(b *core.Sealed) {
	g, ok := w.Disk.Ledger.logs[b.Shard]
	if !ok || g.last < b.Last() {
		w.failf("delivered %v, which is not durable", &b.Batch)
	}
}

// resultDurable checks that an answer that says applied speaks of the batch with its intent.
func (w *World) resultDurable(l *link, m *core.ProposeResult) {
	r := &m.Result
	if r.Err != nil || r.Outcome != core.Applied && r.Outcome != core.AlreadyDone {
		return
	}
	if l.client == nil {
		return
	}
	p, ok := l.client.asked[m.ID]
	if !ok || p.intent == (core.IntentID{}) {
		return
	}
	if r.First == 0 && r.Outcome == core.Applied {
		return // there was nothing to change; asked again later, there may be
	}
	stored := w.Disk.Ledger.intents[p.intent]
	if len(stored) == 0 {
		w.failf("proposal %x answered %v, and it is not durable", p.intent[:4], r)
		return
	}
	if b := stored[0]; r.Shard != b.Shard || r.First != b.First || r.Last != b.Last() {
		w.failf("proposal %x answered %v, stored as %v", p.intent[:4], r, &b.Batch)
	}
}

// checkRestored compares the daemon after a restart with everything that was ever durable.
func (w *World) checkRestored() {
	g := w.Disk.Ledger
	for _, s := range g.order {
		log := g.logs[s]
		st, ok := w.Auth.State(s)
		switch {
		case log.deleted && ok:
			w.failf("restored: shard %v is deleted and has a state", s)
		case !s.Kind.Journaled() && ok:
			w.failf("restored: shard %v has a state, which no disk held", s)
		case !log.deleted && !ok && s.Kind.Journaled():
			w.failf("restored: shard %v is missing", s)
		case ok && st.Mark.Seq < log.last:
			w.failf("restored: shard %v is at %d, %d was durable", s, st.Mark.Seq, log.last)
		}
	}
}

package sim

import (
	"fmt"

	"apex/core"
)

// Ledger is what was ever durable, kept beside the system and never rolled back. It checks each
// batch as it becomes durable and is what every promise is compared with.
type Ledger struct {
	session core.SessionID
	history [16]byte
	logs    map[core.Shard]*ledgerLog
	order   []core.Shard   // of logs, as they began
	Batches []*core.Sealed // in order
	records []int          // which record each of Batches came in, from 1
	count   int            // of records

	intents  map[core.IntentID][]*core.Sealed
	attached map[core.AttachmentID]bool
	leases   map[core.Shard]core.Epoch
	epoch    core.Epoch // the highest one given out
	runs     map[runAt]bool
}

type ledgerLog struct {
	last    core.Seq
	chain   core.Hash
	epoch   core.Epoch
	marks   map[core.Seq]core.Hash // at the border of each batch
	deleted bool
}

type runAt struct {
	window core.WindowID
	at     core.Seq
}

func newLedger(session core.SessionID, history [16]byte) *Ledger {
	return &Ledger{session: session, history: history,
		logs: map[core.Shard]*ledgerLog{}, intents: map[core.IntentID][]*core.Sealed{},
		attached: map[core.AttachmentID]bool{}, leases: map[core.Shard]core.Epoch{},
		runs: map[runAt]bool{}}
}

func (l *Ledger) log(s core.Shard) *ledgerLog {
	g, ok := l.logs[s]
	if !ok {
		st := core.NewShardState(l.history, l.session, s)
		g = &ledgerLog{chain: st.Mark.Chain, marks: map[core.Seq]core.Hash{0: st.Mark.Chain}}
		l.logs[s] = g
		l.order = append(l.order, s)
	}
	return g
}

// enter takes a durable record in.
func (l *Ledger) enter(record []*core.Sealed) error {
	l.count++
	for _, b := range record {
		if err := l.batch(b); err != nil {
			return fmt.Errorf("durable batch %v: %w", &b.Batch, err)
		}
	}
	return nil
}

func (l *Ledger) batch(b *core.Sealed) error {
	g := l.log(b.Shard)
	switch {
	case g.deleted:
		return fmt.Errorf("shard %v is deleted", b.Shard)
	case b.First != g.last+1:
		return fmt.Errorf("shard %v: first %d, want %d", b.Shard, b.First, g.last+1)
	case b.Epoch < g.epoch:
		return fmt.Errorf("shard %v: epoch %d after %d", b.Shard, b.Epoch, g.epoch)
	}
	g.last, g.epoch, g.chain = b.Last(), b.Epoch, chain(g.chain, b.Bytes)
	g.marks[g.last] = g.chain
	if b.Chain != g.chain {
		return fmt.Errorf("shard %v: chain at %d is %v, want %v", b.Shard, g.last, b.Chain, g.chain)
	}
	l.Batches = append(l.Batches, b)
	l.records = append(l.records, l.count)
	if b.Intent != (core.IntentID{}) {
		l.intents[b.Intent] = append(l.intents[b.Intent], b)
		if n := len(l.intents[b.Intent]); n > 1 {
			return fmt.Errorf("intent %v is stored %d times", b.Intent, n)
		}
	}
	for i := range b.Ops {
		if err := l.op(&b.Ops[i]); err != nil {
			return err
		}
	}
	return nil
}

func (l *Ledger) op(o *core.Op) error {
	switch o := o.Body.(type) {
	case *core.ShardNew:
		if _, again := l.logs[o.Shard]; again {
			return fmt.Errorf("shard %v is made twice", o.Shard)
		}
		l.log(o.Shard)
		l.leases[o.Shard] = o.Epoch
	case *core.ShardDel:
		l.log(o.Shard).deleted = true
	case *core.Attach:
		if l.attached[o.ID] {
			return fmt.Errorf("attachment %d is given out twice", o.ID)
		}
		l.attached[o.ID] = true
		return l.raise(o.Epoch)
	case *core.LeaseGrant:
		return l.lease(o)
	case *core.LeaseReclaim:
		return l.lease((*core.LeaseGrant)(o))
	}
	return nil
}

func (l *Ledger) lease(o *core.LeaseGrant) error {
	if o.Epoch <= l.leases[o.Shard] {
		return fmt.Errorf("lease of %v: epoch %d after %d", o.Shard, o.Epoch, l.leases[o.Shard])
	}
	l.leases[o.Shard] = o.Epoch
	l.epoch = max(l.epoch, o.Epoch)
	return nil
}

func (l *Ledger) raise(e core.Epoch) error {
	if e <= l.epoch {
		return fmt.Errorf("epoch %d given out after %d", e, l.epoch)
	}
	l.epoch = e
	return nil
}

// holds reports whether a mark is of what is durable.
func (l *Ledger) holds(s core.Shard, m core.Mark) bool {
	g, ok := l.logs[s]
	if !ok { // nothing was ever appended
		st := core.NewShardState(l.history, l.session, s)
		return m == st.Mark
	}
	c, ok := g.marks[m.Seq]
	return ok && c == m.Chain
}

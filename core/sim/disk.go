package sim

import (
	"bytes"
	"fmt"
	"slices"

	"apex/core"

	"github.com/zeebo/blake3"
)

// Disk is the store of one session: snapshots and the records after them. A record that was handed
// over becomes durable later, in order; a crash keeps the durable ones and as many of the others
// as it is told.
type Disk struct {
	base    []snapshot
	records [][]*core.Sealed // since base
	durable int              // how many of records are durable
	handed  int              // records of this life of the daemon, including those in base
	Failed  bool             // nothing becomes durable

	worn func(*core.ShardState) // a mutant's: what is wrong with a snapshot that is read
	tear func([][]*core.Sealed) [][]*core.Sealed

	Ledger *Ledger
}

type snapshot struct {
	shard core.Shard
	bytes []byte
}

// take takes a record over; it isn't durable yet.
func (d *Disk) take(batches []*core.Sealed) {
	d.records = append(d.records, batches)
	d.handed++
}

// waiting is how many records are not durable.
func (d *Disk) waiting() int { return len(d.records) - d.durable }

// upTo is the number of the newest durable record in this life of the daemon.
func (d *Disk) upTo() int { return d.handed - d.waiting() }

// sync makes the next n records durable.
func (d *Disk) sync(n int) error {
	for range n {
		if err := d.Ledger.enter(d.records[d.durable]); err != nil {
			return err
		}
		d.durable++
	}
	return nil
}

// rewrite begins a fresh generation: snapshots of everything, no records.
func (d *Disk) rewrite(a *core.Authority) error {
	if err := d.sync(d.waiting()); err != nil {
		return err
	}
	d.base, d.records, d.durable = nil, nil, 0
	for _, s := range shards(a.Meta()) {
		if !s.Kind.Journaled() {
			continue
		}
		st, ok := a.State(s)
		if !ok {
			return fmt.Errorf("shard %v is in the metalog and has no state", s)
		}
		d.base = append(d.base, snapshot{s, encode(&st)})
	}
	return nil
}

// crash loses all but the first keep records that were not durable.
func (d *Disk) crash(keep int) (lost int, err error) {
	if err := d.sync(keep); err != nil {
		return 0, err
	}
	lost = d.waiting()
	torn := d.records[d.durable:]
	d.records = d.records[:d.durable]
	if d.tear != nil {
		d.records = append(d.records, d.tear(torn)...)
		if err := d.sync(d.waiting()); err != nil {
			return lost, err
		}
	}
	d.handed, d.Failed = 0, false
	return lost, nil
}

// restore builds the authority again from what is durable.
func (d *Disk) restore(now core.Millis, ev core.Evaluator) (*core.Authority, core.Ready, error) {
	r := core.NewRestore(ev)
	for _, s := range d.base {
		st, err := core.ReadSnapshot(s.bytes)
		if err != nil {
			return nil, core.Ready{}, fmt.Errorf("snapshot of %v: %w", s.shard, err)
		}
		if d.worn != nil {
			d.worn(&st)
		}
		r.Snapshot(st)
	}
	for _, record := range d.records {
		for _, b := range record {
			again, err := core.Open(bytes.Clone(b.Bytes))
			if err != nil {
				return nil, core.Ready{}, err
			}
			if err := r.Batch(again); err != nil {
				return nil, core.Ready{}, fmt.Errorf("restored batch of %v: %w", b.Shard, err)
			}
		}
	}
	return r.Done(now)
}

// shards returns the shards that a session has, the metalog first.
func shards(m *core.Meta) []core.Shard {
	out := slices.Clone(m.Shards)
	slices.SortStableFunc(out, core.Shard.Compare)
	return out
}

// encode returns a state's snapshot.
func encode(s *core.ShardState) []byte {
	var b bytes.Buffer
	if err := s.WriteSnapshot(&b); err != nil {
		panic("sim: a buffer in memory failed: " + err.Error())
	}
	return b.Bytes()
}

// chain extends a chain value, independently of core.
func chain(c core.Hash, batch []byte) core.Hash {
	h := blake3.New()
	h.Write(c[:])
	h.Write(batch)
	var out core.Hash
	h.Sum(out[:0])
	return out
}

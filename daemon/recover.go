package daemon

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"apex/core"
	"apex/core/codec"
	"apex/core/edit"
	"apex/daemon/journal"
)

// recovery takes a journal in and builds the session again. Records are decoded by the goroutine
// that reads the journal and applied by another one, which takes as long: what was found belongs to
// that one until settled has returned.
type recovery struct {
	found
	pending []decoded
	bytes   int            // of pending
	runs    chan []decoded // to the goroutine that applies; nil while there is none
	ahead   sync.WaitGroup // runs that are not applied
}

// found is what a journal held.
type found struct {
	restore *core.Restore
	losses  []loss // noted by earlier starts
	frozen  map[core.Shard]string
	seen    map[core.Shard]bool
	stamp   core.Millis // of the newest record
}

// decoded is a record with its batches, or why it could not be.
type decoded struct {
	stored  time.Time
	batches []*core.Sealed
	err     error
}

const (
	// runRecords and runBytes are how much changes goroutines at a time: waking one up costs about
	// as much as applying ten small records.
	runRecords = 64
	runBytes   = 256 << 10
	// runsAhead bounds what is decoded and not applied.
	runsAhead = 4
)

func newRecovery() *recovery { return &recovery{found: newFound()} }

func newFound() found {
	return found{restore: core.NewRestore(edit.Evaluate), frozen: map[core.Shard]string{},
		seen: map[core.Shard]bool{}}
}

// Part takes in a shard's snapshot.
func (r *recovery) Part(key string, data []byte) {
	r.settled()
	switch key {
	case frozenKey:
		r.readFrozen(data)
		return
	case lossesKey:
		r.readLosses(data)
		return
	}
	st, err := core.ReadSnapshot(data)
	if err != nil {
		r.freezeKey(key, "its snapshot is damaged: "+err.Error())
		return
	}
	r.seen[st.Shard] = true
	r.restore.Snapshot(st)
}

func (f *found) readFrozen(data []byte) {
	c := codec.NewCursor(data)
	var list []frozenShard
	codec.ReadFields(&c, func(f *codec.Fields) {
		codec.List(f, &list, func(f *codec.Fields, x *frozenShard) { x.fields(f) })
	})
	for _, x := range list {
		f.freezeKey(x.shard, x.why)
	}
}

// Record takes in a stored record.
func (r *recovery) Record(_ uint64, stored time.Time, payload []byte) {
	batches, err := readRecord(bytes.Clone(payload))
	r.pending = append(r.pending, decoded{stored, batches, err})
	if r.bytes += len(payload); len(r.pending) == runRecords || r.bytes >= runBytes {
		r.pass()
	}
}

// pass hands on what was decoded.
func (r *recovery) pass() {
	if r.runs == nil {
		r.runs = make(chan []decoded, runsAhead)
		go func(runs <-chan []decoded) {
			for run := range runs {
				for i := range run {
					r.apply(&run[i])
				}
				r.ahead.Done()
			}
		}(r.runs)
	}
	r.ahead.Add(1)
	r.runs <- r.pending
	r.pending, r.bytes = make([]decoded, 0, runRecords), 0
}

// settled waits until every record is applied.
func (r *recovery) settled() {
	if len(r.pending) > 0 {
		r.pass()
	}
	r.ahead.Wait()
}

// end is settled, and ends the goroutine. Nothing is taken in afterwards.
func (r *recovery) end() {
	r.settled()
	if r.runs != nil {
		close(r.runs)
	}
}

// apply applies a record. A batch that does not follow its shard's log freezes the shard: damage
// cut its chain.
func (f *found) apply(x *decoded) {
	if x.err != nil {
		f.freeze(core.MetaShard, "a record can't be read: "+x.err.Error())
		return
	}
	f.stamp = core.Millis(x.stored.UnixMilli())
	for _, b := range x.batches {
		f.seen[b.Shard] = true
		if _, cut := f.frozen[b.Shard]; cut {
			continue
		}
		if err := f.restore.Batch(b); err != nil {
			f.freeze(b.Shard, err.Error())
		}
	}
}

// Damage says that something is missing before what comes next.
func (r *recovery) Damage(d journal.Damage) {
	r.settled()
	if d.Part != "" {
		r.freezeKey(d.Part, d.String())
	}
}

// Reset takes everything back: an older generation has it whole.
func (r *recovery) Reset() {
	r.settled()
	r.found = newFound()
}

func (f *found) freezeKey(key, why string) {
	if s, ok := core.ParseShard(key); ok {
		f.freeze(s, why)
	}
}

func (f *found) freeze(s core.Shard, why string) {
	if _, has := f.frozen[s]; !has {
		f.frozen[s] = why
		f.restore.Freeze(s, why)
	}
}

// settle freezes everything if the metalog is damaged: who may append where is no longer known.
func (f *found) settle() {
	why, cut := f.frozen[core.MetaShard]
	if !cut {
		return
	}
	for _, s := range slices.SortedFunc(maps.Keys(f.seen), core.Shard.Compare) {
		f.freeze(s, "the metalog is read-only: "+why)
	}
}

// readOnly says which shards damage made read-only, in words for people.
func (f *found) readOnly() string {
	shards := slices.SortedFunc(maps.Keys(f.frozen), core.Shard.Compare)
	switch {
	case f.frozen[core.MetaShard] != "":
		return "read-only: " + f.frozen[core.MetaShard]
	case len(shards) == 1:
		return fmt.Sprintf("read-only: shard %v: %s", shards[0], f.frozen[shards[0]])
	case len(shards) > 1:
		return fmt.Sprintf("read-only: shard %v: %s; and %d more", shards[0], f.frozen[shards[0]],
			len(shards)-1)
	}
	return ""
}

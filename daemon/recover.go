package daemon

import (
	"time"

	"apex/core"
	"apex/core/codec"
	"apex/core/edit"
	"apex/daemon/journal"
)

// recovery takes a journal in and builds the session again.
type recovery struct {
	restore *core.Restore
	damage  []journal.Damage
	frozen  map[core.Shard]string
	stamp   core.Millis // of the newest record
	lost    string      // why the metalog could not be read
}

func newRecovery() *recovery {
	return &recovery{restore: core.NewRestore(edit.Evaluate), frozen: map[core.Shard]string{}}
}

// Part takes in a shard's snapshot.
func (r *recovery) Part(key string, data []byte) {
	if key == frozenKey {
		r.readFrozen(data)
		return
	}
	st, err := core.ReadSnapshot(data)
	if err != nil {
		r.freezeKey(key, "its snapshot is damaged: "+err.Error())
		return
	}
	r.restore.Snapshot(st)
}

func (r *recovery) readFrozen(data []byte) {
	c := codec.NewCursor(data)
	var list []frozenShard
	codec.ReadFields(&c, func(f *codec.Fields) {
		codec.List(f, &list, func(f *codec.Fields, x *frozenShard) { x.fields(f) })
	})
	for _, x := range list {
		r.freezeKey(x.shard, x.why)
	}
}

// Record takes in a stored record. A batch that does not follow its shard's log freezes the
// shard: damage cut its chain.
func (r *recovery) Record(_ uint64, stored time.Time, payload []byte) {
	batches, err := readRecord(append([]byte(nil), payload...))
	if err != nil {
		r.freeze(core.MetaShard, "a record can't be read: "+err.Error())
		return
	}
	r.stamp = core.Millis(stored.UnixMilli())
	for _, b := range batches {
		if _, cut := r.frozen[b.Shard]; cut {
			continue
		}
		if err := r.restore.Batch(b); err != nil {
			r.freeze(b.Shard, err.Error())
		}
	}
}

// Damage says that something is missing before what comes next.
func (r *recovery) Damage(d journal.Damage) {
	r.damage = append(r.damage, d)
	if d.Part != "" {
		r.freezeKey(d.Part, d.String())
	}
}

// Reset takes everything back: an older generation has it whole.
func (r *recovery) Reset() { *r = *newRecovery() }

func (r *recovery) freezeKey(key, why string) {
	if s, ok := core.ParseShard(key); ok {
		r.freeze(s, why)
	}
}

func (r *recovery) freeze(s core.Shard, why string) {
	if _, has := r.frozen[s]; !has {
		r.frozen[s] = why
		r.restore.Freeze(s, why)
	}
}

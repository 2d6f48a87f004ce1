package daemon

import (
	"fmt"
	"maps"
	"slices"
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
	seen    map[core.Shard]bool
	stamp   core.Millis // of the newest record
}

func newRecovery() *recovery {
	return &recovery{restore: core.NewRestore(edit.Evaluate), frozen: map[core.Shard]string{},
		seen: map[core.Shard]bool{}}
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
	r.seen[st.Shard] = true
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
		r.seen[b.Shard] = true
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

// settle freezes everything if the metalog is damaged: who may append where is no longer known.
func (r *recovery) settle() {
	why, cut := r.frozen[core.MetaShard]
	if !cut {
		return
	}
	for _, s := range slices.SortedFunc(maps.Keys(r.seen), core.Shard.Compare) {
		r.freeze(s, "the metalog is read-only: "+why)
	}
}

// trouble says what the damage cost, in words for people.
func (r *recovery) trouble() string {
	shards := slices.SortedFunc(maps.Keys(r.frozen), core.Shard.Compare)
	switch {
	case r.frozen[core.MetaShard] != "":
		return "read-only: " + r.frozen[core.MetaShard]
	case len(shards) == 1:
		return fmt.Sprintf("read-only: shard %v: %s", shards[0], r.frozen[shards[0]])
	case len(shards) > 1:
		return fmt.Sprintf("read-only: shard %v: %s; and %d more", shards[0], r.frozen[shards[0]],
			len(shards)-1)
	case len(r.damage) > 0:
		return "the journal was damaged, what was stored there is lost: " + r.damage[0].String()
	}
	return ""
}

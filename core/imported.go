package core

import (
	"slices"

	"apex/core/codec"
)

// Imported makes another session of one whose state was brought from elsewhere: from here on it has
// an identity of its own, and a history that begins at this entry. Nobody is attached to it, as who
// was attached to the session that it was is not to lead two; and its programs are not here: those of
// terminals have ended, as far as is known, and commands are forgotten.
type Imported struct {
	Session SessionID
	History [16]byte
	At      Millis
}

func (*Imported) kind() OpKind         { return OpImported }
func (*Imported) shardKind() ShardKind { return KindMeta }

func (o *Imported) fields(f *codec.Fields) {
	f.Fixed(o.Session[:])
	f.Fixed(o.History[:])
	codec.Num(f, &o.At)
}

func (m *Meta) imported(o *Imported) error {
	switch {
	case o.Session == SessionID{} || o.Session == m.Identity.Session:
		return badf("a session that is imported has an id of its own")
	case len(m.Attachments) > 0:
		return badf("%d clients are attached to a session that is imported", len(m.Attachments))
	}
	m.Identity.Session, m.Identity.History = o.Session, o.History
	m.Procs = slices.DeleteFunc(m.Procs, func(p Proc) bool { return p.Term == 0 })
	for i := range m.Procs {
		p := &m.Procs[i]
		if p.Holder = ""; !p.Done {
			p.Done, p.Reason, p.Ended = true, endImported, o.At
		}
	}
	return nil
}

// endImported is said of programs, and of clients, of a session that was imported.
const endImported = "the session was brought from elsewhere"

// Naturalize returns the batches of the metalog that make a session of its own of a state that was
// brought from elsewhere: leases go to the daemon at a new epoch, clients
// are forgotten. Ids and counters go on. last tells each
// shard's newest entry.
func Naturalize(meta ShardState, o *Imported, label string, last func(Shard) Seq) ([]*Sealed,
	error) {
	m := meta.Meta()
	if m == nil || m.Identity.Session == (SessionID{}) {
		return nil, badf("a metalog without an identity")
	}
	epoch := m.NextEpoch(o.At)
	var ops []Op
	for _, l := range m.Leases {
		ops = append(ops, Of(&LeaseReclaim{l.Shard, Server, epoch, last(l.Shard)}))
	}
	for _, a := range m.Attachments {
		ops = append(ops, Of(&Detach{a.ID, endImported}))
	}
	ops = append(ops, Of(o), Of(&Label{label}))
	var out []*Sealed
	for part := range slices.Chunk(ops, MaxBatchOps) {
		b := &Sealed{Batch: Batch{Shard: MetaShard, First: meta.Mark.Seq + 1, Author: serverAuthor,
			Ops: part}}
		b.Bytes = b.Batch.Append(nil)
		next, err := meta.Apply(b)
		if err != nil {
			return nil, err
		}
		out, meta = append(out, b), next
	}
	return out, nil
}

// CheckImport refuses a metalog that no daemon made: what is looked up in it relies on its order, and
// what goes on from it on its bounds.
func (m *Meta) CheckImport() error {
	switch {
	case m.Identity.Session == SessionID{}:
		return badf("the metalog has no identity")
	case CheckLabel(m.Label) != nil:
		return CheckLabel(m.Label)
	case !ordered(m.Shards, Shard.Compare):
		return badf("the metalog's shards are not in order")
	case !ordered(m.Leases, func(a, b Lease) int { return a.Shard.Compare(b.Shard) }):
		return badf("the metalog's leases are not in order")
	case !ordered(m.Attachments, func(a, b Attachment) int { return int(a.ID) - int(b.ID) }):
		return badf("the metalog's attachments are not in order")
	case len(m.Shards) > MaxShards || len(m.Attachments) > MaxAttachments || len(m.Dir) > MaxPathBytes:
		return badf("the metalog has %d shards, %d attachments, a directory of %d bytes", len(m.Shards),
			len(m.Attachments), len(m.Dir))
	case m.MaxEpoch >= MaxEpoch || m.NextAttach > MaxAttachment:
		return badf("the metalog has no epoch or attachment left to give out")
	case m.running() > MaxProcs || len(m.Procs) > MaxProcs+maxEndedProcs:
		return badf("the metalog has %d processes", len(m.Procs))
	}
	for _, s := range []Shard{MetaShard, NotesShard, LayoutShard} {
		if !m.Has(s) {
			return badf("the metalog lacks shard %v", s)
		}
	}
	for _, s := range m.Shards {
		if _, leased := m.Lease(s); !s.Valid() || s.Kind == KindRegistry || leased != s.Kind.Leasable() {
			return badf("the metalog has shard %v, with a lease: %v", s, leased)
		}
	}
	for _, l := range m.Leases {
		if _, ok := m.Attached(l.Holder); !m.Has(l.Shard) || l.Holder != Server && !ok ||
			l.Epoch > m.MaxEpoch {
			return badf("the metalog has a lease of %v by %d at epoch %d", l.Shard, l.Holder, l.Epoch)
		}
	}
	return nil
}

// ordered reports whether a list is in strict order.
func ordered[T any](list []T, compare func(a, b T) int) bool {
	for i := 1; i < len(list); i++ {
		if compare(list[i-1], list[i]) >= 0 {
			return false
		}
	}
	return true
}

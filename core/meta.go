package core

import (
	"slices"

	"apex/core/codec"
)

// Meta is the truth about a session: who it is, which shards it has, who is attached, who leads.
// All its slices are ordered by what they are looked up by.
type Meta struct {
	Identity    Identity
	Label       string
	Dir         string
	Shards      []Shard
	Attachments []Attachment
	Leases      []Lease
	NextAttach  AttachmentID // the lowest id never given out
	MaxEpoch    Epoch        // the highest epoch ever given out
	ServerNext  uint64       // the daemon's own next id counter
	Procs       []Proc       // by age: what the daemon started
}

// Attachment is a client that was admitted and not yet detached.
type Attachment struct {
	Attach
	Next uint64 // its next id counter: higher than any id that it ever created
}

// Bounds of a session: what a machine can serve, far above what people do.
const (
	MaxShards      = 1 << 17
	MaxAttachments = 1 << 12
)

// Lease returns the lease of a shard.
func (m *Meta) Lease(s Shard) (Lease, bool) {
	i, ok := m.lease(s)
	if !ok {
		return Lease{}, false
	}
	return m.Leases[i], true
}

// Leads reports whether attachment a may append to s now.
func (m *Meta) Leads(a AttachmentID, s Shard) bool {
	l, ok := m.Lease(s)
	return ok && l.Holder == a && !l.Released
}

// Attached returns an attachment.
func (m *Meta) Attached(a AttachmentID) (Attachment, bool) {
	i, ok := m.attached(a)
	if !ok {
		return Attachment{}, false
	}
	return m.Attachments[i], true
}

// Has reports whether the session has a shard.
func (m *Meta) Has(s Shard) bool {
	_, ok := m.shard(s)
	return ok
}

// NextEpoch is the epoch of a grant or reclaim made at a time: max(highest so far + 1, wall-clock
// milliseconds), so that epochs rise across a store that was restored or deleted.
func (m *Meta) NextEpoch(now Millis) Epoch { return max(m.MaxEpoch+1, Epoch(now)) }

func (m *Meta) lease(s Shard) (int, bool) {
	return slices.BinarySearchFunc(m.Leases, s, func(l Lease, s Shard) int { return l.Shard.Compare(s) })
}

func (m *Meta) attached(a AttachmentID) (int, bool) {
	return slices.BinarySearchFunc(m.Attachments, a, func(x Attachment, a AttachmentID) int {
		return int(x.ID) - int(a)
	})
}

func (m *Meta) shard(s Shard) (int, bool) {
	return slices.BinarySearchFunc(m.Shards, s, Shard.Compare)
}

func (m *Meta) apply(b *Batch) (state, error) {
	n := *m
	n.Shards = slices.Clone(m.Shards)
	n.Attachments = slices.Clone(m.Attachments)
	n.Leases = slices.Clone(m.Leases)
	n.Procs = slices.Clone(m.Procs)
	for i := range b.Ops {
		if err := n.applyOp(&b.Ops[i]); err != nil {
			return nil, err
		}
	}
	return &n, nil
}

func (m *Meta) applyOp(o *Op) error {
	if _, first := o.Body.(*Identity); first == (m.Identity.Session != SessionID{}) {
		return badf("the identity is a session's first entry, once")
	}
	switch o := o.Body.(type) {
	case *Identity:
		m.Identity = *o
		m.NextAttach = 1
		m.Shards = []Shard{MetaShard, NotesShard}
	case *Label:
		if err := CheckLabel(o.Label); err != nil {
			return err
		}
		m.Label = o.Label
	case *Place:
		if len(o.Dir) > MaxPathBytes {
			return badf("directory of %d bytes, at most %d", len(o.Dir), MaxPathBytes)
		}
		m.Dir = o.Dir
	case *ShardNew:
		return m.shardNew(o)
	case *ShardDel:
		return m.shardDel(o.Shard)
	case *Attach:
		return m.attach(o)
	case *Detach:
		return m.detach(o.ID)
	case *Resume:
		return m.resume(o)
	case *LeaseRequest:
		return m.request(o)
	case *LeaseRelease:
		return m.release(o)
	case *LeaseGrant:
		return m.grant(o)
	case *LeaseReclaim:
		return m.reclaim(o)
	case *LeaseTTL:
		return m.leaseTTL(o)
	case *ProcStart:
		return m.procStart(o)
	case *ProcExit:
		return m.procExit(o)
	case *ProcDel:
		return m.procDel(o.Proc)
	case *Imported:
		return m.imported(o)
	}
	return nil
}

func (m *Meta) shardNew(o *ShardNew) error {
	at, has := m.shard(o.Shard)
	switch {
	case !o.Shard.Valid() || !o.Shard.Kind.Leasable() && o.Shard.Kind != KindTerm:
		return badf("shard %v can't be created", o.Shard)
	case o.Shard.Kind == KindTerm && o.Holder != Server:
		return Errorf(CodeDenied, "shard %v is the daemon's to create", o.Shard)
	case has:
		return Errorf(CodeExists, "shard %v exists", o.Shard)
	case len(m.Shards) >= MaxShards:
		return Errorf(CodeTooLarge, "session has %d shards, at most %d", len(m.Shards), MaxShards)
	}
	m.Shards = slices.Insert(m.Shards, at, o.Shard)
	if err := m.raise(o.Epoch); err != nil {
		return err
	}
	m.count(o.Shard.ID)
	if !o.Shard.Kind.Leasable() {
		return nil
	}
	i, _ := m.lease(o.Shard)
	m.Leases = slices.Insert(m.Leases, i, Lease{Shard: o.Shard, Holder: o.Holder, Epoch: o.Epoch})
	return nil
}

// count raises the id counter of id's creator above id.
func (m *Meta) count(id ID) {
	if id.Creator() == Server {
		m.ServerNext = max(m.ServerNext, id.Counter()+1)
		return
	}
	if i, ok := m.attached(id.Creator()); ok {
		m.Attachments[i].Next = max(m.Attachments[i].Next, id.Counter()+1)
	}
}

func (m *Meta) shardDel(s Shard) error {
	i, ok := m.shard(s)
	if !ok || s.Kind.Single() {
		return Errorf(CodeNotFound, "no shard %v to delete", s)
	}
	m.Shards = slices.Delete(m.Shards, i, i+1)
	if k, ok := m.lease(s); ok {
		m.Leases = slices.Delete(m.Leases, k, k+1)
	}
	return nil
}

func (m *Meta) attach(o *Attach) error {
	switch {
	case o.ID != m.NextAttach || o.ID > MaxAttachment:
		return badf("attachment %d, want %d", o.ID, m.NextAttach)
	case o.Kind == AttachInvalid || o.Kind >= attachKindEnd:
		return badf("attachment of kind %d", o.Kind)
	case len(o.Name) > MaxActorBytes || len(o.Actor) > MaxActorBytes:
		return badf("attachment's name or actor is longer than %d bytes", MaxActorBytes)
	case len(m.Attachments) >= MaxAttachments:
		return Errorf(CodeBusy, "session has %d attachments, at most %d", len(m.Attachments), MaxAttachments)
	}
	m.NextAttach++
	m.Attachments = append(m.Attachments, Attachment{Attach: *o, Next: 1})
	return m.raise(o.Epoch)
}

// detach ends an attachment, which holds no lease any more, and forgets what it asked for.
func (m *Meta) detach(a AttachmentID) error {
	i, ok := m.attached(a)
	if !ok {
		return Errorf(CodeNotAttached, "no attachment %d", a)
	}
	for k := range m.Leases {
		if m.Leases[k].Holder == a {
			return badf("attachment %d still holds %v", a, m.Leases[k].Shard)
		}
		m.Leases[k] = m.Leases[k].without(a).withTenures()
	}
	m.Attachments = slices.Delete(m.Attachments, i, i+1)
	return nil
}

func (m *Meta) resume(o *Resume) error {
	if _, ok := m.attached(o.ID); !ok {
		return Errorf(CodeNotAttached, "no attachment %d", o.ID)
	}
	return nil
}

// raise records that an epoch was given out.
func (m *Meta) raise(e Epoch) error {
	if e > MaxEpoch {
		return badf("epoch %d exceeds %d", e, MaxEpoch)
	}
	m.MaxEpoch = max(m.MaxEpoch, e)
	return nil
}

func (a *Attachment) fields(f *codec.Fields) {
	f.Struct(a.Attach.fields)
	codec.Num(f, &a.Next)
}

func (m *Meta) fields(f *codec.Fields) {
	f.Struct(m.Identity.fields)
	f.String(&m.Label)
	f.String(&m.Dir)
	codec.List(f, &m.Shards, func(f *codec.Fields, s *Shard) { s.fields(f) })
	codec.List(f, &m.Attachments, func(f *codec.Fields, a *Attachment) { a.fields(f) })
	codec.List(f, &m.Leases, func(f *codec.Fields, l *Lease) { l.fields(f) })
	codec.Num(f, &m.NextAttach)
	codec.Num(f, &m.MaxEpoch)
	codec.Num(f, &m.ServerNext)
	if f.Optional(); f.Reading() || len(m.Procs) > 0 { // older builds had none
		codec.List(f, &m.Procs, func(f *codec.Fields, p *Proc) { p.fields(f) })
	}
}

func (m *Meta) encode(e *encoder)      { e.fields(m.fields) }
func (*Meta) encodeHistory(e *encoder) {}

func readMeta(c *codec.Cursor) *Meta {
	m := &Meta{}
	codec.ReadFields(c, m.fields)
	if c.Err() == nil {
		m.rebuild()
	}
	return m
}

// rebuild raises counters that are below what the state itself shows to have been given out: a build
// that had not all of them wrote lower ones. Every reader of the same bytes raises them alike, and a
// state of this build is as it was.
func (m *Meta) rebuild() {
	var given Issued
	given.State(m)
	given.raise(m)
}

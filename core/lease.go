package core

import (
	"slices"

	"apex/core/codec"
)

// Lease says who may append to a shard. Its states and transitions, all of them:
//
//	state        append by holder   request     release     grant           reclaim
//	held         at its epoch       requested   released    -               held by To, new epoch
//	requested    at its epoch       queued      released    -               held by To, new epoch
//	released     refused            queued      -           held by To      held by To, new epoch
//
// "Server-led" is held by Server. A grant is given only where Server holds the lease or it was
// released; a reclaim takes it from whoever has it. Both raise the epoch: it is what fences a
// holder that has not heard. A tool has it for a time: see Tenure.
type Lease struct {
	Shard    Shard
	Holder   AttachmentID
	Epoch    Epoch
	Released bool
	Waiting  []AttachmentID // who asked, in order; each gets its turn
	Begin    Seq            // the last entry before the current epoch
	Ended    []End          // the newest epochs of clients that are over, oldest first
	Tenures  []Tenure       // of the tools that hold it or wait for it
}

// End says where the epoch of a client ended: At is the last entry that the log took under it. A
// fenced holder that comes back learns from it which of its entries the log has.
type End struct {
	Epoch Epoch
	At    Seq
}

// maxEnded is how many epochs a lease remembers: takeovers while one client is away.
const maxEnded = 64

// EndOf returns the last entry that the log took under an epoch of a client that is over; not ok
// if the lease does not remember, or the epoch is not over.
func (l *Lease) EndOf(e Epoch) (Seq, bool) {
	for _, x := range l.Ended {
		if x.Epoch == e {
			return x.At, true
		}
	}
	return 0, false
}

func (l Lease) without(a AttachmentID) Lease {
	if i := slices.Index(l.Waiting, a); i >= 0 {
		l.Waiting = slices.Delete(slices.Clone(l.Waiting), i, i+1)
	}
	return l
}

// Admit is the only fence and the only sequence check: a shard's log takes a batch only from the
// lease's holder, under its epoch, at the next number. It is made on every append, at the store.
// lease is nil for a shard that the daemon leads without one.
func Admit(lease *Lease, last Seq, b *Batch) error {
	switch {
	case lease == nil && b.Attachment != Server:
		return Errorf(CodeDenied, "shard %v: led by the daemon", b.Shard)
	case lease != nil && (lease.Holder != b.Attachment || lease.Epoch != b.Epoch):
		return Errorf(CodeFenced, "shard %v: fenced: held by %d at epoch %d, batch by %d at epoch %d",
			b.Shard, lease.Holder, lease.Epoch, b.Attachment, b.Epoch)
	case lease != nil && lease.Released:
		return Errorf(CodeFenced, "shard %v: the lease was released by %d at epoch %d",
			b.Shard, lease.Holder, lease.Epoch)
	case b.First != last+1:
		return badf("shard %v: batch from %d, want %d", b.Shard, b.First, last+1)
	}
	return nil
}

func (m *Meta) request(o *LeaseRequest) error {
	i, ok := m.lease(o.Shard)
	if !ok {
		return Errorf(CodeNotFound, "no lease of %v", o.Shard)
	}
	if _, ok := m.attached(o.By); !ok {
		return Errorf(CodeNotAttached, "no attachment %d", o.By)
	}
	l := m.Leases[i]
	if l.Holder == o.By && !l.Released || slices.Contains(l.Waiting, o.By) {
		return badf("attachment %d holds or awaits %v", o.By, o.Shard)
	}
	l.Waiting = append(slices.Clone(l.Waiting), o.By)
	m.Leases[i] = l
	return nil
}

func (m *Meta) release(o *LeaseRelease) error {
	i, ok := m.lease(o.Shard)
	if !ok || m.Leases[i].Released {
		return badf("shard %v: no lease to release", o.Shard)
	}
	m.Leases[i].Released = true
	return nil
}

func (m *Meta) grant(o *LeaseGrant) error {
	i, ok := m.lease(o.Shard)
	if !ok {
		return Errorf(CodeNotFound, "no lease of %v", o.Shard)
	}
	if l := m.Leases[i]; l.Holder != Server && !l.Released {
		return badf("shard %v: grant to %d while %d holds it", o.Shard, o.To, l.Holder)
	}
	return m.take(i, o.To, o.Epoch, o.At)
}

func (m *Meta) reclaim(o *LeaseReclaim) error {
	i, ok := m.lease(o.Shard)
	if !ok {
		return Errorf(CodeNotFound, "no lease of %v", o.Shard)
	}
	return m.take(i, o.To, o.Epoch, o.At)
}

// take gives lease i to an attachment at an epoch above the lease's own.
func (m *Meta) take(i int, to AttachmentID, e Epoch, at Seq) error {
	l := m.Leases[i].without(to)
	if _, ok := m.attached(to); !ok && to != Server {
		return Errorf(CodeNotAttached, "no attachment %d", to)
	}
	if e <= l.Epoch {
		return badf("shard %v: epoch %d, want above %d", l.Shard, e, l.Epoch)
	}
	if l.Holder != Server {
		l.Ended = append(slices.Clone(l.Ended), End{l.Epoch, at})
		l.Ended = l.Ended[max(0, len(l.Ended)-maxEnded):]
	}
	l.Holder, l.Epoch, l.Released, l.Begin = to, e, false, at
	m.Leases[i] = l.withTenures()
	return m.raise(e)
}

func (l *Lease) fields(f *codec.Fields) {
	l.Shard.fields(f)
	codec.Num(f, &l.Holder)
	codec.Num(f, &l.Epoch)
	f.Bool(&l.Released)
	codec.List(f, &l.Waiting, func(f *codec.Fields, a *AttachmentID) { codec.Num(f, a) })
	codec.Num(f, &l.Begin)
	codec.List(f, &l.Ended, func(f *codec.Fields, x *End) {
		codec.Num(f, &x.Epoch)
		codec.Num(f, &x.At)
	})
	l.tenureFields(f)
}

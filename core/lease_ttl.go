package core

import (
	"slices"

	"apex/core/codec"
)

// A tool has a lease for a time, its TTL, after each renewal. When the time is up the lease is taken
// back, for who waits or for the daemon, from whom people's interfaces take it again.

// Bounds of a TTL, and of the period of renewals.
const (
	// MinTTL leaves room for a renewal in the life of every lease.
	MinTTL Millis = 2_000
	// MaxTTL is how long a tool that hangs may keep others waiting. Work that takes longer renews.
	MaxTTL Millis = 3_600_000

	minRenewal Millis = 1_000
	// maxRenewal is how seldom the holder of a long lease says that it is there.
	maxRenewal Millis = 10_000
	// lateTick is how long after a deadline the daemon may notice that it has passed. If it takes
	// longer, then the daemon did not run, or the clock was set: nobody can have been heard.
	lateTick Millis = 1_000
)

// CheckTTL returns why a tool can't have a lease for a time, nil if it can.
func CheckTTL(ttl Millis) *Error {
	if ttl < MinTTL || ttl > MaxTTL {
		return badf("a lease for %d ms: want %d to %d", ttl, MinTTL, MaxTTL)
	}
	return nil
}

// RenewEvery returns how often a lease with a TTL is renewed: one renewal at least falls into each
// of its lives.
func RenewEvery(ttl Millis) Millis { return min(max(ttl/2, minRenewal), maxRenewal) }

// lapse says what becomes, at a time, of a lease that lasts until another: over is that it is taken
// back, and else it lasts until next. A daemon that finds the deadline long past has been suspended,
// or its clock was set: the holder has the time of two renewals to be heard again.
func lapse(now, until, ttl Millis) (next Millis, over bool) {
	switch {
	case now < until:
		return until, false
	case now > until+lateTick:
		return now + min(ttl, 2*RenewEvery(ttl)), false
	}
	return 0, true
}

// Tenure is for how long a tool has a lease after each renewal.
type Tenure struct {
	By  AttachmentID // it holds the lease, or waits for it
	TTL Millis
}

// TTLOf returns for how long an attachment has the lease after each renewal, or will have it when
// its turn comes; not ok for one that has it until it gives it back.
func (l *Lease) TTLOf(a AttachmentID) (Millis, bool) {
	for _, t := range l.Tenures {
		if t.By == a {
			return t.TTL, true
		}
	}
	return 0, false
}

// ToolHeld reports whether a tool has the lease for a time.
func (l *Lease) ToolHeld() bool {
	_, ok := l.TTLOf(l.Holder)
	return ok && !l.Released
}

// LeaseTTL records for how long By has a lease after each renewal. It comes before the grant, the
// reclaim or the request that is By's.
type LeaseTTL struct {
	Shard Shard
	By    AttachmentID
	TTL   Millis
}

func (*LeaseTTL) kind() OpKind         { return OpLeaseTTL }
func (*LeaseTTL) shardKind() ShardKind { return KindMeta }

func (o *LeaseTTL) fields(f *codec.Fields) {
	o.Shard.fields(f)
	codec.Num(f, &o.By)
	codec.Num(f, &o.TTL)
}

func (m *Meta) leaseTTL(o *LeaseTTL) error {
	i, ok := m.lease(o.Shard)
	if !ok {
		return Errorf(CodeNotFound, "no lease of %v", o.Shard)
	}
	if _, ok := m.attached(o.By); !ok {
		return Errorf(CodeNotAttached, "no attachment %d", o.By)
	}
	if err := CheckTTL(o.TTL); err != nil {
		return err
	}
	m.Leases[i] = m.Leases[i].withTenure(Tenure{o.By, o.TTL})
	return nil
}

func (l Lease) withTenure(t Tenure) Lease {
	kept := slices.DeleteFunc(slices.Clone(l.Tenures), func(x Tenure) bool { return x.By == t.By })
	l.Tenures = append(kept, t)
	return l
}

// withTenures forgets the tenures of those who neither hold the lease nor wait for it.
func (l Lease) withTenures() Lease {
	if len(l.Tenures) == 0 {
		return l
	}
	l.Tenures = slices.DeleteFunc(slices.Clone(l.Tenures), func(t Tenure) bool {
		return t.By != l.Holder && !slices.Contains(l.Waiting, t.By)
	})
	return l
}

func (l *Lease) tenureFields(f *codec.Fields) {
	if f.Optional(); f.Reading() || len(l.Tenures) > 0 { // older builds had none
		codec.List(f, &l.Tenures, func(f *codec.Fields, t *Tenure) {
			codec.Num(f, &t.By)
			codec.Num(f, &t.TTL)
		})
	}
}

package sim

import (
	"fmt"

	"apex/core"
)

// ttls are for how long the simulator's tools have leases: the shortest lapse often, the longest are
// held while other things happen.
var ttls = []core.Millis{core.MinTTL, 5_000, 60_000, core.MaxTTL}

// checkDeadlines checks, after the daemon was told the time, that nothing is due any more, and that
// no tool has a lease for longer than it asked for.
func (w *World) checkDeadlines() {
	if due, ok := w.Auth.Deadline(); ok && due <= w.Now {
		w.failf("at %d the daemon still waits for %d, which has passed", w.Now, due)
	}
	for _, l := range w.Auth.Meta().Leases {
		until, timed := w.Auth.Until(l.Shard)
		ttl, tool := l.TTLOf(l.Holder)
		switch {
		case l.Released:
		case timed != tool:
			w.failf("the lease %v is timed: %v", l, timed)
		case tool && until > w.Now+ttl:
			w.failf("the lease %v lasts until %d, at %d", l, until, w.Now)
		}
	}
}

// overdue returns how many leases of tools have run out.
func (w *World) overdue() (n int) {
	for _, l := range w.Auth.Meta().Leases {
		if until, ok := w.Auth.Until(l.Shard); ok && until <= w.Now {
			n++
		}
	}
	return n
}

// settledLeases: no tool has a lease that it did not renew.
func (r *run) settledLeases() error {
	for _, l := range r.Auth.Meta().Leases {
		if l.ToolHeld() || len(l.Tenures) > 0 {
			return fmt.Errorf("the lease %v has not lapsed", l)
		}
	}
	return nil
}

// holdBuffer lets a tool take a buffer's lease for a time, type under it, renew it or not, and give
// it back or not.
func (r *run) holdBuffer(c *Client) {
	_, id := r.body(c.R)
	switch {
	case id == 0:
	case !c.R.Leads(id.Shard()):
		ttl := ttls[r.rand.IntN(len(ttls))]
		c.post(r.World, c.R.TakeFor(ttl, id.Shard()).Send...)
	case r.oneIn(4):
		c.post(r.World, c.R.Give(id.Shard()).Send...)
	case r.oneIn(4):
		c.post(r.World, &core.Renew{})
	case r.oneIn(8):
		r.Recall(id.Shard())
	default:
		r.typeToken(c)
	}
}

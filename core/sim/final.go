package sim

import (
	"fmt"
	"strings"

	"apex/core"
)

// final demands convergence, after peace has come.
func (r *run) final() {
	checks := []func() error{r.Agree, r.settledLeases, r.settledTerms, r.settledLogs, r.settledClients, r.settledBundles,
		r.settledProposals, r.settledTokens}
	for _, check := range checks {
		if err := check(); err != nil {
			r.failf("%v", err)
			return
		}
	}
}

// settledLogs: the daemon has everything that was ever durable, and nothing else.
func (r *run) settledLogs() error {
	for _, s := range r.Disk.Ledger.order {
		log := r.Disk.Ledger.logs[s]
		st, ok := r.Auth.State(s)
		if !s.Kind.Journaled() {
			continue
		}
		if ok == log.deleted {
			return fmt.Errorf("shard %v: deleted %v, has a state %v", s, log.deleted, ok)
		}
		if ok && st.Mark != (core.Mark{Seq: log.last, Chain: log.chain}) {
			return fmt.Errorf("shard %v is at %v, durable is %d:%v", s, st.Mark, log.last, log.chain)
		}
	}
	return nil
}

// settledClients: nobody waits for anything.
func (r *run) settledClients() error {
	for _, c := range r.Clients {
		if c.dead || c.left {
			continue
		}
		if n := c.R.Unsynced(); n > 0 {
			return fmt.Errorf("%s has %d messages that are not acknowledged", c.Name, n)
		}
		if n := c.R.Pending(); n > 0 {
			return fmt.Errorf("%s has %d proposals without an answer", c.Name, n)
		}
	}
	return nil
}

// settledBundles: a shard was stored with its first entries, or not at all, and what the layout
// shows is there.
func (r *run) settledBundles() error {
	m := r.Auth.Meta()
	for _, s := range m.Shards {
		if st, ok := r.Auth.State(s); s.Kind.Leasable() && (!ok || st.Mark.Seq == 0) {
			return fmt.Errorf("shard %v was made without its first entries", s)
		}
	}
	for _, c := range r.Auth.Layout().Columns {
		for _, slot := range c.Slots {
			if !m.Has(slot.Window.Shard()) {
				return fmt.Errorf("window %v stands in the layout and is not there", slot.Window)
			}
		}
	}
	return r.settledPairs()
}

// settledPairs: what one bundle typed into two buffers came in by one record, if it came in as it
// was typed. What is recovered comes in part by part.
func (r *run) settledPairs() error {
	type place struct {
		text  string
		shard core.Shard
	}
	led := map[place]int{}
	for i, b := range r.Disk.Ledger.Batches {
		for k := range b.Ops {
			if b.Ops[k].Kind == core.OpEdit && b.Intent == (core.IntentID{}) {
				led[place{b.Ops[k].Text, b.Shard}] = r.Disk.Ledger.records[i]
			}
		}
	}
	for _, p := range r.pairs {
		a := led[place{p[0].text, p[0].buffer.Shard()}]
		b := led[place{p[1].text, p[1].buffer.Shard()}]
		if a != b && !p[0].gone && !p[1].gone {
			return fmt.Errorf("a bundle typed %s and %s, stored by records %d and %d", p[0].text,
				p[1].text, a, b)
		}
	}
	return nil
}

// settledProposals: what was answered applied is there once. That nothing is there twice the
// ledger checks as it goes.
func (r *run) settledProposals() error {
	for _, c := range r.Clients {
		for _, p := range c.asked {
			stored := len(r.Disk.Ledger.intents[p.intent])
			if p.result.Outcome == core.Applied && p.result.First != 0 && stored != 1 {
				return fmt.Errorf("%s: proposal %x was applied and is stored %d times", c.Name,
					p.intent[:4], stored)
			}
		}
	}
	return nil
}

// settledTokens: what a UI typed came into the log, and is nowhere twice.
func (r *run) settledTokens() error {
	entered := map[string]bool{}
	for _, b := range r.Disk.Ledger.Batches {
		for i := range b.Ops {
			eachText(&b.Ops[i], func(s string) { tokensIn(s, func(t string) { entered[t] = true }) })
		}
	}
	there := map[string]int{}
	for _, s := range r.Auth.Meta().Shards {
		b := r.Auth.Buffer(core.BufferID(s.ID))
		if s.Kind != core.KindBuffer || b == nil {
			continue
		}
		// A buffer that is deleted forgets which recoveries it took: what it took may be kept again.
		kept := strings.HasSuffix(b.Name, "+Recovered")
		tokensIn(b.Text.String(), func(t string) {
			if !kept || !r.recovered[t] {
				there[t]++
			}
		})
	}
	for _, c := range r.Clients {
		for _, t := range c.typed {
			switch {
			case there[t.text] > 1 && !r.set[t.text] && !t.revived:
				return fmt.Errorf("%s typed %s once, it is there %d times", c.Name, t.text, there[t.text])
			case !entered[t.text] && !t.gone && !c.dead && !r.gone[t.text]:
				return fmt.Errorf("%s typed %s in %v, and it is lost", c.Name, t.text, t.buffer)
			}
		}
	}
	return nil
}

// eachText calls f with the texts that an op brings in.
func eachText(o *core.Op, f func(string)) {
	if o.Kind == core.OpEdit {
		f(o.Text)
	}
	switch o := o.Body.(type) {
	case *core.BufferNew:
		f(o.Text)
	case *core.Load:
		f(o.Text)
	case *core.Undo:
		for _, e := range o.Edits {
			f(e.Text)
		}
	}
}

// tallyLog counts what the durable log says happened to leases of clients.
func (w *World) tallyLog() {
	holder := map[core.Shard]core.AttachmentID{}
	for _, b := range w.Disk.Ledger.Batches {
		if b.Shard != core.MetaShard {
			continue
		}
		for i := range b.Ops {
			switch o := b.Ops[i].Body.(type) {
			case *core.ShardNew:
				holder[o.Shard] = o.Holder
			case *core.LeaseReclaim:
				if holder[o.Shard] != core.Server {
					w.Count.Reclaims++
				}
				holder[o.Shard] = o.To
			case *core.LeaseRelease:
				w.Count.Transfers++
			case *core.LeaseTTL:
				w.Count.Tenures++
			case *core.LeaseGrant:
				holder[o.Shard] = o.To
			}
		}
	}
}

// logState writes what every buffer holds to the trace.
func (w *World) logState() {
	if w.Trace == nil || w.Auth == nil {
		return
	}
	for _, c := range w.Clients {
		w.logf("%s: dead %v, left %v, %v", c.Name, c.dead, c.left, c.R)
	}
	for _, s := range w.Auth.Meta().Shards {
		if b := w.Auth.Buffer(core.BufferID(s.ID)); s.Kind == core.KindBuffer && b != nil {
			w.logf("%v %q v%d %q", s, b.Name, b.Version, b.Text.String())
		}
	}
}

package sim

import (
	"testing"

	"apex/core"
)

// impureAtObservers has an op lead to another state at people who watch than at the daemon, as one
// would that looks at a clock: the same bytes, the same chain, another dot.
func impureAtObservers(w *World) {
	w.hooks.down = func(l *link, m core.Msg) core.Msg {
		d, ok := m.(*core.Deliver)
		if !ok || l.client == nil || l.client.Kind != core.AttachObserver {
			return m
		}
		out := &core.Deliver{}
		for _, b := range d.Batches {
			own := *b
			own.Ops = append([]core.Op(nil), b.Ops...)
			for i := range own.Ops {
				if o := &own.Ops[i]; o.Kind == core.OpSelect {
					o.Q0, o.Q1 = 0, 0
				}
			}
			out.Batches = append(out.Batches, &own)
		}
		return out
	}
}

// checksLost is impureAtObservers of a daemon that checks nobody.
func checksLost(w *World) {
	impureAtObservers(w)
	impure := w.hooks.down
	w.hooks.down = func(l *link, m core.Msg) core.Msg {
		if _, ok := m.(*core.Check); ok {
			return nil
		}
		return impure(l, m)
	}
}

// A replica that an impure op has led elsewhere finds that out when its shard is quiet, says so and
// takes a snapshot: in the end all agree. Without the checks nobody would notice.
func TestDivergenceHeals(t *testing.T) {
	const seeds = 20
	said, unnoticed := 0, 0
	for seed := uint64(1); seed <= seeds; seed++ {
		count, err := runWith(seed, Options{}, func(w *World) {
			w.forgive = true
			impureAtObservers(w)
		})
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		said += count.Diverged
		if _, err := runWith(seed, Options{}, checksLost); err != nil {
			unnoticed++
		}
	}
	t.Logf("%d replicas said that they differ", said)
	if said == 0 || unnoticed == 0 {
		t.Errorf("%d replicas said that they differ, %d runs without checks ended apart", said, unnoticed)
	}
}

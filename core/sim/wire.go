package sim

import (
	"bytes"

	"apex/core"
)

// wire returns what the other end of a connection sees of a message: nothing is shared that either
// end may change. With whole, batches and snapshots go through their bytes.
func wire(m core.Msg, whole bool) core.Msg {
	switch m := m.(type) {
	case *core.Append:
		out := *m
		out.Batches = wireBatches(m.Batches, whole)
		return &out
	case *core.Deliver:
		return &core.Deliver{Batches: wireBatches(m.Batches, whole)}
	case *core.Propose:
		out := *m
		return &out
	case *core.Evaluate:
		out := *m
		return &out
	case *core.Snapshot:
		if !whole {
			return m
		}
		st, err := core.ReadSnapshot(encode(&m.State))
		if err != nil {
			panic("sim: a snapshot that was written is not read: " + err.Error())
		}
		return &core.Snapshot{State: st}
	}
	return m
}

func wireBatches(batches []*core.Sealed, whole bool) []*core.Sealed {
	out := make([]*core.Sealed, len(batches))
	for i, b := range batches {
		if !whole {
			out[i] = &core.Sealed{Batch: b.Batch, Bytes: b.Bytes}
			continue
		}
		again, err := core.Open(bytes.Clone(b.Bytes))
		if err != nil {
			panic("sim: a batch that was written is not read: " + err.Error())
		}
		out[i] = again
	}
	return out
}

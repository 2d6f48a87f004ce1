package daemon

import (
	"net"
	"slices"

	"apex/core"
	"apex/proto"
)

// run is the connection's writer: it writes what flush left, waiting for the socket as long as it
// takes, until the connection is closed. drained is called when a client that was behind has taken
// everything.
func (o *outbox) run(drained func()) {
	for range o.wake {
		for {
			b, snap, next := o.next()
			if next == writerClosed {
				return
			}
			if next == writerIdle {
				break
			}
			if next == writerDrained {
				drained() // what that puts in makes somebody the owner
				break
			}
			if err := o.write(b, snap); err != nil {
				o.close()
			}
		}
	}
}

// writerStep is what the writer has to do.
type writerStep uint8

const (
	writerIdle writerStep = iota
	writerWrite
	writerDrained
	writerClosed
)

// next takes what is to be written. The writer lets go of the socket when there is nothing.
func (o *outbox) next() ([]byte, *core.ShardState, writerStep) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return nil, nil, writerClosed
	case o.rest != nil:
		b := o.rest
		o.rest = nil
		return b, nil, writerWrite
	case len(o.queue) > 0 && o.queue[0].snapshot != nil:
		s := o.queue[0].snapshot
		o.take()
		return nil, s, writerWrite
	case len(o.queue) > 0:
		return o.gather(), nil, writerWrite
	case o.closing:
		o.closeLocked(nil)
		return nil, nil, writerClosed
	case o.behind && !o.untold:
		o.behind, o.owner = false, nobody
		return nil, nil, writerDrained
	}
	o.owner = nobody
	return nil, nil, writerIdle
}

func (o *outbox) write(b []byte, snap *core.ShardState) error {
	if snap == nil {
		_, err := o.nc.Write(b)
		return err
	}
	return proto.WriteSnapshot(snap, func(frame []byte) error {
		if _, err := o.nc.Write(frame); err != nil {
			return err
		}
		return o.writePassing(snap.Shard)
	})
}

// writePassing writes what may overtake the snapshot of a shard that is being written: a large one
// on a slow link must not keep answers and other shards' entries waiting.
func (o *outbox) writePassing(s core.Shard) error {
	for {
		b, err := o.passing(s)
		if len(b) == 0 || err != nil {
			return err
		}
		if _, err := o.nc.Write(b); err != nil {
			return err
		}
	}
}

// passing takes off the queue what may overtake a shard's snapshot. Everything else keeps its
// order: news of a shard stays behind its snapshot, also of one that still waits for its turn.
func (o *outbox) passing(s core.Shard) ([]byte, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return nil, net.ErrClosed
	}
	var b []byte
	held := []core.Shard{s}
	kept := o.queue[:0]
	for i := range o.queue {
		it := o.queue[i]
		if it.snapshot != nil {
			held = append(held, it.shard)
		}
		if it.snapshot != nil || it.barrier || slices.Contains(held, it.shard) {
			kept = append(kept, it)
			continue
		}
		if len(b) > 0 && len(b)+o.size(&it) > writeBytes {
			return o.passed(b, kept, i), nil
		}
		b = append(b, o.out(&it)...)
	}
	return o.passed(b, kept, len(o.queue)), nil
}

// passed closes the gap that passing made before the queue's item next.
func (o *outbox) passed(b []byte, kept []item, next int) []byte {
	kept = append(kept, o.queue[next:]...)
	clear(o.queue[len(kept):])
	o.queue = kept
	return b
}

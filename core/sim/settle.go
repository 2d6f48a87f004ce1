package sim

import (
	"bytes"
	"fmt"

	"apex/core"
)

// settleMax bounds how many steps a world takes until nothing moves any more: a system that still
// talks to itself after that never stops.
const settleMax = 20_000

// Settle delivers everything, makes everything durable and repeats that until nothing moves. No
// time passes.
func (w *World) Settle() {
	for n := 0; w.Err == nil; n++ {
		if n == settleMax {
			w.failf("no rest after %d steps", n)
		}
		if !w.moveOne() {
			return
		}
	}
}

// moveOne takes one step that is due; false if there is none.
func (w *World) moveOne() bool {
	for _, l := range w.links {
		switch {
		case len(l.up) > 0:
			w.Up(l)
			return true
		case len(l.down) > 0:
			w.Down(l)
			return true
		case l.behind || l.closing:
			l.down = append(l.down, &core.Ack{}) // what Down does at the end of a queue is due
			w.Down(l)
			return true
		}
	}
	if len(w.hashes) > 0 {
		w.Hash()
		return true
	}
	if w.Auth != nil && w.Disk.waiting() > 0 && !w.Disk.Failed {
		w.Sync(w.Disk.waiting())
		return true
	}
	return false
}

// Agree compares every replica with the daemon byte for byte, and the daemon with what its disk
// would bring back.
func (w *World) Agree() error {
	again, _, err := w.Disk.restore(w.Now, w.evaluate)
	if err != nil {
		return err
	}
	for _, s := range shards(w.Auth.Meta()) {
		if s == core.NotesShard {
			continue
		}
		st, ok := w.Auth.State(s)
		if !ok {
			return fmt.Errorf("shard %v has no state", s)
		}
		want := encode(&st)
		if s != core.MetaShard && s.Kind.Journaled() { // a restart writes epochs
			kept, _ := again.State(s)
			if got := encode(&kept); !bytes.Equal(got, want) {
				return fmt.Errorf("shard %v: snapshot and tail give %v, the daemon has %v", s, &kept, &st)
			}
		}
		for _, c := range w.Clients {
			if err := c.agrees(s, &st, want); err != nil {
				return err
			}
		}
	}
	return nil
}

// agrees compares one replica's shard with the daemon's.
func (c *Client) agrees(s core.Shard, st *core.ShardState, want []byte) error {
	if c.dead || c.left || c.link == nil || s != core.MetaShard && !c.R.Wants(s) {
		return nil
	}
	have, ok := c.R.State(s)
	if !ok || !c.R.Knows(s) {
		return fmt.Errorf("%s does not know shard %v", c.Name, s)
	}
	if got := encode(&have); !bytes.Equal(got, want) {
		return fmt.Errorf("%s has %v, the daemon has %v", c.Name, &have, st)
	}
	return nil
}

package daemon

import (
	"io"
	"time"

	"apex/core"
	"apex/core/codec"
	"apex/daemon/journal"
)

// A record's payload is a CBOR array of byte strings, the batches of one step in order.

// store hands a record to the journal; the turn is held.
func (s *session) store(batches []*core.Sealed) {
	pieces := make([][]byte, 0, 2*len(batches))
	head := codec.AppendArray(nil, len(batches))
	for _, b := range batches {
		head = codec.AppendBytesHead(head, len(b.Bytes))
		pieces = append(pieces, head, b.Bytes)
		head = nil
	}
	n, err := s.j.AppendV(pieces...)
	if err != nil {
		// The authority bounds what waits for the disk far below the journal's bound, so this is
		// a session whose journal is closed: nothing of it is acknowledged any more.
		s.log.Error("record not taken", "err", err)
		s.trouble = err.Error()
		s.last++
		return
	}
	s.last = n
	s.stamp = now()
}

// readRecord returns a record's batches. They alias payload.
func readRecord(payload []byte) ([]*core.Sealed, error) {
	c := codec.NewCursor(payload)
	n := c.Array()
	var out []*core.Sealed
	for i := 0; i < n && c.Err() == nil; i++ {
		b := c.Bytes()
		if c.Err() != nil {
			break
		}
		sealed, err := core.Open(b)
		if err != nil {
			return nil, err
		}
		out = append(out, sealed)
	}
	return out, c.Done()
}

// frozenKey names the part of a snapshot that lists damaged shards: they stay read-only after the
// damaged generation has become history.
const frozenKey = "frozen"

// frozenShard is one damaged shard.
type frozenShard struct {
	shard string
	why   string
}

func (f *frozenShard) fields(c *codec.Fields) {
	c.String(&f.shard)
	c.String(&f.why)
}

// parts makes a snapshot's parts; the turn is held. What they write are immutable values, so
// writing happens outside the turn.
func (s *session) parts() []journal.Part {
	var parts []journal.Part
	var frozen []frozenShard
	for _, shard := range s.a.Meta().Shards {
		st, ok := s.a.State(shard)
		if !ok {
			continue
		}
		parts = append(parts, journal.Part{Key: shard.String(), Data: st.WriteSnapshot})
		if why := s.a.Frozen(shard); why != "" {
			frozen = append(frozen, frozenShard{shard.String(), why})
		}
	}
	if len(frozen) > 0 {
		parts = append(parts, journal.Part{Key: frozenKey, Data: func(w io.Writer) error {
			_, err := w.Write(codec.AppendFields(nil, func(f *codec.Fields) {
				codec.List(f, &frozen, func(f *codec.Fields, x *frozenShard) { x.fields(f) })
			}))
			return err
		}})
	}
	return parts
}

// maybeRotate begins a new generation when the journal has outgrown the state; the turn is held.
func (s *session) maybeRotate() {
	if s.moving || s.ended || s.a.Frozen(core.MetaShard) != "" || !s.j.NeedsRotate(s.j.Stats().Snapshot) {
		return
	}
	s.rotate()
}

// rotate writes a new generation in the background; the turn is held.
func (s *session) rotate() {
	s.moving = true
	parts, upTo := s.parts(), s.last
	s.effects.Go(func() {
		err := s.j.Rotate(parts, upTo)
		s.mu.Lock()
		s.moving = false
		if err != nil {
			s.log.Error("new generation not begun", "err", err)
		}
		s.mu.Unlock()
	})
}

// reviveEvery is how often a fresh generation is tried while the disk refuses.
const reviveEvery = time.Second

// storeFailed takes the journal's word that the disk refused. The session goes on in memory, and
// a fresh generation is tried until there is room.
func (s *session) storeFailed(err error) {
	s.mu.Lock()
	s.log.Error("not durable", "err", err)
	s.trouble = "not durable: " + err.Error()
	s.run(&core.StoreFailed{})
	s.unlock()
	s.revive()
}

// revive tries a fresh generation, again and again until it holds everything.
func (s *session) revive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended || s.d.stopping() {
		return
	}
	parts, upTo := s.parts(), s.last
	s.effects.Go(func() {
		if err := s.j.Rotate(parts, upTo); err != nil {
			s.log.Warn("still not durable", "err", err)
			time.AfterFunc(reviveEvery, s.revive)
			return
		}
		s.mu.Lock()
		s.trouble = ""
		s.run(&core.StoreRevived{})
		s.unlock()
		s.log.Info("durable again")
	})
}

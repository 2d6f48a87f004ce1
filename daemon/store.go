package daemon

import (
	"errors"

	"apex/core"
	"apex/core/codec"
)

// A record's payload is a CBOR array of byte strings, the batches of one step in order.

// store hands a record to the journal; the turn is held. A journal that does not take it has lost
// its place in the log: nothing more goes there until a new generation has everything, and until
// then nothing is acknowledged.
func (s *session) store(batches []*core.Sealed) {
	if s.hole {
		return
	}
	pieces := make([][]byte, 0, 2*len(batches))
	size := 0
	head := codec.AppendArray(nil, len(batches))
	for _, b := range batches {
		head = codec.AppendBytesHead(head, len(b.Bytes))
		pieces = append(pieces, head, b.Bytes)
		size += len(b.Bytes)
		head = nil
	}
	n, err := s.j.Post(pieces...)
	if err != nil {
		s.hole, s.gated = true, true
		s.tasks.Go(func() { s.storeFailed(err) })
		return
	}
	s.last, s.stamp, s.posted = n, now(), true
	s.records = append(s.records, record{n, size})
	s.backlog += size
}

// stored takes the journal's word that records are on disk. It may be told twice, and late: only
// what is news says that the disk takes records again.
func (s *session) stored(upTo uint64) {
	s.mu.Lock()
	defer s.unlock()
	if s.a == nil || upTo <= s.durable {
		return // being read or made: whoever does that asks the journal; or told before
	}
	s.durable = upTo
	if !s.gated {
		s.durability = ""
	}
	s.settle()
}

// settle does what was waited for; the turn is held.
func (s *session) settle() {
	s.forgetRecords()
	if s.gated {
		return // durable in a place that does not count
	}
	s.afterStored()
	s.run(&core.Stored{All: s.durable >= s.last})
	s.payOff()
	s.sweep()
	s.maybeRotate()
}

// forgetRecords takes durable records out of the backlog.
func (s *session) forgetRecords() {
	n := 0
	for n < len(s.records) && s.records[n].number <= s.durable {
		s.backlog -= s.records[n].bytes
		n++
	}
	if s.records = s.records[n:]; len(s.records) == 0 {
		s.records = nil
	}
	s.room.Broadcast()
}

// afterStored does what durable records were waited for.
func (s *session) afterStored() {
	n := 0
	for n < len(s.waiting) && s.waiting[n].record <= s.durable {
		n++
	}
	ready := s.waiting[:n]
	if s.waiting = s.waiting[n:]; len(s.waiting) == 0 {
		s.waiting = nil
	}
	for i := range ready {
		s.after(ready[i].after)
		ready[i] = due{}
	}
}

// flush waits until everything that the session handed out is on disk and told.
func (s *session) flush() error {
	s.mu.Lock()
	upTo := s.last
	s.mu.Unlock()
	err := s.j.Flush()
	s.mu.Lock()
	if s.gated && err == nil {
		err = errHole
	}
	s.mu.Unlock()
	if err != nil {
		return core.Errorf(core.CodeReadOnly, "not on disk: %v", err)
	}
	s.stored(upTo) // the journal's own word of it may still be on its way
	return nil
}

var errHole = errors.New("the journal is of no use: a new generation is being written")

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

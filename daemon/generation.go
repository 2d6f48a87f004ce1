package daemon

import (
	"io"
	"time"

	"apex/core"
	"apex/core/codec"
	"apex/daemon/journal"
)

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
		if st, ok := s.a.State(shard); ok && shard.Kind.Journaled() {
			parts = append(parts, journal.Part{Key: shard.String(), Data: st.WriteSnapshot})
		}
		if why := s.a.Frozen(shard); why != "" { // also of one of which nothing is left
			frozen = append(frozen, frozenShard{shard.String(), why})
		}
	}
	if len(s.losses) > 0 {
		parts = append(parts, lossesPart(s.losses))
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
	if s.moving || s.ended || s.a.Failed() || s.a.Frozen(core.MetaShard) != "" ||
		!s.j.NeedsRotate(s.j.Stats().Snapshot) {
		return
	}
	s.moving = true
	parts, upTo := s.parts(), s.last
	s.tasks.Go(func() {
		err := s.rotate(parts, upTo)
		s.mu.Lock()
		defer s.mu.Unlock()
		s.moved()
		if err != nil {
			s.log.Error("new generation not begun", "err", err)
			return
		}
		s.maybeRotate() // what came meanwhile may be enough for the next one
	})
}

// rotate begins a new generation, which counts if it stands in the directory that the daemon has.
func (s *session) rotate(parts []journal.Part, upTo uint64) error {
	before, err := s.d.here()
	if err != nil {
		return err
	}
	if s.unborn {
		if err := s.mark(); err != nil {
			return err
		}
	}
	if err := s.j.Rotate(parts, upTo); err != nil {
		return err
	}
	if s.unborn {
		s.unborn = false
		s.d.made(s.dir)
	}
	if after, err := s.d.here(); err != nil || after != before {
		return errGone
	}
	return nil
}

// moved ends a rotation; the turn is held.
func (s *session) moved() {
	s.moving = false
	s.room.Broadcast()
}

// reviveEvery is how long after a try the next one to begin a fresh generation comes while the
// disk refuses. People who have made room expect to see it, and each try writes the whole state.
const reviveEvery = time.Second

// storeFailed takes the journal's word that the disk refused. The session goes on in memory, and
// a fresh generation is tried until there is room.
func (s *session) storeFailed(err error) {
	s.mu.Lock()
	s.log.Error("not durable", "err", err)
	s.notDurable(err)
	s.unlock()
	s.revive()
}

// troubleStart begins what is said of a session that is not durable.
const troubleStart = "not durable: "

// notDurable turns the session not durable; the turn is held.
func (s *session) notDurable(err error) {
	s.durability = troubleStart + err.Error()
	if s.a != nil { // else it is being read, and told afterwards
		s.run(&core.StoreFailed{Why: err.Error()})
		for i := range s.waiting {
			s.waiting[i].after = s.refusals(s.waiting[i].after)
		}
	}
	s.room.Broadcast()
}

// revive tries a fresh generation, again and again until it holds everything.
func (s *session) revive() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if try := s.revival(); try != nil {
		s.tasks.Go(try)
	}
}

// reviveNow is the first try of a session that is being read, which waits for it.
func (s *session) reviveNow() {
	s.mu.Lock()
	try := s.revival()
	s.mu.Unlock()
	if try != nil {
		try()
	}
}

// revival returns a try, nil if none is wanted now; the turn is held.
func (s *session) revival() func() {
	if s.ended || s.a == nil || s.durability == "" || s.a.Frozen(core.MetaShard) != "" {
		return nil
	}
	if s.moving {
		s.reviveLater()
		return nil
	}
	s.moving, s.hole = true, false
	parts, upTo := s.parts(), s.last
	return func() { s.revived(s.rotate(parts, upTo), upTo) }
}

func (s *session) reviveLater() {
	if s.reviver != nil {
		s.reviver.Stop() // one try at a time is waited for
	}
	s.reviver = time.AfterFunc(reviveEvery, s.revive)
}

// revived takes in how the try went. Records after upTo are in the new generation too.
func (s *session) revived(err error, upTo uint64) {
	s.mu.Lock()
	s.moved()
	if err != nil {
		s.log.Warn("still not durable", "err", err)
		s.hole = s.gated
		s.reviveLater()
		s.unlock()
		return
	}
	s.durability, s.gated = "", false
	s.durable = max(s.durable, upTo)
	s.run(&core.StoreRevived{})
	s.checkAll() // what the disk holds could not be noted down meanwhile
	s.settle()
	s.unlock()
	s.log.Info("durable again")
}

// checkpointBytes is what a journal holds after its snapshot before a stopping daemon finds it
// worth a new one, so that the next start reads it and no more.
const checkpointBytes = 4 << 20

// checkpoint begins a new generation if the next start is spared reading much.
func (s *session) checkpoint() error {
	s.mu.Lock()
	st := s.j.Stats()
	grown := st.Bytes - st.Snapshot
	if s.moving || s.durability != "" || s.a.Frozen(core.MetaShard) != "" ||
		grown < max(checkpointBytes, st.Snapshot) {
		s.mu.Unlock()
		return nil
	}
	s.mu.Unlock()
	return s.rotateNow()
}

// rotateNow begins a new generation and waits for it.
func (s *session) rotateNow() error {
	s.mu.Lock()
	s.moving = true
	parts, upTo := s.parts(), s.last
	s.mu.Unlock()
	err := s.rotate(parts, upTo)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.moved()
	return err
}

package daemon

import "apex/core"

// hashLater works out the hash of a state beside the turn; the turn is held. One goroutine does all
// of a session's, one after another, so that a session of many texts takes one core at most.
func (s *session) hashLater(e *core.HashState) {
	s.hashes = append(s.hashes, e.State)
	if !s.hashing && !s.ended {
		s.hashing = true
		s.tasks.Go(s.hashAll)
	}
}

func (s *session) hashAll() {
	for {
		s.mu.Lock()
		if len(s.hashes) == 0 || s.ended {
			s.hashing, s.hashes = false, nil
			s.mu.Unlock()
			return
		}
		st := s.hashes[0]
		s.hashes = s.hashes[1:]
		s.mu.Unlock()
		s.step(&core.Hashed{Shard: st.Shard, Mark: st.Mark, Hash: st.Hash()})
	}
}

// differs notes that a client's replica was found to be another than the session; the turn is held.
func (s *session) differs(e *core.Differs) {
	s.diverged++
	s.d.diverged.Add(1)
	s.log.Error("a replica differs, and is taken afresh", "shard", e.Shard.String(), "at", uint64(e.Seq),
		"attachment", uint64(e.Attachment), "conn", uint64(e.Conn))
}

package daemon

import (
	"errors"
	"fmt"
	"time"

	"apex/core"
)

// Before a session is left, its disk is asked so many times, this long apart, whether it takes what
// it has refused: the time that a person waits for `apex stop` without wondering.
const (
	insistTries = 5
	insistPause = 400 * time.Millisecond
)

// insist waits until all of the session is on disk. One that is not durable tries a fresh
// generation at once and a few times more. The error is why something would be lost.
func (s *session) insist() error {
	_, err := s.d.here()
	if err == nil {
		err = s.flush()
	}
	for try := 0; err != nil && !s.readOnlyWhole(); try++ {
		if try == insistTries {
			return err
		}
		if try > 0 {
			time.Sleep(insistPause)
		}
		s.reviveAlone()
		err = s.flush()
	}
	return nil
}

// readOnlyWhole reports whether damage made the whole session read-only: nothing of it waits for a
// disk.
func (s *session) readOnlyWhole() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.a.Frozen(core.MetaShard) != ""
}

// reviveAlone is a try of its own, after one that runs.
func (s *session) reviveAlone() {
	s.mu.Lock()
	for s.moving {
		s.room.Wait()
	}
	try := s.revival()
	s.mu.Unlock()
	if try != nil {
		try()
	}
}

// insistAll reports, for all sessions that would lose something by a stop, which and why.
func (d *Daemon) insistAll() error {
	sessions := d.reg.sessions()
	lost := make(chan error, len(sessions))
	done := within(settleTimeout, func() {
		each(sessions, func(s *session) {
			if err := s.insist(); err != nil {
				lost <- fmt.Errorf("session %q: %w", s.called(), err)
			}
		})
	})
	var all []error
	for len(lost) > 0 {
		all = append(all, <-lost)
	}
	if !done {
		all = append(all, errHung)
	}
	if err := errors.Join(all...); err != nil {
		return core.Errorf(core.CodeUnsaved, "%v: stop -f loses what is not on disk", err)
	}
	return nil
}

// called is the session's label.
func (s *session) called() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.a.Meta().Label
}

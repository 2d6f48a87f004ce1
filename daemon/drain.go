package daemon

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"apex/core"
)

// The drain is bounded: what is acknowledged is on disk already, so a disk or a file server that
// hangs costs no more than what a kill would.
const (
	// effectsTimeout is how long saves that run have to end and to be noted down.
	effectsTimeout = 2 * time.Second
	// settleTimeout is how long the disk has to take what waits for it.
	settleTimeout = 30 * time.Second
	// partingTimeout is how long clients have to take what is left for them.
	partingTimeout = 2 * time.Second
)

// errHung says that a drain was given up.
var errHung = errors.New("the disk did not take everything in time; what was acknowledged is safe")

// drain ends the daemon in this order: nobody new is served; saves that run end, and are noted;
// all writes are refused and every client is told; everything is synced, which acknowledges it;
// requests that wait are answered; connections close.
func (d *Daemon) drain(l *listener) error {
	d.log.Info("draining")
	d.conns.shut()
	if l != nil {
		l.close()
	}
	sessions := d.reg.sessions()
	within(effectsTimeout, d.watch.Close)
	within(effectsTimeout, func() { each(sessions, func(s *session) { s.lanes.wait() }) })
	within(effectsTimeout, func() { each(sessions, func(s *session) { s.programs.leave() }) })
	within(effectsTimeout, d.left.close)
	each(sessions, func(s *session) { s.step(&core.Drain{}) })
	d.home.left = d.closeAll(sessions)
	d.unsettled = errors.Is(d.home.left, errHung)
	close(d.settled)
	d.parting()
	d.tasks.Wait()
	if err := d.home.left; err != nil {
		d.log.Error("stopped", "err", err)
		return err
	}
	d.log.Info("stopped")
	return nil
}

// closeAll closes sessions, and says what is lost by that.
func (d *Daemon) closeAll(sessions []*session) error {
	lost := make(chan error, len(sessions))
	whole := within(settleTimeout, func() { each(sessions, func(s *session) { lost <- s.close() }) })
	var all []error
	for range len(lost) {
		all = append(all, <-lost)
	}
	if !whole {
		all = append(all, errHung)
	}
	return errors.Join(all...)
}

// each does something to every session, side by side.
func each(sessions []*session, f func(*session)) {
	var wg sync.WaitGroup
	for _, s := range sessions {
		wg.Go(func() { f(s) })
	}
	wg.Wait()
}

// within reports whether f ended in time. If not, it is left to the end of the process.
func within(limit time.Duration, f func()) bool {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	t := time.NewTimer(limit)
	defer t.Stop()
	select {
	case <-done:
		return true
	case <-t.C:
		return false
	}
}

// parting closes the connections when their requests are answered and they have taken everything,
// but waits only so long for clients that don't read.
func (d *Daemon) parting() {
	open := d.conns.all()
	done := within(partingTimeout, func() {
		var wg sync.WaitGroup
		for _, c := range open {
			wg.Go(func() {
				c.answered()
				c.out.finish()
			})
		}
		wg.Wait()
		d.conns.wait()
	})
	if done {
		return
	}
	within(partingTimeout, func() {
		for _, c := range open {
			c.out.close()
		}
		d.conns.wait()
	})
}

// close syncs a session and closes its journal. The error says what the disk refused to the end.
func (s *session) close() (lost error) {
	if err := s.checkpoint(); err != nil {
		s.log.Error("no checkpoint", "err", err)
	}
	if err := s.insist(); err != nil {
		s.log.Error("not everything is on disk", "err", err)
		s.d.lost.Store(true)
		lost = s.leaves(err)
	}
	s.end(errDraining)
	within(effectsTimeout, s.lanes.wait) // those that the last records let begin
	s.tasks.Wait()
	if err := s.j.Close(); err != nil {
		s.log.Error("journal not closed", "err", err)
	}
	return lost
}

// leaves says what becomes of a session whose disk refuses while the daemon leaves.
func (s *session) leaves(why error) error {
	kept := "in " + s.dir
	if s.d.home.isTaken() {
		kept = "where the state directory went"
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	unsaved := ""
	if dirty := dirtyNames(s.a); len(dirty) > 0 {
		unsaved = fmt.Sprintf(", some of it perhaps in %d files with unsaved changes (%s)", len(dirty),
			strings.Join(dirty[:min(len(dirty), namedMax)], ", "))
	}
	return fmt.Errorf("session %q: its newest changes are lost%s: %w; what was acknowledged is kept "+
		"%s, and interfaces that are open send again what was not", s.a.Meta().Label, unsaved, why, kept)
}

// namedMax is how many files are named where there may be many.
const namedMax = 5

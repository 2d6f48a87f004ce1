package daemon

import (
	"errors"
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
	within(effectsTimeout, func() { each(sessions, func(s *session) { s.lanes.wait() }) })
	each(sessions, func(s *session) { s.step(&core.Drain{}) })
	whole := within(settleTimeout, func() { each(sessions, (*session).close) })
	d.unsettled = !whole
	close(d.settled)
	d.parting()
	d.tasks.Wait()
	if !whole {
		d.log.Error("stopped", "err", errHung)
		return errHung
	}
	d.log.Info("stopped")
	return nil
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
	for _, c := range open {
		c.out.close()
	}
	within(partingTimeout, d.conns.wait)
}

// close syncs a session and closes its journal.
func (s *session) close() {
	if err := s.checkpoint(); err != nil {
		s.log.Error("no checkpoint", "err", err)
	}
	if err := s.insist(); err != nil {
		s.log.Error("not everything is on disk", "err", err)
		s.d.lost.Store(true)
	}
	s.end(errDraining)
	within(effectsTimeout, s.lanes.wait) // those that the last records let begin
	s.tasks.Wait()
	if err := s.j.Close(); err != nil {
		s.log.Error("journal not closed", "err", err)
	}
}

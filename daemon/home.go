package daemon

import (
	"errors"
	"os"
	"sync"
	"time"

	"apex/core"
	"apex/daemon/journal"
	"apex/daemon/paths"
)

// home is the daemon's hold on its state directory. The directory, or its lock, may be deleted or
// replaced under the daemon, whose journals then go to files without names: what lies there is as
// good as lost.
type home struct {
	mu    sync.Mutex
	lock  *paths.Lock
	epoch int   // how often the directory was taken
	why   error // that it could not be taken again, as logged
	taken bool  // by another daemon: for good
	// The disk did not take who holds the lock: tried again.
	unnamed bool

	ended endedDirs
	left  error // what the drain could not get to the disk; set before settled is closed
}

var (
	errGone    = errors.New("the state directory is gone")
	errDeleted = errors.New("the session's journal was deleted")
	errTaken   = core.Errorf(core.CodeUnavailable,
		"the state directory is gone, and another daemon has the one in its place")
)

// homeEvery is how often the state directory and the journals in it are looked at. What is deleted
// there is still in memory: only a crash before the next look loses it. Looks are most of what a quiet
// daemon costs.
const homeEvery = 3 * time.Second

// watchHome looks after the state directory, and the sessions' in it, until the drain begins.
func (d *Daemon) watchHome() {
	t := time.NewTicker(homeEvery)
	defer t.Stop()
	for {
		select {
		case <-d.stopped.Done():
			return
		case <-t.C:
			if _, err := d.here(); err == nil { // else it is logged
				d.lookForJournals()
			}
			d.keepEndedDaily()
		}
	}
}

// here makes sure that the state directory is the daemon's, and says which one since the start it
// is. If it is gone, all sessions are not durable from now on, and it is made again; if another
// daemon has what is in its place, this one leaves. No turn is held.
func (d *Daemon) here() (epoch int, err error) {
	h := &d.home
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case h.taken:
		return 0, errTaken
	case h.lock == nil || h.why == nil && h.lock.Held():
		if h.unnamed {
			d.record()
		}
		return h.epoch, nil
	case h.why == nil:
		d.log.Error("the state directory is gone", "state", d.opts.State)
		for _, s := range d.reg.sessions() {
			s.uproot(errGone)
		}
	}
	if err := d.settleAgain(); err != nil {
		if h.why == nil || h.why.Error() != err.Error() {
			d.log.Error("the state directory is not made again", "err", err)
		}
		h.why = err
		return 0, err
	}
	h.why = nil
	h.epoch++
	d.log.Warn("the state directory is made again", "state", d.opts.State)
	return h.epoch, nil
}

// settleAgain takes the directory that is in the place of the one that is gone.
func (d *Daemon) settleAgain() error {
	lock, err := paths.Acquire(d.opts.State)
	var held *paths.HeldError
	if errors.As(err, &held) {
		d.home.taken = true
		d.log.Error("another daemon has the state directory: leaving it to that one", "err", err)
		d.Stop()
		return errTaken
	}
	if err != nil {
		return err
	}
	_ = d.home.lock.Release() // of a file that nobody finds
	d.home.lock = lock
	d.record()
	d.furnish()
	return nil
}

// record writes into the lock where the daemon listens. Who can't read it looks where it would
// listen itself, so a disk that takes nothing is no reason not to serve. The caller holds home.mu.
func (d *Daemon) record() {
	err := d.home.lock.Record(paths.Owner{PID: os.Getpid(), Socket: d.opts.Socket})
	if err != nil && !d.home.unnamed {
		d.log.Error("not written down who holds the state directory", "err", err)
	}
	d.home.unnamed = err != nil
}

// lookForJournals finds sessions whose directory, or whose journal in it, was deleted under the
// daemon. It costs a listing of a handful of names for each.
func (d *Daemon) lookForJournals() {
	for _, s := range d.reg.sessions() {
		if s.uncertain() {
			continue
		}
		if has, err := journal.Exists(d.fs, s.dir); err == nil && !has {
			s.log.Error("the session's journal is gone: written anew", "dir", s.dir)
			s.uproot(errDeleted)
		}
	}
}

// uproot turns the session not durable: what its journal writes is lost. Nothing is acknowledged
// until a fresh generation stands in the new directory.
func (s *session) uproot(why error) {
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	s.gated = true
	s.notDurable(why)
	s.unlock()
	s.revive()
}

// isTaken reports whether another daemon has the state directory.
func (h *home) isTaken() bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.taken
}

// uncertain reports whether nothing need be on disk for the session: it has ended, or is tried again
// anyway.
func (s *session) uncertain() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended || s.a == nil || s.durability != ""
}

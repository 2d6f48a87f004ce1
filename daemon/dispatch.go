package daemon

import (
	"context"
	"crypto/rand"

	"apex/core"
	"apex/proto"
)

// quick reports whether a request is answered without waiting for a disk or for anybody else: the
// connection's reader does it in place.
func (d *Daemon) quick(r proto.Request) bool {
	switch r := r.(type) {
	case *proto.Ping, *proto.SessionList, *proto.Windows, *proto.Resolve, *proto.Peek, *proto.Who,
		*proto.Status, *proto.LeaseList:
		return true
	case *proto.Read:
		return d.atHand(r.Session, r.Win)
	case *proto.Info:
		return d.atHand(r.Session, r.Win)
	}
	return false
}

// atHand reports whether a window's text can be read without waiting: nothing of the session waits for
// its disk, and the file need not be looked at, but for a stat on a disk of this machine.
func (d *Daemon) atHand(label, win string) bool {
	s, err := d.reg.session(label)
	if err != nil {
		return true
	}
	s.mu.Lock()
	quiet := s.durable >= s.last
	_, id, b, err := s.text(win, false)
	s.mu.Unlock()
	if !quiet || err != nil {
		return quiet
	}
	return !onFile(b) || !b.Stale && d.watch.Told(b.Name) && s.asSeen(id, b, toldRest)
}

// writes reports whether a request changes anything: none is taken while the daemon stops.
func writes(r proto.Request) bool {
	switch r.(type) {
	case *proto.SessionNew, *proto.SessionRename, *proto.SessionEnd, *proto.SessionRestore, *proto.Import,
		*proto.Open, *proto.ProposeIn,
		*proto.Exec, *proto.TermNew, *proto.TermInput, *proto.TermRun, *proto.TermResize, *proto.TermClear,
		*proto.TermKill, *proto.Kill, *proto.EnvSet, *proto.TermColours,
		*proto.LeaseRelease:
		return true
	}
	return false
}

// dispatch answers a request of a client that is there until ctx ends: what only waits ends with it.
func (d *Daemon) dispatch(ctx context.Context, r proto.Request) (proto.Reply, error) {
	if d.stopping() && writes(r) {
		return nil, errDraining
	}
	switch r := r.(type) {
	case *proto.Ping:
		return &proto.Done{}, nil
	case *proto.Exists:
		return d.exists(r.Path)
	case *proto.Status:
		return d.status(), nil
	case *proto.Stop:
		return d.stopAndSettle(r.Force)
	case *proto.Upgrade:
		return d.upgrade(r.Exe)
	case *proto.SessionList:
		return &proto.Sessions{Sessions: d.list()}, nil
	case *proto.Fsck:
		return d.fsck(r)
	case *proto.EndedList:
		return d.endedSessions()
	case *proto.Export:
		return d.export(ctx, r)
	case *proto.Import:
		return d.imports(ctx, r)
	case *proto.SessionRestore:
		return d.restore(r)
	case *proto.SessionNew:
		return d.sessionNew(r)
	case *proto.SessionRename:
		return d.rename(r)
	case *proto.SessionEnd:
		return d.end(r)
	case *proto.Windows:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.windowList() })
	case *proto.Resolve:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.resolveWindow(r.Win) })
	case *proto.Read:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.read(r) })
	case *proto.Info:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.info(r.Win) })
	case *proto.Peek:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.peek(r) })
	case *proto.Who:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.who(), nil })
	case *proto.Log:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.readLog(r) })
	case *proto.Open:
		return d.openIn(r)
	case *proto.ProposeIn:
		return d.metered(r.Session, proto.Author{Actor: r.Proposal.Author.Actor},
			func(s *session) (proto.Reply, error) { return s.proposeIn(r) })
	case *proto.Exec:
		return d.metered(r.Session, r.Author, func(s *session) (proto.Reply, error) { return s.exec(r) })
	case *proto.LeaseList:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.leases(r) })
	case *proto.LeaseRelease:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.leaseRelease(r) })
	}
	return d.dispatchPrograms(ctx, r)
}

// stopAndSettle begins the drain and returns when everything is on disk. What a disk refuses would
// be lost: then the daemon goes on, unless it is forced.
func (d *Daemon) stopAndSettle(force bool) (proto.Reply, error) {
	if !force && !d.stopping() {
		if err := d.insistAll(); err != nil {
			d.log.Warn("not stopped", "err", err)
			return nil, err
		}
	}
	d.Stop()
	<-d.settled
	switch {
	case force:
	case d.unsettled:
		return nil, core.Errorf(core.CodeUnavailable, "%v", errHung)
	case d.lost.Load():
		return nil, core.Errorf(core.CodeInternal, "stopped: %v", d.home.left)
	}
	return &proto.Done{}, nil
}

// in runs a request in a session.
func in(d *Daemon, label string, f func(*session) (proto.Reply, error)) (proto.Reply, error) {
	s, err := d.reg.session(label)
	if err != nil {
		return nil, err
	}
	return f(s)
}

func newIntent() (i core.IntentID) {
	rand.Read(i[:])
	return i
}

func (d *Daemon) author(a proto.Author) core.Author {
	if a.Actor == "" {
		return core.Author{Actor: d.actor}
	}
	return core.Author{Actor: a.Actor}
}

func (d *Daemon) openIn(r *proto.Open) (proto.Reply, error) {
	s, err := d.findOrCreate(r.Session, r.Dir, r.Session == "" || r.Session == DefaultLabel,
		r.Unkept)
	if err != nil {
		return nil, err
	}
	if err := s.meterOf(d.author(r.Author).Actor); err != nil {
		return nil, err
	}
	return s.openFiles(d.author(r.Author), r)
}

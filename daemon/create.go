package daemon

import (
	"crypto/rand"
	"encoding/hex"
	"path/filepath"

	"apex/core"
	"apex/core/edit"
	"apex/daemon/disk"
	"apex/proto"
)

// create makes a session. The label must be free. With unkept a disk that refuses is no reason not
// to: the session is in memory, not durable, until the disk takes it.
func (d *Daemon) create(label, dir string, unkept bool) (*session, error) {
	if err := core.CheckLabel(label); err != nil {
		return nil, err
	}
	if dir == "" {
		dir = d.userDir
	}
	if !filepath.IsAbs(dir) {
		return nil, core.Errorf(core.CodeBadRequest, "session directory %q: want an absolute path", dir)
	}
	if d.stopping() {
		return nil, errDraining
	}
	sl, err := d.reg.reserve(label)
	if err != nil {
		return nil, err
	}
	before, err := d.here()
	if err != nil {
		d.reg.drop(sl)
		sl.fill(nil, notMade(err))
		return nil, sl.err
	}
	s, err := d.begin(label, dir, unkept)
	if err != nil {
		d.reg.drop(sl)
	}
	sl.fill(s, err)
	if after, gone := d.here(); s != nil && (gone != nil || after != before) {
		s.uproot(errGone) // it was not among those that lost the directory
	}
	return s, err
}

// begin makes the session's journal and its first record, and returns when that is durable, or
// with unkept when it is known that it can't be now.
func (d *Daemon) begin(label, dir string, unkept bool) (*session, error) {
	id := core.Identity{Created: now()}
	rand.Read(id.Session[:])
	rand.Read(id.History[:])
	s := d.newSession(filepath.Join(d.sessionsDir(), hex.EncodeToString(id.Session[:])))
	err := s.mark()
	if err != nil && !unkept {
		return nil, notMade(err)
	}
	s.unborn = err != nil
	if err := s.openJournal(); err != nil {
		return nil, notMade(err)
	}
	report, err := s.j.Recover(newRecovery())
	if err == nil && !unkept {
		err = report.NotDurable
	}
	if err == nil {
		err = s.first(id, label, dir, report.NotDurable)
	}
	if err == nil {
		err = s.flush()
	}
	if err != nil && unkept && s.a != nil {
		s.log.Warn("a session is in memory only", "label", label, "err", err)
		s.revive()
		return s, nil
	}
	if err != nil {
		s.end(errEnded)
		s.tasks.Wait()
		s.j.Close()
		return nil, notMade(err) // and its mark stays: the next start knows
	}
	d.made(s.dir)
	return s, nil
}

// mark notes beside the session's directory that it is being made.
func (s *session) mark() error {
	if err := disk.MkdirAll(s.d.fs, s.d.sessionsDir()); err != nil {
		return err
	}
	return disk.WriteFile(s.d.fs, s.dir+makingSuffix, nil)
}

func notMade(err error) error {
	return core.Errorf(core.CodeReadOnly, "the session can't be kept: %v", err)
}

// first makes the session's first record. refused is why the journal takes nothing, nil if it does.
func (s *session) first(id core.Identity, label, dir string, refused error) error {
	s.mu.Lock()
	defer s.unlock()
	a, ready, err := core.NewSession(id, label, dir, now(), edit.Evaluate, edit.FirstBundle)
	if err != nil {
		return err
	}
	s.a, s.id = a, id.Session
	if refused != nil {
		s.notDurable(refused)
	}
	s.perform(ready)
	return nil
}

// findOrCreate returns a session, made if it is missing and create is set, and as create does.
func (d *Daemon) findOrCreate(label, dir string, create, unkept bool) (*session, error) {
	for {
		s, err := d.reg.session(label)
		if core.CodeOf(err) != core.CodeNotFound || !create {
			return s, err
		}
		if label == "" {
			label = DefaultLabel
		}
		s, err = d.create(label, dir, unkept)
		if core.CodeOf(err) != core.CodeExists {
			return s, err
		}
	}
}

// wanted returns the session that a client attaches to: who has been in one comes back to that one,
// though it has another label now, and another session its label. One that no disk ever had may have
// gone with an earlier daemon: it is made again.
func (d *Daemon) wanted(a *proto.Attach) (*session, error) {
	unkept := a.Hello.Kind != core.AttachTool
	if a.ID == (core.SessionID{}) {
		return d.findOrCreate(a.Session, a.Dir, a.Create, unkept)
	}
	for _, s := range d.reg.sessions() {
		if s.id == a.ID {
			return s, nil
		}
	}
	// One that can't be read has no id that is known, but its label.
	if _, err := d.reg.session(a.Session); err != nil && core.CodeOf(err) != core.CodeNotFound {
		return nil, err
	}
	if a.Create {
		return d.findOrCreate(a.Session, a.Dir, true, unkept)
	}
	return nil, core.Errorf(core.CodeNotFound, "session %q was ended", a.Session)
}

func (d *Daemon) attach(c *conn, call uint64, a *proto.Attach) error {
	if c.session.Load() != nil {
		return core.Errorf(core.CodeBadRequest, "the connection is attached already")
	}
	if d.stopping() {
		return errDraining
	}
	s, err := d.wanted(a)
	if err != nil {
		return err
	}
	if a.Hello.Kind != core.AttachTool {
		c.tty = drawsOn(c.peer)
		if err := d.inside(s, c.tty); err != nil {
			return err
		}
	}
	return s.attach(c, call, &a.Hello)
}

package daemon

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"apex/core"
	"apex/daemon/journal"
	"apex/proto"
	"apex/term/holder"
)

// endedSessions lists what is kept of sessions that have ended, the newest first.
func (d *Daemon) endedSessions() (proto.Reply, error) {
	all, err := d.listEnded()
	if err != nil {
		return nil, core.Errorf(core.CodeUnavailable, "what ended is not known: %v", err)
	}
	out := &proto.EndedSessions{}
	for _, e := range slices.Backward(all) {
		if e.going() {
			continue
		}
		out.Sessions = append(out.Sessions, proto.EndedSession{Label: e.label, ID: e.id,
			At: core.Millis(e.at.UnixMilli()), Until: core.Millis(e.at.Add(endedMaxAge).UnixMilli()),
			Bytes: d.treeBytes(filepath.Join(d.endedDir(), e.name))})
	}
	return out, nil
}

// restore brings a session that has ended back. Its programs ended with it; what its terminals
// showed is there.
func (d *Daemon) restore(r *proto.SessionRestore) (proto.Reply, error) {
	if r.As != "" {
		if err := core.CheckLabel(r.As); err != nil {
			return nil, err
		}
	}
	d.home.ended.mu.Lock() // it must not be removed meanwhile
	defer d.home.ended.mu.Unlock()
	e, err := d.findEnded(r.Session)
	if err != nil {
		return nil, err
	}
	label := r.As
	if label == "" {
		label = e.label
	}
	sl, err := d.reg.reserve(label)
	if err != nil {
		return nil, core.Errorf(core.CodeExists, "session %q exists: --as NAME gives this one another label",
			label)
	}
	s, err := d.revert(e, label)
	if err != nil {
		d.reg.drop(sl)
	}
	sl.fill(s, err)
	if err != nil {
		return nil, err
	}
	d.log.Info("an ended session is back", "label", label, "id", e.id)
	return &proto.Sessions{Sessions: []proto.SessionInfo{s.summary(label)}}, nil
}

// findEnded finds the ended session that somebody means: the newest of a label, or the one whose id
// begins so.
func (d *Daemon) findEnded(name string) (ended, error) {
	all, err := d.listEnded()
	if err != nil {
		return ended{}, core.Errorf(core.CodeUnavailable, "what ended is not known: %v", err)
	}
	all = slices.DeleteFunc(all, func(e ended) bool { return e.going() })
	for _, e := range slices.Backward(all) {
		if e.label == name {
			return e, nil
		}
	}
	var found []ended
	for _, e := range all {
		if isIDPart(name) && strings.HasPrefix(e.id, name) {
			found = append(found, e)
		}
	}
	switch len(found) {
	case 0:
		return ended{}, core.Errorf(core.CodeNotFound,
			"no session %q has ended, or it is no longer kept: `apex ls --ended` lists them", name)
	case 1:
		return found[0], nil
	}
	return ended{}, core.Errorf(core.CodeConflict, "%q may be any of %d sessions that have ended", name,
		len(found))
}

// revert moves an ended session's files back and reads them. On an error they are where they were.
func (d *Daemon) revert(e ended, label string) (*session, error) {
	if !isSessionName(e.id) {
		return nil, core.Errorf(core.CodeUnavailable, "%s is not a session's directory", e.name)
	}
	from, to := filepath.Join(d.endedDir(), e.name), filepath.Join(d.sessionsDir(), e.id)
	if has, err := journal.Exists(d.fs, from); err != nil || !has {
		return nil, core.Errorf(core.CodeUnavailable, "nothing is left of session %q in %s", e.label, from)
	}
	if _, err := d.fs.ReadDir(to); err == nil {
		return nil, core.Errorf(core.CodeExists, "a session lies in %s already", to)
	}
	if err := d.moveDir(from, to); err != nil {
		return nil, core.Errorf(core.CodeReadOnly, "session %q can't be moved back: %v", e.label, err)
	}
	s, err := d.arrive(to, label)
	if err != nil {
		if back := d.moveDir(to, from); back != nil {
			d.log.Error("a session that can't be restored is not in ended/ any more", "dir", to, "err", back)
		}
		return nil, core.Errorf(core.CodeUnavailable, "session %q can't be read: %v", e.label, err)
	}
	return s, nil
}

func (d *Daemon) moveDir(from, to string) error {
	err := d.fs.Rename(from, to)
	if err == nil {
		err = d.fs.SyncDir(filepath.Dir(to))
	}
	if err == nil {
		err = d.fs.SyncDir(filepath.Dir(from))
	}
	return err
}

// arrive reads a session that came into the directory of sessions while the daemon runs, and gives it
// a label.
func (d *Daemon) arrive(dir, label string) (*session, error) {
	s, err := d.recoverSession(dir)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	same := s.a.Meta().Label == label
	s.mu.Unlock()
	if !same {
		if err := s.relabel(label); err != nil {
			s.end(errEnded)
			s.tasks.Wait()
			return nil, errors.Join(err, s.j.Close())
		}
	}
	names, err := holder.List(d.holdersDir())
	if err != nil {
		d.log.Error("what programs left behind is not known", "err", err)
	}
	s.adopt()
	s.adoptStrays(names)
	return s, nil
}

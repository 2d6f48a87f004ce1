package daemon

import (
	"cmp"
	"fmt"
	"os"
	"runtime/metrics"

	"apex/core"
	"apex/proto"
	"apex/term/holder"
)

func (d *Daemon) sessionNew(r *proto.SessionNew) (proto.Reply, error) {
	s, err := d.create(r.Label, r.Dir, false)
	if err != nil {
		return nil, err
	}
	return &proto.Sessions{Sessions: []proto.SessionInfo{s.summary(r.Label)}}, nil
}

// rename gives a session another label. Until that is durable it has both.
func (d *Daemon) rename(r *proto.SessionRename) (proto.Reply, error) {
	if err := core.CheckLabel(r.New); err != nil {
		return nil, err
	}
	sl, err := d.reg.find(r.Old)
	if err == nil {
		err = sl.err
	}
	if err == nil {
		err = d.reg.hold(sl)
	}
	if err != nil {
		return nil, err
	}
	defer d.reg.let(sl)
	before := sl.label // nobody else changes it while the slot is held
	if err := d.reg.alias(sl, r.New); err != nil {
		return nil, err
	}
	if err := sl.s.relabel(r.New); err != nil {
		d.reg.relabel(sl, before)
		return nil, err
	}
	d.reg.relabel(sl, r.New)
	return &proto.Done{}, nil
}

func (s *session) relabel(label string) error {
	b := core.Bundle{Author: s.signature()}
	b.Add(core.MetaShard, core.Of(&core.Label{Label: label}))
	if err := s.commitLocal(b); err != nil {
		return err
	}
	return s.flush()
}

// end ends a session. Its files move aside: ended is not destroyed. Unsaved work, and a session
// that can't be read, are refused unless force is set. One that has ended already is no error, and
// the answer says so.
func (d *Daemon) end(r *proto.SessionEnd) (proto.Reply, error) {
	sl, err := d.reg.find(r.Session)
	if err == nil {
		err = d.reg.hold(sl)
	}
	if core.CodeOf(err) == core.CodeNotFound {
		said, err := d.hasEnded(cmp.Or(r.Session, DefaultLabel))
		if err != nil {
			return nil, err
		}
		return &proto.Done{Message: said}, nil
	}
	if err != nil {
		return nil, err
	}
	defer d.reg.let(sl)
	label, dir := sl.label, sl.dir // nobody else changes the label while the slot is held
	if sl.s == nil && !r.Force {
		return nil, core.Errorf(core.CodeUnsaved, "%v: end -f moves its files aside", sl.err)
	}
	if sl.s != nil {
		dir = sl.s.dir
		if err := sl.s.finish(r.Force); err != nil {
			return nil, err
		}
	}
	if err := d.setAside(label, dir); err != nil {
		d.notAside(sl, label, dir, err)
		return nil, err
	}
	done := &proto.Done{Message: d.endRest(sl.session())}
	d.reg.drop(sl)
	return done, nil
}

// endRest ends what a session that has ended still has running, and says what does not end now.
func (d *Daemon) endRest(id core.SessionID) string {
	names, err := holder.List(d.holdersDir())
	if err != nil {
		d.log.Error("what an ended session left running is not known", "err", err)
		return fmt.Sprintf("whether programs of it still run is not known: %v", err)
	}
	if n := d.endLeft(id, names); n > 0 {
		return fmt.Sprintf("it has ended, but for %d of its programs: the processes that keep them do "+
			"not answer, and end them as soon as they do", n)
	}
	return ""
}

// notAside lists a session that ended and whose files could not be moved: the next start would have
// it again. To end it once more is to try once more.
func (d *Daemon) notAside(sl *slot, label, dir string, why error) {
	d.log.Error("an ended session is not moved aside", "label", label, "err", why)
	left := &slot{label: label, ready: make(chan struct{}), dir: dir}
	left.fill(nil, core.Errorf(core.CodeUnavailable,
		"session %q has ended, and its files are still in %s: %v", label, dir, why))
	d.reg.replace(sl, left)
}

// finish ends the session and tells its clients.
func (s *session) finish(force bool) error {
	if err := s.flush(); err != nil && !force {
		return err
	}
	s.mu.Lock()
	if dirty := dirtyNames(s.a); len(dirty) > 0 && !force {
		s.mu.Unlock()
		return core.Errorf(core.CodeUnsaved, "unsaved changes in %s: save them, or end -f", dirty[0])
	}
	s.mu.Unlock()
	s.programs.end()
	s.mu.Lock()
	conns := append([]*conn(nil), s.conns...)
	s.endLocked(errEnded)
	s.unlock()
	for _, c := range conns {
		c.put(&core.Failure{Err: core.Errorf(core.CodeNotFound, "the session was ended")}, control)
		c.out.flush()
		c.out.finish()
	}
	s.lanes.wait()
	s.tasks.Wait()
	if err := s.j.Close(); err != nil {
		s.log.Error("journal not closed", "err", err)
	}
	return nil
}

// list returns all sessions, the ones that can't be read too, ordered by label.
func (d *Daemon) list() []proto.SessionInfo {
	slots, labels := d.reg.all()
	var out []proto.SessionInfo
	for i, sl := range slots {
		if sl.s == nil {
			out = append(out, proto.SessionInfo{Label: labels[i], Trouble: sl.err.Error()})
			continue
		}
		out = append(out, sl.s.summary(labels[i]))
	}
	return out
}

func (s *session) summary(label string) proto.SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	m := s.a.Meta()
	st := s.j.Stats()
	return proto.SessionInfo{Label: label, Session: s.id, Dir: m.Dir, Created: m.Identity.Created,
		Used: s.stamp, Windows: len(windows(s.a)), Clients: len(s.conns), Dirty: len(dirtyNames(s.a)),
		Trouble: s.trouble(), Unkept: s.durability != "", Unsynced: s.unsynced(), JournalSize: st.Bytes + st.History,
		Bytes: st.Bytes + st.History + s.d.treeBytes(s.termsDir()), Diverged: s.diverged}
}

// unsynced is how many records are not known to be on disk; the turn is held.
func (s *session) unsynced() int { return int(s.last - min(s.durable, s.last)) }

func (d *Daemon) status() *proto.DaemonStatus {
	polling := d.watch.Polling()
	return &proto.DaemonStatus{Build: d.opts.Build, Protocol: proto.Version, PID: os.Getpid(),
		Socket: d.opts.Socket, State: d.opts.State, LogFile: d.opts.LogFile, Started: d.started,
		Now: now(), Clients: d.conns.count(), Refused: int(d.refuse.Load()),
		Diverged: int(d.diverged.Load()), Draining: d.stopping(), Memory: heapBytes(), Sessions: d.list(),
		Polled: polling.Dirs, PollWhy: polling.Why}
}

// heapBytes is how much memory objects take, in bytes.
func heapBytes() int64 {
	s := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(s)
	return int64(s[0].Value.Uint64())
}

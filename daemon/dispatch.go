package daemon

import (
	"crypto/rand"
	"os"
	"path/filepath"
	"runtime"

	"apex/core"
	"apex/core/edit"
	"apex/proto"
)

// quick reports whether a request is answered without waiting for a disk or for anybody else: the
// connection's reader does it in place.
func quick(r proto.Request) bool {
	switch r.(type) {
	case *proto.Ping, *proto.SessionList, *proto.Windows, *proto.Resolve, *proto.Read, *proto.Info,
		*proto.Peek, *proto.Who, *proto.Status:
		return true
	}
	return false
}

// dispatch answers a request.
func (d *Daemon) dispatch(c *conn, r proto.Request) (proto.Reply, error) {
	switch r := r.(type) {
	case *proto.Ping:
		return &proto.Done{}, nil
	case *proto.Status:
		return d.status(), nil
	case *proto.Stop:
		d.Stop()
		return &proto.Done{}, nil
	case *proto.SessionList:
		return &proto.Sessions{Sessions: d.list()}, nil
	case *proto.SessionNew:
		return d.newSession(r)
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
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.proposeIn(r) })
	case *proto.Exec:
		return in(d, r.Session, func(s *session) (proto.Reply, error) { return s.exec(r) })
	}
	return nil, core.Errorf(core.CodeBadRequest, "request %T is not known", r)
}

// in runs a request in a session.
func in(d *Daemon, label string, f func(*session) (proto.Reply, error)) (proto.Reply, error) {
	s, err := d.find(label)
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

func (d *Daemon) newSession(r *proto.SessionNew) (proto.Reply, error) {
	s, err := d.create(r.Label, r.Dir)
	if err != nil {
		return nil, err
	}
	if err := s.flush(); err != nil {
		return nil, err
	}
	return &proto.Sessions{Sessions: []proto.SessionInfo{s.summary()}}, nil
}

// flush waits until everything that the session handed out is on disk.
func (s *session) flush() error {
	if err := s.j.Flush(); err != nil {
		return core.Errorf(core.CodeReadOnly, "not on disk: %v", err)
	}
	return nil
}

func (d *Daemon) openIn(r *proto.Open) (proto.Reply, error) {
	s, err := d.findOrCreate(r.Session, "", r.Session == "" || r.Session == DefaultLabel)
	if err != nil {
		return nil, err
	}
	return s.openFiles(d.author(r.Author), r)
}

func (d *Daemon) rename(r *proto.SessionRename) (proto.Reply, error) {
	s, err := d.find(r.Old)
	if err != nil {
		return nil, err
	}
	if err := core.CheckLabel(r.New); err != nil {
		return nil, err
	}
	if err := d.enter(r.New, s); err != nil {
		return nil, err
	}
	if err := s.relabel(r.New); err != nil {
		d.mu.Lock()
		delete(d.sessions, r.New)
		d.mu.Unlock()
		return nil, err
	}
	d.mu.Lock()
	for label, x := range d.sessions {
		if x == s && label != r.New {
			delete(d.sessions, label)
		}
	}
	d.mu.Unlock()
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

// end ends a session. Its files move aside; unsaved work is refused unless force is set.
func (d *Daemon) end(r *proto.SessionEnd) (proto.Reply, error) {
	s, err := d.find(r.Session)
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	if dirty := dirtyNames(s.a); len(dirty) > 0 && !r.Force {
		s.mu.Unlock()
		return nil, core.Errorf(core.CodeUnsaved, "unsaved changes in %s: save them, or end -f", dirty[0])
	}
	s.mu.Unlock()
	if err := s.flush(); err != nil && !r.Force {
		return nil, err
	}
	d.leave(s)
	s.mu.Lock()
	conns := append([]*conn(nil), s.conns...)
	for _, c := range conns {
		c.send(&core.Failure{Err: core.Errorf(core.CodeNotFound, "the session was ended")})
		s.touch(c)
	}
	s.unlock()
	s.close()
	for _, c := range conns {
		c.out.finish()
	}
	return &proto.Done{}, d.setAside(s)
}

// setAside moves an ended session's files away: ended is not destroyed.
func (d *Daemon) setAside(s *session) error {
	ended := filepath.Join(d.opts.State, "ended")
	if err := os.MkdirAll(ended, 0o700); err != nil {
		return err
	}
	return os.Rename(s.dir, filepath.Join(ended, filepath.Base(s.dir)))
}

func (d *Daemon) status() *proto.DaemonStatus {
	var mem runtime.MemStats
	runtime.ReadMemStats(&mem)
	return &proto.DaemonStatus{Build: d.opts.Build, Protocol: proto.Version, PID: os.Getpid(),
		Socket: d.opts.Socket, State: d.opts.State, LogFile: d.opts.LogFile, Started: d.started,
		Now: now(), Clients: int(d.nConns.Load()), Refused: int(d.refuse.Load()),
		Draining: d.stopping(), Memory: int64(mem.HeapAlloc), Sessions: d.list()}
}

// list returns all sessions, the ones that can't be read too, ordered by label.
func (d *Daemon) list() []proto.SessionInfo {
	var out []proto.SessionInfo
	for _, s := range d.all() {
		out = append(out, s.summary())
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return append(out, d.broken...)
}

func (s *session) summary() proto.SessionInfo {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.a == nil {
		return proto.SessionInfo{Trouble: "not ready"}
	}
	m := s.a.Meta()
	st := s.j.Stats()
	return proto.SessionInfo{Label: m.Label, Session: s.id, Dir: m.Dir, Created: m.Identity.Created,
		Used: s.stamp, Windows: len(windows(s.a)), Clients: len(s.conns), Dirty: len(dirtyNames(s.a)),
		Trouble: s.trouble, Unsynced: int(s.last - min(s.durable, s.last)),
		JournalSize: st.Bytes + st.History}
}

// proposeIn makes a proposal for somebody who has no attachment.
func (s *session) proposeIn(r *proto.ProposeIn) (proto.Reply, error) {
	p := r.Proposal
	p.Author = s.d.author(proto.Author{Actor: p.Author.Actor})
	if p.Intent == (core.IntentID{}) {
		p.Intent = newIntent()
	}
	if r.Win != "" {
		s.mu.Lock()
		w, err := resolve(s.a, r.Win)
		if err == nil {
			aim(s.a, w, p.Ask)
		}
		s.mu.Unlock()
		if err != nil {
			return nil, err
		}
	}
	return s.outcome(p)
}

// aim puts a window, or its body, into a proposal that names none.
func aim(a *core.Authority, id core.WindowID, ask core.Ask) {
	body := a.Window(id).Body
	switch x := ask.(type) {
	case *core.AskEdit:
		x.Buffer = body
	case *core.AskSet:
		x.Buffer = body
	case *core.AskUndo:
		x.Buffer = body
	case *core.AskClean:
		x.Buffer = body
	case *core.AskStale:
		x.Buffer = body
	case *core.AskRename:
		x.Buffer = body
	case *core.AskSelect:
		x.Buffer = body
		if x.View.Kind == core.ViewInvalid {
			x.View = id.Body()
		}
	case *core.AskShow:
		x.Window = id
	case *core.AskDelete:
		x.Window = id
	case *core.AskExec:
		x.Window = id
	case *core.AskStatus:
		x.Window = id
	}
}

// address fills in which shard's leader runs a command; the turn is held.
func (s *session) address(p *core.Proposal) {
	x, ok := p.Ask.(*core.AskExec)
	if !ok {
		return
	}
	if shard, err := edit.ShardOf(s.a, x.Window, x.Command); err == nil {
		x.Shard = shard
	} else {
		x.Shard = x.Window.Shard() // whose leader says what is wrong
	}
}

// outcome makes a proposal and waits for its answer, with the hash of a text that it changed.
func (s *session) outcome(p core.Proposal) (proto.Reply, error) {
	r := s.local(p)
	if r.Err != nil {
		return nil, r.Err
	}
	if r.Shard.Kind == core.KindBuffer && r.Hash == (core.Hash{}) {
		s.mu.Lock()
		b := s.a.Buffer(core.BufferID(r.Shard.ID))
		s.mu.Unlock()
		if b != nil && b.Version == r.Version {
			r.Hash = core.SumText(b.Text.Chunks())
		}
	}
	return &proto.Outcome{Result: r}, nil
}

func (s *session) exec(r *proto.Exec) (proto.Reply, error) {
	s.mu.Lock()
	w, err := resolve(s.a, r.Win)
	s.mu.Unlock()
	if err != nil {
		return nil, err
	}
	i := r.Intent
	if i == (core.IntentID{}) {
		i = newIntent()
	}
	return s.outcome(core.Proposal{Intent: i, Author: s.d.author(r.Author),
		Ask: &core.AskExec{Window: w, Command: r.Command}})
}

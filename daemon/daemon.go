package daemon

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"apex/core"
	"apex/core/edit"
	"apex/daemon/disk"
	"apex/daemon/file"
	"apex/daemon/journal"
	"apex/daemon/paths"
	"apex/proto"
)

// Options say where a daemon lives. The zero value of a field means its default.
type Options struct {
	State  string       // directory of everything that is kept; must exist or be creatable
	Socket string       // path of the Unix socket
	Build  string       // for people
	Log    *slog.Logger // discarded if nil
	FS     disk.FS      // under the journals; the machine's own if nil
	// LogFile is where Log ends up, for `apex status`.
	LogFile string
}

// DefaultLabel is the label of the session that is meant where none is named.
const DefaultLabel = "default"

// Daemon owns the sessions of one state directory.
type Daemon struct {
	opts    Options
	log     *slog.Logger
	fs      disk.FS
	hello   *proto.Server
	actor   string // the user, as an author
	home    string
	started core.Millis

	lock   *paths.Lock
	conns  sync.WaitGroup
	nConns atomic.Int64
	nextID atomic.Uint64
	refuse atomic.Int64 // connections refused since the start
	drain  atomic.Bool
	stop   context.CancelFunc

	// mu guards the registry. Nothing is called under it.
	mu       sync.Mutex
	sessions map[string]*session // by label
	broken   []proto.SessionInfo // sessions that could not be read at all
	open     map[*conn]bool

	saves pathLocks
}

// New prepares a daemon; Run makes it serve.
func New(o Options) (*Daemon, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.FS == nil {
		o.FS = disk.OS
	}
	d := &Daemon{opts: o, log: o.Log, fs: o.FS, hello: proto.NewServer(o.Build, os.Getpid()),
		started: now(), sessions: map[string]*session{}, open: map[*conn]bool{}}
	d.actor, d.home = whoAmI()
	return d, nil
}

// whoAmI is the user, as the author of what is done without an attachment, and their home.
func whoAmI() (actor, home string) {
	actor, home = "human:uid"+itoa(uint64(os.Getuid())), "/"
	if u, err := user.Current(); err == nil {
		actor = "human:" + u.Username
		home = u.HomeDir
	}
	if h, err := os.UserHomeDir(); err == nil {
		home = h
	}
	return actor, home
}

// Run serves until ctx is done or Stop is called, then drains: everything acknowledged is on disk
// when it returns. ready, if not nil, is called when clients are being served.
func (d *Daemon) Run(ctx context.Context, ready func()) error {
	ctx, d.stop = context.WithCancel(ctx)
	defer d.stop()
	err := d.prepare()
	if d.lock != nil {
		defer d.lock.Release()
	}
	if err != nil {
		return err
	}
	l, err := listen(d.opts.Socket)
	if err != nil {
		return err
	}
	defer l.close()
	if err := d.lock.Record(paths.Owner{PID: os.Getpid(), Socket: d.opts.Socket}); err != nil {
		return err
	}
	d.log.Info("serving", "socket", d.opts.Socket, "state", d.opts.State, "pid", os.Getpid(),
		"build", d.opts.Build, "sessions", len(d.sessions))
	go l.watch(ctx, d.log, d.serve)
	go d.accept(l.current(), l)
	if ready != nil {
		ready()
	}
	<-ctx.Done()
	d.shutdown(l)
	return nil
}

// prepare takes the lock, ends what a crash cut off, and reads the sessions.
func (d *Daemon) prepare() error {
	lock, err := paths.Acquire(d.opts.State)
	if err != nil {
		return err
	}
	d.lock = lock
	repaired, err := file.Repair(d.intentDir())
	for _, r := range repaired {
		d.log.Warn("a save was cut off", "path", r.Path, "outcome", r.Outcome.String(), "why", r.Why,
			"old", r.Old, "new", r.New)
	}
	if err != nil {
		d.log.Error("saves not repaired", "err", err)
	}
	return d.load()
}

func (d *Daemon) intentDir() string { return filepath.Join(d.opts.State, "saves") }

func (d *Daemon) sessionsDir() string { return filepath.Join(d.opts.State, "sessions") }

// Stop begins the drain.
func (d *Daemon) Stop() { d.stop() }

func (d *Daemon) stopping() bool { return d.drain.Load() }

// load reads every session. One that can't be read is listed with the reason, and stops nobody.
func (d *Daemon) load() error {
	entries, err := d.fs.ReadDir(d.sessionsDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read sessions: %w", err)
	}
	var wg sync.WaitGroup
	slots := make(chan struct{}, 4) // sessions read at a time: the disk is the limit, not the cores
	for _, e := range entries {
		if !e.Dir {
			continue
		}
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			d.loadSession(e.Name)
		})
	}
	wg.Wait()
	return nil
}

func (d *Daemon) loadSession(name string) {
	dir := filepath.Join(d.sessionsDir(), name)
	s, err := d.recoverSession(dir)
	if err != nil {
		d.log.Error("session can't be read", "dir", dir, "err", err)
		d.mu.Lock()
		d.broken = append(d.broken, proto.SessionInfo{Label: "damaged-" + name[:min(8, len(name))],
			Trouble: "can't be read: " + err.Error()})
		d.mu.Unlock()
		return
	}
	d.mu.Lock()
	label := s.a.Meta().Label
	for n := 2; d.sessions[label] != nil; n++ {
		label = fmt.Sprintf("%s-%d", s.a.Meta().Label, n)
	}
	d.sessions[label] = s
	d.mu.Unlock()
}

// newSessionValue makes a session without its authority.
func (d *Daemon) newSessionValue(dir string) *session {
	s := &session{d: d, dir: dir, log: d.log.With("session", filepath.Base(dir)[:8]),
		calls: map[uint64]chan core.Result{}}
	return s
}

func (s *session) openJournal() error {
	j, err := journal.Open(s.d.fs, s.dir, journal.Options{
		Durable:    s.stored,
		Failed:     func(err error) { go s.storeFailed(err) },
		MaxPending: 4 * journal.DefaultMaxPending,
	})
	s.j = j
	return err
}

// recoverSession reads a session from its journal.
func (d *Daemon) recoverSession(dir string) (*session, error) {
	if len(filepath.Base(dir)) < 8 {
		return nil, fmt.Errorf("%s is no session's directory", dir)
	}
	s := d.newSessionValue(dir)
	if err := s.openJournal(); err != nil {
		return nil, err
	}
	r := newRecovery()
	s.mu.Lock()
	defer s.unlock()
	report, err := s.j.Recover(r)
	if err != nil {
		return nil, err
	}
	for _, x := range report.Damages {
		s.log.Error("journal damaged", "where", x.String(), "part", x.Part)
	}
	if report.Tail != nil {
		s.log.Warn("an unfinished record was cut", "where", report.Tail.Damage.String(), "kept", report.Tail.Kept)
	}
	if len(r.damage) > 0 && len(r.frozen) == 0 {
		s.trouble = "the journal was damaged, nothing of the state is lost: " + r.damage[0].String()
	}
	for shard, why := range r.frozen {
		s.trouble = fmt.Sprintf("read-only: shard %v: %s", shard, why)
	}
	a, ready, err := r.restore.Done(now())
	if err != nil {
		s.j.Close()
		return nil, err
	}
	s.a, s.id = a, a.Session()
	s.last, s.durable, s.stamp = report.Last, report.Last, r.stamp
	s.perform(ready)
	if report.NotDurable != nil && a.Frozen(core.MetaShard) == "" {
		go s.revive()
	}
	return s, nil
}

// create makes a session. The label must be free.
func (d *Daemon) create(label, dir string) (*session, error) {
	if err := core.CheckLabel(label); err != nil {
		return nil, err
	}
	if d.stopping() {
		return nil, core.Errorf(core.CodeDraining, "the daemon is stopping")
	}
	if dir == "" {
		dir = d.home
	}
	var id core.Identity
	rand.Read(id.Session[:])
	rand.Read(id.History[:])
	id.Created = now()
	s := d.newSessionValue(filepath.Join(d.sessionsDir(), hex.EncodeToString(id.Session[:])))
	s.mu.Lock() // nobody sees it half made
	defer s.unlock()
	if err := d.enter(label, s); err != nil {
		return nil, err
	}
	if err := s.begin(id, label, dir); err != nil {
		s.ended = true
		d.leave(s)
		return nil, err
	}
	return s, nil
}

// enter puts a session into the registry under a free label.
func (d *Daemon) enter(label string, s *session) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.sessions[label] != nil {
		return core.Errorf(core.CodeExists, "session %q exists", label)
	}
	d.sessions[label] = s
	return nil
}

func (d *Daemon) leave(s *session) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for label, x := range d.sessions {
		if x == s {
			delete(d.sessions, label)
		}
	}
}

// begin makes the session's first record.
func (s *session) begin(id core.Identity, label, dir string) error {
	if err := disk.MkdirAll(s.d.fs, s.d.sessionsDir()); err != nil {
		return err
	}
	if err := s.openJournal(); err != nil {
		return err
	}
	if _, err := s.j.Recover(newRecovery()); err != nil {
		return err
	}
	a, ready, err := core.NewSession(id, label, dir, now(), edit.Evaluate, edit.FirstBundle)
	if err != nil {
		return err
	}
	s.a, s.id = a, id.Session
	s.perform(ready)
	return nil
}

// find returns a session by label; empty is the default one.
func (d *Daemon) find(label string) (*session, error) {
	if label == "" {
		label = DefaultLabel
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if s := d.sessions[label]; s != nil {
		return s, nil
	}
	return nil, core.Errorf(core.CodeNotFound, "no session %q", label)
}

// findOrCreate returns a session, made if it is missing and create is set.
func (d *Daemon) findOrCreate(label, dir string, create bool) (*session, error) {
	for {
		s, err := d.find(label)
		if err == nil || !create {
			return s, err
		}
		if label == "" {
			label = DefaultLabel
		}
		s, err = d.create(label, dir)
		if core.CodeOf(err) != core.CodeExists {
			return s, err
		}
	}
}

func (d *Daemon) attach(c *conn, id uint64, a *proto.Attach) error {
	if c.session.Load() != nil {
		return core.Errorf(core.CodeBadRequest, "the connection is attached already")
	}
	if d.stopping() {
		return core.Errorf(core.CodeDraining, "the daemon is stopping")
	}
	s, err := d.findOrCreate(a.Session, a.Dir, a.Create)
	if err != nil {
		return err
	}
	return s.attach(c, id, &a.Hello)
}

// all returns the sessions, ordered by label.
func (d *Daemon) all() []*session {
	d.mu.Lock()
	defer d.mu.Unlock()
	labels := make([]string, 0, len(d.sessions))
	for l := range d.sessions {
		labels = append(labels, l)
	}
	slices.SortFunc(labels, strings.Compare)
	out := make([]*session, len(labels))
	for i, l := range labels {
		out[i] = d.sessions[l]
	}
	return out
}

// serve runs one accepted connection.
func (d *Daemon) serve(nc net.Conn) {
	if n := d.nConns.Add(1); n > maxConns || d.stopping() {
		d.nConns.Add(-1)
		d.refuse.Add(1)
		refuseConn(nc, d.hello, d.stopping())
		return
	}
	c := newConn(d, core.ConnID(d.nextID.Add(1)), nc)
	d.mu.Lock()
	d.open[c] = true
	d.mu.Unlock()
	d.conns.Go(func() {
		defer d.nConns.Add(-1)
		c.serve()
		d.mu.Lock()
		delete(d.open, c)
		d.mu.Unlock()
	})
}

// refuseConn tells a client why it is not served. It does not wait for it.
func refuseConn(nc net.Conn, hello *proto.Server, draining bool) {
	err := core.Errorf(core.CodeBusy, "the daemon serves %d clients already", maxConns)
	if draining {
		err = core.Errorf(core.CodeDraining, "the daemon is stopping")
	}
	b, _ := proto.Append(nil, hello)
	b, _ = proto.Append(b, &core.Failure{Err: err})
	nc.SetWriteDeadline(time.Now().Add(time.Second))
	nc.Write(b)
	nc.Close()
}

// shutdown drains: new work is refused, clients are told, everything is synced.
func (d *Daemon) shutdown(l *listener) {
	d.drain.Store(true)
	d.log.Info("draining")
	l.close()
	sessions := d.all()
	for _, s := range sessions {
		s.step(&core.Drain{})
	}
	for _, s := range sessions {
		s.close()
	}
	d.mu.Lock()
	open := make([]*conn, 0, len(d.open))
	for c := range d.open {
		open = append(open, c)
	}
	d.mu.Unlock()
	for _, c := range open {
		c.out.finish()
	}
	d.waitConns(open)
	d.log.Info("stopped")
}

// drainTimeout is how long clients have to take what is left for them.
const drainTimeout = 2 * time.Second

func (d *Daemon) waitConns(open []*conn) {
	done := make(chan struct{})
	go func() {
		d.conns.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(drainTimeout):
		for _, c := range open {
			c.out.close()
		}
		<-done
	}
}

// close syncs a session and closes its journal. Effects that run are waited for.
func (s *session) close() {
	s.mu.Lock()
	stopTimer(s.timer)
	s.mu.Unlock()
	if err := s.j.Flush(); err != nil {
		s.log.Error("not everything is on disk", "err", err)
	}
	s.mu.Lock()
	s.ended = true
	for tag, answer := range s.calls {
		answer <- core.Failed(core.Errorf(core.CodeDraining, "the daemon is stopping"))
		delete(s.calls, tag)
	}
	s.mu.Unlock()
	s.effects.Wait()
	if err := s.j.Close(); err != nil {
		s.log.Error("journal not closed", "err", err)
	}
}

func stopTimer(t *time.Timer) {
	if t != nil {
		t.Stop()
	}
}

package daemon

import (
	"context"
	"errors"
	"log/slog"
	"os"
	"os/user"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"

	"apex/core"
	"apex/daemon/disk"
	"apex/daemon/file"
	"apex/daemon/paths"
	"apex/daemon/watch"
	"apex/proto"
	"apex/term"
)

// Options say where a daemon lives. The zero value of a field means its default.
type Options struct {
	State  string       // directory of everything that is kept; must exist or be creatable
	Socket string       // path of the Unix socket
	Build  string       // for people
	Log    *slog.Logger // discarded if nil
	FS     disk.FS      // under the journals; the machine's own if nil
	// Handshake is how long a client may take to say which protocol it speaks; 10 s if 0.
	Handshake time.Duration
	// Watch makes what tells of changes of files; the operating system's if nil. PollEvery is how
	// often is polled what it can't watch; the watch's own if 0.
	Watch     func() (watch.Notifier, error)
	PollEvery time.Duration
	// LogFile is where Log ends up, for `apex status`.
	LogFile string
	// Lock is that of State, if the program before this one in the same process held it; else Run
	// takes it.
	Lock *paths.Lock
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
	userDir string // the user's home directory
	started core.Millis

	stop      context.CancelFunc
	stopped   context.Context // done when the drain begins
	settled   chan struct{}   // closed when everything is on disk, or unsettled is set
	unsettled bool            // the drain was given up; set before settled is closed
	lost      atomic.Bool     // the drain left something that a disk refused

	successor atomic.Pointer[string] // the program that is to replace this one

	reg      registry
	conns    connSet
	nextID   atomic.Uint64
	refuse   atomic.Int64 // connections refused since the start
	diverged atomic.Int64 // replicas found to differ since the start

	shells    atomic.Pointer[term.Shells] // how shells are started
	home      home
	saves     pathLocks  // one save of a path at a time
	rooms     saveRooms  // where saves are made
	verifying sync.Mutex // held by who verifies sessions
	transfers transfers

	watch    *watch.Watcher
	checking chan struct{} // room for files that are read to be compared
	cameUp   cameUp

	tasks sync.WaitGroup
	left  *gate // of the ends of what sessions that have ended left running
}

// New prepares a daemon; Run makes it serve, once.
func New(o Options) (*Daemon, error) {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.FS == nil {
		o.FS = disk.OS
	}
	if o.Handshake == 0 {
		o.Handshake = handshakeTimeout
	}
	d := &Daemon{opts: o, log: o.Log, fs: o.FS, hello: proto.NewServer(o.Build, os.Getpid()),
		started: now(), settled: make(chan struct{}), left: newGate(),
		checking: make(chan struct{}, checksAtOnce),
		reg:      registry{slots: map[string]*slot{}},
		conns:    connSet{limit: connLimit(descriptors()), open: map[*conn]bool{}}}
	d.stopped, d.stop = context.WithCancel(context.Background())
	d.actor, d.userDir = whoAmI()
	return d, nil
}

// whoAmI is the user, as the author of what is done without an attachment, and their home.
func whoAmI() (actor, home string) {
	actor, home = "human:uid"+strconv.Itoa(os.Getuid()), "/"
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
	defer context.AfterFunc(ctx, d.stop)()
	d.home.lock = d.opts.Lock
	if d.home.lock == nil {
		lock, err := paths.Acquire(d.opts.State)
		if err != nil {
			return err
		}
		d.home.lock = lock
	}
	defer func() {
		if d.Successor() == "" {
			d.home.lock.Release()
		}
	}()
	d.repairSaves()
	d.clearImports()
	d.watch = watch.New(watch.Options{Log: d.log, Changed: d.changedOnDisk, Open: d.opts.Watch,
		PollEvery: d.opts.PollEvery})
	if err := d.load(); err != nil {
		d.watch.Close()
		return err
	}
	d.furnish()
	d.adoptPrograms()
	l, err := listen(d.opts.Socket, d.log, d.serve, d.full)
	if err != nil {
		d.Stop()
		return errors.Join(err, d.drain(l))
	}
	d.home.mu.Lock()
	d.record()
	d.home.mu.Unlock()
	d.log.Info("serving", "socket", d.opts.Socket, "state", d.opts.State, "pid", os.Getpid(),
		"build", d.opts.Build, "sessions", len(d.reg.sessions()))
	d.tasks.Go(d.keepMemory)
	d.tasks.Go(d.watchHome)
	if ready != nil {
		ready()
	}
	<-d.stopped.Done()
	return d.drain(l)
}

// repairSaves ends what a crash cut off.
func (d *Daemon) repairSaves() {
	repaired, err := file.Repair(d.intentDir())
	for _, r := range repaired {
		d.log.Warn("a save was cut off", "path", r.Path, "outcome", r.Outcome.String(), "why", r.Why,
			"old", r.Old, "new", r.New)
	}
	if err != nil {
		d.log.Error("saves not repaired", "err", err)
	}
}

// furnish makes what programs need in the state directory, also in one that was made again.
func (d *Daemon) furnish() {
	shells, err := term.InstallShells(filepath.Join(d.opts.State, "shell"))
	if err != nil {
		d.log.Error("shells will not mark their prompts", "err", err)
	}
	d.shells.Store(&shells)
	if err := os.MkdirAll(d.holdersDir(), 0o700); err != nil {
		d.log.Error("no program can be started", "err", err)
	}
}

func (d *Daemon) intentDir() string { return filepath.Join(d.opts.State, "saves") }

func (d *Daemon) sessionsDir() string { return filepath.Join(d.opts.State, "sessions") }

func (d *Daemon) endedDir() string { return filepath.Join(d.opts.State, "ended") }

// Stop begins the drain.
func (d *Daemon) Stop() { d.stop() }

func (d *Daemon) stopping() bool { return d.stopped.Err() != nil }

var errDraining = core.Errorf(core.CodeDraining, "the daemon is stopping")

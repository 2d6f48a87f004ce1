package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strconv"
	"syscall"

	"github.com/spf13/cobra"

	"apex/daemon"
	"apex/daemon/paths"
	"apex/term/holder"
)

func (a *app) serverCommand() *cobra.Command {
	var check bool
	c := &cobra.Command{
		Use:   "server",
		Short: "Run the daemon in the foreground",
		Long: `Run the daemon in the foreground. Other commands start one in the background
when there is none, so this is for supervisors and for looking at it.

TERM and INT drain it: clients are told, everything is synced. If the disk refuses
something to the end, it exits with 1 and says what is lost. A second signal ends
it at once, which loses nothing that was acknowledged either.

With --check it is no daemon: it finds out whether it could be the one of a state directory that
another daemon has, and changes nothing there. It names the sessions that it can't read.`,
		Example: "  apex server --state /srv/apex --socket /run/apex.sock",
		Args:    noArgs,
	}
	c.Flags().BoolVar(&check, "check", false, "look whether this program can read the state and bind")
	c.RunE = func(c *cobra.Command, _ []string) error {
		if check {
			return a.check()
		}
		return a.serve(c.Context())
	}
	return c
}

// check says whether this program can be the daemon.
func (a *app) check() error {
	p, err := a.paths()
	if err != nil {
		return err
	}
	return daemon.Check(daemon.Options{State: p.State, Socket: p.Socket, Build: build()},
		func(line string) { fmt.Fprintln(a.Out, line) })
}

// serve runs the daemon until it is stopped.
func (a *app) serve(ctx context.Context) error {
	p, err := a.paths()
	if err != nil {
		return err
	}
	if err := paths.CheckPrivate(p.State); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	unlogged := paths.Private(filepath.Dir(p.Log())) // a full disk keeps no daemon from starting
	crash := filepath.Join(filepath.Dir(p.Log()), "crash.log")
	log, end := openLog(p.Log(), func() { _ = keepCrash(crash) })
	defer end()
	if unlogged != nil {
		fmt.Fprintln(os.Stderr, "apex: no log:", unlogged)
	}
	if err := keepCrash(crash); err != nil {
		log.Warn("a crash would not be written down", "err", err)
	}
	if p.Moved != "" {
		log.Info("the socket is not in the runtime directory", "socket", p.Socket, "why", p.Moved)
	}
	if err := holder.MarkDaemon(); err != nil {
		log.Warn("a daemon that is started in one of its terminals ends with it", "err", err)
	}
	lock, err := inheritedLock(p.State)
	if err != nil {
		log.Warn("the daemon before left no lock", "err", err) // it is taken as if there had been none
	}
	d, err := daemon.New(daemon.Options{State: p.State, Socket: p.Socket, Build: build(), Log: log,
		LogFile: p.Log(), Lock: lock})
	if err != nil {
		return err
	}
	ctx, cancel := untilSignal(ctx)
	defer cancel()
	err = d.Run(ctx, nil)
	if err != nil && ctx.Err() != nil {
		err = advise(err, "make room; %s has it too", p.Log())
	}
	if exe := d.Successor(); exe != "" {
		err = errors.Join(err, succeed(exe, p, d.Lock()))
		log.Error("not upgraded", "exe", exe, "err", err)
	}
	return err
}

// envLock names the descriptor of the state directory's lock to the program that replaces a daemon's.
const envLock = "APEX_LOCK_FD"

// succeed replaces this process's program by the one that is to be the daemon, or if that can't be
// by itself. The lock is kept all the while, so that nobody starts another daemon in between. It
// returns only if both fail.
func succeed(exe string, p paths.Paths, lock *paths.Lock) error {
	fd, err := lock.Bequeath()
	if err != nil {
		return err
	}
	env := append(os.Environ(), fmt.Sprintf("%s=%d", envLock, fd))
	for _, path := range []string{exe, ownProgram()} {
		args := []string{path, "server", "--state", p.State, "--socket", p.Socket}
		err = errors.Join(err, fmt.Errorf("%s: %w", path, syscall.Exec(path, args, env)))
	}
	return err
}

// ownProgram is a path of this program, also when its file was replaced or removed.
func ownProgram() string {
	if runtime.GOOS == "linux" {
		return "/proc/self/exe"
	}
	exe, _ := os.Executable()
	return exe
}

// inheritedLock is the lock that the daemon before in this process left; nil if there was none.
func inheritedLock(state string) (*paths.Lock, error) {
	v := os.Getenv(envLock)
	os.Unsetenv(envLock)
	if v == "" {
		return nil, nil
	}
	fd, err := strconv.Atoi(v)
	if err != nil {
		return nil, fmt.Errorf("%s=%s: %w", envLock, v, err)
	}
	return paths.Inherit(state, fd)
}

// crashMaxBytes bounds the traces of earlier crashes that are kept: some, of a thousand goroutines.
const crashMaxBytes = 4 << 20

// keepCrash has the runtime write to a file what it says when it ends the process: a daemon's
// standard error goes nowhere.
func keepCrash(path string) error {
	mode := os.O_APPEND
	if info, err := os.Stat(path); err == nil && info.Size() > crashMaxBytes {
		mode = os.O_TRUNC
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_WRONLY|mode, 0o600)
	if err != nil {
		return err
	}
	defer f.Close() // the runtime has its own descriptor
	return debug.SetCrashOutput(f, debug.CrashOptions{})
}

// untilSignal returns a context that ends at the first TERM or INT. The second one ends the
// process. A daemon outlives the terminal that it was started from and whoever reads its output,
// so HUP and PIPE mean nothing to it.
func untilSignal(ctx context.Context) (context.Context, context.CancelFunc) {
	signal.Ignore(syscall.SIGHUP, syscall.SIGPIPE)
	ctx, cancel := context.WithCancel(ctx)
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGINT)
	go func() {
		<-signals
		cancel()
		<-signals
		os.Exit(exitFailed)
	}()
	return ctx, cancel
}

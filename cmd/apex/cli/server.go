package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"

	"github.com/spf13/cobra"

	"apex/daemon"
	"apex/daemon/paths"
)

func (a *app) serverCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "server",
		Short: "Run the daemon in the foreground",
		Long: `Run the daemon in the foreground. Other commands start one in the background
when there is none, so this is for supervisors and for looking at it.

TERM and INT drain it: clients are told, everything is synced. If the disk refuses
something to the end, it exits with 1 and says what is lost. A second signal ends
it at once, which loses nothing that was acknowledged either.`,
		Example: "  apex server --state /srv/apex --socket /run/apex.sock",
		Args:    noArgs,
		RunE:    func(c *cobra.Command, _ []string) error { return a.serve(c.Context()) },
	}
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
	d, err := daemon.New(daemon.Options{State: p.State, Socket: p.Socket, Build: build(), Log: log,
		LogFile: p.Log()})
	if err != nil {
		return err
	}
	ctx, cancel := untilSignal(ctx)
	defer cancel()
	err = d.Run(ctx, nil)
	if err != nil && ctx.Err() != nil {
		err = advise(err, "make room; %s has it too", p.Log())
	}
	return err
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

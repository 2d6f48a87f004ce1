// Package daemontest runs daemons in tests: in process, on sockets and state in temporary
// directories.
package daemontest

import (
	"context"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"apex/daemon"
	"apex/daemon/disk"
	"apex/daemon/watch"
)

// Daemon is a daemon that a test runs.
type Daemon struct {
	Socket, State string
	FS            disk.FS       // under its journals; nil: the machine's own
	Handshake     time.Duration // for clients to say who they are; 0: the daemon's own
	// Watch makes what tells of changes of files; nil: the system's. PollEvery is how often is polled
	// what it can't watch.
	Watch     func() (watch.Notifier, error)
	PollEvery time.Duration
	// Process runs it as a process of its own, which Kill can end. Main must have been called.
	Process bool
	PID     int // of that process

	t    testing.TB
	log  Log
	stop context.CancelFunc
	done chan error
	kill func() error
}

// Start runs a daemon on fresh directories until the test ends. change, if given, sets it up.
func Start(t testing.TB, change ...func(*Daemon)) *Daemon {
	t.Helper()
	d := &Daemon{State: t.TempDir(), t: t, log: Log{t: t}}
	dir, err := os.MkdirTemp("", "apex")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	d.Socket = filepath.Join(dir, "s")
	if err := os.Chmod(d.State, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, f := range change {
		f(d)
	}
	d.Run()
	t.Cleanup(func() {
		d.Stop()
		d.endPrograms()
	})
	return d
}

// Run starts the daemon, again after Stop.
func (d *Daemon) Run() {
	d.t.Helper()
	if err := d.Try(); err != nil {
		d.t.Fatal(err)
	}
}

// Try is Run that returns why the daemon does not serve.
func (d *Daemon) Try() error {
	if d.Process {
		return d.spawn()
	}
	x, err := daemon.New(daemon.Options{State: d.State, Socket: d.Socket, Build: "test", FS: d.FS,
		Handshake: d.Handshake, Watch: d.Watch, PollEvery: d.PollEvery, Log: slog.New(slog.NewTextHandler(&d.log, nil))})
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(context.Background())
	ready, done := make(chan struct{}), make(chan error, 1)
	go func() { done <- x.Run(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
		d.stop, d.done = cancel, done
		return nil
	case err := <-done:
		cancel()
		return err
	}
}

// Stop drains the daemon and waits for its end, which loses nothing.
func (d *Daemon) Stop() {
	if err := d.Leave(); err != nil {
		d.t.Error(err)
	}
}

// Leave is Stop that returns what was lost.
func (d *Daemon) Leave() error {
	if d.stop == nil {
		return nil
	}
	d.stop()
	d.stop = nil
	return <-d.done
}

// Lines returns the lines logged so far that hold a text.
func (d *Daemon) Lines(holding string) []string { return d.log.lines(holding) }

// Log keeps a daemon's log, and shows it with the test's.
type Log struct {
	t  testing.TB
	mu sync.Mutex
	b  strings.Builder
}

// Write takes in a line.
func (l *Log) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.t.Log(strings.TrimSuffix(string(p), "\n"))
	return l.b.Write(p)
}

func (l *Log) lines(holding string) []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var out []string
	for line := range strings.Lines(l.b.String()) {
		if strings.Contains(line, holding) {
			out = append(out, line)
		}
	}
	return out
}

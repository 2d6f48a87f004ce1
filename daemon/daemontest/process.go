package daemontest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"

	"apex/daemon"
	"apex/term/holder"
)

// The environment that makes a test binary a daemon.
const (
	envState  = "APEX_TEST_DAEMON_STATE"
	envSocket = "APEX_TEST_DAEMON_SOCKET"
)

// serving is what a daemon's process says when it serves.
const serving = "serving"

// Main runs the tests of a package, or the daemon that one of its tests wants as a process of its
// own: TestMain calls it.
func Main(m *testing.M) {
	holder.Dispatch()
	if os.Getenv(envState) == "" {
		os.Exit(m.Run())
	}
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer cancel()
	x, err := daemon.New(daemon.Options{State: os.Getenv(envState), Socket: os.Getenv(envSocket),
		Build: "test", Log: slog.New(slog.NewTextHandler(os.Stderr, nil))})
	if err == nil {
		err = x.Run(ctx, func() { fmt.Println(serving) })
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// spawn starts the daemon's process and waits until it serves.
func (d *Daemon) spawn() error {
	exe, err := os.Executable()
	if err != nil {
		return err
	}
	cmd := exec.Command(exe)
	cmd.Env = append(os.Environ(), envState+"="+d.State, envSocket+"="+d.Socket)
	cmd.Stderr = &d.log
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return err
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != serving+"\n" {
		return errors.Join(fmt.Errorf("the daemon said %q", line), err, cmd.Wait())
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	d.stop = func() { _ = cmd.Process.Signal(syscall.SIGTERM) }
	d.kill, d.PID = cmd.Process.Kill, cmd.Process.Pid
	d.done = done
	return nil
}

// Kill ends the daemon's process at once.
func (d *Daemon) Kill() {
	if err := d.kill(); err != nil {
		d.t.Error(err)
	}
}

// Wait waits for the end of a process that was killed.
func (d *Daemon) Wait() {
	<-d.done
	d.stop = nil
}

// endMax is how long programs may take to end: far more than a holder takes for it.
const endMax = time.Minute

// endPrograms ends what outlived the daemon, by the holders that have it.
func (d *Daemon) endPrograms() {
	dir := filepath.Join(d.State, "holders")
	names, err := holder.List(dir)
	if err != nil {
		d.t.Error(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), endMax)
	defer cancel()
	var wg sync.WaitGroup
	defer wg.Wait()
	for _, name := range names {
		wg.Go(func() {
			h, err := holder.Adopt(ctx, dir, name)
			var left []holder.Process
			switch {
			case errors.Is(err, holder.Gone):
				left, err = holder.EndLost(ctx, dir, name)
			case err == nil:
				defer h.Detach()
				if left, err = h.Kill(ctx); err == nil {
					left, err = h.Release(ctx)
				}
			}
			if err != nil || len(left) > 0 {
				d.t.Errorf("program %s: left %v, error %v", name, left, err)
			}
		})
	}
}

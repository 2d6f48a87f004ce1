package daemon

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"apex/core"
	"apex/daemon/disk"
	"apex/daemon/paths"
)

// A program proves that it can take a daemon's place before that one leaves: it reads the state as it
// lies there, changing nothing, and binds a socket beside the daemon's. Each session that it can't
// read it names on a line; the last line is checkedLine.

const (
	// proofMax is how long that may take: a gigabyte of sessions from a slow disk.
	proofMax = 30 * time.Second
	// provenTries is how often it is tried: a journal that is begun anew while it is read looks broken.
	provenTries = 3
	// unreadablePrefix begins the lines of sessions that can't be read.
	unreadablePrefix = "unreadable "
	checkedLine      = "checked"
)

// Check prints whether this program can be the daemon of a state directory that another one keeps. It
// is an error if it can't, sessions that it can't read aside.
func Check(o Options, out func(line string)) error {
	o.FS = disk.ReadOnly(disk.OS)
	d, err := New(o)
	if err != nil {
		return err
	}
	if err := d.load(); err != nil {
		return err
	}
	slots, _ := d.reg.all()
	for _, sl := range slots {
		if sl.s == nil {
			out(fmt.Sprintf("%s%s: %v", unreadablePrefix, filepath.Base(sl.dir), sl.err))
			continue
		}
		sl.s.end(errEnded)
		sl.s.tasks.Wait()
		_ = sl.s.j.Close() // which has nothing that is not there
	}
	if err := bindable(o.Socket); err != nil {
		return err
	}
	out(checkedLine)
	return nil
}

// bindable tries to bind a socket beside the daemon's.
func bindable(path string) error {
	if n := len(path); n > paths.SocketMaxBytes || n == 0 {
		return core.Errorf(core.CodeBadRequest, "socket path %s: %d bytes, at most %d", path, n,
			paths.SocketMaxBytes)
	}
	if err := paths.CheckPrivate(filepath.Dir(path)); err != nil {
		return err
	}
	trial := path[:len(path)-1] + "!" // no longer than the path itself, which has a limit
	os.Remove(trial)
	u, err := net.ListenUnix("unix", &net.UnixAddr{Name: trial, Net: "unix"})
	if err != nil {
		return fmt.Errorf("socket %s: %w", trial, err)
	}
	return u.Close() // which removes it
}

// fit reports why a program can't take this daemon's place, nil if it proved that it can.
func (d *Daemon) fit(exe string) (err error) {
	for range provenTries {
		if err = d.tryFit(exe); err == nil {
			return nil
		}
	}
	return err
}

func (d *Daemon) tryFit(exe string) error {
	ctx, cancel := context.WithTimeout(context.Background(), proofMax)
	defer cancel()
	var said bytes.Buffer
	cmd := exec.CommandContext(ctx, exe, "server", "--check", "--state", d.opts.State, "--socket",
		d.opts.Socket)
	cmd.Stderr = &said
	cmd.WaitDelay = time.Second
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("%w: %s", err, firstLine(said.String()))
	}
	known := d.unreadable()
	last := ""
	for s := bufio.NewScanner(bytes.NewReader(out)); s.Scan(); {
		last = s.Text()
		bad, is := strings.CutPrefix(last, unreadablePrefix)
		if name, _, _ := strings.Cut(bad, ": "); is && !known[name] {
			return fmt.Errorf("it can't read a session that this daemon has: %s", bad)
		}
	}
	if last != checkedLine {
		return errors.New("it does not say that it has checked the state")
	}
	return nil
}

// unreadable are the directories of sessions that this daemon can't read either, by name.
func (d *Daemon) unreadable() map[string]bool {
	out := map[string]bool{}
	slots, _ := d.reg.all()
	for _, sl := range slots {
		if sl.s == nil {
			out[filepath.Base(sl.dir)] = true
		}
	}
	return out
}

func firstLine(s string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(s), "\n")
	return line
}

package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"testing/synctest"
	"time"

	"apex/core"
)

// shellVia is a way through a shell's command.
func shellVia(command string, stderr *bytes.Buffer) *Via {
	return &Via{Name: "way", Command: []string{"/bin/sh", "-c", command}, Stderr: stderr}
}

// What comes first decides: a frame is the daemon's, anything else is told, and so is why a command
// ended.
func TestViaConnect(t *testing.T) {
	for _, c := range []struct {
		name, command string
		code          core.Code // empty: connected
		says          string
		stderr        string
	}{
		{"frame", `printf '\0\0\0\1x'; echo motd >&2; sleep 600`, "", "", ""},
		{"banner", `echo Welcome; sleep 600`, core.CodeBadRequest, `way: prints "Welcome" before`, ""},
		{"part of a banner", `printf Welc; sleep 600`, core.CodeBadRequest, `prints "Welc" before`, ""},
		{"banner and end", `printf 'a\033b'`, core.CodeBadRequest, `prints "a\x1bb" before`, ""},
		{"long banner", `printf '%0100d\n' 7; sleep 600`, core.CodeBadRequest, `"` + strings.Repeat("0", 60) + `"`, ""},
		{"end", `exit 3`, core.CodeUnavailable, "way: it ended (exit status 3) and has not said why", ""},
		{"silent end", `true`, core.CodeUnavailable, "way: it ended (status 0) and has not said why", ""},
		{"last words", `printf 'first\r\nlast \033[1mline\r\n\n' >&2; exit 1`, core.CodeUnavailable,
			`way: last \x1b[1mline (exit status 1)`, "first\r\nlast \x1b[1mline\r\n\n"},
		{"signal", `kill -9 $$`, core.CodeUnavailable, "signal: killed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			var stderr bytes.Buffer
			v := shellVia(c.command, &stderr)
			err := v.Connect(t.Context())
			pid := 0
			if v.child != nil {
				pid = v.child.cmd.Process.Pid
			}
			v.Close()
			if core.CodeOf(err) != c.code || c.says != "" && !strings.Contains(err.Error(), c.says) {
				t.Errorf("got %v (%s), want %s: %s", err, core.CodeOf(err), c.code, c.says)
			}
			if c.stderr != "" && stderr.String() != c.stderr {
				t.Errorf("passed on %q, want %q", stderr.String(), c.stderr)
			}
			if pid != 0 && syscall.Kill(pid, 0) == nil {
				t.Errorf("process %d lives on", pid)
			}
		})
	}
	v := &Via{Name: "way", Command: []string{"/nonexistent/ssh"}}
	if err := v.Connect(t.Context()); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("a program that is not there: %v", err)
	}
	v.Close()
}

// Who waits for a command that says nothing may give up, and the command ends, though it would not
// by itself. One that is run again has no terminal to ask on.
func TestViaGivenUp(t *testing.T) {
	dir := t.TempDir()
	pidFile := filepath.Join(dir, "pid")
	if err := syscall.Mkfifo(pidFile, 0o600); err != nil {
		t.Fatal(err)
	}
	v := shellVia(fmt.Sprintf("trap '' TERM; echo $$ >%s; while :; do sleep 1; done", pidFile), nil)
	ctx, cancel := context.WithCancel(t.Context())
	given := make(chan error)
	go func() {
		_, err := v.dial(ctx, false)
		given <- err
	}()
	b, err := os.ReadFile(pidFile)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		t.Fatal(err)
	}
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err == nil { // ... (name) state parent group session tty
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if fields[3] != strconv.Itoa(pid) || fields[4] != "0" {
			t.Errorf("session %s, terminal %s: it could ask", fields[3], fields[4])
		}
	}
	cancel()
	if err := <-given; err == nil || core.CodeOf(err) == core.CodeBadRequest {
		t.Errorf("given up: %v", err)
	}
	if syscall.Kill(pid, 0) == nil {
		t.Errorf("process %d lives on", pid)
	}
	v.Close()
}

// While a link is tried again and again, it is known when the next time is, and Redial has it tried at
// once.
func TestRedial(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		opts := human(d)
		var down atomic.Bool
		var tries atomic.Int64
		opts.Dial = func(ctx context.Context) (net.Conn, error) {
			if tries.Add(1); down.Load() {
				return nil, errors.New("no route to host")
			}
			return d.dial(ctx)
		}
		s := attach(t, opts)
		down.Store(true)
		d.cutAll()
		until(t, s, "offline", func() bool { return tries.Load() > 3 && !s.State().Connected })
		if st := s.State(); !strings.Contains(st.Err.Error(), "no route to host") || st.Retry.IsZero() {
			t.Errorf("offline for %v, tried again at %v", st.Err, st.Retry)
		}
		synctest.Wait()
		before, began := tries.Load(), time.Now()
		for range 3 {
			s.Redial()
			synctest.Wait()
		}
		if n := tries.Load() - before; n != 3 || time.Since(began) != 0 {
			t.Errorf("%d tries in %v, want 3 at once", n, time.Since(began))
		}
		down.Store(false)
		s.Redial()
		until(t, s, "connected", func() bool { return s.State().Connected })
	})
}

package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"apex/core"
	"apex/daemon/paths"
	"apex/proto"
)

// roleEnv makes this test's program a daemon.
const roleEnv = "APEX_TEST_ROLE"

func TestMain(m *testing.M) {
	if role := os.Getenv(roleEnv); role != "" {
		if err := beDaemon(role, os.Args[1:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// beDaemon holds the lock, listens, and says nothing but who it is, until it is killed. In the role
// "late" it binds its socket only when it has been told so through a pipe in its state directory.
func beDaemon(role string, args []string) error {
	if role == "broken" {
		return errors.New("broken")
	}
	if len(args) < 2 || args[0] != "--state" {
		return fmt.Errorf("arguments %q", args)
	}
	p, err := paths.Resolve(args[1], "")
	if err != nil {
		return err
	}
	lock, err := paths.Acquire(p.State)
	if err != nil {
		return err
	}
	defer lock.Release()
	if err := logStart(p); err != nil {
		return err
	}
	if err := lock.Record(paths.Owner{PID: os.Getpid(), Socket: p.Socket}); err != nil {
		return err
	}
	if err := paths.Private(filepath.Dir(p.Socket)); err != nil {
		return err
	}
	if role == "late" {
		if _, err := os.ReadFile(filepath.Join(p.State, "bind")); err != nil {
			return err
		}
	}
	l, err := net.Listen("unix", p.Socket)
	if err != nil {
		return err
	}
	hello, err := proto.Append(nil, proto.NewServer("helper", os.Getpid()))
	if err != nil {
		return err
	}
	for {
		nc, err := l.Accept()
		if err != nil {
			return err
		}
		if _, err := nc.Write(hello); err != nil {
			return err
		}
	}
}

// logStart notes what this process is, in the state directory.
func logStart(p paths.Paths) error {
	log, err := os.OpenFile(filepath.Join(p.State, "starts"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	sid, err := unix.Getsid(0)
	if err != nil {
		return err
	}
	cwd, err := os.Getwd()
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(log, "pid %d pgid %d sid %d cwd %s\n", os.Getpid(), unix.Getpgrp(), sid, cwd)
	return err
}

func exists(path string) bool {
	_, err := os.Lstat(path)
	return err == nil
}

// helper returns a Daemon whose state directory is fresh and whose program is this test.
func helper(t *testing.T, role string) Daemon {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv(roleEnv, role)
	t.Setenv(paths.EnvSocket, "")
	d := Daemon{State: filepath.Join(t.TempDir(), "state"), Command: []string{exe}, Build: "test"}
	t.Cleanup(func() { stopHelper(t, d) })
	return d
}

// stopHelper ends the daemon of a state directory and waits until its lock is free.
func stopHelper(t *testing.T, d Daemon) {
	owner, held, err := paths.Holder(d.State)
	if err != nil || !held || owner.PID == os.Getpid() {
		return
	}
	if err := syscall.Kill(owner.PID, syscall.SIGKILL); err != nil {
		t.Error(err)
		return
	}
	lock, err := os.Open(filepath.Join(d.State, "lock"))
	if err != nil {
		t.Error(err)
		return
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_SH); err != nil {
		t.Error(err)
	}
	os.Remove(owner.Socket)
}

func starts(t *testing.T, d Daemon) []string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(d.State, "starts"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.Split(strings.TrimSuffix(string(b), "\n"), "\n")
}

// TestStartsOne: of 30 clients that find no daemon all end up with the same one, which belongs to
// none of them.
func TestStartsOne(t *testing.T) {
	d := helper(t, "daemon")
	pids := make(chan int, 30)
	var all sync.WaitGroup
	for range cap(pids) {
		all.Go(func() {
			c, err := Dial(context.Background(), d)
			if err != nil {
				t.Error(err)
				return
			}
			pids <- c.Server().PID
			c.Close()
		})
	}
	all.Wait()
	close(pids)
	pid := 0
	for p := range pids {
		if pid != 0 && p != pid {
			t.Errorf("daemons %d and %d", pid, p)
		}
		pid = p
	}
	lines := starts(t, d)
	want := fmt.Sprintf("pid %d pgid %d sid %d cwd /", pid, pid, pid)
	if len(lines) != 1 || lines[0] != want {
		t.Errorf("started %q, want %q", lines, want)
	}
}

func TestNoStart(t *testing.T) {
	d := helper(t, "daemon")
	d.NoStart = true
	_, err := Dial(context.Background(), d)
	var none *NoDaemonError
	if !errors.As(err, &none) || none.State != d.State || core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("error %v", err)
	}
	if exists(d.State) {
		t.Error("looking made the state directory")
	}
}

func TestStartFails(t *testing.T) {
	d := helper(t, "broken")
	_, err := Dial(context.Background(), d)
	var none *NoDaemonError
	if !errors.As(err, &none) || !strings.Contains(err.Error(), "broken (exit status 1)") {
		t.Errorf("error %v", err)
	}
	d.Command = []string{filepath.Join(d.State, "missing")}
	if _, err := Dial(context.Background(), d); !errors.As(err, &none) {
		t.Errorf("no program: %v", err)
	}
}

// TestHeldIsNeverReplaced: while somebody holds the lock no daemon is started, although nothing
// answers; and the one that holds it is joined when it does.
func TestHeldIsNeverReplaced(t *testing.T) {
	d := helper(t, "late")
	if err := os.Mkdir(d.State, 0o700); err != nil {
		t.Fatal(err)
	}
	pipe := filepath.Join(d.State, "bind")
	if err := unix.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	got := make(chan error, 6)
	dial := func(ctx context.Context) {
		c, err := Dial(ctx, d)
		if err == nil {
			err = c.Close()
		}
		got <- err
	}
	go dial(context.Background())
	bind, err := os.OpenFile(pipe, os.O_WRONLY, 0) // when the daemon is there and waits for it
	if err != nil {
		t.Fatal(err)
	}
	why := errors.New("no more patience")
	ctx, cancel := context.WithCancelCause(context.Background())
	cancel(why)
	if _, err := Dial(ctx, d); !errors.Is(err, why) {
		t.Errorf("a daemon that does not listen: %v", err)
	}
	for range cap(got) - 1 {
		go dial(context.Background())
	}
	if err := bind.Close(); err != nil {
		t.Fatal(err)
	}
	for range cap(got) {
		if err := <-got; err != nil {
			t.Error(err)
		}
	}
	if n := len(starts(t, d)); n != 1 {
		t.Errorf("%d daemons", n)
	}
}

// TestOtherEnvironment: where the environment would put the socket doesn't matter once a daemon
// says where it is.
func TestOtherEnvironment(t *testing.T) {
	d := helper(t, "daemon")
	d.NoStart = true
	lock, err := paths.Acquire(d.State)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Release()
	dir := t.TempDir()
	if err := os.Chmod(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	socket := filepath.Join(dir, "elsewhere")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := lock.Record(paths.Owner{PID: 4711, Socket: socket}); err != nil {
		t.Fatal(err)
	}
	nc, err := d.Dial(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()

	other := d
	other.Socket = filepath.Join(dir, "not-there")
	// It is asked for by name, and the daemon that there is listens somewhere else.
	_, err = other.Dial(context.Background())
	if err == nil || !strings.Contains(err.Error(), "elsewhere") {
		t.Errorf("error %v", err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := d.Dial(context.Background()); err == nil || !strings.Contains(err.Error(), "0700") {
		t.Errorf("a directory that others can enter: %v", err)
	}
}

func TestTemporary(t *testing.T) {
	for exe, want := range map[string]bool{
		"/usr/local/bin/apex":                    false,
		"/home/go-builder/bin/apex":              false,
		"/tmp/go-build123/b001/exe/apex":         true,
		"/home/a/.cache/go-build/ab/abcd-d/apex": true,
		"/home/a/src/apex":                       false,
		"/home/a/my-go-build/apex":               false,
	} {
		if temporary(exe) != want {
			t.Errorf("temporary(%q) = %v", exe, !want)
		}
	}
}

// TestCopies: a copy runs, is made once for one content, and old ones go.
func TestCopies(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "bin")
	script := filepath.Join(t.TempDir(), "program")
	seen := map[string]bool{}
	for i := range copiesKept + 3 {
		text := fmt.Sprintf("#!/bin/sh\necho %d\n", i)
		if err := os.WriteFile(script, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		first, err := copyTo(dir, script)
		if err != nil {
			t.Fatal(err)
		}
		again, err := copyTo(dir, script)
		if err != nil || again != first || seen[first] {
			t.Fatalf("copy %d: %s, then %s, %v", i, first, again, err)
		}
		seen[first] = true
		out, err := exec.Command(first).Output()
		if err != nil || string(out) != fmt.Sprintln(i) {
			t.Fatalf("copy %d says %q, %v", i, out, err)
		}
	}
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != copiesKept+1 {
		t.Errorf("%d files left, %v", len(left), err)
	}
	if info, err := os.Stat(dir); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("directory %v, %v", info, err)
	}
}

package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/adrg/xdg"
)

func TestResolve(t *testing.T) {
	t.Cleanup(xdg.Reload) // runs when the environment is what it was
	home := t.TempDir()
	runtime := filepath.Join(home, "run")
	if err := os.Mkdir(runtime, 0o700); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", filepath.Join(home, "state"))
	t.Setenv("XDG_RUNTIME_DIR", runtime)
	t.Setenv(EnvState, "")
	t.Setenv(EnvSocket, "")
	xdg.Reload()

	p, err := Resolve("", "")
	if err != nil || p.State != filepath.Join(home, "state", "apex") || p.Given {
		t.Fatalf("Resolve = %+v, %v", p, err)
	}
	if other, _ := Resolve(filepath.Join(home, "other"), ""); other.Socket == p.Socket {
		t.Errorf("two state directories share the socket %s", p.Socket)
	}
	if p, _ := Resolve("", "/x/s"); p.Socket != "/x/s" || !p.Given {
		t.Errorf("with a socket = %+v", p)
	}
	t.Setenv(EnvState, "/e/state")
	t.Setenv(EnvSocket, "/e/s")
	if p, _ := Resolve("", ""); p.State != "/e/state" || p.Socket != "/e/s" || !p.Given {
		t.Errorf("by environment = %+v", p)
	}
	_, err = Resolve("", "/"+strings.Repeat("x", SocketMaxBytes))
	if err == nil || !strings.Contains(err.Error(), "104 bytes, at most 103") {
		t.Errorf("long socket: error %v", err)
	}
}

// Without a home nothing is kept under the root directory.
func TestResolveWithoutHome(t *testing.T) {
	for _, name := range []string{"HOME", "XDG_STATE_HOME", EnvState, EnvSocket} {
		t.Setenv(name, "")
	}
	if p, err := Resolve("", "/x/s"); err == nil || !strings.Contains(err.Error(), "$HOME") {
		t.Errorf("got %+v, %v", p, err)
	}
	if p, err := Resolve("/s", "/x/s"); err != nil || p.State != "/s" {
		t.Errorf("with a state directory: %+v, %v", p, err)
	}
}

func TestSocketFor(t *testing.T) {
	runtime := t.TempDir()
	open := filepath.Join(runtime, "open")
	long := filepath.Join(runtime, strings.Repeat("l", 100))
	for _, dir := range []string{open, long} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(open, 0o777); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, runtime string
		moved         bool
	}{
		{"ours", runtime, len(runtime) > 80},
		{"none", "", true},
		{"missing", filepath.Join(runtime, "none"), true},
		{"writable by others", open, true},
		{"too long", long, true},
	} {
		socket, moved := socketFor("/s", tt.runtime)
		if (moved != "") != tt.moved || len(socket) > SocketMaxBytes {
			t.Errorf("%s: socket %s, moved %q", tt.name, socket, moved)
		}
		if tt.moved && !strings.HasPrefix(socket, "/tmp/apex-") {
			t.Errorf("%s: socket %s is not in the short directory", tt.name, socket)
		}
	}
}

func TestPrivate(t *testing.T) {
	dir := t.TempDir()
	open := filepath.Join(dir, "open")
	link := filepath.Join(dir, "link")
	file := filepath.Join(dir, "file")
	made := filepath.Join(dir, "a", "b")
	must(t, os.Mkdir(open, 0o755))
	must(t, os.Chmod(open, 0o755))
	must(t, os.Symlink(dir, link))
	must(t, os.WriteFile(file, nil, 0o600))
	must(t, Private(made))
	if info, err := os.Stat(made); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("made %v, %v", info, err)
	}
	for _, p := range []string{open, link, file} {
		if err := Private(p); err == nil {
			t.Errorf("%s was accepted", filepath.Base(p))
		}
	}
	if err := CheckPrivate(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("missing: %v", err)
	}
}

func TestLock(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	if _, held, err := Holder(state); held || err != nil {
		t.Fatalf("before: held %v, %v", held, err)
	}
	l, err := Acquire(state)
	must(t, err)
	if o, held, err := Holder(state); !held || o != (Owner{}) || err != nil {
		t.Errorf("starting: %+v, held %v, %v", o, held, err)
	}
	who := Owner{PID: 7, Socket: "/s"}
	must(t, l.Record(Owner{PID: 12345678, Socket: "/a/longer/one"}))
	must(t, l.Record(who))
	if o, held, err := Holder(state); !held || o != who || err != nil {
		t.Errorf("running: %+v, held %v, %v", o, held, err)
	}
	var h *HeldError
	if _, err := Acquire(state); !errors.As(err, &h) || h.Owner != who {
		t.Errorf("second daemon: %v", err)
	}
	must(t, l.Release())
	if _, held, err := Holder(state); held || err != nil {
		t.Errorf("after: held %v, %v", held, err)
	}
	l, err = Acquire(state)
	must(t, err)
	defer l.Release()
	if o, held, _ := Holder(state); !held || o != (Owner{}) {
		t.Errorf("the next daemon is taken for the one before: %+v", o)
	}
}

// TestProbersDoNotBlock: a daemon gets the lock however many clients ask who has it.
func TestProbersDoNotBlock(t *testing.T) {
	state := t.TempDir()
	must(t, os.Chmod(state, 0o700))
	stop := make(chan struct{})
	var probers sync.WaitGroup
	for range 4 {
		probers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
					Holder(state)
				}
			}
		})
	}
	for range 50 {
		l, err := Acquire(state)
		if err != nil {
			t.Errorf("acquire: %v", err)
			break
		}
		must(t, l.Release())
	}
	close(stop)
	probers.Wait()
}

// TestOneWins: of many daemons that start at once exactly one gets the directory.
func TestOneWins(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	locks := make(chan *Lock, 30)
	var all sync.WaitGroup
	for range 30 {
		all.Go(func() {
			l, err := Acquire(state)
			var h *HeldError
			if err != nil && !errors.As(err, &h) {
				t.Errorf("acquire: %v", err)
			}
			locks <- l
		})
	}
	all.Wait()
	close(locks)
	won := 0
	for l := range locks {
		if l != nil {
			won++
			must(t, l.Release())
		}
	}
	if won != 1 {
		t.Errorf("%d daemons hold the directory", won)
	}
}

func TestAcquireStart(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	l, err := AcquireStart(state)
	must(t, err)
	if other, err := AcquireStart(state); other != nil || err != nil {
		t.Errorf("second starter: %v, %v", other, err)
	}
	must(t, l.Release())
	l, err = AcquireStart(state)
	must(t, err)
	if l == nil {
		t.Fatal("the right to start was not given back")
	}
	must(t, l.Release())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

package holder_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"apex/term/holder"

	"golang.org/x/sys/unix"
)

// stateDir is a directory for sockets, in one that a test may remove as a user removes the state.
func stateDir(t *testing.T) (state, dir string) {
	t.Helper()
	state = filepath.Join(t.TempDir(), "state")
	dir = filepath.Join(state, "holders")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	return state, dir
}

// Somebody removes the socket of a running program's holder, or what it is in: a daemon finds it
// all the same.
func TestSocketIsMadeAgain(t *testing.T) {
	t.Parallel()
	damages := map[string]func(state, dir, socket string) error{
		"removed": func(_, _, socket string) error { return os.Remove(socket) },
		"replaced": func(_, _, socket string) error {
			return errors.Join(os.Remove(socket), os.WriteFile(socket, nil, 0o600))
		},
		"its directory removed": func(_, dir, _ string) error { return os.RemoveAll(dir) },
		"its directory moved away": func(_, dir, _ string) error {
			return os.Rename(dir, dir+".old")
		},
		"the state made again": func(state, _, _ string) error {
			return errors.Join(os.RemoveAll(state), os.Mkdir(state, 0o700))
		},
	}
	specs, holders := map[string]holder.Spec{}, map[string]*holder.Holder{}
	for name, damage := range damages { // all, before it is waited for any
		s := spec(t, holder.Pty, "cat")
		var state string
		state, s.Dir = stateDir(t)
		h := start(t, s)
		specs[name], holders[name] = s, h
		if err := damage(state, s.Dir, socketOf(s)); err != nil {
			t.Fatal(err)
		}
	}
	for name, s := range specs {
		socketAgain(t, s)
		pid := holders[name].Info().Holder
		holders[name].Detach()
		h, err := holder.Adopt(bounded(t), s.Dir, s.Name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := h.Info().Holder; got != pid {
			t.Errorf("%s: the holder is process %d, want %d", name, got, pid)
		}
		if st, err := os.Stat(s.Dir); err != nil || st.Mode().Perm() != 0o700 {
			t.Errorf("%s: the directory is %v, error %v, want mode 0700", name, st, err)
		}
		end(t, h)
	}
}

// socketAgain waits until a holder has a socket.
func socketAgain(t *testing.T, s holder.Spec) {
	t.Helper()
	late := bounded(t)
	again := time.NewTicker(10 * time.Millisecond)
	defer again.Stop()
	for {
		st, err := os.Lstat(socketOf(s))
		if err == nil && st.Mode().Type() == os.ModeSocket {
			return
		}
		select {
		case <-again.C:
		case <-late.Done():
			t.Fatalf("no socket: %v, error %v", st, err)
		}
	}
}

// Somebody deletes the state while a program runs: it goes on, and its holder ends with it.
func TestStateVanishes(t *testing.T) {
	t.Parallel()
	path, wait := fifo(t)
	gate1, _ := fifo(t)
	gate2, _ := fifo(t)
	s := spec(t, holder.Pty, script(fmt.Sprintf("read x <%s; echo going >%s; read x <%s",
		gate1, path, gate2))...)
	var state string
	state, s.Dir = stateDir(t)
	h := start(t, s)
	h.Detach()
	if err := os.RemoveAll(state); err != nil {
		t.Fatal(err)
	}
	open(t, gate1)
	if got := wait(); got != "going" {
		t.Errorf("the program says %q", got)
	}
	open(t, gate2)
	leaves(t, h, state)
}

// The same when the program has ended, and nothing happens any more that the holder would notice.
func TestStateVanishesAfterTheEnd(t *testing.T) {
	t.Parallel()
	s := spec(t, holder.Pty, "true")
	var state string
	state, s.Dir = stateDir(t)
	h := start(t, s)
	<-h.Exited()
	h.Detach()
	if err := os.Remove(socketOf(s)); err != nil {
		t.Fatal(err)
	}
	socketAgain(t, s)
	if err := os.RemoveAll(state); err != nil {
		t.Fatal(err)
	}
	leaves(t, h, state)
}

// leaves waits for a holder to leave, and checks that it leaves no state behind. It is this
// process's child: to wait for it is to see it end.
func leaves(t *testing.T, h *holder.Holder, state string) {
	t.Helper()
	if _, err := unix.Wait4(h.Info().Holder, nil, 0, nil); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(state); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the state is there again: %v", err)
	}
}

// A holder that does not run, stopped for instance, is not taken for one that is gone, however
// often it is tried, and is there when it runs again.
func TestHolderIsStopped(t *testing.T) {
	t.Parallel()
	s := spec(t, holder.Pty, "cat")
	h := start(t, s)
	pid := h.Info().Holder
	h.Detach()
	if err := unix.Kill(pid, unix.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	var status unix.WaitStatus
	if _, err := unix.Wait4(pid, &status, unix.WUNTRACED, nil); err != nil || !status.Stopped() {
		t.Fatalf("it was not stopped: %#x, %v", status, err)
	}
	for range 12 { // more than may wait for it
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
		_, err := holder.Adopt(ctx, s.Dir, s.Name)
		cancel()
		if !errors.Is(err, holder.NoAnswer) || errors.Is(err, holder.Gone) {
			t.Errorf("adopt a stopped one: %v, want %v", err, holder.NoAnswer)
		}
	}
	if names, err := holder.List(s.Dir); err != nil || len(names) != 1 {
		t.Errorf("list %q, error %v, want the stopped one", names, err)
	}
	if err := unix.Kill(pid, unix.SIGCONT); err != nil {
		t.Fatal(err)
	}
	h, err := holder.Adopt(bounded(t), s.Dir, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	end(t, h)
}

package holder_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"apex/term/holder"

	"golang.org/x/sys/unix"
)

func TestMain(m *testing.M) {
	holder.Dispatch()
	if len(os.Args) > 2 && os.Args[1] == subprocessWord {
		subprocess(os.Args[2], os.Args[3:])
		return
	}
	os.Exit(m.Run())
}

// within bounds what a test waits for: far more than it takes, so that only a hang ends it.
const within = 50 * time.Second

func bounded(t testing.TB) context.Context {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), within)
	t.Cleanup(cancel)
	return ctx
}

var names atomic.Int64

// spec is a program in a directory of the test's own.
func spec(t testing.TB, kind holder.Kind, argv ...string) holder.Spec {
	t.Helper()
	return holder.Spec{Dir: sockets(t), Name: fmt.Sprintf("p%d", names.Add(1)), Argv: argv,
		Env: append(os.Environ(), "TERM=xterm-256color"), Cwd: "/", Kind: kind,
		Size: holder.Size{Cols: 80, Rows: 24}}
}

// sockets is a directory for sockets; what is left there at the end of the test fails it.
func sockets(t testing.TB) string {
	dir := t.TempDir()
	t.Cleanup(func() {
		entries, err := os.ReadDir(dir)
		if err != nil {
			t.Error(err)
		}
		for _, e := range entries {
			t.Errorf("left in the directory: %s", e.Name())
		}
	})
	return dir
}

// start starts a program whose holder ends with the test.
func start(t testing.TB, s holder.Spec) *holder.Holder {
	t.Helper()
	h, err := holder.Start(bounded(t), "", s)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { end(t, h) })
	return h
}

// end ends a program and its holder and checks that nothing is left of them.
func end(t testing.TB, h *holder.Holder) {
	t.Helper()
	select {
	case <-h.Gone():
		h.Detach()
		return
	default:
	}
	left, err := h.Kill(bounded(t))
	if err != nil || len(left) > 0 {
		t.Errorf("kill: left %v, error %v", left, err)
	}
	if left, err := h.Release(bounded(t)); err != nil || len(left) > 0 {
		t.Errorf("release: left %v, error %v", left, err)
	}
	if running(h.Info().Holder) {
		t.Errorf("holder %d runs after its release", h.Info().Holder)
	}
}

// running reports whether a process is there that is no zombie.
func running(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return unix.Kill(pid, 0) == nil && filepathMissing("/proc/self/stat")
	}
	f := strings.Fields(string(b[strings.LastIndexByte(string(b), ')')+1:]))
	return f[0] != "Z" && f[0] != "X"
}

func filepathMissing(path string) bool { _, err := os.Stat(path); return err != nil }

// script is a shell that runs a text.
func script(text string) []string { return []string{"/bin/sh", "-c", text} }

// readAll reads until the program has exited and all that it wrote is there.
func readAll(t testing.TB, h *holder.Holder) string {
	t.Helper()
	var b strings.Builder
	at := h.Written()
	for {
		o, err := h.Read()
		if err == holder.ErrExited || err == io.EOF {
			return b.String()
		}
		if err != nil {
			t.Fatal(err)
		}
		if o.From != at {
			t.Fatalf("output from %d, want %d", o.From, at)
		}
		at += uint64(len(o.Bytes))
		b.Write(o.Bytes)
	}
}

// readUntil reads until the text is in what was read, which it returns.
func readUntil(t testing.TB, h *holder.Holder, text string) string {
	t.Helper()
	var b strings.Builder
	for !strings.Contains(b.String(), text) {
		o, err := h.Read()
		if err != nil {
			t.Fatalf("read %q: %v", b.String(), err)
		}
		b.Write(o.Bytes)
	}
	return b.String()
}

// descriptors are those that a process has open, without the one that lists them.
func descriptors(t testing.TB) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Skip("no /proc")
	}
	var out []string
	for _, e := range entries {
		to, err := os.Readlink(filepath.Join("/proc/self/fd", e.Name()))
		if err == nil && !strings.Contains(to, "/fd") {
			out = append(out, e.Name()+" "+to)
		}
	}
	slices.Sort(out)
	return out
}

func number(t testing.TB, s string) int {
	t.Helper()
	n, err := strconv.Atoi(strings.TrimSpace(s))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

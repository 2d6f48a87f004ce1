package holder_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"apex/term/holder"

	"golang.org/x/sys/unix"
)

// numbers are lines with the numbers to n, as a terminal shows them.
func numbers(n int) string {
	var b strings.Builder
	for i := 1; i <= n; i++ {
		fmt.Fprintf(&b, "%d\r\n", i)
	}
	return b.String()
}

// fifo is a pipe with a name, by which a program says that it has come to some point, or is told
// to go on: once, since who opens it next may meet the other side of the last time.
func fifo(t *testing.T) (path string, wait func() string) {
	path = filepath.Join(t.TempDir(), "fifo")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	return path, func() string {
		t.Helper()
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(b))
	}
}

// open lets a program go on that reads from a named pipe.
func open(t *testing.T, path string) {
	t.Helper()
	if err := os.WriteFile(path, []byte("go\n"), 0); err != nil {
		t.Fatal(err)
	}
}

// Daemons are killed while they read numbers; at the end all are there, once each and in order.
func TestDaemonsAreKilled(t *testing.T) {
	t.Parallel()
	const rounds, each = 8, 15_000 // all of it fits the ring
	var gates []string
	for range rounds {
		path, _ := fifo(t)
		gates = append(gates, path)
	}
	s := spec(t, holder.Pty, script(fmt.Sprintf(`n=0; for gate in %s; do
		read x <$gate; seq $((n + 1)) $((n + %d)); n=$((n + %[2]d)); done`,
		strings.Join(gates, " "), each))...)
	h := start(t, s)
	for round := range rounds {
		h.Detach()
		d := startDaemon(t, "reader", s.Dir, s.Name)
		d.says()
		open(t, gates[round])
		for range 1 + round%2 {
			d.says()
		}
		d.kill()
		var err error
		if h, err = holder.Adopt(bounded(t), s.Dir, s.Name); err != nil {
			t.Fatal(err)
		}
	}
	defer end(t, h)
	readAll(t, h)
	got, err := h.Bytes(0)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := string(got), numbers(rounds*each); got != want {
		t.Errorf("%d bytes, want %d: first difference at %d", len(got), len(want),
			differ(got, want))
	}
}

func differ(a, b string) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// What a daemon had read when it was killed, and not counted, is not lost, NUL bytes at its end
// excepted.
func TestDaemonIsKilledInARead(t *testing.T) {
	t.Parallel()
	for _, kind := range []holder.Kind{holder.Pty, holder.Pipe} {
		gate1, _ := fifo(t)
		gate2, _ := fifo(t)
		s := spec(t, kind, script(fmt.Sprintf(`printf first; read x <%s; printf 'a\000b\000\000'
			read x <%s; printf after`, gate1, gate2))...)
		h := start(t, s)
		readUntil(t, h, "first")
		h.Detach()
		d := startDaemon(t, "torn", s.Dir, s.Name)
		d.says()
		open(t, gate1)
		if got := d.says(); got != "5" {
			t.Fatalf("read %s bytes, want 5", got)
		}
		d.kill()
		h, err := holder.Adopt(bounded(t), s.Dir, s.Name)
		if err != nil {
			t.Fatal(err)
		}
		defer end(t, h)
		open(t, gate2)
		readAll(t, h)
		if got, err := h.Bytes(0); err != nil || string(got) != "firsta\x00bafter" {
			t.Errorf("kind %d: output %q, error %v", kind, got, err)
		}
	}
}

func TestGapKeepsTheNewest(t *testing.T) {
	t.Parallel()
	const last = 600_000
	path, wait := fifo(t)
	s := spec(t, holder.Pty, script(fmt.Sprintf("seq %d; echo done >%s; read x", last, path))...)
	h := start(t, s)
	h.Detach()
	wait()
	h, err := holder.Adopt(bounded(t), s.Dir, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	defer end(t, h)
	want := numbers(last)
	for h.Written() < uint64(len(want)) {
		if _, err := h.Read(); err != nil {
			t.Fatal(err)
		}
	}
	_, err = h.Bytes(0)
	var gap *holder.GapError
	if !errors.Is(err, holder.ErrGap) || !errors.As(err, &gap) {
		t.Fatalf("bytes from 0: %v, want a gap", err)
	}
	got, err := h.Bytes(gap.Oldest)
	if err != nil {
		t.Fatal(err)
	}
	if len(got) != holder.RingBytes || string(got) != want[len(want)-len(got):] {
		t.Errorf("%d bytes that end %q, want the last %d", len(got), got[len(got)-9:],
			holder.RingBytes)
	}
	if b, err := h.Bytes(h.Written()); err != nil || len(b) != 0 {
		t.Errorf("bytes from the end: %q, %v", b, err)
	}
	if _, err := h.Bytes(h.Written() + 1); err == nil || errors.Is(err, holder.ErrGap) {
		t.Errorf("bytes from beyond the end: %v", err)
	}
}

// A program ends while no daemon is there: its output and its exit wait for the next.
func TestEndUnseen(t *testing.T) {
	t.Parallel()
	for _, kind := range []holder.Kind{holder.Pty, holder.Pipe} {
		path, _ := fifo(t)
		s := spec(t, kind, script(fmt.Sprintf("read x <%s; printf last; exit 9", path))...)
		h := start(t, s)
		h.SetCovered(1)
		h.SetAnswered(2)
		h.Detach()
		open(t, path)
		h, err := holder.Adopt(bounded(t), s.Dir, s.Name)
		if err != nil {
			t.Fatal(err)
		}
		readAll(t, h)
		<-h.Exited()
		if b, err := h.Bytes(0); err != nil || string(b) != "last" {
			t.Errorf("output %q, error %v", b, err)
		}
		if e := h.Exit(); e.Code != 9 || e.Signal != 0 || e.Lost {
			t.Errorf("exit %v", e)
		}
		if h.Covered() != 1 || h.Answered() != 2 {
			t.Errorf("covered %d, answered %d", h.Covered(), h.Answered())
		}
		h.Detach()
		if h, err = holder.Adopt(bounded(t), s.Dir, s.Name); err != nil {
			t.Fatal(err)
		}
		if e := h.Exit(); e.Code != 9 {
			t.Errorf("exit of the second time %v", e)
		}
		if _, err := h.Read(); err != holder.ErrExited {
			t.Errorf("read: %v, want %v", err, holder.ErrExited)
		}
		if _, err := h.Read(); err != io.EOF {
			t.Errorf("read: %v, want EOF", err)
		}
		end(t, h)
	}
}

func TestAdoptErrors(t *testing.T) {
	t.Parallel()
	s := spec(t, holder.Pty, "cat")
	if _, err := holder.Adopt(bounded(t), s.Dir, "nobody"); !errors.Is(err, holder.Gone) {
		t.Errorf("adopt nobody: %v", err)
	}
	if _, err := holder.Adopt(bounded(t), s.Dir, "../x"); !errors.Is(err, holder.BadSpec) {
		t.Errorf("adopt outside: %v", err)
	}
	h := start(t, s)
	h.Detach()
	d := startDaemon(t, "idle", s.Dir, s.Name)
	d.says()
	if _, err := holder.Adopt(bounded(t), s.Dir, s.Name); !errors.Is(err, holder.Busy) {
		t.Errorf("adopt another's: %v", err)
	}
	d.kill()
	h, err := holder.Adopt(bounded(t), s.Dir, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	if names, err := holder.List(s.Dir); err != nil || len(names) != 1 || names[0] != s.Name {
		t.Errorf("list %q, error %v", names, err)
	}
	h.Detach()
	// A holder that was killed leaves a socket, which whoever looks removes, and a trace, which it is
	// listed by until its program has ended.
	unix.Kill(h.Info().Holder, unix.SIGKILL)
	unix.Wait4(h.Info().Holder, nil, 0, nil)
	if _, err := os.Stat(filepath.Join(s.Dir, s.Name+".holder")); err != nil {
		t.Error(err)
	}
	if names, err := holder.List(s.Dir); err != nil || len(names) != 1 {
		t.Errorf("list %q, error %v", names, err)
	}
	if _, err := holder.Adopt(bounded(t), s.Dir, s.Name); !errors.Is(err, holder.Gone) {
		t.Errorf("adopt a dead one: %v", err)
	}
	if left, err := holder.EndLost(bounded(t), s.Dir, s.Name); err != nil || len(left) > 0 {
		t.Errorf("left %v, error %v", left, err)
	}
	if names, err := holder.List(s.Dir); err != nil || len(names) != 0 {
		t.Errorf("list %q, error %v", names, err)
	}
	if names, err := holder.List("/no/such/dir"); err != nil || len(names) != 0 {
		t.Errorf("list of no directory: %q, %v", names, err)
	}
}

func TestDetachEndsRead(t *testing.T) {
	t.Parallel()
	s := spec(t, holder.Pty, script("printf begin; exec cat")...)
	h := start(t, s)
	o, err := h.Read()
	if err != nil {
		t.Fatal(err)
	}
	detached := make(chan struct{})
	go func() {
		h.Detach()
		close(detached)
	}()
	// The memory of what was read stays, whenever Detach comes.
	<-detached
	if got := string(o.Bytes); !strings.HasPrefix("begin", got) {
		t.Errorf("output %q after Detach", got)
	}
	for range 2 {
		if _, err := h.Read(); err != holder.ErrClosed {
			t.Errorf("read: %v, want %v", err, holder.ErrClosed)
		}
	}
	if _, err := h.Bytes(0); err != holder.ErrClosed {
		t.Errorf("bytes: %v", err)
	}
	if _, err := h.Write([]byte("x")); err != holder.ErrClosed {
		t.Errorf("write: %v", err)
	}
	if _, err := h.Kill(bounded(t)); err != holder.ErrClosed {
		t.Errorf("kill: %v", err)
	}
	if err := h.Resize(holder.Size{Cols: 1, Rows: 1}); err != holder.ErrClosed {
		t.Errorf("resize: %v", err)
	}
	if h, err = holder.Adopt(bounded(t), s.Dir, s.Name); err != nil {
		t.Fatal(err)
	}
	waits := make(chan error)
	go func() {
		for {
			if _, err := h.Read(); err != nil {
				waits <- err
				return
			}
		}
	}()
	h.Detach()
	if err := <-waits; err != holder.ErrClosed {
		t.Errorf("read that waited: %v, want %v", err, holder.ErrClosed)
	}
	if h, err = holder.Adopt(bounded(t), s.Dir, s.Name); err != nil {
		t.Fatal(err)
	}
	end(t, h)
}

func TestLongDirectory(t *testing.T) {
	t.Parallel()
	s := spec(t, holder.Pty, "cat")
	s.Dir = filepath.Join(t.TempDir(), strings.Repeat("long/", 60), strings.Repeat("x", 200))
	s.Name = strings.Repeat("n", 64)
	if err := os.MkdirAll(s.Dir, 0o700); err != nil {
		t.Fatal(err)
	}
	h := start(t, s)
	h.Detach()
	if names, err := holder.List(s.Dir); err != nil || len(names) != 1 || names[0] != s.Name {
		t.Errorf("list %q, error %v", names, err)
	}
	h, err := holder.Adopt(bounded(t), s.Dir, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	end(t, h)
}

// No signal that is sent to many ends a holder.
func TestHolderTakesSignals(t *testing.T) {
	t.Parallel()
	h := start(t, spec(t, holder.Pty, "cat"))
	for _, sig := range []syscall.Signal{syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM,
		syscall.SIGQUIT, syscall.SIGPIPE, syscall.SIGUSR1, syscall.SIGALRM, syscall.SIGTSTP} {
		if err := unix.Kill(h.Info().Holder, sig); err != nil {
			t.Fatal(err)
		}
	}
	if list, err := h.Processes(bounded(t)); err != nil || len(list) != 1 {
		t.Errorf("processes %v, error %v", list, err)
	}
}

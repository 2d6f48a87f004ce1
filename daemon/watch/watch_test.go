package watch

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"
	"time"
)

// fake is a notifier that a test speaks for.
type fake struct {
	events chan Event
	lost   chan struct{}
	added  chan string
}

func newFake() *fake {
	return &fake{make(chan Event), make(chan struct{}), make(chan string, 100)}
}

func (f *fake) Add(dir string) error  { f.added <- dir; return nil }
func (f *fake) Remove(string)         {}
func (f *fake) Events() <-chan Event  { return f.events }
func (f *fake) Lost() <-chan struct{} { return f.lost }
func (f *fake) Close()                { close(f.events) }

// heard is a watcher whose bursts a test takes in.
type heard struct {
	*Watcher
	t      *testing.T
	bursts chan Burst
}

func listen(t *testing.T, open func() (Notifier, error)) *heard {
	h := &heard{t: t, bursts: make(chan Burst, 100)}
	h.Watcher = New(Options{Changed: func(b Burst) { h.bursts <- b }, Open: open,
		PollEvery: 5 * time.Millisecond})
	t.Cleanup(h.Close)
	return h
}

// until takes in bursts until all files were told of, and returns what else came up.
func (h *heard) until(files ...string) (appeared []string) {
	h.t.Helper()
	for len(files) > 0 {
		b := <-h.bursts
		files = slices.DeleteFunc(files, func(f string) bool { return slices.Contains(b.Files, f) })
		appeared = append(appeared, b.Appeared...)
	}
	return appeared
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// realTemp is a temporary directory without links in its path, as events name it.
func realTemp(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// What happens to watched files is told, what happens to others only if it came up, and once for many
// events.
func TestBursts(t *testing.T) {
	n := newFake()
	h := listen(t, func() (Notifier, error) { return n, nil })
	dir := realTemp(t)
	a, b, other := filepath.Join(dir, "a"), filepath.Join(dir, "b"), filepath.Join(dir, "other")
	h.Add(a)
	h.Add(b)
	if got := <-n.added; got != dir {
		t.Fatalf("watches %s", got)
	}
	h.until(a, b) // what happened before is not missed
	for range 1000 {
		n.events <- Event{Name: a}
		n.events <- Event{Name: other}
	}
	n.events <- Event{Name: other, Created: true}
	if came := h.until(a); !slices.Equal(came, []string{other}) {
		t.Errorf("%q came up", came)
	}
	if len(n.added) > 0 {
		t.Error("watched twice")
	}
	h.Remove(a)
	n.events <- Event{Name: a}
	n.events <- Event{Name: b}
	if burst := <-h.bursts; !slices.Equal(burst.Files, []string{b}) {
		t.Errorf("told of %q", burst.Files)
	}
}

// If the system has dropped events, every file counts.
func TestLostEvents(t *testing.T) {
	n := newFake()
	h := listen(t, func() (Notifier, error) { return n, nil })
	a, b := filepath.Join(realTemp(t), "a"), filepath.Join(realTemp(t), "b")
	h.Add(a)
	h.Add(b)
	h.until(a, b)
	<-n.added
	<-n.added
	n.lost <- struct{}{}
	h.until(a, b)
}

// A directory that is gone is watched again when it is there again, under the same name.
func TestDirectoryComesBack(t *testing.T) {
	h := listen(t, nil)
	dir := filepath.Join(realTemp(t), "dir")
	a := filepath.Join(dir, "a")
	h.Add(a)
	for range 3 {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		h.until(a)
		write(t, a, "text")
		h.until(a)
		if p := h.Polling(); p.Dirs != 0 {
			t.Errorf("polls: %+v", p)
		}
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		h.until(a)
	}
}

// A notifier that can't be made is tried again; until then files are polled.
func TestNotifierComesLate(t *testing.T) {
	allow := make(chan bool, 1)
	h := listen(t, func() (Notifier, error) {
		select {
		case <-allow:
			return System()
		default:
			return nil, syscall.EMFILE
		}
	})
	a := filepath.Join(realTemp(t), "a")
	h.Add(a)
	h.until(a)
	write(t, a, "text")
	h.until(a)
	if p := h.Polling(); p.Dirs != 1 || p.Why == "" {
		t.Errorf("polls: %+v", p)
	}
	allow <- true
	for h.Polling().Dirs > 0 {
	}
	h.until(a) // as soon as it is watched
	write(t, a, "more")
	h.until(a)
}

// A file that several want is watched until none does. One that nobody wants is as good as none.
func TestUsers(t *testing.T) {
	n := newFake()
	h := listen(t, func() (Notifier, error) { return n, nil })
	a := filepath.Join(realTemp(t), "a")
	h.Remove(a)
	h.Add(a)
	h.Add(a)
	h.until(a)
	h.Remove(a)
	n.events <- Event{Name: a}
	h.until(a)
	h.Remove(a)
	h.mu.Lock()
	defer h.mu.Unlock()
	if len(h.files)+len(h.dirs)+len(h.unplaced) != 0 {
		t.Errorf("left: %v %v %v", h.files, h.dirs, h.unplaced)
	}
}

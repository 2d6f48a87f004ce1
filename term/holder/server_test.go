package holder

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// When a holder leaves: never while anything of the program runs, at once when it was released, and
// else when nobody can or will ask any more.
func TestWhenAHolderLeaves(t *testing.T) {
	if !endsAreTold {
		t.Skip("it has to look for what is left, and finds this test")
	}
	dir := t.TempDir()
	end := time.Now()
	unreachable := func(s *server) { s.unreachable = end }
	stateless := func(s *server) {
		s.unreachable, s.dir = end, filepath.Join(dir, "no", "such", "directory")
	}
	exited := func(s *server) { s.exit, s.keepUntil = &Exit{At: end}, end.Add(keepExited) }
	tests := []struct {
		name   string
		change func(*server)
		after  time.Duration
		leaves bool
	}{
		{"nothing was started, nobody is there", func(s *server) { s.child = 0 }, 0, true},
		{"nothing was started yet", func(s *server) { s.child, s.conns = 0, []*conn{{}} }, 0, false},
		{"it runs", func(*server) {}, 10 * keepExited, false},
		{"it runs and was released", func(s *server) { s.released = true }, 0, false},
		{"it runs and can't be reached", unreachable, 10 * keepExited, false},
		{"it runs and its state is gone", stateless, 10 * keepExited, false},
		{"exited", exited, 0, false},
		{"exited long ago", exited, keepExited, true},
		{"exited, with a daemon", func(s *server) {
			exited(s)
			s.daemon = &conn{}
			s.conns = []*conn{s.daemon}
		}, 10 * keepExited, false},
		{"exited, can't be reached", func(s *server) { exited(s); unreachable(s) },
			unreachableMax - 1, false},
		{"exited, can't be reached for long", func(s *server) { exited(s); unreachable(s) },
			unreachableMax, true},
		{"exited, its state is gone", func(s *server) { exited(s); stateless(s) }, 0, true},
		{"exited and released", func(s *server) { exited(s); s.released = true }, 0, true},
		{"exited and released, an orphan is left", func(s *server) {
			exited(s)
			s.released, s.orphans = true, []int{2}
		}, 10 * keepExited, false},
		{"exited and released, in the middle of a kill", func(s *server) {
			exited(s)
			s.released, s.killing = true, &killing{}
		}, 0, false},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := &server{dir: dir, name: "p", child: 1}
			test.change(s)
			if got := s.done(end.Add(test.after)); got != test.leaves {
				t.Errorf("leaves: %v, want %v", got, test.leaves)
			}
		})
	}
}

// What a holder waits for is never later than what is due first, and nothing is waited for in vain.
func TestPatience(t *testing.T) {
	now := time.Now()
	tests := []struct {
		name string
		s    server
		want int // milliseconds; -1: until something happens
	}{
		{"nothing is due", server{}, -1},
		{"a silent connection", server{conns: []*conn{{deadline: now.Add(time.Second)}}}, 1000},
		{"the next look of a kill", server{killing: &killing{next: now.Add(time.Microsecond)},
			acceptAfter: now.Add(time.Second)}, 1},
		{"something is overdue", server{acceptAfter: now.Add(-time.Second)}, 0},
		{"the next look at its socket", server{socketNext: now.Add(socketEvery), daemon: &conn{}},
			int(socketEvery / time.Millisecond)},
		{"the end of its time", server{keepUntil: now.Add(keepExited)}, int(time.Hour / 1e6)},
		{"its time counts without a daemon", server{keepUntil: now, daemon: &conn{}}, -1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := test.s.patience(now); got != test.want {
				t.Errorf("%d ms, want %d", got, test.want)
			}
		})
	}
}

// What a holder does about its socket: nothing while it is there, and as little as there is to do.
func TestWatchSocket(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state")
	s := &server{dir: filepath.Join(state, "holders"), name: "p", listener: -1}
	defer func() { unix.Close(s.listener) }()
	now := time.Now()
	look := func(want bool) {
		t.Helper()
		now = now.Add(socketEvery)
		s.watchSocket(now)
		if s.socketNext != now.Add(socketEvery) {
			t.Errorf("looks again at %v, want %v", s.socketNext, now.Add(socketEvery))
		}
		if got := s.unreachable.IsZero(); got != want || s.reachable() != want {
			t.Errorf("reachable: %v, since %v; want %v", s.reachable(), s.unreachable, want)
		}
	}
	look(false)
	since := now
	look(false)
	if s.unreachable != since {
		t.Errorf("unreachable since %v, want %v", s.unreachable, since)
	}
	if err := os.Mkdir(state, 0o700); err != nil {
		t.Fatal(err)
	}
	look(true)
	first, fd := s.socket, s.listener
	look(true)
	if s.socket != first || s.listener != fd {
		t.Error("a socket that is there was made again")
	}
	// Another holder has the name: it stays its.
	if err := unix.Unlink(socketPath(s.dir, s.name)); err != nil {
		t.Fatal(err)
	}
	other := &server{dir: s.dir, name: s.name, listener: -1}
	if err := other.listen(); err != nil {
		t.Fatal(err)
	}
	look(false)
	if !other.reachable() || s.listener != fd {
		t.Error("the other one's socket was taken")
	}
	unix.Close(other.listener)
	look(true)
}

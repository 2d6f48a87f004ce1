package acceptance

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
)

// The daemon is killed at random moments while a person types and scripts edit. After each
// restart, which the UI sees to by itself, everything acknowledged is there, and the text is what
// was typed. Some kills come after the daemon was stopped for a moment, so that what was typed
// meanwhile was on no disk.
func TestDaemonKilled(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	path := m.write("crash.txt", "begun\n")
	p := m.terminal("typing", 90, 24)
	p.ui(path)
	p.shows("begun")
	p.keys("C-End")
	follower := m.follow(m.info(path).Buffer)

	s := newScripts(m, path)
	random := rand.New(rand.NewPCG(*seed, 4))
	typed, unacked := "", 0
	t.Logf("seed %d", *seed)
	for n := range *kills {
		s.start()
		for range random.IntN(6) {
			word := fmt.Sprintf("<kill%d>", n)
			p.types(word)
			typed += word
		}
		s.waitFor(random.IntN(4))
		tail := fmt.Sprintf("[tail%d]", n)
		if n%3 == 0 {
			p.unacknowledged(tail)
			typed += tail
			unacked++
		}
		m.killDaemon()
		p.types("after")
		p.keys("Enter")
		typed += "after\n"
		s.stop()
		p.wait("the daemon to be back", screen.synced)
		got := m.must("text", "read", path)
		found, rest := marks(got)
		once(t, found, s.applied, s.maybe)
		if want := "begun\n" + typed; rest != want {
			t.Fatalf("after kill %d the text without the scripts' edits is\n%q, want\n%q", n, rest, want)
		}
		info := m.info(path)
		follower.reaches(info.Seq)
		if again := replay(t, follower.printed()[:info.Seq]); again != got {
			t.Fatalf("after kill %d the entries that were told make\n%q, the text is\n%q", n, again, got)
		}
	}
	t.Logf("%d kills, %d with an unacknowledged tail; %d edits by scripts, %d without an answer",
		*kills, unacked, len(s.applied), len(s.maybe))
	if len(s.applied) < *kills {
		t.Errorf("%d edits by scripts test nothing", len(s.applied))
	}
	p.detach()
}

// unacknowledged stops the daemon, types, and returns when that is on the screen and, as the top
// row says, on no disk.
func (p *terminal) unacknowledged(text string) {
	p.m.t.Helper()
	kill(p.m.daemon(), syscall.SIGSTOP)
	p.types(text)
	p.wait("what was typed, unsynced", func(s screen) bool {
		return strings.Contains(strings.ReplaceAll(s.body(), "\n", ""), text) &&
			strings.Contains(s[0], " unsynced ")
	})
}

// scripts edit until they are stopped.
type scripts struct {
	m    *machine
	path string

	stopping atomic.Bool
	running  sync.WaitGroup
	mu       sync.Mutex
	next     rune   // the next mark is firstMark + next
	applied  []rune // acknowledged
	maybe    []rune // the command failed: the daemon was killed, before or after
}

const scriptsAtOnce = 2

// newScripts makes some that have not started.
func newScripts(m *machine, path string) *scripts {
	s := &scripts{m: m, path: path}
	s.stopping.Store(true)
	return s
}

func (s *scripts) start() {
	s.stopping.Store(false)
	for range scriptsAtOnce {
		s.running.Go(func() {
			for !s.stopping.Load() {
				s.edit()
			}
		})
	}
}

// waitFor waits until n more edits are acknowledged.
func (s *scripts) waitFor(n int) {
	s.m.t.Helper()
	done := func() int {
		s.mu.Lock()
		defer s.mu.Unlock()
		return len(s.applied)
	}
	n += done()
	eventually(s.m.t, "the scripts' edits", func() bool { return done() >= n })
}

func (s *scripts) stop() {
	s.stopping.Store(true)
	s.running.Wait()
}

// busy reports whether edits may be made right now.
func (s *scripts) busy() bool { return !s.stopping.Load() }

// mark is a new one.
func (s *scripts) mark() rune {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.next++
	return firstMark + (s.next-1)%(lastMark-firstMark)
}

// unsure notes that a mark was put in, or was not.
func (s *scripts) unsure(mark rune) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.maybe = append(s.maybe, mark)
}

// edit makes one edit, at the beginning, against whatever version is there.
func (s *scripts) edit() {
	mark := s.mark()
	a := s.m.apex("", "text", "info", s.path, "--json")
	if a.status != 0 {
		return
	}
	var now textInfo
	s.m.decodeOr(a, &now)
	a = s.m.apex(insertion(0, mark), "text", "apply", s.path, "--on-conflict", "rebase",
		"--base", strconv.FormatUint(now.Version, 10))
	s.mu.Lock()
	defer s.mu.Unlock()
	switch a.status {
	case 0:
		s.applied = append(s.applied, mark)
	case 4: // told that it was not applied
	default:
		s.maybe = append(s.maybe, mark)
	}
}

package acceptance

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
)

// The daemon is stopped again and again, by the command and by a signal, while a person types and
// scripts edit: it leaves without a word of loss, the next one has everything that was acknowledged,
// and the UI goes on by itself with what was typed meanwhile, under the lease that it had.
func TestDaemonStoppedUnderLoad(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	path := m.write("drain.txt", "begun\n")
	p := m.terminal("typing", 90, 24)
	p.ui(path)
	p.shows("begun")
	p.keys("C-End")

	s := &scripts{m: m, path: path}
	random := rand.New(rand.NewPCG(*seed, 9))
	typed := ""
	t.Logf("seed %d", *seed)
	for n := range *kills {
		s.start()
		for range random.IntN(6) {
			word := fmt.Sprintf("<stop%d>", n)
			p.types(word)
			typed += word
		}
		s.waitFor(random.IntN(4))
		pid := m.daemon()
		if n%2 == 0 {
			if a := m.apex("", "stop"); a.status != 0 {
				t.Errorf("stop %d: status %d: %s", n, a.status, a.err)
			}
		} else {
			kill(pid, syscall.SIGTERM)
		}
		p.types("after")
		p.keys("Enter")
		typed += "after\n"
		eventually(t, "the daemon to leave", func() bool { return !alive(pid) })
		s.stop()
		m.must("ls") // starts the next one, unless a script has
		p.wait("the next daemon", screen.synced)
		found, rest := marks(m.must("text", "read", path))
		once(t, found, s.applied, s.maybe)
		if want := "begun\n" + typed; rest != want {
			t.Fatalf("after stop %d the text without the scripts' edits is\n%q, want\n%q", n, rest, want)
		}
	}
	if a := m.apex("", "win", "ls"); strings.Contains(a.out, "+Recovered") {
		t.Errorf("something was set aside:\n%s", a.out)
	}
	if len(s.applied) < *kills {
		t.Errorf("%d edits by scripts test nothing", len(s.applied))
	}
	p.detach()
}

// server runs a daemon whose end can be seen. It says how it ended.
func (m *machine) server() (pid int, ended chan error) {
	m.t.Helper()
	c := m.command(context.Background(), "server")
	if err := c.Start(); err != nil {
		m.t.Fatal(err)
	}
	ended = make(chan error, 1)
	go func() { ended <- c.Wait() }()
	eventually(m.t, "the daemon", func() bool { return m.lockedBy() == c.Process.Pid })
	m.must("status")
	return c.Process.Pid, ended
}

// A signal drains the daemon, whose status is 0 then. One that comes while it still waits for
// somebody ends it at once; either way what was acknowledged is there.
func TestSignals(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	path := m.write("signals.txt", "begun\n")
	pid, ended := m.server()
	p := m.terminal("typing", 90, 24)
	p.ui(path)
	p.types("one ")
	p.wait("the disk", func(s screen) bool { return s.synced() && s.has("one begun") })
	kill(pid, syscall.SIGTERM)
	if err := <-ended; err != nil {
		t.Errorf("after a signal the daemon ends with %v", err)
	}
	p.wait("the state of the link", func(s screen) bool { return strings.Contains(s[0], "daemon stopped, waiting") })
	p.types("two ")

	pid, ended = m.server()
	p.wait("the disk", func(s screen) bool { return s.synced() && s.has("one two begun") })
	// Somebody is there who takes nothing, and is waited for.
	p.signal(syscall.SIGSTOP)
	text := strings.Repeat("0123456789abcde\n", 1<<18)
	m.mustRead(text, "text", "write", path)
	var status struct{ Socket string }
	m.decode(m.must("status", "--json"), &status)
	kill(pid, syscall.SIGTERM)
	eventually(t, "the drain", func() bool {
		_, err := os.Stat(status.Socket)
		return errors.Is(err, fs.ErrNotExist)
	})
	select {
	case <-ended:
		t.Fatal("the daemon has left: nobody was waited for, and this tests nothing")
	default:
	}
	kill(pid, syscall.SIGTERM)
	var exit *exec.ExitError
	if err := <-ended; !errors.As(err, &exit) || exit.ExitCode() != 1 {
		t.Errorf("after a second signal the daemon ends with %v, want status 1", err)
	}
	m.reads(path, []byte(text))
	p.types("fg")
	p.keys("C-j") // the terminal is raw
	p.wait("the next daemon", func(s screen) bool { return s.synced() && s.has("0123456789abcde") })
	p.keys("C-q")
	p.wait("the shell", func(s screen) bool { return len(s) > 0 && strings.HasPrefix(s[0], "$") })
}

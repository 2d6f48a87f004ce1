package holder_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"apex/term/holder"

	"golang.org/x/sys/unix"
)

func traceOf(s holder.Spec) string { return filepath.Join(s.Dir, s.Name+".program") }

// kill ends a process of this one's at once.
func kill(t *testing.T, pid int) {
	t.Helper()
	if err := unix.Kill(pid, unix.SIGKILL); err != nil {
		t.Fatal(err)
	}
	unix.Wait4(pid, nil, 0, nil)
}

// lost starts a program, waits for its end if it ends, and kills its holder when nobody has it. The
// process is that of the stubborn part.
func lost(t *testing.T, kind holder.Kind, text string) (s holder.Spec, pid int) {
	t.Helper()
	path, wait := fifo(t)
	s = spec(t, kind, script(strings.ReplaceAll(text, "STUBBORN", stubborn(path)))...)
	h := start(t, s)
	pid = number(t, wait())
	if group, err := unix.Getpgid(pid); err == nil { // what it waits for is in it too
		t.Cleanup(func() { unix.Kill(-group, unix.SIGKILL) })
	}
	if text == leaderDies {
		<-h.Exited()
	}
	h.Detach()
	kill(t, h.Info().Holder)
	return s, pid
}

// leaderDies is a program that leaves a process in its session.
const leaderDies = "trap '' HUP; sh -c 'STUBBORN' & kill -KILL $$"

// Of a program whose holder was killed with the daemon nothing is left after EndLost, in its
// session and below it.
func TestEndLost(t *testing.T) {
	t.Parallel()
	for _, kind := range []holder.Kind{holder.Pty, holder.Pipe} {
		for _, text := range []string{"STUBBORN", "trap '' HUP; (setsid sh -c 'STUBBORN'); exit",
			leaderDies} {
			s, pid := lost(t, kind, text)
			if names, err := holder.List(s.Dir); err != nil || len(names) != 1 {
				t.Errorf("list %q, error %v, want the lost one", names, err)
			}
			if _, err := holder.Adopt(bounded(t), s.Dir, s.Name); !errors.Is(err, holder.Gone) {
				t.Errorf("adopt: %v, want %v", err, holder.Gone)
			}
			if !running(pid) {
				t.Errorf("%s: it ended by itself", text)
			}
			for range 2 {
				if left, err := holder.EndLost(bounded(t), s.Dir, s.Name); err != nil || len(left) > 0 {
					t.Errorf("%s: left %v, error %v", text, left, err)
				}
			}
			if running(pid) {
				t.Errorf("%s: process %d runs", text, pid)
			}
		}
	}
}

// A process that has the number of the program and is not it is let be, and so is a session that has
// its number, where that may be another's.
func TestEndLostSpares(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, before, after string }{
		{"another process", "STUBBORN", " started ", " started 1"},
		{"another run of the system", "STUBBORN", " boot ", " boot 1"},
		{"an old session", leaderDies, " forks ", " forks 0 before "},
	} {
		s, pid := lost(t, holder.Pipe, test.text)
		b, err := os.ReadFile(traceOf(s))
		if err == nil {
			b = []byte(strings.Replace(string(b), test.before, test.after, 1))
			err = os.WriteFile(traceOf(s), b, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		if left, err := holder.EndLost(bounded(t), s.Dir, s.Name); err != nil || len(left) > 0 {
			t.Errorf("%s: left %v, error %v", test.name, left, err)
		}
		if !running(pid) {
			t.Errorf("%s was ended", test.name)
		}
		if names, err := holder.List(s.Dir); err != nil || len(names) > 0 {
			t.Errorf("list %q, error %v", names, err)
		}
	}
}

// A holder that lives is not taken for one that is gone while it makes its socket again, and its
// program goes on.
func TestSocketIsMissed(t *testing.T) {
	t.Parallel()
	s := spec(t, holder.Pty, "cat")
	h := start(t, s)
	pid := h.Info().Holder
	h.Detach()
	if err := errors.Join(unix.Kill(pid, unix.SIGSTOP), os.Remove(socketOf(s))); err != nil {
		t.Fatal(err)
	}
	if _, err := holder.Adopt(bounded(t), s.Dir, s.Name); !errors.Is(err, holder.NoAnswer) {
		t.Errorf("adopt: %v, want %v", err, holder.NoAnswer)
	}
	if _, err := holder.EndLost(bounded(t), s.Dir, s.Name); !errors.Is(err, holder.Exists) {
		t.Errorf("end of one that lives: %v, want %v", err, holder.Exists)
	}
	if err := errors.Join(os.Remove(traceOf(s)), unix.Kill(pid, unix.SIGCONT)); err != nil {
		t.Fatal(err)
	}
	socketAgain(t, s)
	h, err := holder.Adopt(bounded(t), s.Dir, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	end(t, h)
}

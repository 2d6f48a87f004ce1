package acceptance

import (
	"fmt"
	"strings"
	"sync"
	"testing"
)

// exitTimeout is the status of a command whose time was over.
const exitTimeout = 7

// Commands that a script runs one after the other in a shell, without a pause, have each its output
// and its status, whether the shell marks its prompts or not.
func TestHundredCommands(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.must("new", "default")
	for _, argv := range [][]string{{"bash"}, {"dash", "-i"}} {
		t.Run(argv[0], func(t *testing.T) {
			needProgram(t, argv[0])
			h := m.hosts("80x24", argv...)
			for i := range 100 {
				command, want := fmt.Sprintf("echo out %d; (exit %d)", i, i), fmt.Sprintf("out %d\n", i)
				switch {
				case i%10 == 3: // no line end, and nothing at all
					command, want = fmt.Sprintf("printf 'cut %d'; (exit %d)", i, i), fmt.Sprintf("cut %d", i)
				case i%10 == 5:
					command, want = fmt.Sprintf("(exit %d)", i), ""
				case i%10 == 7:
					command = fmt.Sprintf("seq 300; echo 'a \"quoted\" $text'; (exit %d)", i)
					want = strings.Join(sequence("%d", 300), "\n") + "\na \"quoted\" $text\n"
				}
				a := m.apex("", "term", "run", h.term, "--", command)
				if a.out != want || a.status != i {
					t.Fatalf("command %d: status %d, output %q: %s\n%s", i, a.status, a.out, a.err, h.screen())
				}
			}
		})
	}
}

// Each condition that a script may wait for comes, or the time is over.
func TestWaits(t *testing.T) {
	t.Parallel()
	needProgram(t, "bash")
	m := newMachine(t)
	h := m.hosts("80x24", "bash")
	over := func(what string, more ...string) {
		t.Helper()
		args := append([]string{"term", "wait", h.term, what, "--timeout", "0.05"}, more...)
		if a := m.apex("", args...); a.status != exitTimeout {
			t.Errorf("%s: status %d: %s%s", what, a.status, a.out, a.err)
		}
	}
	h.waits("prompt")
	over("exit")
	over("/never/")
	h.types("read x; echo got $x")
	h.waits("/[$#] read x;/")
	end := h.info().End
	over("prompt", "--from", fmt.Sprint(end))
	h.waits("quiet=100")
	h.waits("quiet")
	h.types("this")
	h.waits("/^got this$/")
	h.waits("prompt")
	h.types("while :; do echo .; done")
	over("quiet=10000")
	h.keys("C-c")
	h.waits("quiet=200")
	if a := m.apex("", "term", "run", "--timeout", "0.1", h.term, "--", "sleep 100000"); a.status != exitTimeout {
		t.Errorf("run: status %d: %s%s", a.status, a.out, a.err)
	}
	h.keys("C-c")
	if a := m.apex("", "term", "run", h.term, "--", "echo after"); a.status != 0 || a.out != "after\n" {
		t.Errorf("run after a time-out: status %d, output %q: %s", a.status, a.out, a.err)
	}
	h.types("exit 3")
	h.waits("exit")
	if i := h.info(); i.Running || i.Status == nil || *i.Status != 3 {
		t.Errorf("the shell's end is %+v", i)
	}
	if a := m.apex("", "term", "wait", h.term, "/never/"); a.status != 1 {
		t.Errorf("waiting for what can't come: status %d: %s", a.status, a.err)
	}
}

// A shell that takes its time to start runs what it is sent meanwhile, all of it.
func TestSentWhileShellStarts(t *testing.T) {
	t.Parallel()
	needProgram(t, "bash")
	m := newMachine(t)
	m.write("home/.bashrc", "sleep 1; PS1='$ '\n")
	h := m.hosts("80x24", "bash")
	// All at once, while the start-up file sleeps: they run one after the other.
	var all sync.WaitGroup
	for i := range 10 {
		all.Go(func() {
			a := m.apex("", "term", "run", h.term, "--", fmt.Sprintf("echo out %d; (exit %d)", i, i))
			if a.out != fmt.Sprintf("out %d\n", i) || a.status != i {
				t.Errorf("command %d: status %d, output %q: %s", i, a.status, a.out, a.err)
			}
		})
	}
	all.Wait()
}

package acceptance

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// daemons returns the machine's daemons, as the system knows them.
func (m *machine) daemons() []string {
	m.t.Helper()
	out, err := exec.Command("ps", "-axww", "-o", "pid=,stat=,command=").Output()
	if err != nil {
		m.t.Fatal(err)
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		if strings.Contains(line, " server ") && strings.Contains(line, m.state()) {
			found = append(found, strings.TrimSpace(line))
		}
	}
	return found
}

// Thirty commands at once on a machine without a daemon make one daemon and thirty sessions.
func TestManyStarts(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	const sessions = 30
	answers := make([]answer, sessions)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = m.apex("", "new", fmt.Sprintf("s%d", i)) })
	}
	all.Wait()
	for _, a := range answers {
		if a.status != 0 {
			t.Errorf("apex %s: status %d: %s", strings.Join(a.args, " "), a.status, a.err)
		}
	}
	var list []struct{ Label string }
	m.decode(m.must("ls", "--json"), &list)
	labels := map[string]bool{}
	for _, s := range list {
		labels[s.Label] = true
	}
	if len(list) != sessions || len(labels) != sessions {
		t.Errorf("%d sessions with %d labels, want %d", len(list), len(labels), sessions)
	}
	// Those that lost the race have left, or are leaving.
	if !within(*patience, func() bool { return len(m.daemons()) == 1 }) {
		t.Errorf("daemons:\n%s", strings.Join(m.daemons(), "\n"))
	}
}

// answerLimit is within what a command has to answer or fail, whatever the daemon does.
const answerLimit = 5 * time.Second

// A daemon that hangs is not taken for dead: nobody makes a second one, and every command fails in
// time and says why. When it goes on, so does everything.
func TestStoppedDaemon(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	path := m.write("file.txt", "text\n")
	m.must("open", path)
	pid := m.daemon()
	kill(pid, syscall.SIGSTOP)
	// A request that reaches the daemon before it stops is done when it goes on: nothing that
	// changes what is looked at below.
	commands := [][]string{
		{"ls", "--json"}, {"ls"}, {"new", "another"}, {"status", "--json"}, {"who"}, {"open", path},
		{"text", "read", path}, {"text", "info", path, "--json"}, {"put", path}, {"win", "ls"},
		{"sel", path}, {"log", "meta"},
	}
	answers := make([]answer, len(commands))
	var all sync.WaitGroup
	for i, c := range commands {
		all.Go(func() { answers[i] = m.apex("", c...) })
	}
	all.Wait()
	const noDaemon = 5
	for _, a := range answers {
		name := strings.Join(a.args, " ")
		if a.status != noDaemon || !strings.HasPrefix(a.err, "apex: the daemon ") {
			t.Errorf("apex %s: status %d, want %d and a reason: %s", name, a.status, noDaemon, a.err)
		}
		// The machine may be busy: what is checked is that it is this limit and no longer one.
		if a.took > 2*answerLimit {
			t.Errorf("apex %s took %v", name, a.took)
		}
		if strings.HasSuffix(name, "--json") && !json.Valid([]byte(a.out)) {
			t.Errorf("apex %s printed %q", name, a.out)
		}
	}
	if d := m.daemons(); len(d) != 1 {
		t.Errorf("daemons:\n%s", strings.Join(d, "\n"))
	}
	kill(pid, syscall.SIGCONT)
	if got := m.must("text", "read", path); got != "text\n" {
		t.Errorf("the text is %q", got)
	}
	if now := m.daemon(); now != pid {
		t.Errorf("daemon %d, want %d still", now, pid)
	}
}

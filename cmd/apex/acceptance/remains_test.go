package acceptance

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// straying starts what is hard to end: children in sessions of their own, orphans of twofold forks,
// one that ignores every request, one without the environment that would tell where it comes from.
// Each writes its pid.
const straying = `
setsid sh -c 'setsid sh -c "echo \$\$ >double; exec sleep 100001" & exit' &
setsid sh -c 'trap "" HUP TERM INT; echo $$ >stubborn; while :; do sleep 0.1; done' &
setsid env -i PATH="$PATH" sh -c 'echo $$ >nameless; exec sleep 100002' &
nohup sh -c 'echo $$ >nohup; exec sleep 100003' >/dev/null 2>&1 &
`

var strays = []string{"double", "stubborn", "nameless", "nohup"}

// strayPids waits until all of them run.
func (m *machine) strayPids() (pids []int) {
	m.t.Helper()
	for _, name := range strays {
		pids = append(pids, m.pidIn(name))
	}
	return pids
}

// gone checks that processes end.
func (m *machine) gone(pids []int) {
	m.t.Helper()
	for i, pid := range pids {
		if !within(*patience, func() bool { return !alive(pid) }) {
			kill(pid, 9)
			m.t.Errorf("%s, process %d, is still there", strays[i], pid)
		}
	}
}

// What a session has started is gone when it has ended, when the window is removed, and when the
// programs are ended: however they got away from their parents.
func TestNothingRemains(t *testing.T) {
	t.Parallel()
	needProc(t)
	needProgram(t, "setsid")
	for name, end := range map[string]func(*machine, *hosted){
		"end":       func(m *machine, _ *hosted) { m.must("end", "-f") },
		"win rm":    func(m *machine, h *hosted) { m.must("win", "rm", h.window) },
		"term kill": func(m *machine, h *hosted) { m.must("term", "kill", h.term) },
		"kill":      func(m *machine, h *hosted) { m.must("kill", h.term) },
		"end after a crash": func(m *machine, _ *hosted) {
			m.killDaemon()
			m.must("end", "-f")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			m.must("new", "default")
			before := m.processes()
			h := m.hosts("80x24", "sh", "-c", straying+"exec sleep 100000")
			pids := m.strayPids()
			end(m, h)
			m.gone(pids)
			m.leaves(before)
		})
	}
}

// The same of a command, which has no terminal.
func TestNothingRemainsOfCommands(t *testing.T) {
	t.Parallel()
	needProc(t)
	needProgram(t, "setsid")
	for name, end := range map[string]func(*machine, string){
		"end":  func(m *machine, _ string) { m.must("end", "-f") },
		"kill": func(m *machine, _ string) { m.must("kill", "sh") },
		"Kill": func(m *machine, w string) { m.must("exec", w, "Kill") },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			w := m.opens("file", "")
			m.write("stray", straying+"exec sleep 100000\n")
			before := m.processes()
			m.must("exec", "--no-wait", w, "sh stray")
			pids := m.strayPids()
			end(m, w)
			m.gone(pids)
			m.leaves(before)
		})
	}
}

// opens makes a file and opens it; it returns the window.
func (m *machine) opens(name, content string) string {
	m.t.Helper()
	path := m.write(name, content)
	m.must("open", path)
	return m.info(path).Window
}

// A holder that is killed ends its terminal, which says why, and nothing else.
func TestHolderKilled(t *testing.T) {
	t.Parallel()
	needProc(t)
	m := newMachine(t)
	h, other := m.hosts("80x24", "sh", "-c", "echo here; exec sleep 100000"), m.hosts("80x24", "cat")
	h.waits("/here/")
	pid, daemon := h.info().PID, m.daemon()
	holder := parent(t, pid)
	if holder == daemon {
		t.Fatal("the program is the daemon's own child")
	}
	kill(holder, 9)
	h.waits("exit")
	if i := h.info(); i.Running || i.Status != nil || i.Reason == "" {
		t.Errorf("the terminal's end is %+v, which says nothing", i)
	} else {
		t.Logf("the terminal says: %s", i.Reason)
	}
	if got := h.screen(); !got.has("here") {
		t.Errorf("what was on the screen is gone: %q", got)
	}
	other.types("the other lives")
	other.waits("/the other lives/")
	if m.daemon() != daemon {
		t.Error("the daemon is another one")
	}
	if !within(*patience, func() bool { return !alive(pid) }) {
		t.Errorf("the program, process %d, lives on without a terminal", pid)
	}
}

// A command whose holder is killed ends too: whoever waits for it is told, and it is gone.
func TestCommandsHolderKilled(t *testing.T) {
	t.Parallel()
	needProc(t)
	m := newMachine(t)
	w := m.opens("list", "kept\n")
	before := m.processes()
	for _, command := range []string{"echo $$ >%s; exec sleep 100000", "|echo $$ >%s; exec sleep 100000"} {
		name := fmt.Sprintf("pid-%d", len(command))
		ended := make(chan answer, 1)
		go func() { ended <- m.apex("", "exec", w, fmt.Sprintf(command, name)) }()
		pid := m.pidIn(name)
		eventually(t, "the daemon to know of it", func() bool {
			return strings.Contains(m.must("ps"), fmt.Sprintf(" %d ", pid))
		})
		kill(parent(t, pid), 9)
		if a := <-ended; a.status != 1 || !strings.Contains(a.err, "unknown") {
			t.Errorf("%s: status %d: %s", command, a.status, a.err)
		}
		m.leaves(before)
	}
	m.text(w, "kept\n")
}

// parent is a process's parent.
func parent(t *testing.T, pid int) int {
	t.Helper()
	for line := range lines(t, fmt.Sprintf("/proc/%d/status", pid)) {
		var parent int
		if n, _ := fmt.Sscanf(line, "PPid: %d", &parent); n == 1 {
			return parent
		}
	}
	t.Fatalf("process %s has no parent", strconv.Itoa(pid))
	return 0
}

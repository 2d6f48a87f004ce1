package acceptance

import (
	"bytes"
	"fmt"
	"iter"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// hosted is a terminal that the machine's daemon has.
type hosted struct {
	m            *machine
	term, window string
}

// hosts makes a terminal of a size, with a program in it.
func (m *machine) hosts(size string, argv ...string) *hosted {
	m.t.Helper()
	var made struct{ Term, Window string }
	args := []string{"term", "new", "--json", "--focus", "--size", size, "--"}
	m.decode(m.must(append(args, argv...)...), &made)
	return &hosted{m, made.Term, made.Window}
}

// termInfo is what the tests use of `apex term info --json`.
type termInfo struct {
	PID              int
	Cols, Rows       int
	Running          bool
	Status           *int
	Signal, Reason   string
	First, Base, End uint64
}

func (h *hosted) info() termInfo {
	h.m.t.Helper()
	var i termInfo
	h.m.decode(h.m.must("term", "info", h.term, "--json"), &i)
	return i
}

// types types a text into it, and Enter.
func (h *hosted) types(line string) {
	h.m.t.Helper()
	h.m.must("term", "send", h.term, "--enter", "--", line)
}

func (h *hosted) keys(keys ...string) {
	h.m.t.Helper()
	h.m.must(append([]string{"term", "keys", h.term}, keys...)...)
}

// waits waits for what `apex term wait` waits for.
func (h *hosted) waits(what string) {
	h.m.t.Helper()
	limit := strconv.FormatFloat(patience.Seconds(), 'f', -1, 64)
	if a := h.m.apex("", "term", "wait", h.term, what, "--timeout", limit); a.status != 0 {
		h.m.t.Fatalf("waiting for %s: status %d: %s; it shows\n%s", what, a.status, a.err, h.screen())
	}
}

// screen is what it shows, row by row.
func (h *hosted) screen() screen {
	h.m.t.Helper()
	return rowsOf(h.m.must("term", "screen", h.term))
}

// rowsOf splits a screen that was printed into its rows, without what is blank at their ends and
// below them.
func rowsOf(out string) screen {
	rows := strings.Split(strings.TrimRight(out, "\n"), "\n")
	for i, row := range rows {
		rows[i] = strings.TrimRight(row, " ")
	}
	for len(rows) > 1 && rows[len(rows)-1] == "" {
		rows = rows[:len(rows)-1]
	}
	return rows
}

// lines are those that it has, scrollback included, up to the last with something in it.
func (h *hosted) lines() []string {
	h.m.t.Helper()
	return strings.Split(strings.TrimRight(h.m.must("term", "read", h.term), "\n"), "\n")
}

// pictures waits until the UI's picture of a terminal is the terminal's screen.
func (p *terminal) pictures(h *hosted) {
	p.m.t.Helper()
	var want screen
	p.wait("the screen of "+h.term, func(s screen) bool {
		want = h.screen()
		return s.body() == want.String()
	})
}

// steady waits until its size is the same at two looks.
func (h *hosted) steady() {
	h.m.t.Helper()
	was := h.info()
	eventually(h.m.t, "a size", func() bool {
		now := h.info()
		same := now.Cols == was.Cols && now.Rows == was.Rows
		was = now
		return same
	})
}

// fits waits until a terminal has the size that the UI has room for. An editor that is started
// earlier may draw for one size and scroll for the other, in any terminal.
func (p *terminal) fits(h *hosted) {
	p.m.t.Helper()
	p.shows("$")
	was := h.info()
	p.wait("the size", func(s screen) bool {
		if last := s[len(s)-1]; strings.HasPrefix(last, " Ctrl-") {
			s = s[:len(s)-1]
		}
		now := h.info()
		same := now.Cols == was.Cols && now.Rows == was.Rows
		was = now
		return same && now.Rows == len(s)-bodyRow
	})
}

// needProc skips a test that looks at processes as Linux shows them.
func needProc(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("there is no /proc here, and it is what says who started a process")
	}
}

// needProgram skips a test of a program that isn't there.
func needProgram(t *testing.T, name string) {
	t.Helper()
	if _, err := exec.LookPath(name); err != nil {
		t.Skipf("there is no %s here", name)
	}
}

// processes are those that run for the machine, whoever's children they are, by pid: those with its
// HOME, and the holders of its sessions, which have no environment.
func (m *machine) processes() map[int]string {
	found := map[int]string{}
	home := []byte("HOME=" + m.path("home") + "\x00")
	sessions := m.sessions()
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		b, _ := os.ReadFile(filepath.Join(dir, "cmdline")) // a zombie has none
		words := strings.FieldsFunc(string(b), func(r rune) bool { return r == 0 })
		if len(words) == 0 {
			continue
		}
		holds := len(words) > 2 && words[1] == "holder" && sessions[strings.Split(words[2], "-")[0]]
		if environ, err := os.ReadFile(filepath.Join(dir, "environ")); !holds &&
			(err != nil || !bytes.Contains(environ, home)) {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(dir)); err == nil {
			found[pid] = strings.Join(words, " ")
		}
	}
	return found
}

// sessions are the beginnings of the ids of the sessions that there are and were, as the names of
// their holders have them: of those too of which only a holder is left.
func (m *machine) sessions() map[string]bool {
	found := map[string]bool{}
	for _, pattern := range []string{"sessions/*", "ended/*", "holders/*"} {
		dirs, _ := filepath.Glob(m.state(pattern))
		for _, dir := range dirs {
			id := dir[strings.LastIndexAny(dir, "/,")+1:]
			found[id[:min(len(id), 16)]] = true
		}
	}
	return found
}

// killAll ends what runs with the machine's HOME: holders and their programs outlive a daemon.
func (m *machine) killAll() {
	within(*patience, func() bool {
		all := m.processes()
		for pid := range all {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		return len(all) == 0
	})
}

// leaves waits until nothing runs that was started since before, but the daemon.
func (m *machine) leaves(before map[int]string) {
	m.t.Helper()
	var left []string
	if !within(*patience, func() bool {
		left = left[:0]
		for pid, command := range m.processes() {
			if _, was := before[pid]; !was && pid != m.lockedBy() {
				left = append(left, strconv.Itoa(pid)+" "+command)
			}
		}
		return len(left) == 0
	}) {
		slices.Sort(left)
		m.t.Errorf("left running:\n%s", strings.Join(left, "\n"))
	}
}

// pidIn waits for a file in which a process has written its pid.
func (m *machine) pidIn(name string) int {
	m.t.Helper()
	pid := 0
	eventually(m.t, "a pid in "+name, func() bool {
		pid = readPID(m.path(name))
		return pid != 0
	})
	return pid
}

// memoryKB is the daemon's resident memory and its peak.
func (m *machine) memoryKB() (now, peak int) {
	m.t.Helper()
	for line := range lines(m.t, fmt.Sprintf("/proc/%d/status", m.daemon())) {
		fmt.Sscanf(line, "VmRSS: %d", &now)
		fmt.Sscanf(line, "VmHWM: %d", &peak)
	}
	return now, peak
}

// lines are those of a file.
func lines(t *testing.T, path string) iter.Seq[string] {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return strings.Lines(string(b))
}

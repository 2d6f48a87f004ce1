package acceptance

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
)

// exec executes a command in a window; it has to end with a status.
func (m *machine) exec(win, command string, status int) answer {
	m.t.Helper()
	a := m.apex("", "exec", win, command)
	if a.status != status {
		m.t.Errorf("%s: status %d, want %d: %s%s", command, a.status, status, a.out, a.err)
	}
	return a
}

// dot selects all of a window's text.
func (m *machine) dot(win string) {
	m.t.Helper()
	m.must("sel", win, "0", strconv.Itoa(m.info(win).Runes))
}

// errors is what commands have written.
func (m *machine) errors() string {
	m.t.Helper()
	a := m.apex("", "text", "read", m.path("+Errors"))
	if a.status != 0 {
		return ""
	}
	return a.out
}

// text checks a window's text.
func (m *machine) text(win, want string) {
	m.t.Helper()
	if got := m.must("text", "read", win); got != want {
		m.t.Errorf("the text is %s, want %s", excerpt([]byte(got)), excerpt([]byte(want)))
	}
}

// A command goes through the selection, comes in its place, or has it as its input, as in acme; its
// end is the status of the one who asked.
func TestCommands(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	w := m.opens("list", "pear\napple\nfig\n")
	m.dot(w)
	m.exec(w, "|sort", 0)
	m.text(w, "apple\nfig\npear\n")
	m.dot(w)
	m.exec(w, ">wc -l", 0)
	m.text(w, "apple\nfig\npear\n")
	if got := strings.TrimSpace(m.errors()); got != "3" {
		t.Errorf(">wc -l wrote %q", got)
	}
	m.exec(w, "<printf 'new\\n'", 0)
	m.text(w, "new\n")
	m.must("undo", w)
	m.text(w, "apple\nfig\npear\n")

	if a := m.exec(w, "no-such-word", 1); !strings.Contains(a.err, "127") {
		t.Errorf("an unknown word: %s", a.err)
	}
	if got := m.errors(); !strings.Contains(got, "no-such-word") || !strings.Contains(got, "not found") {
		t.Errorf("an unknown word wrote %q", got)
	}
	m.exec(w, "echo $winid $samfile; pwd; exit 3", 1)
	want := fmt.Sprintf("%s %s\n%s\n", w, m.path("list"), m.dir)
	if got := m.errors(); !strings.Contains(got, want) {
		t.Errorf("variables: %q, want %q in it", got, want)
	}

	// One that fails leaves the selection; one whose output isn't text doesn't break it.
	m.dot(w)
	m.exec(w, "|cat >/dev/null; echo broken >&2; exit 1", 1)
	m.text(w, "apple\nfig\npear\n")
	if got := m.errors(); !strings.Contains(got, "broken") {
		t.Errorf("what it said is not in %q", got)
	}
	m.exec(w, "printf '\\000\\377\\033[31mbytes\\n'", 0)
	if got := m.errors(); !strings.Contains(got, "bytes") {
		t.Errorf("after bytes that are no text: %q", got)
	}
}

// What a command writes is bounded in memory and in the window, which says so.
func TestCommandsMuchOutput(t *testing.T) {
	t.Parallel()
	needProc(t)
	m := newMachine(t)
	w := m.opens("list", "kept\n")
	a := m.exec(w, "yes 'a line of a hundred megabytes' | head -c 100000000", 0)
	t.Logf("100 MB took %v", a.took)
	got := m.errors()
	if len(got) > 16<<20 || !strings.Contains(got, "yes: wrote 100000000 bytes, of which ") {
		t.Errorf("%d bytes that say nothing of what is missing, and end with %q", len(got),
			got[max(0, len(got)-200):])
	}
	now, peak := m.memoryKB()
	t.Logf("the daemon has %d MB, at most %d MB", now>>10, peak>>10)
	m.dot(w)
	a = m.apex("", "exec", w, "|cat; yes 'a line of a hundred megabytes' | head -c 100000000")
	t.Logf("in the selection's place: status %d: %s", a.status, a.err)
	if a.status == 0 {
		t.Error("100 MB have replaced a selection")
	}
	m.text(w, "kept\n")
	now, peak = m.memoryKB()
	t.Logf("the daemon has %d MB, at most %d MB", now>>10, peak>>10)
	if peak > commandMaxKB {
		t.Errorf("the daemon had %d kB", peak)
	}
}

// commandMaxKB is what the daemon may have had: what is kept of a command's output, twice, and itself.
const commandMaxKB = 300 << 10

// A command that does not end is ended by Kill, and whoever waits for it hears of it.
func TestCommandsKill(t *testing.T) {
	t.Parallel()
	needProc(t)
	m := newMachine(t)
	w := m.opens("list", "kept\n")
	before := m.processes()
	ended := make(chan answer, 2)
	for _, command := range []string{"echo $$ >endless; exec sleep 100000", "|echo $$ >filter; exec sleep 100000"} {
		go func() { ended <- m.apex("", "exec", w, command) }()
	}
	pids := []int{m.pidIn("endless"), m.pidIn("filter")}
	m.exec(w, "Kill", 0)
	m.exec(w, "Kill", 0)
	for range pids {
		if a := <-ended; a.status != 1 || !strings.Contains(a.err, "killed") && !strings.Contains(a.err, "hangup") {
			t.Errorf("%v: status %d: %s%s", a.args, a.status, a.out, a.err)
		}
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d is still there", pid)
		}
	}
	m.leaves(before)
	m.text(w, "kept\n")
}

// A command goes on when the daemon dies, and its output and its end are there afterwards.
func TestCommandsOutliveDaemon(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	w := m.opens("list", "b\na\n")
	m.write("slow", "echo $$ >pid; echo begun; while [ ! -e go ]; do sleep 0.05; done; echo over; exit 3\n")
	m.dot(w)
	m.must("exec", "--no-wait", w, "sh slow")
	m.must("exec", "--no-wait", w, "|echo $$ >sorting; while [ ! -e go ]; do sleep 0.05; done; sort")
	pid := m.pidIn("pid")
	m.pidIn("sorting")
	eventually(t, "its output", func() bool { return strings.Contains(m.errors(), "begun") })
	m.killDaemon()
	m.write("go", "")
	eventually(t, "its end", func() bool { return !alive(pid) })
	eventually(t, "the rest", func() bool { return strings.Contains(m.errors(), "over") })
	if got := m.errors(); strings.Count(got, "begun") != 1 || strings.Count(got, "over") != 1 {
		t.Errorf("it wrote %q", got)
	}
	eventually(t, "the lines to be sorted", func() bool { return m.must("text", "read", w) == "a\nb\n" })
	var ps []struct {
		State  string
		Status *int
	}
	m.decode(m.must("ps", "--json"), &ps)
	for _, p := range ps {
		if p.State != "ended" || p.Status == nil {
			t.Errorf("it has ended as %+v", p)
		}
	}
}

// B2 on a word runs it, with the mouse and by its key; the top row names what runs.
func TestCommandsInUI(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	path := m.write("words", "no-such-word\npear\napple\nfig\n|sort\nsleep\n")
	p := m.terminal("person", 100, 30)
	p.ui(path)
	p.shows("no-such-word")
	p.click(2, 3, bodyRow)
	p.shows("not found")
	p.wait("+Errors", func(s screen) bool { return s.has(m.path("+Errors")) })

	w := m.info(path).Window
	q0 := len("no-such-word\n")
	m.must("sel", w, strconv.Itoa(q0), strconv.Itoa(q0+len("pear\napple\nfig\n")))
	p.keys("C-p")
	p.types("run a program")
	p.keys("Enter")
	p.types("|sort")
	p.keys("Enter")
	p.wait("sorted lines", func(s screen) bool {
		return strings.Contains(s.body(), "apple\nfig\npear\n")
	})
	p.keys("C-p")
	p.types("run a program")
	p.keys("Enter")
	p.types("sleep 100000")
	p.keys("Enter")
	p.wait("the command's name", func(s screen) bool { return strings.Contains(s[0], "sleep") })
	p.keys("C-p")
	p.types("run a program")
	p.keys("Enter")
	p.types("Kill sleep")
	p.keys("Enter")
	p.wait("its end", func(s screen) bool { return !strings.Contains(s[0], "sleep") })
	p.wait("the disk", screen.synced)
	if got := m.must("text", "read", w); got != "no-such-word\napple\nfig\npear\n|sort\nsleep\n" {
		t.Errorf("the text is %q", got)
	}
}

// click presses and releases a button of the mouse at a cell.
func (p *terminal) click(button, x, y int) {
	p.m.t.Helper()
	for _, end := range []string{"M", "m"} {
		p.types(fmt.Sprintf("\x1b[<%d;%d;%d%s", button-1, x+1, y+1, end))
	}
}

// A file that is edited from inside a terminal opens in the session, and who waits for it goes on
// when its window is closed.
func TestEditWait(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	m.write("letter", "Dear\n")
	h := m.hosts("80x24", "sh")
	h.types(binary + " edit-wait letter; echo closed with $?")
	eventually(t, "the window", func() bool { return m.apex("", "text", "info", "letter").status == 0 })
	h.types("")
	h.waits("quiet=100")
	if h.screen().has("closed with 0") {
		t.Fatal("it did not wait")
	}
	m.mustRead("Dear Ann\n", "text", "write", "letter")
	m.must("put", "letter")
	m.killDaemon()
	m.must("win", "rm", "letter")
	h.waits("/^closed with 0$/")
	m.holds(m.path("letter"), []byte("Dear Ann\n"))
}

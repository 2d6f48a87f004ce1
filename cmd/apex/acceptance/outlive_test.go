package acceptance

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// counting is a shell's loop that prints consecutive numbers, each with the time, and notes the
// last one in a file, for who asks while there is no daemon.
const counting = `n=0
while :; do
	n=$((n+1))
	echo "$n $(date +%s%N)"
	echo "$n" >counted
	sleep 0.05
done`

// counted is how far the loop has come.
func (m *machine) counted() int { return m.countedIn("counted") }

// countedIn is how far a loop has come that notes it in another file.
func (m *machine) countedIn(name string) int {
	n := 0
	within(*patience, func() bool { // it is empty for a moment while the loop writes it
		b, err := os.ReadFile(m.path(name))
		if err != nil {
			return os.IsNotExist(err)
		}
		n, err = strconv.Atoi(strings.TrimSpace(string(b)))
		return err == nil
	})
	return n
}

// countsOn waits until the loop has printed more.
func (m *machine) countsOn() {
	m.t.Helper()
	to := m.counted() + 5
	eventually(m.t, "the loop to go on", func() bool { return m.counted() >= to })
}

// unbroken checks that a terminal has every line that the loop has printed, the first included.
func (h *hosted) unbroken() {
	h.m.t.Helper()
	h.unbrokenTo(h.m.counted())
}

// unbrokenTo checks that it has every line up to a number, and those after it without a gap.
func (h *hosted) unbrokenTo(to int) {
	h.m.t.Helper()
	var lines []string
	within(*patience, func() bool {
		lines = h.lines()
		return len(lines) >= to
	})
	for i, line := range lines {
		if n, at, _ := strings.Cut(line, " "); n != strconv.Itoa(i+1) || len(at) < 19 {
			h.m.t.Fatalf("line %d of %d is %q", i+1, len(lines), line)
		}
	}
	if len(lines) < to {
		h.m.t.Fatalf("%d lines, and %d were printed", len(lines), to)
	}
}

// otherBuild is another build of the program, which says so.
func otherBuild(t *testing.T) string {
	t.Helper()
	path, err := build(t.TempDir(), "apex", "-buildvcs=false", "-ldflags=-s -w")
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// program is the file that the daemon runs.
func (m *machine) program() string {
	m.t.Helper()
	path, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", m.daemon()))
	if err != nil {
		m.t.Fatal(err)
	}
	return path
}

// A program goes on through kill -9 of the daemon and through its replacement by another build: it
// is the same process, and everything that it prints is there, once.
func TestProgramsOutliveDaemon(t *testing.T) {
	t.Parallel()
	needProc(t)
	m := newMachine(t)
	h := m.hosts("80x24", "sh", "-c", counting)
	m.countsOn()
	pid, other := h.info().PID, otherBuild(t)
	for n := range max(*kills/3, 2) {
		m.killDaemon()
		m.countsOn() // with nobody there
		if now := h.info().PID; now != pid || !alive(pid) {
			t.Fatalf("after kill %d the program is process %d, was %d", n, now, pid)
		}
		h.unbroken()
		m.countsOn()
		h.unbroken()
	}
	for n, exe := range []string{other, binary, other} {
		m.must("upgrade", exe)
		if got, _ := filepath.EvalSymlinks(exe); m.program() != got {
			t.Fatalf("after the upgrade to %s the daemon is %s", exe, m.program())
		}
		if now := h.info().PID; now != pid || !alive(pid) {
			t.Fatalf("after upgrade %d the program is process %d, was %d", n, now, pid)
		}
		m.countsOn()
		h.unbroken()
	}
	builds := map[string]string{binary: "", other: ""}
	for exe := range builds {
		v, err := m.run(exe, "version")
		if err != nil {
			t.Fatal(err)
		}
		builds[exe] = strings.TrimSpace(v)
	}
	t.Logf("%d lines; builds: %v", m.counted(), builds)
	m.killDaemon() // of what an upgrade has left
	m.countsOn()
	h.unbroken()
}

// What was printed while nobody was there and is more than a holder keeps is said to be missing.
func TestOutputMissing(t *testing.T) {
	t.Parallel()
	m := newMachine(t)
	h := m.hosts("80x24", "sh", "-c", `echo before; while [ ! -e go ]; do sleep 0.05; done
		seq -f %0200.0f 20000; echo behind; : >printed; exec sleep 100000`)
	h.waits("/before/")
	pid := h.info().PID
	m.killDaemon()
	m.write("go", "")
	eventually(t, "the output", func() bool {
		_, err := os.Stat(m.path("printed"))
		return err == nil
	})
	h.waits("/^behind$/")
	if now := h.info(); now.PID != pid || !now.Running {
		t.Errorf("the program is %+v, was process %d", now, pid)
	}
	lines := h.lines()
	at := -1
	for i, line := range lines {
		if strings.Contains(line, "output is missing here") {
			at = i
		}
	}
	if at < 0 {
		t.Fatalf("nothing says that output is missing in %d lines, which begin with %q", len(lines),
			lines[0])
	}
	// Behind it the newest output is whole, but for what is left of its first line, up to its end.
	rest := lines[at+1:]
	for i := 1; i < len(rest)-1; i++ {
		if want := fmt.Sprintf("%0200d", 20001-(len(rest)-1-i)); rest[i] != want {
			t.Fatalf("line %d behind the note is %q, want %s", i, rest[i], want)
		}
	}
	if last := rest[len(rest)-1]; last != "behind" || len(rest) < 5000 {
		t.Errorf("%d lines behind the note, the last is %q", len(rest), last)
	}
	t.Logf("%d lines, %d behind the note", len(lines), len(rest))
}

// An editor in a terminal that a person looks at: the daemon is killed and replaced, and after that
// the screen is right and typing goes on.
func TestEditorOutlivesDaemon(t *testing.T) {
	t.Parallel()
	needTmux(t)
	needProc(t)
	needProgram(t, "vim")
	m := newMachine(t)
	path := m.write("edited.txt", numbered(60))
	p := m.terminal("person", 90, 30)
	p.ui()
	h := m.hosts("80x24", "sh")
	p.fits(h)
	p.shell("vim -i NONE -n " + path)
	p.shows("line 1 ")
	pid := h.info().PID
	want := numbered(60)
	typed := func(text string) {
		t.Helper()
		p.types("GO" + text)
		p.keys("Escape")
		p.wait("what was typed", func(s screen) bool { return s.has(text) && s.has(" Bot") && escaped(s) })
		p.pictures(h)
		lines := strings.SplitAfter(want, "\n")
		want = strings.Join(append(lines[:len(lines)-2:len(lines)-2], text+"\n", lines[len(lines)-2]), "")
	}
	typed("at first")
	ends := []func(){
		m.killDaemon,
		func() { m.must("upgrade", otherBuild(t)) },
		m.killDaemon,
	}
	for n, end := range ends {
		before := h.screen()
		end()
		p.wait("the daemon to be back", screen.leading)
		if after := h.screen(); after.String() != before.String() {
			t.Fatalf("after end %d the screen is\n%s\nwant\n%s", n, after, before)
		}
		p.pictures(h)
		if now := h.info().PID; now != pid {
			t.Fatalf("the shell is process %d, was %d", now, pid)
		}
		typed(fmt.Sprintf("typed behind end %d", n))
	}
	p.shell(":wq")
	p.wait("the shell", func(s screen) bool { return !s.has("typed") && s.has("$") })
	p.shell("exit")
	h.waits("exit")
	m.holds(path, []byte(want))
}

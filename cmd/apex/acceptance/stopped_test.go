package acceptance

import (
	"fmt"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// A client that stopped reading costs nobody anything: commands and other people go on, the daemon
// keeps nothing for it, and when it goes on it is right again.
func TestStoppedClient(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	path := m.write("flood.txt", "begun\n")
	stopped, other := m.terminal("stopped", 80, 24), m.terminal("other", 80, 24)
	stopped.shell("set +m") // or the shell would take the terminal back from what is stopped
	other.ui(path)
	other.shows("begun")
	stopped.ui() // which leads
	stopped.wait("the lead", func(s screen) bool { return s.leading() && s.has("begun") })
	other.wait("watching", func(s screen) bool { return s.status("watching") })

	stopped.signal(syscall.SIGSTOP)
	m.flood(path, other)
	peak := m.residentKB()
	after := peak
	if !within(*patience, func() bool { // what is only garbage goes when it is quiet
		after = m.residentKB()
		return after < memoryMaxKB || raceEnabled // which takes many times as much
	}) {
		t.Errorf("the daemon has %d kB: does it keep what a stopped client doesn't read?", after)
	}
	t.Logf("the daemon's memory: %d and then %d MB after %d MB of edits",
		peak>>10, after>>10, *megabytes)

	// Others are unaffected: one takes over and types.
	other.keys("F2")
	other.wait("the lead", screen.leading)
	other.keys("C-Home")
	other.types("typed meanwhile ")
	other.wait("the disk", func(s screen) bool { return s.synced() && s.has("typed meanwhile") })

	stopped.signal(syscall.SIGCONT)
	stopped.wait("what was typed meanwhile", func(s screen) bool {
		return s.status("watching") && s.has("typed meanwhile")
	})
	stopped.keys("F2")
	stopped.wait("the lead", screen.leading)
	stopped.keys("C-Home")
	stopped.types("right again ")
	stopped.wait("the disk", func(s screen) bool {
		return s.synced() && s.has("right again typed meanwhile")
	})
	other.shows("right again typed meanwhile")
	got := m.must("text", "read", path)
	if want := "right again typed meanwhile " + block(*megabytes-1); got != want {
		t.Errorf("the text is %d bytes and begins with %q, want %d and %q",
			len(got), got[:min(len(got), 60)], len(want), want[:60])
	}
}

// memoryMaxKB is what the daemon may have when all is quiet again: a text of 1 MiB, 16 MiB of its
// history, what the program itself takes, and some to spare, but not the edits that went by.
const memoryMaxKB = 70 << 10

// flood makes edits of a megabyte, each of which replaces all the text; a UI has to follow.
func (m *machine) flood(path string, ui *terminal) {
	m.t.Helper()
	for i := range *megabytes {
		now := m.info(path)
		edit := fmt.Sprintf(`[{"q0":0,"q1":%d,"text":%q}]`, now.Runes, block(i))
		m.mustRead(edit, "text", "apply", path, "--base", strconv.FormatUint(now.Version, 10))
		ui.shows(header(i))
	}
}

// header is the first line of a block.
func header(i int) string { return fmt.Sprintf("block %d begins", i) }

// block is a megabyte of lines.
func block(i int) string {
	line := fmt.Sprintf("block %d goes on with some bytes of text that fill it\n", i)
	return header(i) + "\n" + strings.Repeat(line, 1<<20/len(line))
}

// residentKB is the daemon's resident memory.
func (m *machine) residentKB() int {
	m.t.Helper()
	out, err := exec.Command("ps", "-o", "rss=", "-p", strconv.Itoa(m.daemon())).Output()
	if err != nil {
		m.t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(string(out)))
	if err != nil {
		m.t.Fatal(err)
	}
	return n
}

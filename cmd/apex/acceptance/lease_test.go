package acceptance

import (
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// holder is a process that has the lease of a text.
type holder struct {
	*exec.Cmd
	m *machine
}

// hold takes the lease of a text for a time, and returns when it is there.
func (m *machine) hold(win, ttl string) *holder {
	m.t.Helper()
	h := &holder{m.command(m.t.Context(), "lease", "take", win, "--ttl", ttl), m}
	if err := h.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(h.kill)
	eventually(m.t, "the lease is taken", func() bool {
		return strings.Contains(m.must("lease", "ls"), ttl)
	})
	return h
}

func (h *holder) kill() {
	if h.ProcessState == nil {
		h.Process.Kill()
		h.Wait()
	}
}

// A person types while a tool leads the text, which is stopped, goes on, and is killed: what is typed is
// pending meanwhile and is all there in the end, in order.
func TestTypingUnderALease(t *testing.T) {
	needTmux(t)
	m := newMachine(t)
	path := m.write("a.txt", "")
	ui := m.terminal("ui", 80, 12)
	ui.ui(path)
	typed := ""
	types := func(text string) {
		ui.types(text)
		typed += text
	}
	// all waits until all that was typed is in the text that commands read.
	all := func(what string) {
		t.Helper()
		eventually(t, what, func() bool { return m.must("text", "read", path) == typed })
	}
	types("alone ")
	all("typed alone")

	h := m.hold(path, "30s")
	ui.wait("the tool shows", func(s screen) bool { return strings.Contains(s[0], "leads this text") })
	types("led ")
	all("typed while a tool leads")
	ui.wait("nothing is pending", func(s screen) bool { return !strings.Contains(s[0], "pending") })

	kill(h.Process.Pid, syscall.SIGSTOP)
	types("stopped ")
	ui.wait("it is pending", func(s screen) bool { return strings.Contains(s[0], "pending") })
	all("a tool that does not answer is passed over")
	ui.wait("the person leads", func(s screen) bool {
		return !strings.Contains(s[0], "leads this") && !strings.Contains(s[0], "pending") && s.synced()
	})
	h.Process.Signal(syscall.SIGCONT)
	h.Wait()
	if got := h.ProcessState.ExitCode(); got != 4 {
		t.Errorf("a holder that lost its lease ends with %d", got)
	}

	for i := range 3 {
		h := m.hold(path, "2s")
		types(fmt.Sprintf("before%d ", i))
		time.AfterFunc(20*time.Millisecond, func() { h.Process.Kill() }) // at some point of the typing
		types(fmt.Sprintf("after%d ", i))
		h.Wait()
		all("typed while the tool is killed")
	}
	ui.wait("the person leads", func(s screen) bool { return !strings.Contains(s[0], "pending") && s.synced() })
	if out := m.must("win", "ls"); strings.Contains(out, "+Recovered") {
		t.Errorf("something was set aside: %s", out)
	}
	// Undo is the person's own, whoever sequenced it.
	for range 40 {
		ui.keys("C-z")
	}
	typed = ""
	all("undo takes back everything")
	ui.detach()
}

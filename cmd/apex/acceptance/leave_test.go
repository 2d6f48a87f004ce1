package acceptance

import (
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Whatever ends a UI, the session is unharmed, the terminal can be used, and attaching works at
// once.
func TestUIKilled(t *testing.T) {
	for _, c := range []struct {
		name string
		sig  syscall.Signal
	}{
		{"HUP", syscall.SIGHUP},
		{"TERM", syscall.SIGTERM},
		{"INT", syscall.SIGINT},
		{"QUIT", syscall.SIGQUIT},
		{"KILL", syscall.SIGKILL},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			needTmux(t)
			m := newMachine(t)
			path := m.write("kept.txt", "text\n")
			p := m.terminal("ended", 80, 24)
			sane := p.modes()
			p.ui(path)
			p.shows("text")
			if up := p.modes(); up == sane {
				t.Fatalf("the UI's modes are the shell's, %q: this tests nothing", up)
			}
			p.types("typed ")
			p.wait("the disk", func(s screen) bool { return s.synced() && s.has("typed text") })
			p.signal(c.sig)
			if c.sig != syscall.SIGKILL { // whose guard leaves the screen that the shell told it on
				p.shows("ended with ")
			}
			eventually(t, "the terminal to be given back", func() bool { return p.modes() == sane })
			p.pastesPlain()
			if got := m.must("text", "read", path); got != "typed text\n" {
				t.Errorf("the text is %q", got)
			}
			p.ui()
			p.wait("the text, led", func(s screen) bool { return s.leading() && s.has("typed text") })
			p.types("again ")
			p.shows("typed again text")
			p.detach()
			if modes := p.modes(); modes != sane {
				t.Errorf("after a detach the terminal is left with %q, was %q", modes, sane)
			}
			p.pastesPlain()
		})
	}
}

// modes are what the terminal has been told, and how its line is set.
func (p *terminal) modes() string {
	p.m.t.Helper()
	line, err := exec.Command("sh", "-c", "stty -a <"+p.ask("#{pane_tty}")).CombinedOutput()
	if err != nil {
		p.m.t.Fatalf("stty: %v: %s", err, line)
	}
	return string(line) + p.ask("alternate #{alternate_on}"+
		" mouse #{mouse_any_flag}#{mouse_button_flag}#{mouse_sgr_flag}"+
		" caret #{cursor_flag} keypad #{keypad_flag}#{keypad_cursor_flag} wrap #{wrap_flag}"+
		" origin #{origin_flag} insert #{insert_flag}")
}

// pastesPlain checks that the terminal isn't left in bracketed paste: what is pasted comes as it
// is.
func (p *terminal) pastesPlain() {
	p.m.t.Helper()
	p.shell("clear; cat -v")
	p.wait("cat", func(s screen) bool { return !s.has("$") })
	p.m.tmux("set-buffer", "pasted")
	p.m.tmux("paste-buffer", "-p", "-t", p.target())
	p.keys("Enter")
	s := p.wait("what was pasted, twice", func(s screen) bool {
		return strings.Count(s.String(), "pasted") == 2
	})
	if s.has("^[[200~") {
		p.m.t.Errorf("the terminal is left in bracketed paste:\n%s", s)
	}
	p.keys("C-d")
	p.wait("the shell", func(s screen) bool { return s.has("$") })
}

// A terminal that is closed takes its UI with it, and nothing else.
func TestTerminalClosed(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	path := m.write("kept.txt", "text\n")
	m.terminal("other", 80, 24)
	p := m.terminal("closed", 80, 24)
	p.ui(path)
	p.wait("the file", func(s screen) bool { return s.leading() && s.body() == "text" })
	p.types("typed ")
	p.wait("the disk", func(s screen) bool { return s.synced() && s.has("typed text") })
	pid := p.pid()
	m.tmux("kill-session", "-t", "="+p.name)
	eventually(t, "the UI to end", func() bool { return !alive(pid) })
	if got := m.must("text", "read", path); got != "typed text\n" {
		t.Errorf("the text is %q", got)
	}
	p = m.terminal("next", 80, 24)
	p.ui()
	p.wait("the text, led", func(s screen) bool { return s.leading() && s.has("typed text") })
}

// Who leaves at once finds nothing typed at the shell, and what was typed before is on disk.
func TestLeaveAtOnce(t *testing.T) {
	t.Parallel()
	needTmux(t)
	m := newMachine(t)
	path := m.write("kept.txt", "")
	p := m.terminal("brief", 80, 24)
	want := ""
	for i := range 10 {
		p.start(path)
		p.wait("the file", func(s screen) bool { return s.leading() && s.has(m.dir) })
		word := strconv.Itoa(i) + ","
		p.types(word)
		want += word
		p.shows(want)
		p.detach()
		if got := m.must("text", "read", path); got != want {
			t.Fatalf("the text is %q, want %q", got, want)
		}
		p.pastesPlain()
	}
}

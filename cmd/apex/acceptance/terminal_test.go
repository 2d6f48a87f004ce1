package acceptance

import (
	"os"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// terminal is a pane of the machine's tmux, with a shell in it.
type terminal struct {
	m    *machine
	name string
}

// needTmux skips a test where there is none.
func needTmux(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("tmux"); err != nil {
		t.Skip("there is no tmux here, and it is what the terminals are made of")
	}
}

// terminal opens one with a shell in it.
func (m *machine) terminal(name string, columns, rows int) *terminal {
	m.t.Helper()
	p := &terminal{m, name}
	m.tmux("new-session", "-d", "-s", name, "-x", strconv.Itoa(columns), "-y", strconv.Itoa(rows),
		"-c", m.dir, "exec sh")
	m.tmux("set-option", "-s", "escape-time", "0")
	m.tmux("set-option", "-g", "status", "off")
	p.wait("a prompt", func(s screen) bool { return s.has("$") })
	return p
}

// tmux runs a command of the machine's tmux, and returns what it printed.
func (m *machine) tmux(args ...string) string {
	m.t.Helper()
	ours := []string{"-u", "-S", m.path("tmux"), "-f", os.DevNull}
	c := exec.Command("tmux", slices.Concat(ours, args)...)
	c.Env = m.env
	out, err := c.CombinedOutput()
	if err != nil {
		m.t.Fatalf("%v: %v\n%s", c, err, out)
	}
	return string(out)
}

// target names the pane, and no other whose name begins so.
func (p *terminal) target() string { return "=" + p.name + ":" }

// keys presses keys, by tmux's names for them.
func (p *terminal) keys(keys ...string) {
	p.m.t.Helper()
	p.m.tmux(slices.Concat([]string{"send-keys", "-t", p.target()}, keys)...)
}

// types types a text as it is.
func (p *terminal) types(text string) {
	p.m.t.Helper()
	p.m.tmux("send-keys", "-t", p.target(), "-l", "--", text)
}

// shell has the shell run a command.
func (p *terminal) shell(command string) {
	p.m.t.Helper()
	p.types(command)
	p.keys("Enter")
}

// ui runs the UI; it is on screen when ui returns. The shell says how it ended.
func (p *terminal) ui(args ...string) screen {
	p.m.t.Helper()
	p.start(args...)
	return p.wait("the UI", screen.up)
}

// start is ui without waiting.
func (p *terminal) start(args ...string) {
	p.m.t.Helper()
	os.Remove(p.pidFile())
	command := strings.Join(append([]string{uiBinary}, args...), " ")
	p.shell("clear; sh -c 'echo $$ >" + p.pidFile() + "; exec " + command + "'; echo ended with $?")
}

// pidSuffix ends the names of files that hold a UI's pid.
const pidSuffix = ".pid"

func (p *terminal) pidFile() string { return p.m.path(p.name + pidSuffix) }

// pid is that of the UI.
func (p *terminal) pid() int {
	p.m.t.Helper()
	pid := 0
	eventually(p.m.t, "the UI's pid", func() bool {
		pid = readPID(p.pidFile())
		return pid != 0
	})
	return pid
}

// readPID returns the pid in a file, 0 if there is none.
func readPID(name string) int {
	b, err := os.ReadFile(name)
	if err != nil || !strings.HasSuffix(string(b), "\n") {
		return 0
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(b)))
	if err != nil {
		return 0
	}
	return pid
}

// signal sends a signal to the UI.
func (p *terminal) signal(sig syscall.Signal) {
	p.m.t.Helper()
	kill(p.pid(), sig)
}

// detach leaves by the key.
func (p *terminal) detach() {
	p.m.t.Helper()
	p.keys("C-q")
	p.wait("the shell", func(s screen) bool { return s.has("ended with 0") })
}

// detachFrom leaves while a hosted terminal has the focus, whose program gets most keys.
func (p *terminal) detachFrom() {
	p.m.t.Helper()
	p.keys("C-\\")
	p.detach()
}

// ask returns what tmux knows of the pane.
func (p *terminal) ask(format string) string {
	p.m.t.Helper()
	return strings.TrimSpace(p.m.tmux("display-message", "-p", "-t", p.target(), format))
}

// screen is what a terminal shows, row by row.
type screen []string

func (s screen) String() string { return strings.Join(s, "\n") }

// has reports whether a text is in one of the rows.
func (s screen) has(text string) bool {
	return slices.ContainsFunc(s, func(row string) bool { return strings.Contains(row, text) })
}

// status reports whether the UI's top row ends with a word.
func (s screen) status(word string) bool {
	return len(s) > 0 && strings.HasSuffix(strings.TrimSpace(s[0]), word)
}

// up reports whether the UI is on screen, in one of the states that it can be in.
func (s screen) up() bool {
	return s.leading() || s.status("watching") || s.status("read-only")
}

func (s screen) leading() bool { return s.status("leading") }

// synced reports whether the UI leads and all that was typed is on disk.
func (s screen) synced() bool { return s.leading() && !strings.Contains(s[0], "unsynced") }

// body returns what the first window of the first column shows of its text, less the scroll bar.
func (s screen) body() string {
	var out []string
	for _, row := range s[min(len(s), bodyRow):] {
		text, ok := strings.CutPrefix(row, "┃")
		if !ok {
			if text, ok = strings.CutPrefix(row, "│"); !ok {
				break
			}
		}
		text, _, _ = strings.Cut(text, "│")
		out = append(out, strings.TrimRight(text, " "))
	}
	return strings.TrimRight(strings.Join(out, "\n"), "\n")
}

// bodyRow is the row in which that text begins: below the top row and the tags of the column and
// of the window.
const bodyRow = 3

// screen captures what the terminal shows.
func (p *terminal) screen() screen {
	p.m.t.Helper()
	rows := strings.TrimRight(p.m.tmux("capture-pane", "-p", "-t", p.target()), "\n")
	return strings.Split(rows, "\n")
}

// picture is the screen with its colours and the caret's place.
func (p *terminal) picture() string {
	p.m.t.Helper()
	return p.m.tmux("capture-pane", "-p", "-e", "-t", p.target()) +
		p.ask(`#{?cursor_flag,caret at #{cursor_x}:#{cursor_y},no caret}`)
}

// wait waits until the screen is as wanted.
func (p *terminal) wait(what string, ok func(screen) bool) screen {
	p.m.t.Helper()
	var s screen
	if !within(*patience, func() bool {
		s = p.screen()
		return ok(s)
	}) {
		p.m.t.Fatalf("%s: waited %v for %s; it shows\n%s", p.name, *patience, what, s)
	}
	return s
}

// looks waits until the picture is the one given.
func (p *terminal) looks(want string) {
	p.m.t.Helper()
	got := ""
	if !within(*patience, func() bool {
		got = p.picture()
		return got == want
	}) {
		for i, row := range strings.Split(want, "\n") {
			if now := strings.Split(got, "\n"); i >= len(now) || now[i] != row {
				p.m.t.Errorf("%s: row %d\n got %q\nwant %q", p.name, i, now[min(i, len(now)-1)], row)
			}
		}
		p.m.t.Fatalf("%s: the screen isn't the one that was left", p.name)
	}
}

// shows waits for a text.
func (p *terminal) shows(text string) screen {
	p.m.t.Helper()
	return p.wait(strconv.Quote(text), func(s screen) bool { return s.has(text) })
}

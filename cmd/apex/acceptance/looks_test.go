package acceptance

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sideBySide is a shell in a hosted terminal, as the UI shows it, and one in a tmux of the same size.
type sideBySide struct {
	m     *machine
	h     *hosted
	ui    *terminal
	plain *terminal
	last  string              // what they showed when they were the same
	mask  func(screen) screen // takes out what differs at any two moments; nil: nothing
}

// beside makes them, of a size.
func beside(m *machine, cols, rows int) *sideBySide {
	m.t.Helper()
	m.env = append(m.env, "COLORTERM=truecolor")
	h := m.hosts(fmt.Sprintf("%dx%d", cols, rows), "sh")
	// The UI has a top row, two tags, a row for messages, and a scroll bar.
	ui := m.terminal("ui", cols+1, rows+bodyRow+1)
	m.tmux("set-option", "-g", "default-terminal", "xterm-256color")
	ui.ui()
	ui.shows("│≡New")
	ui.keys("M-Right", "C-p")
	ui.types("Delcol")
	ui.keys("Enter")
	ui.wait("one column", func(screen) bool {
		i := h.info()
		return i.Cols == cols && i.Rows == rows
	})
	ui.shows(` Ctrl-\ before apex's keys`)
	s := &sideBySide{m: m, h: h, ui: ui, plain: m.terminal("plain", cols, rows)}
	for _, p := range []*terminal{s.ui, s.plain} {
		p.shell("unset TMUX; clear")
	}
	s.same("the prompts", "$")
	return s
}

func (s *sideBySide) keys(keys ...string) {
	s.m.t.Helper()
	s.ui.keys(keys...)
	s.plain.keys(keys...)
}

func (s *sideBySide) types(text string) {
	s.m.t.Helper()
	s.ui.types(text)
	s.plain.types(text)
}

func (s *sideBySide) shell(command string) {
	s.m.t.Helper()
	s.types(command)
	s.keys("Enter")
}

// same waits until the three screens are the same and have a text in them; without one, until they
// are not those that were the same before.
func (s *sideBySide) same(what, text string) {
	s.m.t.Helper()
	var ours, theirs, picture screen
	if within(*patience, func() bool {
		theirs = rowsOf(s.m.tmux("capture-pane", "-p", "-t", s.plain.target()))
		if text == "" && theirs.String() == s.last || !theirs.has(text) {
			return false
		}
		ours, picture = s.h.screen(), s.picture()
		if picture.String() != ours.String() {
			return false
		}
		if s.mask != nil {
			return s.mask(ours).String() == s.mask(theirs).String()
		}
		return ours.String() == theirs.String()
	}) {
		s.last = theirs.String()
		return
	}
	for y := range max(len(ours), len(theirs), len(picture)) {
		at := func(s screen) string { return strings.Join(s[min(y, len(s)):min(y+1, len(s))], "") }
		if a, b, c := at(ours), at(theirs), at(picture); a != b || a != c {
			s.m.t.Errorf("%s: row %d\nours %q\ntmux %q\n  ui %q", what, y, a, b, c)
		}
	}
	s.m.t.Fatalf("%s: the screens differ, or %q isn't there, or nothing has changed", what, text)
}

// picture is what the UI shows of the terminal.
func (s *sideBySide) picture() screen {
	s.m.t.Helper()
	rows := strings.Split(s.m.tmux("capture-pane", "-p", "-t", s.ui.target()), "\n")
	rows = rows[min(bodyRow, len(rows)):]
	var out []string
	for _, row := range rows[:max(len(rows)-2, 0)] { // less the row for messages and the line end
		row, ok := strings.CutPrefix(row, "┃")
		if !ok {
			row = strings.TrimPrefix(row, "│")
		}
		out = append(out, row)
	}
	return rowsOf(strings.Join(out, "\n"))
}

// run runs steps and, at the end, clears the screen.
func (s *sideBySide) run(t *testing.T, name string, steps func()) {
	t.Helper()
	start := time.Now()
	steps()
	t.Logf("%s: %v", name, time.Since(start).Round(time.Millisecond))
	s.mask = nil
	s.prompt("the prompt after " + name)
	s.clear(name)
}

// prompt waits for the shells' prompts: what is typed earlier may be thrown away, or not be shown.
func (s *sideBySide) prompt(what string) {
	s.m.t.Helper()
	s.both(what, func(s screen) bool {
		if last := s[len(s)-1]; strings.HasPrefix(last, " Ctrl-") {
			s = s[:len(s)-1]
		}
		s = rowsOf(s.String())
		for len(s) > 1 && (s[len(s)-1] == "┃" || s[len(s)-1] == "│") {
			s = s[:len(s)-1]
		}
		last := s[len(s)-1]
		return last == "$" || last == "┃$" || last == "│$"
	})
}

// clear clears the screens; the shell prompts again then, and what is typed finds it ready.
func (s *sideBySide) clear(after string) {
	s.m.t.Helper()
	s.shell("clear; echo $((4200+42))")
	s.same("what is printed after "+after, "4242")
	s.prompt("a prompt after " + after)
}

// Full-screen programs look in a hosted terminal as they look in tmux, and the UI shows what the
// terminal has, cell for cell.
func TestLooksAsInTmux(t *testing.T) {
	t.Parallel()
	needTmux(t)
	for _, size := range [][2]int{{80, 24}, {200, 50}} {
		t.Run(fmt.Sprintf("%dx%d", size[0], size[1]), func(t *testing.T) {
			t.Parallel()
			m := newMachine(t)
			files(m)
			s := beside(m, size[0], size[1])
			programs := []struct {
				name  string
				needs string
				steps func(*sideBySide)
			}{
				{"bash", "bash", lineEditing},
				{"less", "less", pager},
				{"vim", "vim", editor},
				{"git log", "git", gitLog},
				{"top", "top", top},
				{"htop", "htop", htop},
				{"tmux", "tmux", tmuxInside},
			}
			for _, p := range programs {
				if _, err := exec.LookPath(p.needs); err != nil {
					t.Logf("skipped: there is no %s here", p.needs)
					continue
				}
				s.run(t, p.name, func() { p.steps(s) })
			}
		})
	}
}

// files are what the programs show.
func files(m *machine) {
	m.t.Helper()
	var b strings.Builder
	for i := range 300 {
		fmt.Fprintf(&b, "line %d\twide 世界, accents é e\u0301, a box ┌─┐, %s\n", i+1,
			strings.Repeat("long ", i%50))
	}
	m.write("text", b.String())
	m.write("code.c", strings.Repeat("/* a comment */\nint f(char *s)\n{\n\treturn s[0] == 'x';\n}\n", 40))
}

func lineEditing(s *sideBySide) {
	s.shell("bash --norc --noprofile")
	s.same("bash", "$")
	s.types("echo one two three")
	s.keys("C-a", "M-f", "M-f", "C-k", "C-y", "C-y", "C-w", "C-e", "M-b", "M-u")
	s.same("a line that is edited", "echo one")
	s.keys("Enter")
	s.same("what it prints", "one two three")
	s.types("echo " + strings.Repeat("a line that is longer than a row ", 8))
	s.keys("C-a", "M-f", "Left", "Left", "C-d")
	s.types("é世界")
	s.same("a long line that is edited", "世界")
	s.keys("C-e", "C-u")
	s.keys("C-r")
	s.types("three")
	s.same("a search", "reverse-i-search")
	s.keys("C-g")
	s.shell("bind 'set bell-style none'; touch tab-one tab-two tab-three")
	s.clear("a search")
	s.types("ls tab-")
	s.keys("Tab", "Tab")
	s.same("completions", "tab-three")
	s.keys("C-u")
	s.shell("for i in 31 32 33; do printf '\\e[%dmcolour\\e[0m\\t' $i; done; echo; seq 60")
	s.same("output", "60")
	s.shell("exit")
}

func pager(s *sideBySide) {
	s.shell("less -M text")
	s.same("less", "lines 1-")
	s.keys("Space")
	s.same("the second page", "")
	s.types("/line 150")
	s.keys("Enter")
	s.same("what was found", "line 150")
	s.keys("b", "k", "k")
	s.same("less, upwards", "")
	s.types("-S")
	s.keys("Enter", "Right")
	s.same("less, sideways", "")
	s.types("G")
	s.same("the end", "(END)")
	s.types("q")
}

func editor(s *sideBySide) {
	s.shell("vim -i NONE -n -c 'set noshowcmd' text")
	s.same("vim", "line 1")
	s.keys("C-f")
	s.same("vim, a page on", "")
	s.types("Otyped 世界 é")
	s.same("vim, typed", "typed 世界 é")
	s.escape()
	s.shell(":set number list")
	s.shell(":vsplit code.c")
	s.shell(":syntax on")
	s.same("vim, two windows", "code.c")
	s.shell(":split")
	s.keys("C-d")
	s.types("ddp10ix")
	s.escape()
	s.same("vim, three windows", "xxxxxxxxxx")
	s.shell(":help")
	s.keys("C-e", "C-e", "C-y")
	s.same("vim, four windows", "")
	s.shell(":qa!")
}

// escape leaves vim's insert mode. What is typed at once behind Escape is Alt to a terminal.
func (s *sideBySide) escape() {
	s.m.t.Helper()
	s.keys("Escape")
	s.both("the end of the insert mode", escaped)
}

func escaped(s screen) bool { return !s.has("-- INSERT --") && !s.has("^[") }

// both waits until both terminals show something.
func (s *sideBySide) both(what string, ok func(screen) bool) {
	s.m.t.Helper()
	s.ui.wait(what, ok)
	s.plain.wait(what, ok)
}

func gitLog(s *sideBySide) {
	s.shell("export GIT_CONFIG_GLOBAL=/dev/null GIT_PAGER='less -R' LESS=")
	if _, err := os.Stat(s.m.path("repository")); err != nil {
		s.m.repository()
	}
	s.shell("cd repository; clear; git -c color.ui=always log --graph --stat --decorate")
	s.same("git log", "commit 40")
	s.keys("Space")
	s.same("git log, a page on", "")
	s.types("q")
	s.shell("clear; git -c color.ui=always --no-pager log --graph --oneline -p -n 30; cd ..")
	s.same("git log -p", "commit 11")
}

// repository makes commits of which all is the same wherever it is made.
func (m *machine) repository() {
	m.t.Helper()
	script := `git init -q -b main repository && cd repository &&
		git config user.name Ann && git config user.email ann@example.org &&
		for i in $(seq 40); do
			echo "line $i" >>file
			git add file
			GIT_AUTHOR_DATE="@$((1700000000+i*3600)) +0000" GIT_COMMITTER_DATE="@$((1700000000+i*3600)) +0000" \
				git commit -q -m "commit $i" || exit
		done`
	if out, err := m.run("sh", "-c", script); err != nil {
		m.t.Fatalf("%v: %s", err, out)
	}
}

// numbers are what differs in two pictures of a machine's load.
var numbers = regexp.MustCompile(`[ \d.,:]*\d[ \d.,:]*`)

// top shows one process that does nothing, and the machine, whose numbers are another's a moment
// later.
func top(s *sideBySide) {
	sleeper := s.m.sleeper()
	s.mask = func(in screen) screen {
		var out screen
		for y, row := range in {
			if y < 5 { // the summary
				row = numbers.ReplaceAllString(row, "#")
			}
			out = append(out, row)
		}
		return out
	}
	s.shell("top -d 999 -p " + strconv.Itoa(sleeper))
	s.same("top", "sleep")
	s.types("c")
	s.same("top, with command lines", "sleep 100")
	s.types("q")
	s.same("top has ended", "$")
}

func htop(s *sideBySide) {
	sleeper := s.m.sleeper()
	s.mask = func(in screen) screen { // less the meters
		for y, row := range in {
			if strings.Contains(row, "PID") {
				return in[y:]
			}
		}
		return in
	}
	s.shell("htop -d 100 -p " + strconv.Itoa(sleeper))
	s.same("htop", "sleep 100000")
	s.keys("F2")
	s.same("htop's settings", "Categories")
	s.keys("Escape")
	s.same("htop again", "sleep 100000")
	s.types("q")
}

// sleeper is a process that does nothing until the test ends.
func (m *machine) sleeper() int {
	m.t.Helper()
	c := exec.Command("sleep", "100000")
	c.Env = m.env
	if err := c.Start(); err != nil {
		m.t.Fatal(err)
	}
	m.t.Cleanup(func() {
		c.Process.Kill()
		c.Wait()
	})
	return c.Process.Pid
}

// prompts is whether so many panes at the right have a shell that prompts.
func prompts(n int) func(screen) bool {
	prompt := regexp.MustCompile(`│[#$]\n`)
	return func(s screen) bool {
		return len(prompt.FindAllString(rowsOf(s.String()).String(), -1)) == n
	}
}

func tmuxInside(s *sideBySide) {
	// Sockets of their own, by their terminals. Commands, not keys: what is typed this fast tmux takes
	// for a paste.
	s.types(`tmux -u -S "$PWD/in$(tty | tr -dc 0-9)" -f /dev/null new-session -n inside`)
	// tmux throws away what of the echo nobody has read when it starts.
	s.both("the command", func(s screen) bool { return s.has("new-session") })
	s.keys("Enter")
	s.same("tmux", "0:inside")
	s.shell("clear; seq 300; tmux split-window -h")
	s.both("a second shell", prompts(1))
	s.same("two panes", "│")
	s.shell("tmux split-window")
	s.both("a third shell", prompts(2))
	s.shell("clear; echo $((300000+33))")
	s.same("three panes", "300033")
	s.shell("tmux select-pane -L; tmux copy-mode; tmux send-keys -X page-up")
	s.same("tmux's own scrollback", "/2")
	s.types("q")
	s.both("the pane's prompt", func(s screen) bool { return !s.has("/2") })
	s.shell("clear; cat text")
	s.same("text in a pane", "世界")
	s.shell("tmux kill-session")
	s.same("tmux has ended", "[exited]")
}

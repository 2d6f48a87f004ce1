package daemon_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"apex/core"
	"apex/daemon"
	"apex/daemon/daemontest"
	"apex/daemon/disk/disktest"
	"apex/proto"
)

// commands is a client that runs programs in a window, in a test.
type commands struct {
	*testing.T
	d   *daemontest.Daemon
	c   *daemontest.Client
	dir string
	win string
}

func newCommands(t *testing.T, text string, change ...func(*daemontest.Daemon)) *commands {
	t.Helper()
	x := &commands{T: t, d: daemontest.Start(t, change...)}
	x.c = x.d.Dial()
	t.Cleanup(x.end)
	path := writeFile(t, "a.txt", text)
	x.dir, x.win = filepath.Dir(path), open(t, x.c, path).Window.String()
	return x
}

// end ends the session, and with it what a test that fails leaves running.
func (x *commands) end() {
	if c, err := x.d.TryDial(); err == nil {
		_, _ = c.Call(&proto.SessionEnd{Session: daemon.DefaultLabel, Force: true})
	}
}

// ends runs a command that has to end with a code, empty for none, and returns what it said.
func (x *commands) ends(code core.Code, command string) string {
	x.Helper()
	err := run(x.c, x.win, command)
	if core.CodeOf(err) != code {
		x.Fatalf("%s: %v, want code %q", command, err, code)
	}
	if err == nil {
		return ""
	}
	return err.Error()
}

// starts runs a command and does not wait for its end.
func (x *commands) starts(command string) {
	x.Helper()
	daemontest.Must[*proto.Outcome](x.c, &proto.Exec{Win: x.win, Command: command, NoWait: true})
}

// selects sets the dot of the window's body.
func (x *commands) selects(q0, q1 int) {
	x.Helper()
	daemontest.Must[*proto.Outcome](x.c, &proto.ProposeIn{Win: x.win,
		Proposal: core.Proposal{Ask: &core.AskSelect{Q0: q0, Q1: q1}}})
}

// errors is the text of the directory's +Errors, and takes it away.
func (x *commands) errors() string {
	x.Helper()
	name := x.dir + "/+Errors"
	var all strings.Builder
	for q := 0; ; {
		r, err := x.c.Call(&proto.Read{Win: name, Q0: q})
		if core.CodeOf(err) == core.CodeNotFound {
			return ""
		}
		if err != nil {
			x.Fatal(err)
		}
		t := r.(*proto.Text)
		all.Write(t.Bytes)
		if q = t.Q1; !t.More {
			break
		}
	}
	x.ask(&proto.ProposeIn{Win: name, Proposal: core.Proposal{Ask: &core.AskDelete{Force: true}}})
	return all.String()
}

func (x *commands) ask(r proto.Request) {
	x.Helper()
	if _, err := x.c.Call(r); err != nil {
		x.Fatal(err)
	}
}

func (x *commands) wants(what, got, want string) {
	x.Helper()
	if got != want {
		x.Errorf("%s: %q, want %q", what, got, want)
	}
}

// gate makes a named pipe that a program waits at, and returns its path and what opens it.
func (x *commands) gate(name string) (string, func()) {
	x.Helper()
	path := filepath.Join(x.TempDir(), name)
	if err := unix.Mkfifo(path, 0o600); err != nil {
		x.Fatal(err)
	}
	return path, func() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0) // waits for the program to read it
		if err == nil {
			err = f.Close()
		}
		if err != nil {
			x.Error(err)
		}
	}
}

func (x *commands) procs() []proto.ProcInfo {
	x.Helper()
	return daemontest.Must[*proto.Procs](x.c, &proto.Ps{}).Procs
}

// What a program writes is in its directory's +Errors, in its order, with how it ended if not well.
func TestCommand(t *testing.T) {
	x := newCommands(t, "one\ntwo\n")
	x.ends("", "true")
	x.wants("no output", x.errors(), "")
	x.ends("", "echo $winid $samfile; pwd; echo $TERM; echo err >&2; cat; echo out")
	x.wants("output", x.errors(),
		fmt.Sprintf("%s %s/a.txt\n%s\ndumb\nerr\nout\n", x.win, x.dir, x.dir))
	x.wants("message", x.ends(core.CodeFailed, "printf x; exit 3"), "printf: exit status 3")
	x.wants("status", x.errors(), "x\nprintf: exit status 3\n")
	x.ends(core.CodeFailed, "no-such-program-here -x")
	if got := x.errors(); !strings.Contains(got, "not found\n") ||
		!strings.HasSuffix(got, "no-such-program-here: exit status 127\n") {
		t.Errorf("unknown program: %q", got)
	}
	x.ends("", "seq 2000")
	want := strings.Builder{}
	for n := range 2000 {
		fmt.Fprintln(&want, n+1)
	}
	x.wants("order", x.errors(), want.String())
	for _, p := range x.procs() {
		if p.State != proto.ProcEnded || p.PID != 0 || p.Window.String() != x.win {
			t.Errorf("process %+v", p)
		}
	}
	x.ends(core.CodeBadRequest, "|")
	x.ends(core.CodeNotFound, "Kill")
	x.ends(core.CodeNotFound, "Kill nobody")
	if err := os.RemoveAll(x.dir); err != nil {
		t.Fatal(err)
	}
	x.ends(core.CodeNotFound, "true")
}

// A shell of the person's own gets the command line, and the window's file as acme's have it.
func TestCommandShell(t *testing.T) {
	x := newCommands(t, "")
	shell := filepath.Join(t.TempDir(), "shell")
	script := "#!/bin/sh\necho \"$#: $1 $2\"; tr '\\0' '\\n' </proc/$$/environ | grep ^%=\n"
	if err := os.WriteFile(shell, []byte(script), 0o700); err != nil {
		t.Fatal(err)
	}
	x.ask(&proto.EnvSet{Vars: []proto.EnvVar{{Name: "acmeshell", Value: shell}}})
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		t.Skip("no /proc: ", err)
	}
	x.ends("", "ls | wc")
	x.wants("output", x.errors(), "2: -c ls | wc\n%="+x.dir+"/a.txt\n")
	x.ask(&proto.EnvSet{Vars: []proto.EnvVar{{Name: "acmeshell", Value: "/no/such/shell"}}})
	x.ends(core.CodeNotFound, "ls")
	for _, p := range x.procs() {
		if p.State == proto.ProcRunning {
			t.Errorf("after a start that failed: %+v", p)
		}
	}
}

// A tag outside windows runs programs in the session's directory.
func TestCommandOutside(t *testing.T) {
	x := newCommands(t, "")
	ui := x.d.Attach(core.AttachUI, "", "human:ann")
	ui.Lead(core.LayoutShard)
	b := core.Bundle{Author: core.Author{Actor: "human:ann"}}
	b.Add(core.LayoutShard, core.Of(&core.LayoutExec{View: core.TopView, Command: "pwd"}),
		core.Of(&core.LayoutExec{View: core.TopView, Command: "Kill nobody"}))
	ui.Commit(b)
	dir := ui.R.Meta().Dir
	for _, want := range []string{dir + "\n", "Kill nobody: no such command runs\n"} {
		name := ""
		ui.Until(func() bool {
			for _, s := range ui.R.Meta().Shards {
				b := ui.R.Buffer(core.BufferID(s.ID))
				if s.Kind == core.KindBuffer && b != nil && strings.Contains(b.Text.String(), want) {
					name = b.Name
				}
			}
			return name != ""
		})
		if name != filepath.Join(dir, "+Errors") {
			t.Errorf("%q is in %q", want, name)
		}
	}
}

// The selection goes in, the output takes its place, byte for byte, in one step of who executed it.
func TestPipe(t *testing.T) {
	for _, c := range []struct {
		command    string
		text, errs string // after it, of "<c\nb\na\n>z\n" with the dot in angle brackets
		code       core.Code
	}{
		{"|sort", "a\nb\nc\nz\n", "", ""},
		{" | sort ", "a\nb\nc\nz\n", "", ""},
		{"<echo x", "x\nz\n", "", ""},
		{"<cat", "z\n", "", ""}, // nothing comes in, and nothing goes out
		{">wc -l", "c\nb\na\nz\n", "3\n", ""},
		{"|cat; echo err >&2", "c\nb\na\nz\n", "err\n", ""},
		{`|printf '\377\000\303'`, "\xff\x00\xc3z\n", "", ""},
		{`<printf '\033[1m\r\n'`, "\x1b[1m\r\nz\n", "", ""},
		{"|cat; exit 2", "c\nb\na\nz\n", "cat: exit status 2\n", core.CodeFailed},
		{"|echo x; exit 2", "x\nz\n", "echo: exit status 2\n", core.CodeFailed},
		{"|false", "c\nb\na\nz\n", "false: exit status 1\n", core.CodeFailed},
		{"|echo x; kill -9 $$", "c\nb\na\nz\n", "echo: killed by KILL; the selection is left " +
			"as it was; it wrote:\nx\necho: killed by KILL\n", core.CodeFailed},
		{"|yes | head -c 9000000", "c\nb\na\nz\n", "yes: wrote 9000000 bytes, at most 8388608 can " +
			"take a selection's place\n", core.CodeTooLarge},
	} {
		t.Run(c.command, func(t *testing.T) {
			x := newCommands(t, "c\nb\na\nz\n")
			x.selects(0, 6)
			x.ends(c.code, c.command)
			got := read(t, x.c, x.win)
			x.wants("text", got, c.text)
			x.wants("errors", x.errors(), c.errs)
			if got == "c\nb\na\nz\n" {
				return
			}
			if i := info(x.c, x.win); i.Runes-i.Q1 != 2 || i.Q0 != 0 {
				t.Errorf("dot %d,%d of %d", i.Q0, i.Q1, i.Runes)
			}
			x.ask(&proto.ProposeIn{Win: x.win, Proposal: core.Proposal{Ask: &core.AskUndo{}}})
			x.wants("undone", read(t, x.c, x.win), "c\nb\na\nz\n")
		})
	}
}

// What changed while the program ran stays: the output goes where the selection went, or if that
// was changed itself, to +Errors.
func TestPipeMeanwhile(t *testing.T) {
	for _, c := range []struct {
		name       string
		edit       core.Span
		text, kept string
		code       core.Code
	}{
		{name: "before", edit: core.Span{Q0: 0, Q1: 0, Text: "0\n"}, text: "0\n1\na\nb\nz\n"},
		{name: "behind", edit: core.Span{Q0: 6, Q1: 7, Text: "Z"}, text: "1\na\nb\nZ\n"},
		{name: "within", edit: core.Span{Q0: 3, Q1: 3, Text: "!"}, text: "1\nb!\na\nz\n",
			code: core.CodeConflict,
			kept: "cat: the selection was changed while it ran; it wrote:\na\nb\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := newCommands(t, "1\nb\na\nz\n")
			x.selects(2, 6)
			gate, open := x.gate("gate")
			done := make(chan error)
			other := x.d.Dial()
			go func() { done <- run(other, x.win, "|cat "+gate+" - | sort") }()
			x.running(1)
			x.ask(&proto.ProposeIn{Win: x.win, Proposal: core.Proposal{
				Ask: &core.AskEdit{Base: info(x.c, x.win).Origin.Version, Edits: []core.Span{c.edit}}}})
			open()
			if err := <-done; core.CodeOf(err) != c.code {
				t.Errorf("got %v, want code %q", err, c.code)
			}
			x.wants("text", read(t, x.c, x.win), c.text)
			x.wants("errors", x.errors(), c.kept)
		})
	}
}

// running waits until so many commands have been recorded that have not ended.
func (x *commands) running(n int) {
	x.Helper()
	p := x.d.Attach(core.AttachTool, "", "test")
	p.Until(func() bool {
		running := 0
		for _, p := range p.R.Meta().Procs {
			if !p.Done {
				running++
			}
		}
		return running == n
	})
}

// A command that writes a hundred megabytes ends, and what is kept of it is bounded.
func TestCommandFlood(t *testing.T) {
	x := newCommands(t, "")
	x.ends("", "yes | head -c 100000000")
	got := x.errors()
	note := "yes: wrote 100000000 bytes, of which the last 91611392 are not shown\n"
	if text, ok := strings.CutSuffix(got, note); !ok || text != strings.Repeat("y\n", 4<<20) {
		t.Errorf("%d bytes, the last are %q", len(got), got[max(0, len(got)-100):])
	}
}

// What is no text does not break the window.
func TestCommandBinary(t *testing.T) {
	x := newCommands(t, "")
	x.ends("", `printf '\000\377\033[31mred\033[0m\033]0;title\007\r\n'; `+
		"head -c 300000 /dev/urandom; echo; echo end")
	got := x.errors()
	if !strings.HasPrefix(got, "␀\\xffred\n") || !strings.HasSuffix(got, "end\n") {
		t.Errorf("%d bytes: %.40q", len(got), got)
	}
	control := func(r rune) bool { return r < ' ' && r != '\n' && r != '\t' }
	if i := strings.IndexFunc(got, control); i >= 0 {
		t.Errorf("a control character: %q", got[i:i+1])
	}
}

// Kill ends what is named, or the newest of the window, and all that it started.
func TestCommandKill(t *testing.T) {
	x := newCommands(t, "")
	for _, kill := range []string{"Kill", "Kill no trap"} {
		done := make(chan error)
		other := x.d.Dial()
		go func() { done <- run(other, x.win, `trap "" HUP; echo deaf; while :; do sleep 1000; done`) }()
		var said string
		x.until(func() bool { said += x.errors(); return said == "deaf\n" })
		if err := run(x.c, x.win, kill); err != nil { // it may not have been started yet
			t.Errorf("%s: %v", kill, err)
		}
		if err := <-done; core.CodeOf(err) != core.CodeFailed || err.Error() != "trap: killed by TERM" {
			t.Errorf("%s: %v", kill, err)
		}
		x.wants(kill, x.errors(), "trap: killed by TERM\n")
	}
	x.starts("yes")
	x.running(1)
	var ids []string
	for _, p := range x.procs() {
		if p.State == proto.ProcRunning {
			ids = append(ids, p.Proc.String())
		}
	}
	daemontest.Must[*proto.Done](x.c, &proto.Kill{IDs: ids})
	x.running(0)
}

// until asks again and again until something holds: a program that is recorded may not have been
// started yet.
func (x *commands) until(holds func() bool) {
	for !holds() {
		daemontest.Must[*proto.Done](x.c, &proto.Ping{})
	}
}

// What a command leaves behind is no reason to wait, is listed, and ends with the session.
func TestCommandOrphans(t *testing.T) {
	x := newCommands(t, "")
	x.ends("", "setsid sh -c 'setsid sh -c \"echo \\$\\$; exec sleep 77777\" &' & wait")
	var orphan proto.ProcInfo
	x.until(func() bool {
		for _, p := range x.procs() {
			if p.Parent != 0 && p.Command == "sleep 77777" {
				orphan = p
			}
		}
		return orphan.PID != 0
	})
	out := ""
	x.until(func() bool { out += x.errors(); return strings.HasSuffix(out, "\n") })
	x.wants("output", out, fmt.Sprintln(orphan.PID))
	x.ask(&proto.SessionEnd{Session: daemon.DefaultLabel, Force: true})
	if err := unix.Kill(orphan.PID, 0); err != unix.ESRCH {
		t.Errorf("the orphan after the session's end: %v", err)
	}
}

// What a command left behind long ago, which the metalog has forgotten, is listed and ended still.
func TestCommandStrays(t *testing.T) {
	x := newCommands(t, "")
	x.ends("", "sleep 77778 >/dev/null & sleep 77779 >/dev/null &")
	const endedKept = 64
	var commands sync.WaitGroup
	for range 4 {
		c := x.d.Dial()
		commands.Go(func() {
			for range endedKept / 4 {
				if err := run(c, x.win, "true"); err != nil {
					t.Error(err)
				}
			}
		})
	}
	commands.Wait()
	x.d.Stop()
	x.d.Run()
	x.c = x.d.Dial()
	strays := func() (out []proto.ProcInfo) {
		for _, p := range x.procs() {
			if p.Proc == 0 {
				out = append(out, p)
			}
		}
		return out
	}
	left := strays()
	if len(left) != 2 || left[0].Command != "sleep 77778" || left[1].Command != "sleep 77779" {
		t.Fatalf("left behind: %+v", left)
	}
	if _, known := x.proc(left[0].Parent); known {
		t.Fatal("the metalog has not forgotten it: the test tells nothing")
	}
	x.ask(&proto.Kill{IDs: []string{left[0].Parent.String()}})
	if got := strays(); len(got) != 0 {
		t.Errorf("after they were ended: %+v", got)
	}
}

func (x *commands) proc(id core.ProcID) (proto.ProcInfo, bool) {
	x.Helper()
	for _, p := range x.procs() {
		if p.Proc == id {
			return p, true
		}
	}
	return proto.ProcInfo{}, false
}

// Two commands of one window run at once, and saving does not wait for them.
func TestTwoCommands(t *testing.T) {
	x := newCommands(t, "abc\n")
	a, openA := x.gate("a")
	b, openB := x.gate("b")
	done := make(chan error)
	first := x.d.Dial()
	go func() { done <- run(first, x.win, "cat "+a+"; echo first") }()
	x.running(1)
	second := x.d.Dial()
	go func() { done <- run(second, x.win, "cat "+b+"; echo second") }()
	x.running(2)
	insert(t, x.c, x.win, "x")
	x.ends("", "Put")
	for _, open := range []func(){openB, openA} {
		open()
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	x.wants("output", x.errors(), "second\nfirst\n")
}

// With an interface that leads everything, commands are recorded, shown and put in by it.
func TestCommandLed(t *testing.T) {
	x := newCommands(t, "b\na\n")
	x.selects(0, 4)
	leadAll(t, x.d)
	x.ends("", "|sort; echo one >&2")
	x.wants("text", read(t, x.c, x.win), "a\nb\n")
	x.ends("", "echo two")
	x.ends(core.CodeFailed, ">grep -c c")
	x.wants("errors", x.errors(), "one\ntwo\n0\ngrep: exit status 1\n")
}

// In a terminal's window commands run where its program says that it is.
func TestCommandInTerminal(t *testing.T) {
	x := newCommands(t, "")
	dir := t.TempDir()
	term := terminals{t, x.c}
	id := term.make("sh", "-c", fmt.Sprintf(`printf '\033]7;file://%s\007ready\n'; read x`, dir))
	term.match(id, "ready")
	window := func() string {
		for _, w := range daemontest.Must[*proto.WindowList](x.c, &proto.Windows{}).Windows {
			if w.Term != 0 {
				return w.Window.String()
			}
		}
		t.Fatal("no terminal's window")
		return ""
	}
	x.win, x.dir = window(), dir
	x.ends("", "pwd")
	x.wants("directory", x.errors(), dir+"\n")
	if err := os.Remove(dir); err != nil {
		t.Fatal(err)
	}
	x.dir = daemontest.Must[*proto.Terms](x.c, &proto.TermList{}).Terms[0].Dir
	x.ends("", "pwd")
	x.wants("directory when that is gone", x.errors(), x.dir+"\n")
}

// While the disk refuses, output waits.
func TestCommandNotDurable(t *testing.T) {
	disk := disktest.New(1)
	x := newCommands(t, "", func(d *daemontest.Daemon) { d.FS = disk.Mount() })
	t.Cleanup(func() { disk.SetFault(nil) })
	gate, open := x.gate("gate")
	done := make(chan error)
	other := x.d.Dial()
	go func() { done <- run(other, x.win, "cat "+gate+"; echo out") }()
	x.running(1)
	body := info(x.c, x.win).Window.Buffer.Shard()
	ui := x.d.Attach(core.AttachUI, "", "human:ann")
	ui.Lead(body)
	disk.SetFault(disktest.Always(syscall.EIO))
	b := core.Bundle{}
	b.Add(body, core.Edit(0, 0, 0, "typed", 0))
	ui.Commit(b)
	x.until(func() bool { return session(t, x.c).Trouble != "" })
	open()
	disk.SetFault(nil)
	if err := <-done; err != nil {
		t.Error(err)
	}
	x.wants("output", x.errors(), "out\n")
}

package daemon_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

func process(d *daemontest.Daemon) { d.Process = true }

// crash kills the daemon and starts another one.
func (x *commands) crash() {
	x.Helper()
	x.d.Kill()
	x.d.Wait()
	x.d.Run()
	x.c = x.d.Dial()
}

// shows waits until +Errors has a text that fits.
func (x *commands) shows(fits func(text string) bool) {
	x.Helper()
	p := x.d.Attach(core.AttachTool, "", "test")
	p.Until(func() bool {
		for _, s := range p.R.Meta().Shards {
			b := p.R.Buffer(core.BufferID(s.ID))
			if s.Kind == core.KindBuffer && b != nil && b.Name == x.dir+"/+Errors" && fits(b.Text.String()) {
				return true
			}
		}
		return false
	})
}

// A command goes on when the daemon is killed: nothing of its output is lost or shown twice, and
// how it ends is recorded.
func TestCommandCrash(t *testing.T) {
	x := newCommands(t, "", process)
	gate, open := x.gate("gate")
	x.starts("echo one; cat " + gate + "; echo two; exit 3")
	x.shows(func(s string) bool { return s == "one\n" })
	x.crash()
	if p := x.procs(); len(p) != 1 || p[0].State != proto.ProcRunning || p[0].PID == 0 {
		t.Fatalf("processes after the crash: %+v", p)
	}
	x.ends("", "echo between")
	open()
	if r := x.outcomeOf(0); r.Code != core.CodeFailed || r.Message != "echo: exit status 3" {
		t.Errorf("outcome %+v", r)
	}
	x.wants("output", x.errors(), "one\nbetween\ntwo\necho: exit status 3\n")
}

// outcomeOf waits for the end of the n-th command of the window.
func (x *commands) outcomeOf(n int) core.Run {
	x.Helper()
	id, _ := core.ParseWindowID(x.win)
	p := x.d.Attach(core.AttachTool, "", "test")
	var r core.Run
	p.Until(func() bool {
		if w := p.R.Window(id); w != nil && len(w.Runs) > n {
			r = w.Runs[n]
		}
		return r.Done
	})
	return r
}

// A command that ends while there is no daemon has its outcome recorded by the next one, once, and
// a selection that it was to replace is replaced.
func TestPipeCrash(t *testing.T) {
	x := newCommands(t, "c\nb\na\nz\n", process)
	x.selects(0, 6)
	gate, open := x.gate("gate")
	x.starts("|sort; echo err >&2; cat " + gate + "; echo tail; echo late >&2")
	x.shows(func(s string) bool { return s == "err\n" })
	x.d.Kill()
	x.d.Wait()
	open()
	x.d.Run()
	x.c = x.d.Dial()
	if r := x.outcomeOf(0); r.Code != "" {
		t.Errorf("outcome %+v", r)
	}
	x.crash() // what is recorded is not done again
	x.wants("text", read(t, x.c, x.win), "a\nb\nc\ntail\nz\n")
	x.wants("errors", x.errors(), "err\nlate\n")
	x.ask(&proto.ProposeIn{Win: x.win, Proposal: core.Proposal{Ask: &core.AskUndo{}}})
	x.wants("undone", read(t, x.c, x.win), "c\nb\na\nz\n")
}

// A flood is whole and in order, whenever the daemon is killed.
func TestFloodCrash(t *testing.T) {
	var want bytes.Buffer
	for n := range 100_000 {
		fmt.Fprintln(&want, n+1)
	}
	t.Logf("-killseed=%d", *killSeed)
	rnd := rand.New(rand.NewPCG(*killSeed, 1))
	for range 3 {
		x := newCommands(t, "", process)
		x.starts("seq 100000")
		some := rnd.IntN(want.Len())
		x.shows(func(s string) bool { return len(s) >= min(some, want.Len()) })
		x.crash()
		if r := x.outcomeOf(0); r.Code != "" {
			t.Errorf("outcome %+v", r)
		}
		if got := x.errors(); got != want.String() {
			t.Fatalf("killed after %d of %d bytes: %d bytes came", some, want.Len(), len(got))
		}
	}
}

// Whoever executes a command and loses the daemon asks again under the same intent: the command is
// executed once, and its outcome is the answer, whenever it comes.
func TestExecAgain(t *testing.T) {
	x := newCommands(t, "", process)
	gate, open := x.gate("gate")
	ask := &proto.Exec{Win: x.win, Command: "echo one; cat " + gate + "; exit 3", Intent: core.IntentID{1}}
	c, err := x.d.TryDial()
	if err != nil {
		t.Fatal(err)
	}
	c.Send(&proto.Call{ID: 1, Request: ask})
	x.shows(func(s string) bool { return s == "one\n" })
	x.crash()
	answers := make(chan error, 2)
	for range cap(answers) {
		c := x.d.Dial()
		go func() {
			_, err := c.Call(ask)
			answers <- err
		}()
	}
	open()
	for range cap(answers) {
		err := <-answers
		if core.CodeOf(err) != core.CodeFailed || !strings.Contains(err.Error(), "exit status 3") {
			t.Errorf("outcome %v", err)
		}
	}
	x.crash()
	if _, err := x.c.Call(ask); core.CodeOf(err) != core.CodeFailed {
		t.Errorf("outcome after the end %v", err)
	}
	x.wants("output", x.errors(), "one\necho: exit status 3\n")
	for n, command := range []string{"Put", "no"} { // one that ends at once is not executed again
		ask := &proto.Exec{Win: x.win, Command: command, Intent: core.IntentID{2, byte(n)}}
		_, first := x.c.Call(ask)
		_, again := x.c.Call(ask)
		if core.CodeOf(first) != core.CodeOf(again) || fmt.Sprint(first) != fmt.Sprint(again) {
			t.Errorf("%s: %v, and then %v", command, first, again)
		}
	}
}

// Without its holder a command's outcome is unknown, and what it had written is kept.
func TestCommandLost(t *testing.T) {
	for _, command := range []string{"cat ", "|cat - "} {
		x := newCommands(t, "text\n", process)
		x.selects(0, 5)
		gate, _ := x.gate("gate")
		x.starts(command + gate)
		x.running(1)
		var pid int
		x.until(func() bool { pid = x.procs()[0].PID; return pid != 0 })
		holder := parent(t, pid)
		x.d.Kill()
		x.d.Wait()
		for _, p := range []int{holder, pid} {
			if err := syscall.Kill(p, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
		}
		x.d.Run()
		x.c = x.d.Dial()
		r := x.outcomeOf(0)
		if r.Code != core.CodeUnavailable || !strings.HasPrefix(r.Message, "cat: unknown: ") {
			t.Errorf("outcome %+v", r)
		}
		if p := x.procs(); p[0].State != proto.ProcUnknown {
			t.Errorf("process %+v", p[0])
		}
		x.wants("text", read(t, x.c, x.win), "text\n")
		if got := x.errors(); !strings.HasPrefix(got, "cat: unknown: ") {
			t.Errorf("errors %q", got)
		}
	}
}

// Daemon and holders are killed in one moment: the next daemon ends what they left running, whatever
// that ignores, and says that how it ended is not known. Nothing of it is on disk then.
func TestAllIsKilled(t *testing.T) {
	x := newCommands(t, "", process)
	x.terminal("sh", "-c", stubborn)
	x.starts("echo one; " + stubborn)
	x.shows(func(s string) bool { return s == "one\nready\n" })
	pids := []int{x.pid(0), x.pid(1)}
	holders := []int{parent(t, pids[0]), parent(t, pids[1])}
	x.d.Kill()
	send(t, syscall.SIGKILL, holders...)
	x.d.Wait()
	x.d.Run()
	x.c = x.d.Dial()
	if r := x.outcomeOf(0); r.Code != core.CodeUnavailable || !strings.Contains(r.Message, ": unknown: ") {
		t.Errorf("outcome %+v", r)
	}
	x.until(func() bool { // they are ended side by side
		for _, p := range x.procs() {
			if p.State == proto.ProcRunning {
				return false
			}
		}
		return true
	})
	for _, p := range x.procs() {
		if p.State != proto.ProcUnknown || p.Reason == "" {
			t.Errorf("process %+v", p)
		}
	}
	for _, pid := range pids {
		if alive(pid) {
			t.Errorf("process %d runs", pid)
		}
	}
	terms := daemontest.Must[*proto.Terms](x.c, &proto.TermList{}).Terms
	if len(terms) != 1 || terms[0].Running || terms[0].Reason == "" {
		t.Errorf("terminals %+v", terms)
	}
	if left := entries(t, filepath.Join(x.d.State, "holders")); len(left) > 0 {
		t.Errorf("on disk: %q", left)
	}
}

// parent is a process's parent.
func parent(t *testing.T, pid int) int {
	t.Helper()
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		t.Skip("no /proc: ", err)
	}
	fields := bytes.Fields(b[bytes.LastIndexByte(b, ')')+1:])
	n, err := strconv.Atoi(string(fields[1]))
	if err != nil {
		t.Fatal(err)
	}
	return n
}

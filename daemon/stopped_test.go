package daemon_test

import (
	"syscall"
	"testing"

	"apex/core"
	"apex/daemon"
	"apex/daemon/daemontest"
	"apex/proto"
)

// stubborn is a program that ends by KILL only.
const stubborn = `trap "" HUP TERM; echo ready; while :; do sleep 1000; done`

func send(t *testing.T, sig syscall.Signal, pids ...int) {
	t.Helper()
	for _, pid := range pids {
		if err := syscall.Kill(pid, sig); err != nil {
			t.Fatal(err)
		}
	}
}

// stopHolder stops the holder of a program, and has it go on at the end of a test that fails.
func stopHolder(t *testing.T, pid int) (holder int) {
	t.Helper()
	holder = parent(t, pid)
	send(t, syscall.SIGSTOP, holder)
	t.Cleanup(func() { _ = syscall.Kill(holder, syscall.SIGCONT) })
	return holder
}

// pid waits until the n-th process runs, and returns its id.
func (x *commands) pid(n int) (pid int) {
	x.Helper()
	x.until(func() bool {
		p := x.procs()
		if len(p) > n {
			pid = p[n].PID
		}
		return pid != 0
	})
	return pid
}

// over waits until processes have ended.
func (x *commands) over(pids ...int) {
	x.Helper()
	for _, pid := range pids {
		x.until(func() bool { return !alive(pid) })
	}
}

func (x *commands) terminal(argv ...string) string {
	x.Helper()
	ts := terminals{x.T, x.c}
	term := ts.make(argv...)
	ts.match(term, "^ready")
	return term
}

// A command whose holder did not answer when a daemon started goes on: its output is whole, and its
// status is its own.
func TestCommandOfStoppedHolder(t *testing.T) {
	x := newCommands(t, "text\n", process)
	x.selects(0, 5)
	gate, open := x.gate("gate")
	gate2, open2 := x.gate("gate2")
	x.starts("echo one; cat " + gate + "; echo two; exit 3")
	x.starts("|cat " + gate2 + " -; echo more")
	x.shows(func(s string) bool { return s == "one\n" })
	pids := []int{x.pid(0), x.pid(1)}
	holders := []int{stopHolder(t, pids[0]), stopHolder(t, pids[1])}
	x.crash()
	for _, p := range x.procs() {
		if p.State != proto.ProcRunning {
			t.Errorf("while its holder is stopped: %+v", p)
		}
	}
	if _, err := x.c.Call(&proto.Kill{IDs: []string{x.procs()[0].Proc.String()}}); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("killed while its holder is stopped: %v", err)
	}
	open()
	open2()
	send(t, syscall.SIGCONT, holders...)
	if r := x.outcomeOf(0); r.Code != core.CodeFailed || r.Message != "echo: exit status 3" {
		t.Errorf("outcome %+v", r)
	}
	if r := x.outcomeOf(1); r.Code != "" {
		t.Errorf("outcome %+v", r)
	}
	x.wants("text", read(t, x.c, x.win), "text\nmore\n")
	x.wants("output", x.errors(), "one\ntwo\necho: exit status 3\n")
	x.over(holders...)
}

// A terminal that no window shows any more ends, also if its holder did not answer when a daemon
// started, and until then it is not said to be lost. One that is shown goes on.
func TestTerminalOfStoppedHolder(t *testing.T) {
	x := newCommands(t, "", process)
	closed, shown := x.terminal("sh", "-c", stubborn), x.terminal("sh", "-c", stubborn)
	pids := []int{x.pid(0), x.pid(1)}
	holders := []int{stopHolder(t, pids[0]), stopHolder(t, pids[1])}
	win := daemontest.Must[*proto.Terms](x.c, &proto.TermList{}).Terms[0].Window.String()
	x.ask(&proto.ProposeIn{Win: win, Proposal: core.Proposal{Ask: &core.AskDelete{Force: true}}})
	x.crash()
	for _, p := range x.procs() {
		if p.State != proto.ProcRunning {
			t.Errorf("while its holder is stopped: %+v", p)
		}
	}
	for term, code := range map[string]core.Code{closed: core.CodeUnavailable, shown: core.CodeUnavailable,
		"t0.999": core.CodeNotFound} {
		if _, err := x.c.Call(&proto.TermInfo{Term: term}); core.CodeOf(err) != code {
			t.Errorf("terminal %s while its holder is stopped: %v", term, err)
		}
	}
	send(t, syscall.SIGCONT, holders...)
	x.over(pids[0], holders[0])
	var p []proto.ProcInfo
	x.until(func() bool { p = x.procs(); return p[0].State != proto.ProcRunning && p[1].PID != 0 })
	if p[0].Reason != "nothing showed it any more" {
		t.Errorf("ended: %+v", p[0])
	}
	if s := (terminals{t, x.c}).screen(shown); s != "ready" {
		t.Errorf("screen %q", s)
	}
}

// What runs of a session that ends while its holders do not answer ends as soon as they do, and
// whoever ended it is told; also if the daemon was killed meanwhile.
func TestEndWithStoppedHolders(t *testing.T) {
	for _, crash := range []bool{false, true} {
		x := newCommands(t, "", process)
		x.terminal("sh", "-c", stubborn)
		x.starts(stubborn)
		pids := []int{x.pid(0), x.pid(1)}
		all := append(pids, stopHolder(t, pids[0]), stopHolder(t, pids[1]))
		x.crash()
		end := &proto.SessionEnd{Session: daemon.DefaultLabel, Force: true}
		if r := daemontest.Must[*proto.Done](x.c, end); r.Message == "" {
			t.Error("nothing is said of what still runs")
		}
		if crash {
			x.crash()
		}
		send(t, syscall.SIGCONT, all[2:]...)
		x.over(all...)
	}
}

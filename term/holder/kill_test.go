package holder_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"apex/term/holder"

	"golang.org/x/sys/unix"
)

// stubborn is a command that says its process id on a named pipe and ends by KILL only.
func stubborn(path string) string {
	return fmt.Sprintf(`trap "" HUP TERM INT; echo $$ >%s; while :; do sleep 1000; done`, path)
}

// Whatever a program started, and wherever that went, Kill ends it.
func TestKillEndsEverything(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name, script string // %s is a command
		resists      bool   // it ends by KILL only, which takes its time
	}{
		{"itself", `%s`, true},
		{"background", `sh -c '%s' & wait`, false},
		{"double fork", `(sh -c '%s' &) ; exec sleep 1000`, false},
		{"own session",
			`(setsid sh -c '%s' >/dev/null 2>&1 </dev/null &) ; exec sleep 1000`, false},
		{"left by the dead",
			`trap "" HUP; (setsid sh -c '%s' >/dev/null 2>&1 </dev/null &) ; exit 0`, true},
		{"stopped", `sh -c '%s' & kill -STOP $$`, false},
	}
	for _, kind := range []holder.Kind{holder.Pty, holder.Pipe} {
		for _, test := range tests {
			t.Run(fmt.Sprint(test.name, kind), func(t *testing.T) {
				t.Parallel()
				path, wait := fifo(t)
				command := fmt.Sprintf("echo $$ >%s; sleep 1000", path)
				if test.resists {
					command = stubborn(path)
				}
				h := start(t, spec(t, kind, script(fmt.Sprintf(test.script, command))...))
				pid := number(t, wait())
				if left, err := h.Kill(bounded(t)); err != nil || len(left) > 0 {
					t.Errorf("left %v, error %v", left, err)
				}
				select {
				case <-h.Exited():
				default:
					t.Error("killed, and not exited")
				}
				if running(pid) {
					t.Errorf("process %d runs after the kill", pid)
				}
			})
		}
	}
}

// One that takes the hint is not waited for, and its status is what it says.
func TestKillIsPolite(t *testing.T) {
	t.Parallel()
	h := start(t, spec(t, holder.Pty, script(
		`trap "exit 4" HUP; echo ready; while :; do sleep .01; done`)...))
	readUntil(t, h, "ready")
	if _, err := h.Kill(bounded(t)); err != nil {
		t.Fatal(err)
	}
	if e := h.Exit(); e.Code != 4 || e.Signal != 0 {
		t.Errorf("exit %v, want its own code", e)
	}
}

// Kill is the holder's: the daemon that asked for it may die.
func TestKillerIsKilled(t *testing.T) {
	t.Parallel()
	path, wait := fifo(t)
	s := spec(t, holder.Pty, script(stubborn(path))...)
	h := start(t, s)
	pid := number(t, wait())
	h.Detach()
	d := startDaemon(t, "killer", s.Dir, s.Name)
	d.says()
	d.kill()
	h, err := holder.Adopt(bounded(t), s.Dir, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	<-h.Exited()
	if e := h.Exit(); e.Signal != syscall.SIGKILL || running(pid) {
		t.Errorf("exit %v, process %d runs: %v", e, pid, running(pid))
	}
	if left, err := h.Release(bounded(t)); err != nil || len(left) > 0 {
		t.Errorf("left %v, error %v", left, err)
	}
}

// The program's exit is told although an orphan holds its terminal, with all that it wrote; the
// holder stays for the orphan.
func TestOrphanHoldsTheTerminal(t *testing.T) {
	t.Parallel()
	for _, kind := range []holder.Kind{holder.Pty, holder.Pipe} {
		path, wait := fifo(t)
		gate, _ := fifo(t)
		s := spec(t, kind, script(fmt.Sprintf("sh -c '%s' & read x <%s; printf out; exit 7",
			stubborn(path), gate))...)
		h := start(t, s)
		pid := number(t, wait())
		open(t, gate)
		var got strings.Builder
		for {
			o, err := h.Read()
			got.Write(o.Bytes)
			if err == holder.ErrExited {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if e := h.Exit(); e.Code != 7 || got.String() != "out" {
			t.Errorf("exit %v, output %q", e, &got)
		}
		orphans, err := h.Orphans(bounded(t))
		if err != nil || len(orphans) == 0 || orphans[0].PID != pid ||
			!strings.HasPrefix(orphans[0].Command(), "sh -c trap") ||
			orphans[0].Started.Before(h.Info().Started.Add(-time.Second)) {
			t.Errorf("orphans %v, error %v, want %d", orphans, err, pid)
		}
		left, err := h.Release(bounded(t))
		if err != nil || len(left) == 0 {
			t.Fatalf("released: left %v, error %v", left, err)
		}
		h.Detach()
		if h, err = holder.Adopt(bounded(t), s.Dir, s.Name); err != nil {
			t.Fatal(err)
		}
		if !h.Info().Released {
			t.Error("a second daemon is not told that the exit was recorded")
		}
		if left, err := h.Kill(bounded(t)); err != nil || len(left) > 0 {
			t.Errorf("left %v, error %v", left, err)
		}
		<-h.Gone()
		for err = nil; err != io.EOF; _, err = h.Read() {
			if err != nil && err != holder.ErrExited {
				t.Fatal(err)
			}
		}
		h.Detach()
		if running(h.Info().Holder) {
			t.Error("the holder runs with nothing to hold")
		}
	}
}

// A daemon that was started inside the terminal that it ends lives.
func TestDaemonInsideItsTerminal(t *testing.T) {
	t.Parallel()
	path, wait := fifo(t)
	s := spec(t, holder.Pty, "sh", "-c", `trap "" HUP; setsid "$@" & wait`, "sh",
		os.Args[0], subprocessWord, "inside")
	s.Argv = append(s.Argv, s.Dir, s.Name, path)
	h := start(t, s)
	h.Detach()
	if got := wait(); got != "[] <nil> [] <nil>" {
		t.Errorf("kill and release: %s", got)
	}
	if _, err := unix.Wait4(h.Info().Holder, nil, 0, nil); err != nil {
		t.Error(err)
	}
}

// Another daemon that was started in a terminal, and what is below it, is not the terminal's; the
// holder does not wait for it.
func TestDaemonIsSpared(t *testing.T) {
	t.Parallel()
	path, wait := fifo(t)
	h := start(t, spec(t, holder.Pty, "sh", "-c", `trap "" HUP; (setsid "$@" &) ; sleep 1000`, "sh",
		os.Args[0], subprocessWord, "marked", path))
	var daemonPID, below int
	if n, err := fmt.Sscan(wait(), &daemonPID, &below); n != 2 {
		t.Fatal(err)
	}
	list, err := h.Processes(bounded(t))
	if err != nil || slices.ContainsFunc(list, func(p holder.Process) bool {
		return p.PID == daemonPID || p.PID == below
	}) {
		t.Errorf("processes %v, error %v, want none of the daemon's", list, err)
	}
	end(t, h)
	for _, pid := range []int{daemonPID, below} {
		if !running(pid) {
			t.Errorf("process %d was ended", pid)
		}
		unix.Kill(pid, unix.SIGKILL)
	}
}

func TestProcesses(t *testing.T) {
	t.Parallel()
	path, wait := fifo(t)
	h := start(t, spec(t, holder.Pty, script(fmt.Sprintf(
		"sleep 1001 & (setsid sleep 1002 &) ; echo >%s; wait", path))...))
	wait()
	got := map[string]bool{}
	// The inner shell of the double fork may be on its way out, or setsid not yet sleep.
	for len(got) != 3 || !got["sleep 1002 true"] {
		list, err := h.Processes(bounded(t))
		if err != nil {
			t.Fatal(err)
		}
		got = map[string]bool{}
		for _, p := range list {
			got[fmt.Sprintf("%.10s %v", p.Command(), p.Orphan)] = true
		}
	}
	for _, want := range []string{"/bin/sh -c false", "sleep 1001 false", "sleep 1002 true"} {
		if !got[want] {
			t.Errorf("%s is missing in %v", want, got)
		}
	}
}

// A holder that is killed takes the program with it, and the daemon hears of it.
func TestHolderIsKilled(t *testing.T) {
	t.Parallel()
	for _, kind := range []holder.Kind{holder.Pty, holder.Pipe} {
		path, wait := fifo(t)
		s := spec(t, kind, script(stubborn(path))...)
		h := start(t, s)
		pid := number(t, wait())
		if err := unix.Kill(h.Info().Holder, unix.SIGKILL); err != nil {
			t.Fatal(err)
		}
		<-h.Exited()
		if e := h.Exit(); !e.Lost || e.String() != "holder died" {
			t.Errorf("exit %v, want that the holder died", e)
		}
		if _, err := h.Processes(bounded(t)); !errors.Is(err, holder.Gone) {
			t.Errorf("processes of a dead holder: %v", err)
		}
		if left, err := h.Kill(bounded(t)); err != nil || len(left) > 0 {
			t.Errorf("left %v, error %v", left, err)
		}
		if running(pid) {
			t.Errorf("process %d runs", pid)
		}
		h.Detach()
		if names, err := holder.List(s.Dir); err != nil || len(names) > 0 {
			t.Errorf("list %q, error %v", names, err)
		}
	}
}

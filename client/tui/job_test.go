package tui_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"testing"

	"apex/client/tui"
	"apex/client/tui/tuitest"
	"apex/core"
	"apex/proto"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

const (
	// shellCommand makes this program a shell that has one job: itself, with runCommand.
	shellCommand = "job-shell"
	// runCommand makes it an interface, with a session that has the defect that is named.
	runCommand = "run-terminal"
)

// shell runs a job as shells do. On descriptor 3 it tells what happens to the job, a line each, and
// after a stop it waits there for a line before it brings the job back.
func shell(args []string) {
	signal.Ignore(syscall.SIGTTOU)
	control := os.NewFile(3, "control")
	lines := bufio.NewScanner(control)
	c := exec.Command(os.Args[0], append([]string{runCommand}, args...)...)
	c.Stdin, c.Stdout, c.Stderr = os.Stdin, os.Stdout, os.Stderr
	c.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Foreground: true}
	if err := c.Start(); err != nil {
		fmt.Fprintln(control, err)
		return
	}
	pid := c.Process.Pid
	fmt.Fprintln(control, pid)
	for {
		var status syscall.WaitStatus
		if _, err := syscall.Wait4(pid, &status, syscall.WUNTRACED, nil); err != nil {
			fmt.Fprintln(control, err)
			return
		}
		foreground(os.Getpid())
		if !status.Stopped() {
			fmt.Fprintln(control, "ended", status.ExitStatus())
			return
		}
		fmt.Fprintln(control, "stopped")
		if !lines.Scan() {
			return
		}
		foreground(pid)
		syscall.Kill(-pid, syscall.SIGCONT)
	}
}

// foreground gives a process group the terminal.
func foreground(group int) {
	if err := unix.IoctlSetPointerInt(0, unix.TIOCSPGRP, group); err != nil {
		fmt.Fprintln(os.Stderr, "tcsetpgrp:", err)
	}
}

// runHere runs the interface in this process's terminal.
func runHere(defect string) int {
	s := tuitest.NewSession()
	s.File("/home/ann/a.txt", "the text\n")
	var err error
	switch defect {
	case "":
		err = tui.Show(s, nil)
	case "loop":
		err = tui.Show(badCommit{s}, nil)
	case "command":
		err = tui.Show(badOpen{s}, []proto.File{{Path: "/b.txt"}})
	case "goroutine":
		err = tui.Show(&badWait{Session: s}, nil)
	}
	if err != nil {
		fmt.Println("ended with:", err)
		return 1
	}
	return 0
}

type badCommit struct{ *tuitest.Session }

func (badCommit) Commit(core.Bundle) error { panic("a defect") }

type badOpen struct{ *tuitest.Session }

func (badOpen) Open(context.Context, *proto.Open) ([]proto.Place, error) { panic("a defect") }

type badWait struct{ *tuitest.Session }

func (*badWait) Wait(context.Context) error { panic("a defect") }

// job is an interface in a terminal under a shell.
type job struct {
	t      *testing.T
	master *os.File
	slave  *os.File
	before *term.State
	told   *bufio.Scanner
	back   io.Writer
	pid    int

	mu    sync.Mutex
	more  sync.Cond
	out   []byte // since forget
	ended bool
}

func startJob(t *testing.T, defect string) *job {
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pty:", err)
	}
	j := &job{t: t, master: master, slave: slave}
	j.more.L = &j.mu
	t.Cleanup(func() { master.Close(); slave.Close() })
	if err := pty.Setsize(master, &pty.Winsize{Rows: 10, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	if j.before, err = term.GetState(slave.Fd()); err != nil {
		t.Fatal(err)
	}
	control, theirs := socketPair(t)
	c := exec.Command(os.Args[0], shellCommand, defect)
	c.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8", "COLORTERM=")
	c.Stdin, c.Stdout, c.Stderr, c.ExtraFiles = slave, slave, slave, []*os.File{theirs}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	t.Cleanup(func() { control.Close(); syscall.Kill(j.pid, syscall.SIGKILL); c.Wait() })
	j.told, j.back = bufio.NewScanner(control), control
	if _, err := fmt.Sscan(j.tells(), &j.pid); err != nil {
		t.Fatal(err)
	}
	go j.read()
	return j
}

func (j *job) read() {
	buf := make([]byte, 4096)
	for {
		n, err := j.master.Read(buf)
		j.mu.Lock()
		j.out = append(j.out, buf[:n]...)
		j.ended = err != nil
		j.more.Broadcast()
		j.mu.Unlock()
		if err != nil {
			return
		}
	}
}

// tells returns what the shell says next.
func (j *job) tells() string {
	j.t.Helper()
	if !j.told.Scan() {
		j.t.Fatal("the shell has ended")
	}
	return j.told.Text()
}

// shows waits until the terminal has got the texts, in this order, and forgets them.
func (j *job) shows(texts ...string) {
	j.t.Helper()
	j.mu.Lock()
	defer j.mu.Unlock()
	for {
		rest, ok := j.out, true
		for _, s := range texts {
			i := bytes.Index(rest, []byte(s))
			if ok = i >= 0; !ok {
				break
			}
			rest = rest[i+len(s):]
		}
		if ok {
			j.out = append([]byte(nil), rest...)
			return
		}
		if j.ended {
			j.t.Fatalf("%q never came: %q", texts, j.out)
		}
		j.more.Wait()
	}
}

func (j *job) types(keys string) {
	j.t.Helper()
	if _, err := io.WriteString(j.master, keys); err != nil {
		j.t.Fatal(err)
	}
}

// raw waits until the terminal's line is in raw mode, or as it was found.
func (j *job) raw(want bool) {
	j.t.Helper()
	for {
		now, err := term.GetState(j.slave.Fd())
		if err != nil {
			j.t.Fatal(err)
		}
		if want && now.Lflag&unix.ICANON == 0 || !want && now.Termios == j.before.Termios {
			return
		}
	}
}

const (
	enters = "\x1b[?1049h"
	leaves = "\x1b[?1049l"
	// frame is in a row that is painted whole.
	frame = "the text"
)

// TestJob stops an interface in every way and brings it back. Between, the terminal is the shell's
// again, and afterwards the interface's, which paints everything.
func TestJob(t *testing.T) {
	j := startJob(t, "")
	j.shows(enters, "\x1b[?1002h", frame, "\x1b[c")
	j.raw(true)
	for _, stop := range []struct {
		name string
		do   func()
		own  bool // the interface knows that it is stopped
	}{
		{"a key", func() { j.types("\x1b[122;6u") }, true},
		{"SIGTSTP", func() { syscall.Kill(j.pid, syscall.SIGTSTP) }, true},
		{"SIGSTOP", func() { syscall.Kill(j.pid, syscall.SIGSTOP) }, false},
		{"a key again", func() { j.types("\x1b[27;6;90~") }, true},
	} {
		t.Log(stop.name)
		stop.do()
		if got := j.tells(); got != "stopped" {
			t.Fatalf("the shell says %q", got)
		}
		if stop.own {
			j.shows("\x1b[<1u", "\x1b[?2004l", "\x1b[?1002l", leaves, "\x1b[?25h")
			j.raw(false)
		} else if err := term.SetState(j.slave.Fd(), j.before); err != nil { // as shells do
			t.Fatal(err)
		}
		fmt.Fprintln(j.back, "on")
		j.shows(enters, "\x1b[?2004h", "\x1b[?1002h", frame)
		j.raw(true)
	}
	j.types("\x1b[113;5u") // Ctrl-Q
	j.shows(leaves)
	if got := j.tells(); got != "ended 0" {
		t.Errorf("the shell says %q", got)
	}
	j.raw(false)
}

// A terminal that is resized is painted in its new size, also when that happens to a stopped
// interface, or the size comes back to what it was.
func TestResize(t *testing.T) {
	j := startJob(t, "")
	j.shows(frame, "F1", "\x1b[c")
	size := func(rows, cols uint16) {
		t.Helper()
		if err := pty.Setsize(j.master, &pty.Winsize{Rows: rows, Cols: cols}); err != nil {
			t.Fatal(err)
		}
	}
	painted := func(rows int) { // of a whole frame, whose last row has the keys
		t.Helper()
		j.shows("\x1b[H\x1b[J", frame, fmt.Sprintf("\x1b[%d;2H", rows), "F1")
	}
	size(30, 60)
	painted(30)
	syscall.Kill(j.pid, syscall.SIGSTOP)
	if got := j.tells(); got != "stopped" {
		t.Fatalf("the shell says %q", got)
	}
	size(50, 60)
	fmt.Fprintln(j.back, "on")
	j.shows(enters)
	painted(50)
	syscall.Kill(j.pid, syscall.SIGWINCH)
	painted(50)
}

// The mouse is the terminal's when that is asked for.
func TestMouseToggle(t *testing.T) {
	j := startJob(t, "")
	j.shows("\x1b[?1002h\x1b[?1006h", frame)
	j.types("\x1b[20~") // F9
	j.shows("\x1b[?1002l\x1b[?1006l")
	j.types("\x1b[20~") // F9
	j.shows("\x1b[?1002h\x1b[?1006h")
}

// Mode 2027 is turned on where the terminal has it, and off again at the end.
func TestClusters(t *testing.T) {
	j := startJob(t, "")
	j.shows("\x1b[?2027$p")
	j.types("\x1b[?2027;2$y")
	j.shows("\x1b[?2027h")
	j.types("\x11")
	j.shows("\x1b[?2027l", leaves)
}

// A defect gives the terminal back before it is told, wherever it is.
func TestPanic(t *testing.T) {
	for _, where := range []string{"loop", "command", "goroutine"} {
		t.Run(where, func(t *testing.T) {
			j := startJob(t, where)
			j.shows(enters)
			if where == "loop" {
				j.shows(frame)
				j.types("x")
			}
			j.shows(leaves, "\x1b[?25h", "a defect")
			if got := j.tells(); got == "ended 0" || !strings.HasPrefix(got, "ended ") {
				t.Errorf("the shell says %q", got)
			}
			j.raw(false)
		})
	}
}

package tui_test

import (
	"bytes"
	"io"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"apex/client/tui"
	"apex/client/tui/tuitest"
	"apex/proto/fd"

	"github.com/charmbracelet/x/term"
	"github.com/creack/pty"
)

// shownCommand makes this program an interface that ends when its standard error is written to.
const shownCommand = "show-terminal"

func TestMain(m *testing.M) {
	if len(os.Args) > 1 {
		switch os.Args[1] {
		case tui.GuardCommand:
			if err := tui.Guard(); err != nil {
				os.Exit(1)
			}
			return
		case shownCommand:
			shown()
			return
		case shellCommand:
			shell(os.Args[2:])
			return
		case runCommand:
			os.Exit(runHere(os.Args[2]))
		}
	}
	os.Exit(m.Run())
}

// shown shows a session, says so over descriptor 3, and leaves when that is closed.
func shown() {
	end, err := tui.Begin(tuitest.NewSession())
	if err != nil {
		os.Exit(1)
	}
	control := os.NewFile(3, "control")
	control.Write([]byte{'s'})
	io.Copy(io.Discard, control)
	end()
}

// TestGuard kills an interface on a terminal of its own by what can't be caught, and looks at what
// the terminal got and how it is set. An interface that leaves by itself restores once.
func TestGuard(t *testing.T) {
	for _, how := range []syscall.Signal{syscall.SIGKILL, syscall.SIGABRT, 0} {
		t.Run(how.String(), func(t *testing.T) { testGuard(t, how) })
	}
}

func testGuard(t *testing.T, how syscall.Signal) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	if err := pty.Setsize(master, &pty.Winsize{Rows: 10, Cols: 40}); err != nil {
		t.Fatal(err)
	}
	before, err := term.GetState(slave.Fd())
	if err != nil {
		t.Fatal(err)
	}
	control, theirs := socketPair(t)
	c := exec.Command(os.Args[0], shownCommand)
	c.Stdin, c.Stdout, c.ExtraFiles = slave, slave, []*os.File{theirs}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	theirs.Close()
	var out bytes.Buffer
	read := make(chan struct{})
	go func() {
		io.Copy(&out, master) // until nobody has the other end: interface, guard and this test
		close(read)
	}()
	if _, err := io.ReadFull(control, make([]byte, 1)); err != nil {
		t.Fatal(err)
	}
	raw, err := term.GetState(slave.Fd())
	if err != nil || raw.Termios == before.Termios {
		t.Fatalf("the interface did not set the terminal: %v", err)
	}
	if how != 0 {
		c.Process.Signal(how)
	} else {
		control.Close()
	}
	c.Wait()
	// The terminal hangs up when the last has closed it, the guard; its modes are read before that
	// from a descriptor that does not count for this.
	modes := watchModes(t, slave, before)
	slave.Close()
	<-read
	if !modes {
		t.Error("the terminal's modes were not given back")
	}
	for _, want := range []string{"\x1b[?1049l", "\x1b[?1000l", "\x1b[?2004l", "\x1b[?1004l",
		"\x1b[=0u", "\x1b[?25h"} {
		if n := bytes.Count(out.Bytes(), []byte(want)); n == 0 || how == 0 && n > 2 {
			t.Errorf("%q was sent %d times", want, n)
		}
	}
}

// watchModes waits until the terminal is set as before; go test's own limit is the only one.
func watchModes(t *testing.T, slave *os.File, before *term.State) bool {
	for {
		now, err := term.GetState(slave.Fd())
		if err != nil {
			t.Fatal(err)
		}
		if now.Termios == before.Termios {
			return true
		}
	}
}

func socketPair(t *testing.T) (ours, theirs *os.File) {
	a, b, err := fd.SocketPair()
	if err != nil {
		t.Fatal(err)
	}
	ours = os.NewFile(uintptr(a), "ours")
	t.Cleanup(func() { ours.Close() })
	return ours, os.NewFile(uintptr(b), "theirs")
}

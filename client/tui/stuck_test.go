//go:build linux

package tui_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"syscall"
	"testing"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// Whatever the terminal does, a signal ends the interface with the status that says which, and a
// defect does too. Here the terminal takes no output, from the beginning on, while the screen is
// painted, or when it is given back.
func TestStuckTerminal(t *testing.T) {
	for _, c := range []struct {
		name   string
		before bool   // it is stuck before the interface begins
		defect string // of the session
		types  string // when it is stuck
		sig    syscall.Signal
		want   int
	}{
		{"TERM while painting", false, "", "x", syscall.SIGTERM, 128 + 15},
		{"INT while painting", false, "", "x", syscall.SIGINT, 128 + 2},
		{"QUIT while painting", false, "", "x", syscall.SIGQUIT, 128 + 3},
		{"HUP while painting", false, "", "x", syscall.SIGHUP, 128 + 1},
		{"TERM while giving back", false, "", "\x11", syscall.SIGTERM, 128 + 15},
		{"TERM", false, "", "", syscall.SIGTERM, 128 + 15},
		{"TERM from the beginning", true, "", "", syscall.SIGTERM, 128 + 15},
		{"a defect", false, "loop", "x", 0, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			testStuck(t, c.before, c.defect, c.types, c.sig, c.want)
		})
	}
}

func testStuck(t *testing.T, before bool, defect, types string, sig syscall.Signal, want int) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pty:", err)
	}
	defer slave.Close()
	defer master.Close()
	if before {
		jam(t, slave)
	}
	c := exec.Command(os.Args[0], runCommand, defect)
	c.Env = append(os.Environ(), "TERM=xterm-256color", "LANG=C.UTF-8")
	c.Stdin, c.Stdout, c.Stderr = slave, slave, slave
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer c.Process.Kill()
	if before {
		waitRaw(t, slave)
	} else {
		readUntil(t, master, "\x1b[c") // the queries, after the first frame
		jam(t, slave)
	}
	if _, err := master.WriteString(types); err != nil {
		t.Fatal(err)
	}
	if sig != 0 {
		if types != "" {
			waitTaken(t, slave)
		}
		c.Process.Signal(sig)
	}
	var exit *exec.ExitError
	if err := c.Wait(); !errors.As(err, &exit) || exit.ExitCode() != want {
		t.Errorf("ended with %v, want status %d", err, want)
	}
}

// jam stops the terminal's output, as Ctrl-S does where that is on: it takes nothing more.
func jam(t *testing.T, slave *os.File) {
	t.Helper()
	if err := unix.IoctlSetInt(int(slave.Fd()), unix.TCXONC, unix.TCOOFF); err != nil {
		t.Fatal(err)
	}
}

// waitRaw waits until the terminal is in raw mode, and waitTaken until all of its input is read;
// go test's own limit is the only one.
func waitRaw(t *testing.T, slave *os.File) {
	t.Helper()
	for {
		modes, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
		if err != nil {
			t.Fatal(err)
		}
		if modes.Lflag&unix.ICANON == 0 {
			return
		}
	}
}

func waitTaken(t *testing.T, slave *os.File) {
	t.Helper()
	for {
		n, err := unix.IoctlGetInt(int(slave.Fd()), unix.TIOCINQ)
		if err != nil {
			t.Fatal(err)
		}
		if n == 0 {
			return
		}
	}
}

func readUntil(t *testing.T, f *os.File, mark string) {
	t.Helper()
	var got []byte
	buf := make([]byte, 4096)
	for !bytes.Contains(got, []byte(mark)) {
		n, err := f.Read(buf)
		if err != nil {
			t.Fatalf("%q never came: %v", mark, err)
		}
		got = append(got, buf[:n]...)
	}
}

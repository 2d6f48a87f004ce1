package tui

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	osexec "os/exec"
	"os/signal"
	"runtime"
	"syscall"
	"time"

	"apex/client/tui/paint"

	"github.com/charmbracelet/x/term"
	"golang.org/x/sys/unix"
)

// GuardCommand is the word by which a program is a guard: with it as the only argument, the program
// that calls Run must call Guard.
const GuardCommand = "guard-terminal"

// A guard is told over its standard input what to give back: the modes of the terminal before the
// interface and those that the interface set. Then comes guardDone, or the end if the interface was
// killed.
const guardDone = 'q'

// The descriptors of a guard beside its standard input.
const (
	guardOut = 3 // the terminal as output
	guardIn  = 4 // and as input, which has the modes
)

// guardMax is how long a guard may take to give back a terminal that takes nothing.
const guardMax = 10 * time.Second

// guardModes are what a guard is told.
type guardModes struct{ Before, Ours unix.Termios }

// Guard gives the terminal back when the interface that started this process is killed by what it
// can't catch. It returns when the interface has ended.
func Guard() error {
	signal.Ignore(syscall.SIGHUP, syscall.SIGINT, syscall.SIGQUIT, syscall.SIGTERM, syscall.SIGTTOU,
		syscall.SIGPIPE)
	var modes guardModes
	if err := binary.Read(os.Stdin, binary.NativeEndian, &modes); err != nil {
		return err
	}
	var end [1]byte
	if _, err := io.ReadFull(os.Stdin, end[:]); err == nil {
		return nil
	}
	time.AfterFunc(guardMax, func() { os.Exit(1) })
	out, in := os.NewFile(guardOut, "terminal"), os.NewFile(guardIn, "terminal")
	_, wrote := out.Write(paint.AppendRestore(nil, true, paint.DetectCaps(os.Getenv)))
	// A shell that has the terminal already has set its own modes: they stay.
	now, err := term.GetState(in.Fd())
	if err == nil && now.Termios == modes.Ours {
		now.Termios = modes.Before
		err = term.SetState(in.Fd(), now)
	}
	return errors.Join(wrote, err)
}

// guarded is the interface's end of its guard; nil where there is none.
type guarded struct{ pipe *os.File }

// protect starts a guard for the terminal, which is in raw mode. An interface without one only is
// less safe, so that errors are not told.
func (h *host) protect() {
	ours, err := term.GetState(h.in.Fd())
	if err != nil {
		return
	}
	exe, err := os.Executable()
	if runtime.GOOS == "linux" {
		exe = "/proc/self/exe" // also where the program's file was replaced or removed
	}
	r, w, perr := os.Pipe()
	if errors.Join(err, perr) != nil {
		return
	}
	defer r.Close()
	c := osexec.Command(exe, GuardCommand)
	c.Args[0] = os.Args[0]
	c.Dir = "/" // so that no file system stays in use by it
	c.Stdin = r
	c.ExtraFiles = []*os.File{h.out, h.in}
	c.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := c.Start(); err != nil {
		w.Close()
		return
	}
	go c.Wait()
	binary.Write(w, binary.NativeEndian, guardModes{h.state.Termios, ours.Termios})
	h.guarded = &guarded{w}
}

// end lets the guard go: the terminal is given back.
func (g *guarded) end() {
	if g != nil {
		g.pipe.Write([]byte{guardDone})
		g.pipe.Close()
	}
}

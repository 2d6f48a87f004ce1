package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"apex/core"
	"apex/proto/fd"

	"golang.org/x/sys/unix"
)

const (
	// viaDialMax is how long a command has to reach the daemon when nobody can answer its questions: a
	// login over a slow link. The first time it may take as long as the person takes.
	viaDialMax = 30 * time.Second
	// viaEndMax is how long a command has to end when its stream is closed, and again when it is told.
	viaEndMax = time.Second
	// bannerWait is how long the rest of a banner is waited for, so that its first words are told.
	bannerWait = 200 * time.Millisecond
	// bannerMaxBytes is how much of a banner is told.
	bannerMaxBytes = 60
	// saidKeepBytes is how much of the end of what a command said is kept, for its last line.
	saidKeepBytes = 4 << 10
)

// Via reaches a daemon through a command whose standard input and output are the connection, such as
// `ssh host apex attach --stdio`. One command runs at a time. The first, Connect's, may ask the person
// at the terminal what it has to know; those that a Session runs later may not, since the terminal
// has other things on it by then, and ask in vain.
type Via struct {
	Name    string // of it, in errors
	Command []string
	// Restart is Command in a form that starts no daemon, for one that was stopped; nil: Command.
	Restart []string
	Stderr  io.Writer // gets what the first command says; nil: nobody

	first net.Conn // of Connect, until it is dialled
	child *viaChild
}

// viaChild is a command that runs, or has run.
type viaChild struct {
	cmd   *exec.Cmd
	apart bool // it leads a session of its own, and with that a process group
	said  *said
	ended chan struct{} // closed when it has ended
	err   error         // how, set before that
}

// Connect runs the command for the first time, and returns when the other end says something. Until
// then what the command says goes to Stderr, and so it does if it fails.
func (v *Via) Connect(ctx context.Context) (err error) {
	v.first, err = v.run(ctx, v.Command, false)
	return err
}

// Close ends the command. The session has been closed before.
func (v *Via) Close() {
	if v.first != nil {
		v.first.Close()
	}
	v.end()
}

// dial runs the command again, if Connect's connection is used up.
func (v *Via) dial(ctx context.Context, stopped bool) (net.Conn, error) {
	if nc := v.first; nc != nil {
		v.first = nil
		return nc, nil
	}
	v.end()
	command := v.Command
	if stopped && v.Restart != nil {
		command = v.Restart
	}
	ctx, cancel := context.WithTimeoutCause(ctx, viaDialMax,
		unavailable("%s: nothing has come of it for %v", v.Name, viaDialMax))
	defer cancel()
	return v.run(ctx, command, true)
}

// run starts the command and waits until the other end says something that may be the protocol.
func (v *Via) run(ctx context.Context, command []string, apart bool) (net.Conn, error) {
	a, b, err := fd.SocketPair()
	if err != nil {
		return nil, unavailable("%s: %v", v.Name, err)
	}
	ours, theirs := os.NewFile(uintptr(a), "via"), os.NewFile(uintptr(b), "via")
	defer ours.Close()
	defer theirs.Close()
	child := &viaChild{cmd: exec.Command(command[0], command[1:]...), apart: apart,
		said: &said{}, ended: make(chan struct{})}
	if !apart {
		child.said.to = v.Stderr
	}
	cmd := child.cmd
	cmd.Stdin, cmd.Stdout, cmd.Stderr = theirs, theirs, child.said
	cmd.WaitDelay = viaEndMax // what it leaves running may keep its standard error open
	if apart {
		cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true} // without a terminal to ask on
	}
	nc, err := net.FileConn(ours)
	if err != nil {
		return nil, unavailable("%s: %v", v.Name, err)
	}
	if err := cmd.Start(); err != nil {
		nc.Close()
		return nil, unavailable("%s: %v", v.Name, err)
	}
	theirs.Close() // so that its end is seen
	go func() {
		child.err = cmd.Wait()
		close(child.ended)
	}()
	v.child = child
	if err := v.await(ctx, nc.(*net.UnixConn)); err != nil {
		nc.Close()
		v.end()
		return nil, err
	}
	child.said.hush()
	return nc, nil
}

// await waits for the first bytes, and looks at them. A frame's length begins with a zero, text does
// not.
func (v *Via) await(ctx context.Context, nc *net.UnixConn) error {
	defer nc.SetReadDeadline(time.Time{})
	stop := context.AfterFunc(ctx, func() { nc.SetReadDeadline(past) })
	first, err := peek(nc, 1)
	if !stop() && ctx.Err() != nil {
		return context.Cause(ctx)
	}
	switch {
	case err != nil:
		return v.explain(linkError(err))
	case first[0] == 0:
		return nil
	}
	nc.SetReadDeadline(time.Now().Add(bannerWait))
	first, _ = peek(nc, bannerMaxBytes)
	return core.Errorf(core.CodeBadRequest, "%s: prints %q before it speaks the protocol: want nothing "+
		"on its standard output but what `apex attach --stdio` says", v.Name, first)
}

// peek returns the first bytes that come, at most so many, without taking them: fewer at a deadline,
// at the end of the stream, and after the end of a line. Without any it is an error.
func peek(nc *net.UnixConn, most int) (got []byte, err error) {
	raw, err := nc.SyscallConn()
	if err != nil {
		return nil, err
	}
	buf := make([]byte, most)
	var peeked error
	err = raw.Read(func(s uintptr) bool {
		n, _, err := unix.Recvfrom(int(s), buf, unix.MSG_PEEK|unix.MSG_DONTWAIT)
		switch {
		case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EINTR):
			return false
		case err != nil:
			peeked = err
			return true
		case n == 0 && len(got) == 0:
			peeked = io.EOF
			return true
		}
		ended := n == len(got) // woken, and there is no more
		got = buf[:n]
		return n == most || ended || bytes.IndexByte(got, '\n') >= 0
	})
	if len(got) > 0 {
		return bytes.TrimRight(got, "\r\n"), nil
	}
	return nil, errors.Join(peeked, err)
}

// explain says why a connection ended: what the command said last, if it has ended too.
func (v *Via) explain(err error) error {
	c := v.child
	if c == nil {
		return err
	}
	select {
	case <-c.ended:
	case <-time.After(viaEndMax):
		return err
	}
	why, how := c.said.last(), "status 0"
	if c.err != nil {
		how = c.err.Error()
	}
	if why == "" {
		return unavailable("%s: it ended (%s) and has not said why", v.Name, how)
	}
	return unavailable("%s: %s (%s)", v.Name, why, how)
}

// end ends the command, whose stream is closed: most do by themselves then, but not over a network
// that is gone.
func (v *Via) end() {
	c := v.child
	if c == nil {
		return
	}
	v.child = nil
	for _, sig := range []syscall.Signal{syscall.SIGTERM, syscall.SIGKILL} {
		select {
		case <-c.ended:
			return
		default:
		}
		pid := c.cmd.Process.Pid
		if c.apart {
			pid = -pid
		}
		_ = syscall.Kill(pid, sig) // not waited for yet, so it has the number
		select {
		case <-c.ended:
		case <-time.After(viaEndMax):
		}
	}
}

// said keeps the end of what a command says, and passes it on until it is hushed.
type said struct {
	mu   sync.Mutex
	to   io.Writer
	kept []byte
}

// Write implements io.Writer.
func (s *said) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.to != nil {
		_, _ = s.to.Write(b)
	}
	s.kept = append(s.kept, b...)
	s.kept = s.kept[max(0, len(s.kept)-saidKeepBytes):]
	return len(b), nil
}

func (s *said) hush() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.to = nil
}

// last returns the last line that is not empty, printable.
func (s *said) last() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	lines := strings.FieldsFunc(string(s.kept), func(r rune) bool { return r == '\n' || r == '\r' })
	for len(lines) > 0 {
		line := strings.TrimSpace(lines[len(lines)-1])
		if line != "" && !strings.HasPrefix(line, "next: ") {
			quoted := fmt.Sprintf("%q", strings.TrimPrefix(line, "apex: "))
			return strings.ReplaceAll(quoted[1:len(quoted)-1], `\"`, `"`)
		}
		lines = lines[:len(lines)-1]
	}
	return ""
}

package socket

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"

	"apex/proto/fd"

	"golang.org/x/sys/unix"
)

// Conn is a connected Unix socket.
type Conn struct {
	file          *fd.File
	local, remote net.Addr
	reading       sync.Mutex // held by Read
	writing       sync.Mutex // held by Write, so that what it writes stays together
}

var _ net.Conn = (*Conn)(nil)

// New returns u as a Conn; u itself must not be used any more, unless there is an error: then it is
// as good as it was.
func New(u *net.UnixConn) (*Conn, error) {
	raw, err := u.SyscallConn()
	if err != nil {
		return nil, err
	}
	var own int
	var dup error
	err = raw.Control(func(theirs uintptr) { own, dup = unix.FcntlInt(theirs, unix.F_DUPFD_CLOEXEC, 0) })
	if err := errors.Join(err, dup); err != nil {
		return nil, err
	}
	file, err := fd.New(own)
	if err != nil {
		unix.Close(own)
		return nil, err
	}
	c := &Conn{file: file, local: u.LocalAddr(), remote: u.RemoteAddr()}
	u.Close() // takes the socket out of the runtime's poller, and no more: we have it too
	return c, nil
}

// Of returns nc as a Conn if it is a Unix socket and the system lets it be one, and else nc itself.
// nc must not be used any more.
func Of(nc net.Conn) net.Conn {
	if u, ok := nc.(*net.UnixConn); ok {
		if c, err := New(u); err == nil {
			return c
		}
	}
	return nc
}

// Now returns the WriteNow of what Of returned; nil if that is no Conn.
func Now(nc net.Conn) func([]byte) (int, error) {
	if c, ok := nc.(*Conn); ok {
		return c.WriteNow
	}
	return nil
}

// Read implements net.Conn.
func (c *Conn) Read(b []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	n, err := c.file.ReadBytes(b)
	if err != nil && err != io.EOF {
		err = c.failed("read", err)
	}
	return n, err
}

// Write implements net.Conn.
func (c *Conn) Write(b []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	n, err := c.file.WriteBytes(b)
	if err != nil {
		err = c.failed("write", err)
	}
	return n, err
}

// WriteNow writes what the socket takes without waiting, and returns how many bytes that is: less
// than all of them is no error.
func (c *Conn) WriteNow(b []byte) (int, error) {
	n, err := c.file.WriteSome(b)
	if err != nil {
		err = c.failed("write", err)
	}
	return n, err
}

// Close implements net.Conn.
func (c *Conn) Close() error {
	if err := c.file.Close(); err != nil {
		return c.failed("close", err)
	}
	return nil
}

func (c *Conn) failed(op string, err error) error {
	var errno syscall.Errno
	switch {
	case errors.Is(err, os.ErrClosed):
		err = net.ErrClosed
	case errors.As(err, &errno):
		err = os.NewSyscallError(op, errno)
	}
	return &net.OpError{Op: op, Net: "unix", Source: c.local, Addr: c.remote, Err: err}
}

// LocalAddr implements net.Conn.
func (c *Conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr implements net.Conn.
func (c *Conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline implements net.Conn.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline implements net.Conn.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.deadline(c.file.SetReadDeadline(t)) }

// SetWriteDeadline implements net.Conn.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.deadline(c.file.SetWriteDeadline(t)) }

func (c *Conn) deadline(err error) error {
	if err != nil {
		return c.failed("set deadline", err)
	}
	return nil
}

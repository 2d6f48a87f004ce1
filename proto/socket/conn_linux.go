package socket

import (
	"errors"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// conn is a socket of our own descriptor, which does not block and is in no poller but that of its
// waiters, while they wait.
type conn struct {
	local, remote net.Addr

	use    sync.RWMutex // held by who uses fd, and alone by who closes it
	fd     int
	closed bool

	in, out waiter
	writing sync.Mutex // held by Write, so that what it writes stays together
}

func newConn(u *net.UnixConn) (Conn, error) {
	raw, err := u.SyscallConn()
	if err != nil {
		return nil, err
	}
	c := &conn{local: u.LocalAddr(), remote: u.RemoteAddr(),
		in: waiter{events: unix.EPOLLIN}, out: waiter{events: unix.EPOLLOUT}}
	var dup error
	err = raw.Control(func(fd uintptr) { c.fd, dup = unix.FcntlInt(fd, unix.F_DUPFD_CLOEXEC, 0) })
	if err = errors.Join(err, dup); err != nil {
		return nil, err
	}
	if _, err := c.in.open(c.fd); err != nil {
		unix.Close(c.fd)
		return nil, err
	}
	u.Close() // takes the socket out of the runtime's poller, and no more: we have it too
	return c, nil
}

// Read implements net.Conn.
func (c *conn) Read(b []byte) (int, error) {
	if len(b) == 0 {
		return 0, nil
	}
	for {
		if c.in.late() {
			return 0, c.failed("read", os.ErrDeadlineExceeded)
		}
		n, err := c.soon(b)
		switch {
		case n > 0:
			return n, nil
		case err == nil:
			return 0, io.EOF
		case err == unix.EAGAIN:
			err = c.in.wait(c)
		}
		if err != nil {
			return 0, c.failed("read", err)
		}
	}
}

// awake is how long a reader stays awake for what comes soon. An answer takes a few microseconds,
// and to wake who sleeps on another core 20 to 50: so this costs at most as much again as it saves.
const awake = 20 * time.Microsecond

// soon reads what is there, or comes while a reader stays awake for it.
func (c *conn) soon(b []byte) (n int, err error) {
	n, err = c.now(unix.SYS_READ, b)
	for begun := time.Now(); err == unix.EAGAIN && time.Since(begun) < awake && yields.yield(); {
		n, err = c.now(unix.SYS_READ, b)
	}
	return n, err
}

// Write implements net.Conn.
func (c *conn) Write(b []byte) (written int, err error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	for {
		if c.out.late() {
			return written, c.failed("write", os.ErrDeadlineExceeded)
		}
		n, err := c.WriteNow(b[written:])
		if written += n; err != nil || written == len(b) {
			return written, err
		}
		if err := c.out.wait(c); err != nil {
			return written, c.failed("write", err)
		}
	}
}

// WriteNow implements Conn.
func (c *conn) WriteNow(b []byte) (int, error) {
	n, err := c.now(unix.SYS_WRITE, b)
	if err == nil || err == unix.EAGAIN {
		return n, nil
	}
	return n, c.failed("write", err)
}

// now reads or writes what can be at once. The runtime is not told: it would wake its monitor to
// look after a call that never waits.
func (c *conn) now(call uintptr, b []byte) (int, error) {
	c.use.RLock()
	defer c.use.RUnlock()
	if c.closed {
		return 0, net.ErrClosed
	}
	for {
		n, _, errno := syscall.RawSyscall(call, uintptr(c.fd),
			uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
		switch errno {
		case 0:
			return int(n), nil
		case unix.EINTR:
		default:
			return 0, errno
		}
	}
}

// arm has a waiter's epoll say when the socket is ready.
func (c *conn) arm(epoll int, events uint32) error {
	c.use.RLock()
	defer c.use.RUnlock()
	if c.closed {
		return net.ErrClosed
	}
	event := unix.EpollEvent{Events: events | unix.EPOLLONESHOT}
	_, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_CTL, uintptr(epoll), unix.EPOLL_CTL_MOD,
		uintptr(c.fd), uintptr(unsafe.Pointer(&event)), 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// Close implements net.Conn.
func (c *conn) Close() error {
	c.use.Lock()
	defer c.use.Unlock()
	if c.closed {
		return c.failed("close", net.ErrClosed)
	}
	c.closed = true
	c.in.close()
	c.out.close()
	return unix.Close(c.fd)
}

func (c *conn) failed(op string, err error) error {
	var errno syscall.Errno
	if errors.As(err, &errno) {
		err = os.NewSyscallError(op, errno)
	}
	return &net.OpError{Op: op, Net: "unix", Source: c.local, Addr: c.remote, Err: err}
}

// LocalAddr implements net.Conn.
func (c *conn) LocalAddr() net.Addr { return c.local }

// RemoteAddr implements net.Conn.
func (c *conn) RemoteAddr() net.Addr { return c.remote }

// SetDeadline implements net.Conn.
func (c *conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline implements net.Conn.
func (c *conn) SetReadDeadline(t time.Time) error { return c.in.setDeadline(t) }

// SetWriteDeadline implements net.Conn.
func (c *conn) SetWriteDeadline(t time.Time) error { return c.out.setDeadline(t) }

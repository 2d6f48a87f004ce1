//go:build !linux

package socket

import (
	"net"
	"syscall"
)

// polled is a connection that stays in the runtime's poller.
type polled struct {
	*net.UnixConn
	raw syscall.RawConn
}

func newConn(u *net.UnixConn) (Conn, error) {
	raw, err := u.SyscallConn()
	if err != nil {
		return nil, err
	}
	return polled{u, raw}, nil
}

// WriteNow implements Conn.
func (p polled) WriteNow(b []byte) (n int, err error) {
	closed := p.raw.Write(func(fd uintptr) bool {
		for {
			n, err = syscall.Write(int(fd), b)
			if err != syscall.EINTR {
				return true
			}
		}
	})
	switch {
	case closed != nil:
		err = closed
	case err == syscall.EAGAIN:
		err = nil
	}
	return max(n, 0), err
}

package input

import (
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// polled is a terminal for which the runtime's poller waits.
//
// That has an epoll(7) of our own in between: the runtime waits for input and for room, and the
// second comes with every frame that the terminal takes, so that a thread would be woken for
// nothing.
type polled struct {
	fd    int      // not blocking
	epoll *os.File // can be read when the terminal can
	ready syscall.RawConn
}

func openPolled(fd int) (*polled, error) {
	again, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", fd),
		unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	t, err := poll(again)
	if err != nil {
		unix.Close(again)
		return nil, err
	}
	return t, nil
}

func poll(fd int) (*polled, error) {
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, err
	}
	// What is not blocking is given to the poller by NewFile.
	err = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd,
		&unix.EpollEvent{Events: unix.EPOLLIN, Fd: int32(fd)})
	if err == nil {
		err = unix.SetNonblock(epoll, true)
	}
	if err != nil {
		unix.Close(epoll)
		return nil, err
	}
	f := os.NewFile(uintptr(epoll), "epoll")
	ready, err := f.SyscallConn()
	if err == nil {
		err = f.SetReadDeadline(time.Time{}) // which only what is polled can have
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return &polled{fd, f, ready}, nil
}

// Read implements Source.
func (t *polled) Read(b []byte) (n int, err error) {
	waited := t.ready.Read(func(uintptr) bool {
		for {
			switch n, err = readNow(t.fd, b); err {
			case unix.EINTR:
			case unix.EAGAIN:
				return false
			default:
				return true
			}
		}
	})
	switch {
	case errors.Is(waited, os.ErrDeadlineExceeded):
		return 0, waited
	case waited != nil:
		unix.Close(t.fd) // here, where nobody reads it
		t.fd = -1
		return 0, os.ErrClosed
	case err != nil:
		return 0, err
	case n == 0:
		return 0, io.EOF
	}
	return n, nil
}

// readNow reads without telling the runtime, which has nothing to do about a call that never waits:
// it would wake its monitor, a thread that then looks after this one every 20 us.
func readNow(fd int, b []byte) (int, error) {
	n, _, errno := syscall.RawSyscall(syscall.SYS_READ, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0, errno
	}
	return int(n), nil
}

// SetReadDeadline implements Source.
func (t *polled) SetReadDeadline(at time.Time) error { return t.epoll.SetReadDeadline(at) }

// Close implements Terminal.
func (t *polled) Close() error { return t.epoll.Close() }

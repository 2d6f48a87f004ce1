package fd

import (
	"errors"
	"os"
	"sync"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// waiter waits for one direction of a file. The runtime's poller has in place of the descriptor an
// epoll(7) that holds nothing else, which is armed while somebody waits: only then does what happens
// to the descriptor wake anybody.
type waiter struct {
	events uint32

	mu     sync.Mutex
	epoll  *os.File // nil until it is needed
	raw    syscall.RawConn
	until  time.Time // the deadline; zero: none
	closed bool
}

// open makes the epoll for a descriptor, unless there is one.
func (w *waiter) open(fd int) (syscall.RawConn, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case w.closed:
		return nil, os.ErrClosed
	case w.epoll != nil:
		return w.raw, nil
	}
	epoll, err := unix.EpollCreate1(unix.EPOLL_CLOEXEC)
	if err != nil {
		return nil, os.NewSyscallError("epoll_create1", err)
	}
	err = unix.EpollCtl(epoll, unix.EPOLL_CTL_ADD, fd, &unix.EpollEvent{Events: unix.EPOLLONESHOT})
	if err == nil {
		err = unix.SetNonblock(epoll, true) // what does not block is given to the poller by NewFile
	}
	if err != nil {
		unix.Close(epoll)
		return nil, os.NewSyscallError("epoll_ctl", err)
	}
	f := os.NewFile(uintptr(epoll), "epoll")
	raw, err := f.SyscallConn()
	if err == nil {
		err = f.SetReadDeadline(w.until) // which only what is polled can have
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	w.epoll, w.raw = f, raw
	return raw, nil
}

// close ends a wait, with os.ErrClosed.
func (w *waiter) close() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.closed = true
	if w.epoll != nil {
		w.epoll.Close()
	}
}

// wait waits until the file is ready in the waiter's direction, or has hung up.
func (x *File) wait(w *waiter) (hung bool, err error) {
	raw, err := w.open(x.fd)
	switch {
	case errors.Is(err, unix.EMFILE) || errors.Is(err, unix.ENFILE) || errors.Is(err, unix.ENOMEM):
		return x.waitHere(w)
	case err != nil:
		return false, err
	}
	armed := false
	var events uint32
	var failed error
	err = raw.Read(func(epoll uintptr) bool {
		if !armed {
			armed = true
			failed = x.arm(epoll, w.events)
		}
		if failed == nil {
			events, failed = fired(epoll)
		}
		return events != 0 || failed != nil
	})
	switch {
	case failed != nil:
		return false, failed
	case err == nil || errors.Is(err, os.ErrDeadlineExceeded):
		return events&(unix.EPOLLHUP|unix.EPOLLERR) != 0, err
	}
	return false, os.ErrClosed
}

// hereMax is how long a wait without an epoll keeps a close or a deadline waiting, in milliseconds.
const hereMax = 20

// waitHere waits on this thread, where no descriptor is left for an epoll.
func (x *File) waitHere(w *waiter) (hung bool, err error) {
	for {
		if w.late() {
			return false, os.ErrDeadlineExceeded
		}
		ready := make([]unix.PollFd, 1)
		var failed error
		_, err := x.try(func(fd uintptr) bool {
			ready[0] = unix.PollFd{Fd: int32(fd), Events: int16(w.events)} // the bits are epoll's
			_, failed = unix.Poll(ready, hereMax)
			return true
		})
		switch got := ready[0].Revents; {
		case err != nil:
			return false, err
		case failed != nil && failed != unix.EINTR:
			return false, os.NewSyscallError("poll", failed)
		case got != 0:
			return got&(unix.POLLHUP|unix.POLLERR) != 0, nil
		}
	}
}

// arm has an epoll say once when the file is ready.
func (x *File) arm(epoll uintptr, events uint32) (err error) {
	_, closed := x.try(func(fd uintptr) bool {
		event := unix.EpollEvent{Events: events | unix.EPOLLONESHOT}
		_, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_CTL, epoll, unix.EPOLL_CTL_MOD, fd,
			uintptr(unsafe.Pointer(&event)), 0, 0)
		if errno != 0 {
			err = os.NewSyscallError("epoll_ctl", errno)
		}
		return true
	})
	if closed != nil {
		return closed
	}
	return err
}

// fired returns what has happened of what an epoll is armed for, and disarms it then.
func fired(epoll uintptr) (events uint32, err error) {
	for {
		var event unix.EpollEvent
		n, _, errno := syscall.RawSyscall6(unix.SYS_EPOLL_PWAIT, epoll,
			uintptr(unsafe.Pointer(&event)), 1, 0, 0, 0)
		switch {
		case errno == unix.EINTR:
		case errno != 0:
			return 0, os.NewSyscallError("epoll_pwait", errno)
		case n == 0:
			return 0, nil
		default:
			return event.Events, nil
		}
	}
}

// setDeadline sets until when a wait may last, also one that has begun.
func (w *waiter) setDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return os.ErrClosed
	}
	w.until = t
	if w.epoll == nil {
		return nil
	}
	return w.epoll.SetReadDeadline(t)
}

// late reports whether the deadline has passed.
func (w *waiter) late() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.until.IsZero() && !time.Now().Before(w.until)
}

package fd

import (
	"os"
	"sync"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// desc is a descriptor that is closed when nobody uses it.
type desc struct {
	use    sync.RWMutex // held by who uses fd, and alone to set closed
	fd     int
	closed bool
}

// New takes over a descriptor and makes it one that does not block. If there is an error it is still
// the caller's.
func New(fd int) (*File, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	x := &File{desc: desc{fd: fd},
		in: waiter{events: unix.EPOLLIN}, out: waiter{events: unix.EPOLLOUT}}
	if _, err := x.in.open(fd); err != nil {
		return nil, err
	}
	return x, nil
}

// try calls f once.
func (x *File) try(f func(fd uintptr) bool) (done bool, err error) {
	x.use.RLock()
	defer x.use.RUnlock()
	if x.closed {
		return false, os.ErrClosed
	}
	return f(uintptr(x.fd)), nil
}

// Close closes the descriptor when nobody uses it any more. Who waits gets os.ErrClosed.
func (x *File) Close() error {
	x.use.Lock()
	again := x.closed
	x.closed = true
	x.use.Unlock()
	if again {
		return os.ErrClosed
	}
	// Nobody gets to the descriptor from here on. With use held, a waiter that is about to be armed
	// would wait for us, and its close for it.
	x.in.close()
	x.out.close()
	return unix.Close(x.fd)
}

// ReadNow is read(2) of a descriptor that does not block. The runtime is not told: it would wake its
// monitor to look after a call that never waits.
func ReadNow(fd int, b []byte) (int, error) { return transfer(unix.SYS_READ, fd, b) }

// WriteNow is write(2) to such a descriptor, in the same way.
func WriteNow(fd int, b []byte) (int, error) { return transfer(unix.SYS_WRITE, fd, b) }

func transfer(call uintptr, fd int, b []byte) (int, error) {
	for {
		n, _, errno := syscall.RawSyscall(call, uintptr(fd),
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

// giveCore is sched_yield(2).
func giveCore() { syscall.RawSyscall(unix.SYS_SCHED_YIELD, 0, 0, 0) }

//go:build unix && !linux

package fd

import (
	"errors"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// desc is a descriptor that the runtime's poller has.
type desc struct {
	file *os.File
	raw  syscall.RawConn
}

// New takes over a descriptor and makes it one that does not block. If there is an error it is still
// the caller's.
func New(fd int) (*File, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		return nil, os.NewSyscallError("fcntl", err)
	}
	f := os.NewFile(uintptr(fd), "fd")
	raw, err := f.SyscallConn()
	if err != nil {
		return nil, err
	}
	x := &File{desc: desc{f, raw}}
	x.in = waiter{set: f.SetReadDeadline, events: unix.POLLIN, poll: raw.Read}
	x.out = waiter{set: f.SetWriteDeadline, events: unix.POLLOUT, poll: raw.Write}
	return x, nil
}

// waiter is one direction of a file.
type waiter struct {
	set    func(time.Time) error
	poll   func(func(uintptr) bool) error
	events int16

	mu    sync.Mutex
	until time.Time
}

func (w *waiter) setDeadline(t time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.until = t
	return plain(w.set(t))
}

// late reports whether the deadline has passed.
func (w *waiter) late() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return !w.until.IsZero() && !time.Now().Before(w.until)
}

// try calls f once.
func (x *File) try(f func(fd uintptr) bool) (done bool, err error) {
	err = x.raw.Control(func(fd uintptr) { done = f(fd) })
	return done, plain(err)
}

// wait waits until the file is ready in the waiter's direction, or has hung up. It may be already, of
// which the poller says nothing more.
func (x *File) wait(w *waiter) (hung bool, err error) {
	err = w.poll(func(fd uintptr) bool {
		ready := []unix.PollFd{{Fd: int32(fd), Events: w.events}}
		n, err := unix.Poll(ready, 0)
		hung = n > 0 && ready[0].Revents&(unix.POLLHUP|unix.POLLERR) != 0
		return n > 0 || err != nil && err != unix.EINTR
	})
	return hung, plain(err)
}

// Close closes the descriptor when nobody uses it any more. Who waits gets os.ErrClosed.
func (x *File) Close() error { return plain(x.file.Close()) }

// plain is the error of a file without the names of the file and of what was done with it.
func plain(err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, os.ErrDeadlineExceeded):
		return os.ErrDeadlineExceeded
	}
	return os.ErrClosed
}

// ReadNow is read(2) of a descriptor that does not block.
func ReadNow(fd int, b []byte) (int, error) { return again(unix.Read, fd, b) }

// WriteNow is write(2) to such a descriptor.
func WriteNow(fd int, b []byte) (int, error) { return again(unix.Write, fd, b) }

func again(call func(int, []byte) (int, error), fd int, b []byte) (int, error) {
	for {
		n, err := call(fd, b)
		if err != unix.EINTR {
			return max(n, 0), err
		}
	}
}

// giveCore leaves the core to another thread, where the system says how; others run beside.
func giveCore() { runtime.Gosched() }

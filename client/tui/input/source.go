//go:build unix

package input

import (
	"errors"
	"io"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Terminal is a Source on a terminal that somebody else has opened.
type Terminal interface {
	Source
	io.Closer // ends a Read that waits, with an error
}

// Open returns f, a terminal, as input. Where the system lets it, it is opened a second time, so
// that the runtime's poller waits for it, which costs a key no detour over another thread; the
// shell's own descriptors stay as they are. Elsewhere a thread waits.
func Open(f *os.File) (Terminal, error) {
	if t, err := openPolled(int(f.Fd())); err == nil {
		return t, nil
	}
	return newBlocking(int(f.Fd()))
}

// blocking is a terminal whose reader waits on a thread, in poll(2).
type blocking struct {
	fd         int
	end, close *os.File // a pipe that close ends
	deadline   time.Time
}

func newBlocking(fd int) (*blocking, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	return &blocking{fd: fd, end: r, close: w}, nil
}

// SetReadDeadline implements Source. It does not concern a Read that waits already.
func (s *blocking) SetReadDeadline(t time.Time) error {
	s.deadline = t
	return nil
}

// Read implements Source.
func (s *blocking) Read(b []byte) (int, error) {
	for {
		wait := -1
		if !s.deadline.IsZero() {
			wait = int(max(time.Until(s.deadline), 0) / time.Millisecond)
		}
		ready := []unix.PollFd{{Fd: int32(s.fd), Events: unix.POLLIN},
			{Fd: int32(s.end.Fd()), Events: unix.POLLIN}}
		n, err := unix.Poll(ready, wait)
		switch {
		case errors.Is(err, unix.EINTR):
			continue
		case err != nil:
			return 0, err
		case ready[1].Revents != 0:
			s.end.Close()
			return 0, os.ErrClosed
		case n == 0:
			return 0, os.ErrDeadlineExceeded
		}
		n, err = unix.Read(s.fd, b)
		switch {
		case errors.Is(err, unix.EINTR) || errors.Is(err, unix.EAGAIN):
			continue
		case err != nil:
			return 0, err
		case n == 0:
			return 0, io.EOF
		}
		return n, nil
	}
}

// Close implements Terminal.
func (s *blocking) Close() error { return s.close.Close() }

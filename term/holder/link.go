package holder

import (
	"errors"
	"io"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// link is the daemon's end of a connection. One goroutine receives; sends are serialised by the
// caller.
type link struct {
	file *os.File
	raw  syscall.RawConn
	in   []byte
	fds  []int // that came with frames; whoever takes the link over closes what it doesn't use
}

// newLink takes a connected socket over.
func newLink(fd int) (*link, error) {
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return nil, err
	}
	f := os.NewFile(uintptr(fd), "holder")
	raw, err := f.SyscallConn()
	if err != nil {
		f.Close()
		return nil, err
	}
	return &link{file: f, raw: raw}, nil
}

func (l *link) close() {
	l.file.Close()
	for _, fd := range l.fds {
		unix.Close(fd)
	}
	l.fds = nil
}

// errCut says that descriptors were sent that this process has no room for.
var errCut = errors.New("descriptors did not arrive")

// receive waits for the next message; its error is io.EOF if the other end is closed.
func (l *link) receive(m *message) error {
	for {
		rest, ok, err := cutFrame(l.in, m)
		if l.in = rest; ok || err != nil {
			return err
		}
		if err := l.more(); err != nil {
			return err
		}
	}
}

func (l *link) more() error {
	var (
		b      [4096]byte
		n, on  int
		flags  int
		failed error
	)
	oob := make([]byte, unix.CmsgSpace(8*4))
	err := l.raw.Read(func(fd uintptr) bool {
		for {
			n, on, flags, _, failed = unix.Recvmsg(int(fd), b[:], oob, receiveFlags)
			if !errors.Is(failed, unix.EINTR) {
				return !errors.Is(failed, unix.EAGAIN)
			}
		}
	})
	switch {
	case err != nil:
		return err
	case errors.Is(failed, unix.ECONNRESET): // it ended and had not read all
		return io.EOF
	case failed != nil:
		return failed
	case n == 0:
		return io.EOF
	}
	fds, err := rightsOf(oob[:on])
	l.fds = append(l.fds, fds...)
	l.in = append(l.in, b[:n]...)
	if err == nil && flags&unix.MSG_CTRUNC != 0 {
		err = errCut
	}
	return err
}

// sendMax is how long a holder may take to take a request in. It always reads.
const sendMax = 10 * time.Second

// send writes a request, with descriptors if there are any.
func (l *link) send(r *request, fds ...int) error {
	frame, err := appendFrame(nil, r)
	if err != nil {
		return err
	}
	var rights []byte
	if len(fds) > 0 {
		rights = unix.UnixRights(fds...)
	}
	if err := l.file.SetWriteDeadline(time.Now().Add(sendMax)); err != nil {
		return err
	}
	var failed error
	err = l.raw.Write(func(s uintptr) bool {
		for len(frame) > 0 {
			var n int
			n, failed = unix.SendmsgN(int(s), frame, rights, nil, sendFlags)
			switch {
			case errors.Is(failed, unix.EINTR):
				continue
			case errors.Is(failed, unix.EAGAIN):
				return false
			case failed != nil:
				return true
			}
			frame, rights = frame[n:], nil
		}
		return true
	})
	return errors.Join(err, failed)
}

package fd

import (
	"io"
	"os"
	"syscall"
	"time"
)

// File is a descriptor that does not block. It is a syscall.RawConn: Read and Write call a function
// until it reports that it is done, and wait in between; Control calls it once. Each direction has
// one user at a time, Control any number.
//
// The error of a wait is os.ErrDeadlineExceeded when the deadline has passed, and os.ErrClosed when
// the file was closed.
type File struct {
	desc
	in, out waiter
}

var _ syscall.RawConn = (*File)(nil)

// Read calls f until it reports true, at first again and again for a moment, and then whenever there
// is something to read.
func (x *File) Read(f func(fd uintptr) bool) error {
	return x.until(&x.in, func() (bool, error) {
		done, err := x.try(f)
		if !done && err == nil {
			done, err = x.spin(f)
		}
		return done, err
	})
}

// Write calls f until it reports true, whenever there is room.
func (x *File) Write(f func(fd uintptr) bool) error {
	return x.until(&x.out, func() (bool, error) { return x.try(f) })
}

// until calls f until it reports true, and waits in between. What has hung up does not become ready
// any more: if f is not done then, the error is EIO.
func (x *File) until(w *waiter, f func() (bool, error)) error {
	for hung := false; ; {
		if w.late() {
			return os.ErrDeadlineExceeded
		}
		done, err := f()
		switch {
		case done || err != nil:
			return err
		case hung:
			return syscall.EIO
		}
		if hung, err = x.wait(w); err != nil {
			return err
		}
	}
}

// Control calls f, unless the file is closed.
func (x *File) Control(f func(fd uintptr)) error {
	_, err := x.try(func(fd uintptr) bool {
		f(fd)
		return true
	})
	return err
}

// ReadBytes reads what there is, at least one byte; the error at the end is io.EOF.
func (x *File) ReadBytes(b []byte) (n int, err error) {
	if len(b) == 0 {
		return 0, nil
	}
	waited := x.Read(func(fd uintptr) bool {
		n, err = ReadNow(int(fd), b)
		return err != syscall.EAGAIN
	})
	switch {
	case waited != nil:
		return 0, waited
	case n == 0 && err == nil:
		return 0, io.EOF
	}
	return n, err
}

// WriteBytes writes all of b.
func (x *File) WriteBytes(b []byte) (written int, err error) {
	waited := x.Write(func(fd uintptr) bool {
		var n int
		n, err = WriteNow(int(fd), b[written:])
		written += n
		if err == nil && written < len(b) || err == syscall.EAGAIN {
			err = nil
			return false
		}
		return true
	})
	if waited != nil {
		return written, waited
	}
	return written, err
}

// WriteSome writes what there is room for now, and returns how many bytes that is: less than all of
// them is no error.
func (x *File) WriteSome(b []byte) (n int, err error) {
	closed := x.Control(func(fd uintptr) {
		if n, err = WriteNow(int(fd), b); err == syscall.EAGAIN {
			err = nil
		}
	})
	if closed != nil {
		return 0, closed
	}
	return n, err
}

// SetReadDeadline sets until when Read may last, also one that has begun; zero: for ever.
func (x *File) SetReadDeadline(t time.Time) error { return x.in.setDeadline(t) }

// SetWriteDeadline does the same for Write.
func (x *File) SetWriteDeadline(t time.Time) error { return x.out.setDeadline(t) }

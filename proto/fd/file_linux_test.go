package fd

import (
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/creack/pty"
	"golang.org/x/sys/unix"
)

// pipe returns a pipe's ends as Files.
func pipe(t *testing.T) (r, w *File) {
	t.Helper()
	var p [2]int
	if err := unix.Pipe(p[:]); err != nil {
		t.Fatal(err)
	}
	ends := [2]*File{}
	for i := range ends {
		x, err := New(p[i])
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { x.Close() })
		ends[i] = x
	}
	return ends[0], ends[1]
}

// Where no descriptor is left to wait by, who waits waits all the same, and for a deadline and a close
// too.
func TestNoDescriptorIsLeft(t *testing.T) {
	r, w := pipe(t)
	var before unix.Rlimit
	if err := unix.Getrlimit(unix.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	none := before
	none.Cur = 1 // poll(2) takes no more than that
	if err := unix.Setrlimit(unix.RLIMIT_NOFILE, &none); err != nil {
		t.Fatal(err)
	}
	defer unix.Setrlimit(unix.RLIMIT_NOFILE, &before)
	const size = 1 << 20
	wrote := make(chan error, 1)
	go func() {
		_, err := w.WriteBytes(make([]byte, size))
		wrote <- err
	}()
	buf := make([]byte, 4096)
	for got := 0; got < size; {
		n, err := r.ReadBytes(buf)
		if err != nil {
			t.Fatal(err)
		}
		got += n
	}
	if err := <-wrote; err != nil {
		t.Fatal(err)
	}
	for {
		if n, err := w.WriteSome(buf); err != nil || n < len(buf) {
			break
		}
	}
	w.SetWriteDeadline(time.Now())
	if _, err := w.WriteBytes(buf); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("after the deadline: %v", err)
	}
	w.SetWriteDeadline(time.Time{})
	go func() {
		_, err := w.WriteBytes(buf)
		wrote <- err
	}()
	w.Close()
	if err := <-wrote; !errors.Is(err, os.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
}

// Input that nobody reads any more ends the wait for room: the terminal has hung up.
func TestHangUp(t *testing.T) {
	master, slave, err := pty.Open()
	if err != nil {
		t.Skip("no pty:", err)
	}
	defer master.Close()
	modes, err := unix.IoctlGetTermios(int(slave.Fd()), unix.TCGETS)
	if err != nil {
		t.Fatal(err)
	}
	modes.Lflag &^= unix.ICANON | unix.ECHO
	if err := unix.IoctlSetTermios(int(slave.Fd()), unix.TCSETS, modes); err != nil {
		t.Fatal(err)
	}
	own, err := unix.Dup(int(master.Fd()))
	if err != nil {
		t.Fatal(err)
	}
	x, err := New(own)
	if err != nil {
		t.Fatal(err)
	}
	defer x.Close()
	wrote := make(chan error, 1)
	go func() {
		_, err := x.WriteBytes(make([]byte, 1<<20))
		wrote <- err
	}()
	slave.Close()
	if err := <-wrote; !errors.Is(err, syscall.EIO) {
		t.Errorf("got %v", err)
	}
}

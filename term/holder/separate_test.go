package holder_test

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	"apex/term/holder"
)

// Errors that go to a named pipe are there for whoever opens it next, as long as the holder is.
func TestSeparateErrors(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "errors")
	if err := unix.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	fd, err := unix.Open(path, unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	s := spec(t, holder.Pipe, script("echo out; echo oh >&2; cat; echo late >&2")...)
	if s.Input, err = holder.InputBytes([]byte("in\n")); err != nil {
		t.Fatal(err)
	}
	s.Errors = os.NewFile(uintptr(fd), path)
	h := start(t, s)
	s.Input.Close()
	s.Errors.Close()
	if got := readAll(t, h); got != "out\nin\n" {
		t.Errorf("output %q", got)
	}
	h.Detach()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	b := make([]byte, 100)
	if n, err := f.Read(b); err != nil || string(b[:n]) != "oh\nlate\n" {
		t.Errorf("errors %q, %v", b[:n], err)
	}
	if h, err = holder.Adopt(bounded(t), s.Dir, s.Name); err != nil {
		t.Fatal(err)
	}
	end(t, h)
	pty := spec(t, holder.Pty, "true")
	pty.Errors = f
	if _, err := holder.Start(bounded(t), "", pty); err == nil {
		t.Error("a terminal took a file for errors")
	}
}

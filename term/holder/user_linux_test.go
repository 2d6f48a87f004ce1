package holder_test

import (
	"errors"
	"io/fs"
	"os"
	"runtime"
	"syscall"
	"testing"

	"apex/term/holder"
)

// dialAs connects as another user. Credentials belong to a thread, which ends with it.
func dialAs(uid uintptr, socket string) (int, error) {
	type result struct {
		fd  int
		err error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread is of no more use
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, uid, uid, uid); errno != 0 {
			done <- result{-1, errno}
			return
		}
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err == nil {
			err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket})
		}
		done <- result{fd, err}
	}()
	r := <-done
	return r.fd, r.err
}

// Another user does not reach the socket, and gets nothing if it was opened by mistake.
func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("becoming another user takes root")
	}
	const nobody = 65534
	s := spec(t, holder.Pty, "cat")
	dir, err := os.MkdirTemp("", "holder-user-") // t.TempDir's own parent is closed to others
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	s.Dir = dir
	h := start(t, s)
	h.Detach()
	if _, err := dialAs(nobody, socketOf(s)); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("another user connects: %v", err)
	}
	if err := errors.Join(os.Chmod(dir, 0o755), os.Chmod(socketOf(s), 0o666)); err != nil {
		t.Fatal(err)
	}
	fd, err := dialAs(nobody, socketOf(s))
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	syscall.Write(fd, holder.AdoptFrame()) // it may be closed already
	if n, err := syscall.Read(fd, make([]byte, 100)); n > 0 {
		t.Errorf("another user gets %d bytes, error %v", n, err)
	}
	h, err = holder.Adopt(bounded(t), s.Dir, s.Name)
	if err != nil {
		t.Fatal(err)
	}
	end(t, h)
}

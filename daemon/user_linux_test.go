package daemon_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// dialAs connects as another user. Credentials belong to a thread, which ends with it.
func dialAs(uid uintptr, socket string) (net.Conn, error) {
	type result struct {
		nc  net.Conn
		err error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread() // and never unlocked: the thread is of no more use
		if _, _, errno := syscall.RawSyscall(syscall.SYS_SETRESUID, uid, uid, uid); errno != 0 {
			done <- result{nil, errno}
			return
		}
		fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM|syscall.SOCK_CLOEXEC, 0)
		if err == nil {
			err = syscall.Connect(fd, &syscall.SockaddrUnix{Name: socket})
		}
		if err != nil {
			done <- result{nil, err}
			return
		}
		f := os.NewFile(uintptr(fd), socket)
		nc, err := net.FileConn(f)
		f.Close()
		done <- result{nc, err}
	}()
	r := <-done
	return r.nc, r.err
}

// Another user does not reach the socket; if its directory and it are opened by mistake, the user
// is turned away with a code and a line in the log.
func TestOtherUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("becoming another user takes root")
	}
	const nobody = 65534
	d := daemontest.Start(t)
	if _, err := dialAs(nobody, d.Socket); !errors.Is(err, fs.ErrPermission) {
		t.Errorf("another user connects: %v", err)
	}
	err := errors.Join(os.Chmod(filepath.Dir(d.Socket), 0o755), os.Chmod(d.Socket, 0o666))
	if err != nil {
		t.Fatal(err)
	}
	nc, err := dialAs(nobody, d.Socket)
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	c := d.Wrap(nc)
	c.Greeted()
	if code := ending(t, c); code != core.CodeDenied {
		t.Errorf("ended with %q", code)
	}
	if got := d.Lines("another user"); len(got) != 1 {
		t.Errorf("logged %q", got)
	}
	daemontest.Must[*proto.Done](d.Dial(), &proto.Ping{})
}

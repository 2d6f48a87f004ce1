package daemon_test

import (
	"errors"
	"io/fs"
	"net"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/daemon/paths"
	"apex/proto"
)

// stopped returns a daemon that does not run, and may be started.
func stopped(t *testing.T) *daemontest.Daemon {
	t.Helper()
	d := daemontest.Start(t)
	d.Stop()
	return d
}

// A socket that a dead daemon left is replaced.
func TestStaleSocket(t *testing.T) {
	d := stopped(t)
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: d.Socket, Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	l.SetUnlinkOnClose(false)
	l.Close()
	d.Run()
	daemontest.Must[*proto.Done](d.Dial(), &proto.Ping{})
}

// One that somebody listens on is not, even if nobody answers: the daemon of another state
// directory may be stopped.
func TestLiveSocket(t *testing.T) {
	d := stopped(t)
	fd, err := syscall.Socket(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer syscall.Close(fd)
	err = errors.Join(syscall.Bind(fd, &syscall.SockaddrUnix{Name: d.Socket}), syscall.Listen(fd, 0))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 { // more than may wait, so that the last ones find it wedged
		if err := d.Try(); core.CodeOf(err) != core.CodeExists {
			t.Errorf("start %d beside a live socket: %v", i, err)
		}
		if nc, err := net.Dial("unix", d.Socket); err == nil {
			defer nc.Close()
		}
	}
	if info, err := os.Lstat(d.Socket); err != nil || info.Mode().Type() != fs.ModeSocket {
		t.Errorf("the live socket is gone: %v", err)
	}
}

// Something that is no socket is left alone.
func TestSocketPathTaken(t *testing.T) {
	d := stopped(t)
	if err := os.WriteFile(d.Socket, []byte("precious"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := d.Try(); core.CodeOf(err) != core.CodeExists {
		t.Errorf("start: %v", err)
	}
	if got := readDisk(t, d.Socket); got != "precious" {
		t.Errorf("the file holds %q", got)
	}
}

// A socket whose file was removed is bound again, and clients that are connected notice nothing.
func TestRemovedSocket(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	if err := os.Remove(d.Socket); err != nil {
		t.Fatal(err)
	}
	for {
		if nc, err := net.Dial("unix", d.Socket); err == nil {
			nc.Close()
			break
		}
		daemontest.Must[*proto.Done](c, &proto.Ping{})
	}
	daemontest.Must[*proto.Done](d.Dial(), &proto.Ping{})
	daemontest.Must[*proto.Done](c, &proto.Ping{})
}

// A second daemon on a state directory is refused, and says who has it.
func TestSecondDaemon(t *testing.T) {
	d := daemontest.Start(t)
	other := stopped(t)
	other.State = d.State
	err := other.Try()
	var held *paths.HeldError
	if !errors.As(err, &held) || held.Owner.PID != os.Getpid() || held.Owner.Socket != d.Socket {
		t.Errorf("got %v", err)
	}
	daemontest.Must[*proto.Done](d.Dial(), &proto.Ping{})
}

// What is kept, and the socket, are the user's alone.
func TestModes(t *testing.T) {
	d := daemontest.Start(t)
	open(t, d.Dial(), writeFile(t, "a.txt", "abc\n"))
	if info, err := os.Stat(d.Socket); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("socket: %v, %v", info.Mode(), err)
	}
	err := filepath.WalkDir(d.State, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err == nil && info.Mode().Perm()&0o077 != 0 {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	d.Stop()
	if err := os.Chmod(filepath.Dir(d.Socket), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := d.Try(); err == nil || !strings.Contains(err.Error(), "0755") {
		t.Errorf("a socket in an open directory: %v", err)
	}
}

// The longest path that a socket can have works; a longer one is refused with the numbers.
func TestLongSocketPath(t *testing.T) {
	d := stopped(t)
	dir := filepath.Dir(d.Socket)
	d.Socket = filepath.Join(dir, strings.Repeat("s", paths.SocketMaxBytes-len(dir)-1))
	d.Run()
	daemontest.Must[*proto.Done](d.Dial(), &proto.Ping{})
	d.Stop()
	d.Socket += "s"
	if err := d.Try(); err == nil || !strings.Contains(err.Error(), "104 bytes, at most 103") {
		t.Errorf("got %v", err)
	}
}

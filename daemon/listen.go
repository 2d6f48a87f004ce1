package daemon

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"apex/core"
	"apex/daemon/paths"
)

// listener is the daemon's socket. A cleaner may remove the file: the socket is then bound anew.
type listener struct {
	path string

	mu     sync.Mutex
	l      *net.UnixListener
	ino    uint64
	closed bool
}

// listen binds the socket. The caller holds the lock of the state directory, so a socket file that
// is there was left by a daemon that is dead, unless somebody answers on it.
func listen(path string) (*listener, error) {
	l := &listener{path: path}
	if err := paths.Private(filepath.Dir(path)); err != nil {
		return nil, err
	}
	if c, err := net.DialTimeout("unix", path, time.Second); err == nil {
		c.Close()
		return nil, core.Errorf(core.CodeExists,
			"socket %s: another daemon, of another state directory, answers on it", path)
	}
	return l, l.bind()
}

// bind makes the socket under a name of its own and renames it into place: the mode is right from
// the first moment, whatever the umask.
func (l *listener) bind() error {
	temp := l.path[:len(l.path)-1] + "~" // no longer than the path itself, which has a limit
	os.Remove(temp)
	u, err := net.ListenUnix("unix", &net.UnixAddr{Name: temp, Net: "unix"})
	if err != nil {
		return fmt.Errorf("socket %s: %w", l.path, err)
	}
	u.SetUnlinkOnClose(false)
	if err := errors.Join(os.Chmod(temp, 0o600), os.Rename(temp, l.path)); err != nil {
		u.Close()
		return fmt.Errorf("socket %s: %w", l.path, err)
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return errors.Join(u.Close(), os.Remove(l.path))
	}
	l.l, l.ino = u, inode(l.path)
	return nil
}

func inode(path string) uint64 {
	var st syscall.Stat_t
	if err := syscall.Lstat(path, &st); err != nil {
		return 0
	}
	return st.Ino
}

func (l *listener) current() *net.UnixListener {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.l
}

// watchEvery is how often the socket file is looked at. A client that finds it gone waits longer.
const watchEvery = time.Second

// watch binds the socket anew when its file is gone or another one.
func (l *listener) watch(ctx context.Context, log *slog.Logger, serve func(net.Conn)) {
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-t.C:
		}
		l.mu.Lock()
		gone := !l.closed && inode(l.path) != l.ino
		old := l.l
		l.mu.Unlock()
		if !gone {
			continue
		}
		if err := paths.Private(filepath.Dir(l.path)); err != nil {
			log.Error("socket directory", "err", err)
			continue
		}
		if err := l.bind(); err != nil {
			log.Error("socket not bound again", "err", err)
			continue
		}
		log.Warn("the socket's file was gone: bound again", "socket", l.path)
		old.Close()
		go acceptLoop(l.current(), log, serve)
	}
}

// close stops listening and removes the socket if it is still ours.
func (l *listener) close() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.closed {
		return
	}
	l.closed = true
	if inode(l.path) == l.ino {
		os.Remove(l.path)
	}
	l.l.Close()
}

func (d *Daemon) accept(u *net.UnixListener, _ *listener) { acceptLoop(u, d.log, d.serve) }

// acceptBackoff is how long accepting rests when the process is out of descriptors.
const acceptBackoff = 100 * time.Millisecond

// acceptLoop serves connections of this user until the listener is closed.
func acceptLoop(u *net.UnixListener, log *slog.Logger, serve func(net.Conn)) {
	for {
		nc, err := u.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil:
			log.Error("accept", "err", err)
			time.Sleep(acceptBackoff)
			continue
		}
		if uid, err := peerUID(nc); err != nil || uid != os.Getuid() {
			log.Warn("connection of another user refused", "uid", uid, "err", err)
			nc.Close()
			continue
		}
		serve(nc)
	}
}

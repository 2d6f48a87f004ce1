package daemon

import (
	"errors"
	"fmt"
	"io/fs"
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
	path  string
	log   *slog.Logger
	serve func(*net.UnixConn)
	full  func() []byte // what a client is told for whom there is no descriptor
	done  chan struct{} // closed by close
	wg    sync.WaitGroup

	mu     sync.Mutex
	l      *net.UnixListener
	file   socketFile
	closed bool
}

// listen binds the socket and accepts connections on it until close.
func listen(path string, log *slog.Logger, serve func(*net.UnixConn), full func() []byte) (*listener,
	error) {
	if n := len(path); n > paths.SocketMaxBytes {
		return nil, core.Errorf(core.CodeBadRequest, "socket path %s: %d bytes, at most %d",
			path, n, paths.SocketMaxBytes)
	}
	l := &listener{path: path, log: log, serve: serve, full: full, done: make(chan struct{})}
	if err := l.bind(); err != nil {
		return nil, err
	}
	l.wg.Go(l.watch)
	return l, nil
}

// bind makes the socket under a name of its own and renames it into place: the mode is right from
// the first moment, whatever the umask.
func (l *listener) bind() error {
	if err := paths.Private(filepath.Dir(l.path)); err != nil {
		return err
	}
	if err := unclaimed(l.path); err != nil {
		return err
	}
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
	l.l, l.file = u, statSocket(l.path)
	l.wg.Go(func() { l.acceptLoop(u) })
	return nil
}

// probeTimeout bounds the question whether a socket is alive.
const probeTimeout = time.Second

// unclaimed refuses a path that somebody else has. The caller holds the lock of its state
// directory, so a socket there was left by a daemon that is dead, or is that of a daemon of another
// state directory. Only a refused connection proves that nobody listens: no answer does not.
func unclaimed(path string) error {
	info, err := os.Lstat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.Mode().Type() != fs.ModeSocket {
		return core.Errorf(core.CodeExists,
			"socket %s: there is something else, which is left alone", path)
	}
	who := "another daemon"
	nc, err := net.DialTimeout("unix", path, probeTimeout)
	if err == nil {
		if pid := paths.PeerPID(nc); pid != 0 {
			who = fmt.Sprintf("pid %d (`kill %d` ends it), a daemon", pid, pid)
		}
		nc.Close()
	}
	switch {
	case errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist):
		return nil
	case errors.Is(err, syscall.EMFILE) || errors.Is(err, syscall.ENFILE):
		return fmt.Errorf("socket %s: whether anybody listens there is not known: %w", path, err)
	}
	return core.Errorf(core.CodeExists,
		"socket %s: %s of another state directory, or of one that is gone, listens there: "+
			"--socket names another place", path, who)
}

// socketFile tells one file from another that has its name.
type socketFile struct{ dev, ino uint64 }

// statSocket identifies the file at path; the zero value if there is none.
func statSocket(path string) socketFile {
	var st syscall.Stat_t
	if err := syscall.Lstat(path, &st); err != nil {
		return socketFile{}
	}
	return socketFile{uint64(st.Dev), st.Ino}
}

// watchEvery is how often the socket file is looked at. A client that finds it gone waits longer.
const watchEvery = 2 * time.Second

// watch looks after the socket's file until close.
func (l *listener) watch() {
	t := time.NewTicker(watchEvery)
	defer t.Stop()
	lost := false
	for {
		select {
		case <-l.done:
			return
		case <-t.C:
		}
		err := l.restore()
		if err != nil && !lost { // one line for a time of it
			l.log.Error("socket not bound again", "err", err)
		}
		lost = err != nil
	}
}

// restore binds the socket anew if its file is gone or is another dead one.
func (l *listener) restore() error {
	l.mu.Lock()
	ours, old := l.closed || statSocket(l.path) == l.file, l.l
	l.mu.Unlock()
	if ours {
		return nil
	}
	if err := l.bind(); err != nil {
		return err
	}
	l.log.Warn("the socket's file was gone: bound again", "socket", l.path)
	return old.Close()
}

// close stops listening and removes the socket if it is still ours.
func (l *listener) close() {
	l.mu.Lock()
	if !l.closed {
		l.closed = true
		close(l.done)
		if statSocket(l.path) == l.file {
			os.Remove(l.path)
		}
		l.l.Close()
	}
	l.mu.Unlock()
	l.wg.Wait()
}

package holder

import (
	"errors"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

const (
	// socketEvery is how often a holder looks whether its socket is where a daemon looks for it: one
	// stat, so that it costs nothing, and soon enough for whoever starts a daemon after they have
	// tidied up too much.
	socketEvery = 3 * time.Second
	// unreachableMax is how long the holder of a program that has ended tries to have a socket again:
	// longer than somebody needs to make room on a disk that is full.
	unreachableMax = 10 * time.Minute
)

// file identifies a file, whatever its name.
type file struct{ device, inode uint64 }

func fileAt(path string) (file, error) {
	var st unix.Stat_t
	err := unix.Stat(path, &st)
	return file{uint64(st.Dev), st.Ino}, err
}

// reachable reports whether a daemon would find the socket.
func (s *server) reachable() bool {
	f, err := fileAt(socketPath(s.dir, s.name))
	return err == nil && f == s.socket
}

// watchSocket makes the socket again, and the trace, if it is not there any more, and looks again in
// a while.
func (s *server) watchSocket(now time.Time) {
	s.socketNext = now.Add(socketEvery)
	if s.reachable() || s.listen() == nil {
		s.unreachable = time.Time{}
		s.writeTrace()
		return
	}
	if s.unreachable.IsZero() {
		s.unreachable = now
	}
}

// listen binds the socket, and makes its directory if somebody removed it. On an error the socket
// that there was stays: somebody may put its directory back.
func (s *server) listen() error {
	if err := unix.Mkdir(s.dir, 0o700); err != nil && !errors.Is(err, unix.EEXIST) {
		return err
	}
	fd, socket, err := listen(s.dir, s.name)
	if err != nil {
		return err
	}
	unix.Close(s.listener)
	s.listener, s.socket = fd, socket
	return nil
}

// lost reports whether nobody can ask how the program ended. Without the directory above that of
// the sockets there is no state that would want to know; what else is in the way may go away.
func (s *server) lost(now time.Time) bool {
	if s.unreachable.IsZero() {
		return false
	}
	_, err := fileAt(filepath.Dir(s.dir))
	return errors.Is(err, unix.ENOENT) || now.Sub(s.unreachable) >= unreachableMax
}

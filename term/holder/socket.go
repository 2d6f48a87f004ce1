package holder

import (
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// socketSuffix makes a holder's name that of its socket.
const socketSuffix = ".holder"

// backlog is how many connections may wait for the holder: one daemon and some that look around.
const backlog = 8

// socketPath is where a holder listens.
func socketPath(dir, name string) string { return filepath.Join(dir, name+socketSuffix) }

// stream makes a socket that neither blocks nor is inherited.
func stream() (int, error) {
	fd, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return -1, err
	}
	unix.CloseOnExec(fd)
	if err := unix.SetNonblock(fd, true); err != nil {
		unix.Close(fd)
		return -1, err
	}
	return fd, nil
}

// listen binds a holder's socket. It appears under its name when it listens, so that one that
// refuses connections is that of a dead holder, and is replaced; one that takes them is an error
// with the code Exists.
func listen(dir, name string) (int, file, error) {
	switch fd, err := connect(dir, name); {
	case err == nil:
		unix.Close(fd)
		return -1, file{}, &Error{Name: name, Code: Exists}
	case !errors.Is(err, Gone):
		return -1, file{}, err
	}
	fd, err := stream()
	if err != nil {
		return -1, file{}, failed(name, Internal, "socket", err)
	}
	path, temporary := socketPath(dir, name), filepath.Join(dir, "."+name+".new")
	unix.Unlink(temporary)
	err = bind(fd, dir, filepath.Base(temporary))
	if err == nil {
		err = errors.Join(unix.Chmod(temporary, 0o600), unix.Listen(fd, backlog))
	}
	var own file
	if err == nil {
		own, err = fileAt(temporary)
	}
	if err == nil {
		err = unix.Rename(temporary, path)
	}
	if err != nil {
		unix.Unlink(temporary)
		unix.Close(fd)
		return -1, file{}, failed(name, Internal, "listen at "+path, err)
	}
	return fd, own, nil
}

// connect connects to a holder's socket. The error has the code Gone if nobody listens there; the
// socket of a holder that died is removed.
func connect(dir, name string) (int, error) {
	fd, err := stream()
	if err != nil {
		return -1, failed(name, Internal, "socket", err)
	}
	path := socketPath(dir, name)
	for {
		err = dial(fd, dir, name+socketSuffix)
		if !errors.Is(err, unix.EINTR) {
			break
		}
	}
	if err == nil {
		return fd, nil
	}
	unix.Close(fd)
	switch {
	case errors.Is(err, unix.ECONNREFUSED):
		unix.Unlink(path)
		return -1, &Error{Name: name, Code: Gone, Text: "its process has ended"}
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.ENOTDIR):
		return -1, &Error{Name: name, Code: Gone}
	case errors.Is(err, unix.EAGAIN):
		return -1, &Error{Name: name, Code: NoAnswer, Text: "it takes no connections"}
	case errors.Is(err, unix.EACCES):
		return -1, &Error{Name: name, Code: Denied, Text: path}
	}
	return -1, failed(name, Internal, "connect to "+path, err)
}

// failed is a system error as an Error.
func failed(name string, code Code, doing string, err error) error {
	var own *Error
	if errors.As(err, &own) {
		return err
	}
	return &Error{Name: name, Code: codeOf(err, code), Text: fmt.Sprintf("%s: %v", doing, err)}
}

// samePeer is the process at the other end of a socket, if it is this process's user's.
func samePeer(fd int) (pid int, err error) {
	pid, uid, err := peer(fd)
	if err != nil {
		return 0, err
	}
	if own := unix.Getuid(); uid != own {
		return 0, fmt.Errorf("the peer is user %d, want %d", uid, own)
	}
	return pid, nil
}

//go:build !linux

package holder

import (
	"fmt"
	"path/filepath"

	"golang.org/x/sys/unix"
)

// Flags for receiving and sending: what is received is not inherited, where that can be had in one
// step, and a peer that is gone is an error and no signal.
const (
	receiveFlags = 0
	sendFlags    = unix.MSG_NOSIGNAL
)

// descriptorDir lists this process's descriptors.
const descriptorDir = "/dev/fd"

// addressMaxBytes is the room for a path in a socket's address.
const addressMaxBytes = len(unix.RawSockaddrUnix{}.Path) - 1

func address(dir, base string) (unix.Sockaddr, error) {
	path := filepath.Join(dir, base)
	if len(path) > addressMaxBytes {
		return nil, fmt.Errorf("%w: %s has %d bytes, limit %d", unix.ENAMETOOLONG, path, len(path),
			addressMaxBytes)
	}
	return &unix.SockaddrUnix{Name: path}, nil
}

func bind(fd int, dir, base string) error {
	a, err := address(dir, base)
	if err != nil {
		return err
	}
	return unix.Bind(fd, a)
}

func dial(fd int, dir, base string) error {
	a, err := address(dir, base)
	if err != nil {
		return err
	}
	return unix.Connect(fd, a)
}

func peer(fd int) (pid, uid int, err error) {
	cred, err := unix.GetsockoptXucred(fd, unix.SOL_LOCAL, unix.LOCAL_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	pid, err = unix.GetsockoptInt(fd, unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	return pid, int(cred.Uid), err
}

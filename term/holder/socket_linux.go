package holder

import (
	"strconv"

	"golang.org/x/sys/unix"
)

// Flags for receiving and sending: what is received is not inherited, where that can be had in one
// step, and a peer that is gone is an error and no signal.
const (
	receiveFlags = unix.MSG_CMSG_CLOEXEC
	sendFlags    = unix.MSG_NOSIGNAL
)

// descriptorDir lists this process's descriptors.
const descriptorDir = "/proc/self/fd"

// within calls f with a socket's address in a directory whose path may be longer than an address.
func within(dir, base string, f func(unix.Sockaddr) error) error {
	fd, err := unix.Open(dir, unix.O_PATH|unix.O_DIRECTORY|unix.O_CLOEXEC, 0)
	if err != nil {
		return err
	}
	defer unix.Close(fd)
	return f(&unix.SockaddrUnix{Name: descriptorDir + "/" + strconv.Itoa(fd) + "/" + base})
}

func bind(fd int, dir, base string) error {
	return within(dir, base, func(a unix.Sockaddr) error { return unix.Bind(fd, a) })
}

func dial(fd int, dir, base string) error {
	return within(dir, base, func(a unix.Sockaddr) error { return unix.Connect(fd, a) })
}

func peer(fd int) (pid, uid int, err error) {
	cred, err := unix.GetsockoptUcred(fd, unix.SOL_SOCKET, unix.SO_PEERCRED)
	if err != nil {
		return 0, 0, err
	}
	return int(cred.Pid), int(cred.Uid), nil
}

package daemon

import (
	"net"
	"syscall"
)

// peerUID returns the user on the other end (SO_PEERCRED, unix(7)).
func peerUID(nc *net.UnixConn) (int, error) {
	cred, err := peer(nc)
	if err != nil {
		return -1, err
	}
	return int(cred.Uid), nil
}

// peerPID returns the process that connected; 0 if that is not known.
func peerPID(nc net.Conn) int {
	if u, ok := nc.(*net.UnixConn); ok {
		if cred, err := peer(u); err == nil {
			return int(cred.Pid)
		}
	}
	return 0
}

func peer(nc *net.UnixConn) (cred *syscall.Ucred, err error) {
	raw, err := nc.SyscallConn()
	if err != nil {
		return nil, err
	}
	var credErr error
	err = raw.Control(func(fd uintptr) {
		cred, credErr = syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
	})
	if err == nil {
		err = credErr
	}
	return cred, err
}

package paths

import (
	"net"
	"syscall"
)

// PeerPID returns the process that listens on the other end of a connection, also of one that does
// not answer (SO_PEERCRED, unix(7)); 0 if that can't be known.
func PeerPID(nc net.Conn) int {
	c, ok := nc.(syscall.Conn)
	if !ok {
		return 0
	}
	raw, err := c.SyscallConn()
	if err != nil {
		return 0
	}
	pid := 0
	err = raw.Control(func(fd uintptr) {
		cred, err := syscall.GetsockoptUcred(int(fd), syscall.SOL_SOCKET, syscall.SO_PEERCRED)
		if err == nil {
			pid = int(cred.Pid)
		}
	})
	if err != nil {
		return 0
	}
	return pid
}

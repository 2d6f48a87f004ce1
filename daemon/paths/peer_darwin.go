package paths

import (
	"net"
	"syscall"

	"golang.org/x/sys/unix"
)

// PeerPID returns the process that listens on the other end of a connection, also of one that does
// not answer (LOCAL_PEERPID); 0 if that can't be known.
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
		pid, _ = unix.GetsockoptInt(int(fd), unix.SOL_LOCAL, unix.LOCAL_PEERPID)
	})
	if err != nil {
		return 0
	}
	return pid
}

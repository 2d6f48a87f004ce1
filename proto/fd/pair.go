//go:build unix

package fd

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// SocketPair returns two connected Unix stream sockets that block, and that no child inherits.
func SocketPair() (a, b int, err error) {
	// ForkLock: no other goroutine starts a process before the descriptors are not inherited.
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	p, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return -1, -1, err
	}
	unix.CloseOnExec(p[0])
	unix.CloseOnExec(p[1])
	return p[0], p[1], nil
}

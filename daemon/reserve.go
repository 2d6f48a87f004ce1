package daemon

import (
	"net"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// reserve is a descriptor that is kept for the time when there is no other: a client that comes then
// takes its place for as long as it takes to tell it so. Its owner is the goroutine that accepts.
type reserve struct{ file *os.File }

// keep gets the descriptor, again if it was given away. It reports whether it is there.
func (r *reserve) keep() bool {
	if r.file == nil {
		r.file, _ = os.Open(os.DevNull)
	}
	return r.file != nil
}

func (r *reserve) release() {
	if r.file != nil {
		r.file.Close()
		r.file = nil
	}
}

// answer tells a client that waits what there is to tell, and hangs up. It reports false if none
// waits, or if there is no descriptor even so. Nobody else's client is told more than a peer of
// ours: the directory of the socket is the user's own.
func (r *reserve) answer(u *net.UnixListener, what func() []byte) bool {
	raw, err := u.SyscallConn()
	if err != nil {
		return false
	}
	told := false
	err = raw.Control(func(listening uintptr) {
		waits := []unix.PollFd{{Fd: int32(listening), Events: unix.POLLIN}}
		if n, _ := unix.Poll(waits, 0); n == 0 {
			return // and keeps what others might take meanwhile
		}
		r.release()
		// Not by the listener: without a client it would wait, and without the reserve.
		nc, _, err := unix.Accept(int(listening))
		if err != nil {
			return
		}
		if unix.SetNonblock(nc, true) == nil {
			_, _ = unix.Write(nc, what()) // a fresh socket takes it at once
		}
		unix.Close(nc)
		told = true
	})
	return told && err == nil
}

// outOfDescriptors reports whether an error says that this process, or the machine, has none left.
func outOfDescriptors(err syscall.Errno) bool { return err == syscall.EMFILE || err == syscall.ENFILE }

package holder

import "golang.org/x/sys/unix"

// ReadTorn reads as Read does, once, when there is something, and stops where a daemon may be
// killed: the bytes are in the ring, and nothing says so.
func (h *Holder) ReadTorn() (n int, err error) {
	readErr := h.raw.Read(func(fd uintptr) bool {
		n, err = unix.Read(int(fd), h.output.ring.room())
		return err != unix.EAGAIN
	})
	if readErr != nil {
		return 0, readErr
	}
	return n, err
}

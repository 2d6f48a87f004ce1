package holder

import "golang.org/x/sys/unix"

// ReadTorn reads as Read does, once, when there is something, and stops where a daemon may be
// killed: the bytes are in the ring, and nothing says so.
func (h *Holder) ReadTorn() (n int, err error) {
	readErr := h.master.Read(func(fd uintptr) bool {
		n, err = unix.Read(int(fd), h.output.ring.room())
		return err != unix.EAGAIN
	})
	if readErr != nil {
		return 0, readErr
	}
	return n, err
}

// KillFrame is the frame of a request that only the daemon that has a holder may make.
func KillFrame() []byte {
	b, err := appendFrame(nil, &request{ID: 7, Op: opKill})
	if err != nil {
		panic(err)
	}
	return b
}

// AdoptFrame is a daemon's first frame.
func AdoptFrame() []byte {
	b, err := appendFrame(nil, &request{ID: 7, Op: opAdopt, Protocol: protocol})
	if err != nil {
		panic(err)
	}
	return b
}

// CodeOf is the code of the refusal that a frame is.
func CodeOf(frame []byte) Code {
	var m message
	if _, ok, err := cutFrame(frame, &m); err != nil || !ok {
		return 0
	}
	return m.Code
}

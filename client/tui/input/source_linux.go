package input

import (
	"fmt"

	"apex/proto/fd"

	"golang.org/x/sys/unix"
)

// polled is a terminal for which the runtime's poller waits.
type polled struct{ *fd.File }

func openPolled(tty int) (*polled, error) {
	again, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", tty),
		unix.O_RDONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	f, err := fd.New(again)
	if err != nil {
		unix.Close(again)
		return nil, err
	}
	return &polled{f}, nil
}

// Read implements Source.
func (t *polled) Read(b []byte) (int, error) { return t.ReadBytes(b) }

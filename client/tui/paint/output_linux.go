package paint

import (
	"fmt"
	"io"
	"os"

	"apex/proto/fd"

	"golang.org/x/sys/unix"
)

// quick is a terminal that takes most frames at once.
type quick struct {
	fd   int      // of its own, not blocking
	file *os.File // for what it does not take at once
}

// Output returns f, a terminal, for a Writer. A frame that the terminal takes at once, which is
// nearly every one, is written by a call that does not wait. The terminal is opened a second time for
// this, so that the shell's own descriptors stay as they are.
func Output(f *os.File) io.Writer {
	again, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()),
		unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return f
	}
	return &quick{again, f}
}

// Write implements io.Writer.
func (q *quick) Write(b []byte) (int, error) {
	n, _ := fd.WriteNow(q.fd, b) // what is wrong is told by who writes the rest
	if n == len(b) {
		return n, nil
	}
	rest, err := q.file.Write(b[n:])
	return n + rest, err
}

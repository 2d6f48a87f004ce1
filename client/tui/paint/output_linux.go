package paint

import (
	"fmt"
	"io"
	"os"
	"syscall"
	"unsafe"

	"golang.org/x/sys/unix"
)

// quick is a terminal that takes most frames at once.
type quick struct {
	fd   int      // of its own, not blocking
	file *os.File // for what it does not take at once
}

// Output returns f, a terminal, for a Writer. A frame that the terminal takes at once, which is
// nearly every one, is written without telling the Go runtime: that would wake its monitor before
// each frame, to look after a call that never waits. The terminal is opened a second time for this,
// so that the shell's own descriptors stay as they are.
func Output(f *os.File) io.Writer {
	fd, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", f.Fd()),
		unix.O_WRONLY|unix.O_NONBLOCK|unix.O_NOCTTY|unix.O_CLOEXEC, 0)
	if err != nil {
		return f
	}
	return &quick{fd, f}
}

// Write implements io.Writer.
func (q *quick) Write(b []byte) (int, error) {
	n := writeNow(q.fd, b)
	if n == len(b) {
		return n, nil
	}
	rest, err := q.file.Write(b[n:])
	return n + rest, err
}

// writeNow returns how much of b the terminal takes at once. What is wrong is told by who writes
// the rest.
func writeNow(fd int, b []byte) int {
	n, _, errno := syscall.RawSyscall(syscall.SYS_WRITE, uintptr(fd),
		uintptr(unsafe.Pointer(unsafe.SliceData(b))), uintptr(len(b)))
	if errno != 0 {
		return 0
	}
	return int(n)
}

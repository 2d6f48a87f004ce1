//go:build !linux

package holder

import (
	"os"

	"golang.org/x/sys/unix"
)

// memoryFile makes a file without a name. Its bytes are written so that a full disk is an error
// here and not a fault when the memory is touched.
func memoryFile(name string, size int64) (int, error) {
	f, err := os.CreateTemp("", name+"-*")
	if err != nil {
		return -1, err
	}
	defer f.Close()
	if err := os.Remove(f.Name()); err != nil {
		return -1, err
	}
	if _, err := f.Write(make([]byte, size)); err != nil {
		return -1, err
	}
	if _, err := f.Seek(0, 0); err != nil {
		return -1, err
	}
	return unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 3)
}

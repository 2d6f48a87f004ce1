package disk

import (
	"os"
	"syscall"
)

// syncData is fdatasync: it writes the data and the size, but not the times, which saves the file
// system a journal commit when a file is overwritten in place.
func syncData(f *os.File) error {
	c, err := f.SyscallConn()
	if err != nil {
		return err
	}
	var syncErr error
	err = c.Control(func(fd uintptr) {
		for {
			if syncErr = syscall.Fdatasync(int(fd)); syncErr != syscall.EINTR {
				return
			}
		}
	})
	if err != nil {
		return err
	}
	if syncErr != nil {
		return &os.PathError{Op: "fdatasync", Path: f.Name(), Err: syncErr}
	}
	return nil
}

package file

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func changeTime(s *syscall.Stat_t) time.Time { return time.Unix(s.Ctim.Unix()) }

func reserve(fd int, size int64) error {
	for {
		err := unix.Fallocate(fd, unix.FALLOC_FL_KEEP_SIZE, 0, size)
		if err != unix.EINTR {
			return err
		}
	}
}

func renameExclusive(from, to string) error {
	return unix.Renameat2(unix.AT_FDCWD, from, unix.AT_FDCWD, to, unix.RENAME_NOREPLACE)
}

// errNoXattr is what reading a missing extended attribute gives.
const errNoXattr = unix.ENODATA

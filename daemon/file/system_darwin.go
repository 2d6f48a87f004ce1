package file

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

func changeTime(s *syscall.Stat_t) time.Time { return time.Unix(s.Ctimespec.Unix()) }

func reserve(fd int, size int64) error {
	var s unix.Stat_t
	if err := unix.Fstat(fd, &s); err != nil {
		return err
	}
	if size <= s.Size {
		return nil
	}
	return unix.FcntlFstore(uintptr(fd), unix.F_PREALLOCATE, &unix.Fstore_t{
		Flags: unix.F_ALLOCATEALL, Posmode: unix.F_PEOFPOSMODE, Length: size - s.Size,
	})
}

func renameExclusive(from, to string) error {
	return unix.RenamexNp(from, to, unix.RENAME_EXCL)
}

// errNoXattr is what reading a missing extended attribute gives.
const errNoXattr = unix.ENOATTR

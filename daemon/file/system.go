package file

import (
	"io/fs"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// system is every call by which a save or a repair touches the disk. Tests replace it to fail, cut
// short or die at the n-th call; nothing else in those paths may have an effect.
type system interface {
	open(path string, flag int, perm fs.FileMode) (handle, error)
	rename(from, to string) error
	// renameNew fails with EEXIST where rename would replace a file.
	renameNew(from, to string) error
	remove(path string) error
	mkdirAll(path string, perm fs.FileMode) error
	readDir(path string) ([]string, error)
}

// handle is one open file or directory.
type handle interface {
	ReadAt(p []byte, off int64) (int, error)
	WriteAt(p []byte, off int64) (int, error)
	Truncate(size int64) error
	Sync() error
	Close() error

	status() (status, error)
	// reserve makes sure that growing to size bytes can't fail for lack of room. It changes
	// neither bytes nor size. Where the file system can't, it fails with ENOTSUP.
	reserve(size int64) error
	chown(uid, gid int) error
	chmod(m fs.FileMode) error
	xattrs() ([]xattr, error) // sorted by name
	setXattr(x xattr) error
	removeXattr(name string) error
	// tryLock takes an exclusive lock that lasts until Close or death, or fails with EWOULDBLOCK.
	tryLock() error
}

// status is what of a file's inode a save keeps or decides by.
type status struct {
	mode     fs.FileMode // type, permissions, setuid, setgid, sticky
	size     int64
	links    uint64
	uid, gid int
	dev, ino uint64
	modified time.Time
	changed  time.Time // of the inode
}

// same reports whether b is the file of a with nothing written since, as far as the inode tells.
func (a status) same(b status) bool {
	return a.dev == b.dev && a.ino == b.ino && a.size == b.size &&
		a.modified.Equal(b.modified) && a.changed.Equal(b.changed)
}

type xattr struct {
	name  string
	value []byte
}

// disk is the real system.
type disk struct{}

func (disk) open(path string, flag int, perm fs.FileMode) (handle, error) {
	f, err := os.OpenFile(path, flag, perm)
	if err != nil {
		return nil, err
	}
	return osHandle{f}, nil
}

func (disk) rename(from, to string) error { return os.Rename(from, to) }

func (disk) renameNew(from, to string) error {
	err := renameExclusive(from, to)
	if !is(err, syscall.EINVAL, syscall.ENOSYS, syscall.ENOTSUP) {
		return linkError(from, to, err)
	}
	// A file system without exclusive renames. A link refuses an existing name just as well.
	if err := os.Link(from, to); err == nil {
		return os.Remove(from)
	} else if is(err, syscall.EEXIST) {
		return err
	}
	// Without links either, looking first is the best there is.
	if _, err := os.Lstat(to); err == nil {
		return linkError(from, to, syscall.EEXIST)
	}
	return os.Rename(from, to)
}

func linkError(from, to string, err error) error {
	if err == nil {
		return nil
	}
	return &os.LinkError{Op: "rename", Old: from, New: to, Err: err}
}

func (disk) remove(path string) error                     { return os.Remove(path) }
func (disk) mkdirAll(path string, perm fs.FileMode) error { return os.MkdirAll(path, perm) }

func (disk) readDir(path string) ([]string, error) {
	entries, err := os.ReadDir(path)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, err
}

// osHandle is the real handle.
type osHandle struct{ *os.File }

func (h osHandle) status() (status, error) {
	info, err := h.Stat()
	if err != nil {
		return status{}, err
	}
	return statusOf(info), nil
}

func (h osHandle) reserve(size int64) error      { return h.wrap("reserve", reserve(h.fd(), size)) }
func (h osHandle) chown(uid, gid int) error      { return h.Chown(uid, gid) }
func (h osHandle) chmod(m fs.FileMode) error     { return h.Chmod(m) }
func (h osHandle) fd() int                       { return int(h.Fd()) }
func (h osHandle) wrap(op string, e error) error { return wrapPath(op, h.Name(), e) }

func (h osHandle) tryLock() error {
	return h.wrap("lock", unix.Flock(h.fd(), unix.LOCK_EX|unix.LOCK_NB))
}

func wrapPath(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}

package disk

import (
	"io/fs"
	"os"
	"syscall"
)

// ReadOnly is a file system that takes nothing, as one that is mounted so: for looking at state that
// another process keeps.
func ReadOnly(f FS) FS { return readOnly{f} }

type readOnly struct{ FS }

func refused(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: syscall.EROFS}
}

// OpenFile opens what is there, to be read.
func (r readOnly) OpenFile(name string, flag int) (File, error) {
	if flag != os.O_RDONLY {
		return nil, refused("open", name)
	}
	return r.FS.OpenFile(name, flag)
}

func (readOnly) Rename(oldName, _ string) error { return refused("rename", oldName) }

func (readOnly) Remove(name string) error { return refused("remove", name) }

func (readOnly) Mkdir(dir string) error { return refused("mkdir", dir) }

func (readOnly) SyncDir(dir string) error { return refused("sync", dir) }

package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
)

// TempSuffix ends the name of a file that is not whole yet. Whoever lists a directory of state
// skips such names, and removes them at start, when nobody can be writing them.
const TempSuffix = ".tmp"

// MkdirAll makes a directory and its missing parents, and makes their names durable. The name of a
// directory that is already there is made durable too, because whoever made it may have been killed
// before it could do that.
func MkdirAll(fsys FS, dir string) error {
	dir = path.Clean(dir)
	err := fsys.Mkdir(dir)
	if errors.Is(err, fs.ErrNotExist) && path.Dir(dir) != dir {
		if err := MkdirAll(fsys, path.Dir(dir)); err != nil {
			return err
		}
		err = fsys.Mkdir(dir)
	}
	if err != nil {
		if _, listErr := fsys.ReadDir(dir); listErr != nil {
			return err
		}
		// It is there, whatever Mkdir had against it: exists, read-only, ... A parent that is not
		// ours to open holds no name that we made.
		_ = fsys.SyncDir(path.Dir(dir))
		return nil
	}
	return fsys.SyncDir(path.Dir(dir))
}

// WriteFile gives a file new content in one durable step: after a failure, a kill or a loss of
// power it has the old content or the new one, whole. One writer at a time per name.
func WriteFile(fsys FS, name string, data []byte) error {
	temp := name + TempSuffix
	if err := writeTemp(fsys, temp, data); err != nil {
		return errors.Join(err, removeIfThere(fsys, temp))
	}
	if err := fsys.Rename(temp, name); err != nil {
		return errors.Join(err, removeIfThere(fsys, temp))
	}
	return fsys.SyncDir(path.Dir(name))
}

func writeTemp(fsys FS, name string, data []byte) error {
	f, err := fsys.OpenFile(name, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	if _, err := f.WriteAt(data, 0); err != nil {
		return errors.Join(err, f.Close())
	}
	return errors.Join(f.Sync(), f.Close())
}

func removeIfThere(fsys FS, name string) error {
	if err := fsys.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// ReadFile returns the content of a file. One that is larger than limit bytes is an error: small
// state files have a known bound, and a wrong one must not take the memory.
func ReadFile(fsys FS, name string, limit int64) ([]byte, error) {
	f, err := fsys.OpenFile(name, os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	if size > limit {
		return nil, fmt.Errorf("read %s: %d bytes, want at most %d", name, size, limit)
	}
	data := make([]byte, size)
	n, err := f.ReadAt(data, 0)
	if err != nil && err != io.EOF {
		return nil, err
	}
	return data[:n], nil
}

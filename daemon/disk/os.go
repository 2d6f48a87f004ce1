package disk

import (
	"errors"
	"io/fs"
	"os"
)

const (
	dirMode  = 0o700
	fileMode = 0o600
)

// OS is the machine's own file system.
var OS FS = osFS{}

type osFS struct{}

func (osFS) OpenFile(name string, flag int) (File, error) {
	f, err := os.OpenFile(name, flag, fileMode)
	if err != nil {
		return nil, err
	}
	return osFile{f}, nil
}

func (osFS) Rename(oldName, newName string) error { return os.Rename(oldName, newName) }

func (osFS) Remove(name string) error { return os.Remove(name) }

func (osFS) Mkdir(dir string) error { return os.Mkdir(dir, dirMode) }

func (osFS) ReadDir(dir string) ([]Entry, error) {
	names, err := os.ReadDir(dir)
	if err != nil {
		return nil, err
	}
	entries := make([]Entry, 0, len(names))
	for _, n := range names {
		info, err := n.Info()
		if errors.Is(err, fs.ErrNotExist) {
			continue // removed since the directory was read
		}
		if err != nil {
			return nil, err
		}
		e := Entry{Name: n.Name(), Dir: n.IsDir()}
		if !e.Dir {
			e.Size = info.Size()
		}
		entries = append(entries, e)
	}
	return entries, nil
}

func (osFS) SyncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

type osFile struct{ *os.File }

func (f osFile) Sync() error { return syncData(f.File) }

func (f osFile) Size() (int64, error) {
	info, err := f.Stat()
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

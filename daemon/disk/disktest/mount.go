package disktest

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"syscall"

	"apex/daemon/disk"
)

// Mount returns the file system for one life of a process, which ends with Kill, PowerCut or a
// fault of ErrDead.
func (d *Disk) Mount() disk.FS {
	d.mu.Lock()
	defer d.mu.Unlock()
	return &mount{disk: d, life: d.life}
}

// errStale is ErrDead from an operation that began after the process had ended.
var errStale = fmt.Errorf("began too late: %w", ErrDead)

type mount struct {
	disk *Disk
	life int
}

// begin starts an operation with the disk's lock held; the caller unlocks.
func (m *mount) begin(kind Kind, name string) error {
	return m.beginAt(kind, name, 0, 0)
}

func (m *mount) beginAt(kind Kind, name string, off int64, length int) error {
	d := m.disk
	d.mu.Lock()
	if m.life != d.life {
		return &fs.PathError{Op: "use", Path: name, Err: errStale}
	}
	d.ops++
	if d.fault == nil {
		return nil
	}
	err := d.fault(Op{N: d.ops, Kind: kind, Name: name, Off: off, Len: length})
	if errors.Is(err, ErrDead) {
		d.life++
	}
	if err != nil {
		return &fs.PathError{Op: "fault in", Path: name, Err: err}
	}
	return nil
}

func notThere(op, name string) error {
	return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist}
}

func (m *mount) OpenFile(name string, flag int) (disk.File, error) {
	name = path.Clean(name)
	kind := Open
	if flag&os.O_CREATE != 0 {
		kind = Create
	}
	err := m.begin(kind, name)
	defer m.disk.mu.Unlock()
	if err != nil {
		return nil, err
	}
	in, err := m.disk.open(name, flag)
	if err != nil {
		return nil, err
	}
	return &file{mount: m, name: name, inode: in, readOnly: flag&os.O_RDWR == 0}, nil
}

func (d *Disk) open(name string, flag int) (*inode, error) {
	in := d.live[name]
	switch {
	case in == nil && flag&os.O_CREATE == 0, d.missing(path.Dir(name)):
		return nil, notThere("open", name)
	case in == nil:
		in = &inode{}
		d.change(path.Dir(name), nameChange{name, in})
	case flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	case in.dir:
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	}
	if flag&os.O_TRUNC != 0 {
		d.resize(in, 0)
	}
	return in, nil
}

func (d *Disk) missing(dir string) bool {
	in := d.live[dir]
	return in == nil || !in.dir
}

// change makes a change of names, durable when the directory is synced.
func (d *Disk) change(dir string, changes ...nameChange) {
	m := move{dir: dir, names: changes}
	m.apply(d.live)
	d.moves = append(d.moves, m)
}

func (m *mount) Rename(oldName, newName string) error {
	oldName, newName = path.Clean(oldName), path.Clean(newName)
	err := m.begin(Rename, newName)
	d := m.disk
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	in := d.live[oldName]
	if in == nil || d.missing(path.Dir(newName)) {
		return notThere("rename", oldName)
	}
	if in.dir || path.Dir(oldName) != path.Dir(newName) {
		return &fs.PathError{Op: "rename", Path: oldName, Err: syscall.EXDEV}
	}
	if was := d.live[newName]; was != nil && was != in {
		d.room += int64(len(was.live))
	}
	d.change(path.Dir(newName), nameChange{oldName, nil}, nameChange{newName, in})
	return nil
}

func (m *mount) Remove(name string) error {
	name = path.Clean(name)
	err := m.begin(Remove, name)
	d := m.disk
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	in := d.live[name]
	if in == nil {
		return notThere("remove", name)
	}
	if in.dir && len(d.entries(name)) > 0 {
		return &fs.PathError{Op: "remove", Path: name, Err: syscall.ENOTEMPTY}
	}
	d.room += int64(len(in.live))
	d.change(path.Dir(name), nameChange{name, nil})
	return nil
}

func (m *mount) ReadDir(dir string) ([]disk.Entry, error) {
	dir = path.Clean(dir)
	err := m.begin(ReadDir, dir)
	defer m.disk.mu.Unlock()
	if err != nil {
		return nil, err
	}
	if m.disk.missing(dir) {
		return nil, notThere("readdir", dir)
	}
	return m.disk.entries(dir), nil
}

func (d *Disk) entries(dir string) []disk.Entry {
	var entries []disk.Entry
	for _, name := range sortedNames(d.live) {
		if name == "/" || path.Dir(name) != dir {
			continue
		}
		in := d.live[name]
		e := disk.Entry{Name: path.Base(name), Size: int64(len(in.live)), Dir: in.dir}
		entries = append(entries, e)
	}
	return entries
}

func sortedNames(names map[string]*inode) []string {
	sorted := make([]string, 0, len(names))
	for name := range names {
		sorted = append(sorted, name)
	}
	slices.SortFunc(sorted, strings.Compare)
	return sorted
}

func (m *mount) Mkdir(dir string) error {
	dir = path.Clean(dir)
	err := m.begin(Mkdir, dir)
	d := m.disk
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if d.live[dir] != nil {
		return &fs.PathError{Op: "mkdir", Path: dir, Err: fs.ErrExist}
	}
	if d.missing(path.Dir(dir)) {
		return notThere("mkdir", dir)
	}
	d.change(path.Dir(dir), nameChange{dir, &inode{dir: true}})
	return nil
}

func (m *mount) SyncDir(dir string) error {
	dir = path.Clean(dir)
	err := m.begin(SyncDir, dir)
	d := m.disk
	defer d.mu.Unlock()
	if err != nil {
		return err
	}
	if d.missing(dir) {
		return notThere("sync", dir)
	}
	d.moves = slices.DeleteFunc(d.moves, func(m move) bool {
		if m.dir == dir {
			m.apply(d.synced)
		}
		return m.dir == dir
	})
	return nil
}

type file struct {
	*mount
	name     string
	inode    *inode
	readOnly bool
}

func (f *file) ReadAt(p []byte, off int64) (int, error) {
	err := f.beginAt(Read, f.name, off, len(p))
	defer f.disk.mu.Unlock()
	if err != nil {
		return 0, err
	}
	if off >= int64(len(f.inode.live)) {
		return 0, io.EOF
	}
	n := copy(p, f.inode.live[off:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// WriteAt writes as much as there is room for. If a fault stops it, a part may have been written.
func (f *file) WriteAt(p []byte, off int64) (int, error) {
	err := f.beginAt(Write, f.name, off, len(p))
	d := f.disk
	defer d.mu.Unlock()
	if errors.Is(err, errStale) {
		return 0, err
	}
	if f.readOnly {
		return 0, &fs.PathError{Op: "write", Path: f.name, Err: syscall.EBADF}
	}
	n := len(p)
	if err != nil {
		n = d.rand.IntN(n + 1)
	}
	size := int64(len(f.inode.live))
	if lack := off + int64(n) - size - d.room; d.full && lack > 0 && off+int64(n) > size {
		n = max(0, n-int(lack))
		err = &fs.PathError{Op: "write", Path: f.name, Err: syscall.ENOSPC}
	}
	if n > 0 {
		d.room -= max(0, off+int64(n)-size)
		f.inode.write(p[:n], off)
	}
	return n, err
}

func (f *file) Sync() error {
	err := f.begin(Sync, f.name)
	defer f.disk.mu.Unlock()
	if err != nil {
		if !errors.Is(err, ErrDead) {
			clear(f.inode.dirty) // dropped, though it can be read
		}
		return err
	}
	f.inode.sync()
	return nil
}

func (f *file) Truncate(size int64) error {
	err := f.begin(Truncate, f.name)
	defer f.disk.mu.Unlock()
	if err != nil {
		return err
	}
	f.disk.resize(f.inode, size)
	return nil
}

func (d *Disk) resize(in *inode, size int64) {
	d.room -= size - int64(len(in.live))
	in.resize(size)
}

func (f *file) Size() (int64, error) {
	err := f.begin(Read, f.name)
	defer f.disk.mu.Unlock()
	return int64(len(f.inode.live)), err
}

func (f *file) Close() error { return nil }

package file

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// fault is what happens at a call.
type fault struct {
	name    string
	err     error // the call fails with it; nil: the process dies
	half    bool  // a write does its first half before that
	lasting bool  // every later call fails too, until the disk is healed
	writes  bool  // only calls that need room are counted
}

var faults = []fault{
	{name: "no space", err: syscall.ENOSPC},
	{name: "no space, half written", err: syscall.ENOSPC, half: true},
	{name: "disk full from then on", err: syscall.ENOSPC, half: true, lasting: true, writes: true},
	{name: "short write", err: errShort, half: true},
	{name: "i/o error", err: syscall.EIO},
	{name: "i/o error, half written", err: syscall.EIO, half: true},
	{name: "disk dead from then on", err: syscall.EIO, half: true, lasting: true},
	{name: "denied", err: syscall.EACCES},
	{name: "not permitted", err: syscall.EPERM},
	{name: "read-only", err: syscall.EROFS},
	{name: "read-only from then on", err: syscall.EROFS, lasting: true},
	{name: "killed"},
	{name: "killed, half written", half: true},
}

// errShort stands for a write that does less than asked and reports no error.
var errShort = errors.New("short")

// writeAtMost is how many bytes one write takes, so that short texts have several writes to fail.
const writeAtMost = 128

// killed is what a process that dies panics with.
type killed struct{}

// faulty passes calls on to the real system, and lets one fault happen at the n-th of them.
type faulty struct {
	disk
	fault fault
	at    int // 1-based; 0: never
	calls int
	dead  bool
	// before is run ahead of each call while the process lives.
	before func()
	trace  []string
	opened []handle
}

// call counts one call and says what it has to do: go on (nil), or fail. half says that a write
// has to do its first half.
func (f *faulty) call(op, path string, needsRoom bool) (half bool, err error) {
	if f.dead {
		panic(killed{}) // deferred calls of a dead process have no effect
	}
	if f.before != nil {
		f.before()
	}
	if f.fault.writes && !needsRoom {
		return false, nil
	}
	f.calls++
	f.trace = append(f.trace, fmt.Sprintf("%d %s %s", f.calls, op, path))
	if f.at == 0 || f.calls < f.at || f.calls > f.at && !f.fault.lasting {
		return false, nil
	}
	if f.fault.err == nil {
		f.dead = true
		if !f.fault.half || op != "write" {
			panic(killed{})
		}
	}
	if f.fault.err == errShort && op != "write" {
		return false, nil
	}
	return f.fault.half && f.calls == f.at, &fs.PathError{Op: op, Path: path, Err: f.fault.err}
}

// reached reports whether the fault happened.
func (f *faulty) reached() bool { return f.calls >= f.at }

// run calls do as a process of its own: it may die, and then its descriptors are closed.
func (f *faulty) run(do func()) {
	defer func() {
		for _, h := range f.opened {
			h.Close()
		}
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
		}
	}()
	do()
}

func (f *faulty) open(path string, flag int, perm fs.FileMode) (handle, error) {
	if _, err := f.call("open", path, flag&os.O_CREATE != 0); err != nil {
		return nil, err
	}
	h, err := f.disk.open(path, flag, perm)
	if err != nil {
		return nil, err
	}
	f.opened = append(f.opened, h)
	return &faultyHandle{h, f, path}, nil
}

func (f *faulty) rename(from, to string) error {
	if _, err := f.call("rename", from+" to "+to, false); err != nil {
		return err
	}
	return f.disk.rename(from, to)
}

func (f *faulty) renameNew(from, to string) error {
	if _, err := f.call("rename new", from+" to "+to, false); err != nil {
		return err
	}
	return f.disk.renameNew(from, to)
}

func (f *faulty) remove(path string) error {
	if _, err := f.call("remove", path, false); err != nil {
		return err
	}
	return f.disk.remove(path)
}

func (f *faulty) mkdirAll(path string, perm fs.FileMode) error {
	if _, err := f.call("mkdir", path, true); err != nil {
		return err
	}
	return f.disk.mkdirAll(path, perm)
}

func (f *faulty) readDir(path string) ([]string, error) {
	if _, err := f.call("read directory", path, false); err != nil {
		return nil, err
	}
	return f.disk.readDir(path)
}

type faultyHandle struct {
	h    handle
	f    *faulty
	path string
}

func (h *faultyHandle) call(op string) error {
	_, err := h.f.call(op, h.path, false)
	return err
}

func (h *faultyHandle) WriteAt(p []byte, off int64) (int, error) {
	half, err := h.f.call("write", h.path, true)
	p = p[:min(len(p), writeAtMost)]
	if err == nil {
		return h.h.WriteAt(p, off)
	}
	n := 0
	if half {
		n, _ = h.h.WriteAt(p[:(len(p)+1)/2], off)
	}
	if h.f.dead {
		panic(killed{})
	}
	if h.f.fault.err == errShort {
		return n, nil
	}
	return n, err
}

func (h *faultyHandle) reserve(size int64) error {
	if _, err := h.f.call("reserve", h.path, true); err != nil {
		return err
	}
	return h.h.reserve(size)
}

func (h *faultyHandle) ReadAt(p []byte, off int64) (int, error) {
	if err := h.call("read"); err != nil {
		return 0, err
	}
	return h.h.ReadAt(p, off)
}

func (h *faultyHandle) Truncate(size int64) error {
	if err := h.call("truncate"); err != nil {
		return err
	}
	return h.h.Truncate(size)
}

func (h *faultyHandle) Sync() error {
	if err := h.call("sync"); err != nil {
		return err
	}
	return h.h.Sync()
}

func (h *faultyHandle) Close() error { return h.h.Close() }

func (h *faultyHandle) status() (status, error) {
	if err := h.call("status"); err != nil {
		return status{}, err
	}
	return h.h.status()
}

func (h *faultyHandle) chown(uid, gid int) error {
	if err := h.call("chown"); err != nil {
		return err
	}
	return h.h.chown(uid, gid)
}

func (h *faultyHandle) chmod(m fs.FileMode) error {
	if err := h.call("chmod"); err != nil {
		return err
	}
	return h.h.chmod(m)
}

func (h *faultyHandle) xattrs() ([]xattr, error) {
	if err := h.call("attributes"); err != nil {
		return nil, err
	}
	return h.h.xattrs()
}

func (h *faultyHandle) setXattr(x xattr) error {
	if err := h.call("set attribute"); err != nil {
		return err
	}
	return h.h.setXattr(x)
}

func (h *faultyHandle) removeXattr(name string) error {
	if err := h.call("remove attribute"); err != nil {
		return err
	}
	return h.h.removeXattr(name)
}

func (h *faultyHandle) tryLock() error {
	if err := h.call("lock"); err != nil {
		return err
	}
	return h.h.tryLock()
}

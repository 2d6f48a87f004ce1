package paths

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/adrg/xdg"
)

const (
	lockName  = "lock"  // held by the daemon for its life
	startName = "start" // held by the client that starts one
	// A prober holds the lock shared for an instant; a daemon that meets one tries again, this
	// often and at most this long after the last time.
	lockTries = 500
	lockPause = 2 * time.Millisecond
	// recordMaxBytes bounds the record: a pid and a path.
	recordMaxBytes = 8 << 10
)

// Owner is who holds a state directory, as it says itself.
type Owner struct {
	PID    int    `json:"pid"`
	Socket string `json:"socket"` // where it listens; empty until it does
}

// HeldError says that another daemon holds the state directory.
type HeldError struct {
	State string
	Owner Owner
}

func (e *HeldError) Error() string {
	if e.Owner.PID == 0 {
		return fmt.Sprintf("another daemon holds %s", e.State)
	}
	return fmt.Sprintf("the daemon with pid %d holds %s and listens on %s",
		e.Owner.PID, e.State, e.Owner.Socket)
}

// Lock is a lock that is held. It goes with the process, however that ends.
type Lock struct {
	file *os.File
	path string
}

// Held reports whether the lock's file still has its name: else whoever comes next makes another
// one, and holds that. A file that can't be looked at is taken to be there.
func (l *Lock) Held() bool {
	ours, err := l.file.Stat()
	if err != nil {
		return false
	}
	there, err := os.Stat(l.path)
	if err != nil {
		return !missing(err) && !errors.Is(err, syscall.ENOTDIR)
	}
	return os.SameFile(ours, there)
}

// Acquire takes a state directory for a daemon, and makes the directory if it isn't there. If a
// daemon has it, the error is a *HeldError. A disk that is full or read-only is no error.
func Acquire(state string) (*Lock, error) {
	f, err := openLock(state, lockName)
	if err != nil {
		return nil, err
	}
	for range lockTries {
		if err = flock(f, syscall.LOCK_EX); err == nil {
			if err = heldElsewhere(state, f.Name()); err != nil {
				break
			}
			_ = f.Truncate(0) // what a dead daemon wrote there
			return &Lock{f, f.Name()}, nil
		}
		// A shared lock can be had beside probers only, not beside a daemon.
		if err = flock(f, syscall.LOCK_SH); err != nil {
			break
		}
		if err = flock(f, syscall.LOCK_UN); err != nil {
			break
		}
		time.Sleep(rand.N(lockPause))
		err = syscall.EWOULDBLOCK
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = &HeldError{state, readOwner(f)}
	}
	return nil, errors.Join(err, f.Close())
}

// heldElsewhere is a *HeldError if a daemon holds the other one of the files that a lock may be on.
// Who has one looks at the other, so that of two daemons one at least sees the other.
func heldElsewhere(state, path string) error {
	for _, other := range []string{filepath.Join(state, lockName), spare(state, lockName)} {
		if other == path {
			continue
		}
		o, held, err := holder(other)
		if held {
			return &HeldError{state, o}
		}
		if err != nil && !unwritable(err) {
			return err
		}
	}
	return nil
}

// AcquireStart takes the right to start a daemon, so that of many clients that find none only one
// does. It returns nil if another client has it.
func AcquireStart(state string) (*Lock, error) {
	f, err := openLock(state, startName)
	if err != nil {
		return nil, err
	}
	if err = flock(f, syscall.LOCK_EX); err == nil {
		return &Lock{f, f.Name()}, nil
	}
	if errors.Is(err, syscall.EWOULDBLOCK) {
		err = nil
	}
	return nil, errors.Join(err, f.Close())
}

// Record writes who holds the lock into its file: one line, so that a reader sees a half-written
// one for what it is.
func (l *Lock) Record(o Owner) error {
	line, err := json.Marshal(o)
	if err != nil {
		return err
	}
	line = append(line, '\n')
	if _, err := l.file.WriteAt(line, 0); err != nil {
		return err
	}
	return l.file.Truncate(int64(len(line)))
}

// Bequeath keeps the lock over the replacement of this process's program: the descriptor stays
// open, and Inherit makes a lock of it again.
func (l *Lock) Bequeath() (fd int, err error) {
	fd = int(l.file.Fd())
	if _, _, errno := syscall.Syscall(syscall.SYS_FCNTL, uintptr(fd), syscall.F_SETFD, 0); errno != 0 {
		return 0, fmt.Errorf("lock %s: %w", l.path, errno)
	}
	return fd, nil
}

// Inherit takes the lock of a state directory that this process's former program held by a
// descriptor. It is an error if that is not the one.
func Inherit(state string, fd int) (*Lock, error) {
	syscall.CloseOnExec(fd)
	f := os.NewFile(uintptr(fd), filepath.Join(state, lockName))
	if f == nil {
		return nil, fmt.Errorf("lock of %s: descriptor %d is not open", state, fd)
	}
	for _, path := range []string{filepath.Join(state, lockName), spare(state, lockName)} {
		l := &Lock{f, path}
		if there, err := os.Stat(path); err != nil || !same(f, there) {
			continue
		}
		if err := flock(f, syscall.LOCK_EX); err != nil {
			break
		}
		return l, nil
	}
	return nil, errors.Join(fmt.Errorf("lock of %s: descriptor %d is not it", state, fd), f.Close())
}

func same(f *os.File, there os.FileInfo) bool {
	ours, err := f.Stat()
	return err == nil && os.SameFile(ours, there)
}

// Release gives the lock up. The file stays: removing it would let two hold it.
func (l *Lock) Release() error { return l.file.Close() }

// Holder reports whether a daemon holds a state directory, and who it says it is: nothing while
// it is starting. Only the lock's being free is proof that there is none.
func Holder(state string) (o Owner, held bool, err error) {
	if o, held, err = holder(filepath.Join(state, lockName)); held || err != nil {
		return o, held, err
	}
	return holder(spare(state, lockName))
}

func holder(path string) (o Owner, held bool, err error) {
	f, err := os.OpenFile(path, os.O_RDONLY, 0)
	if missing(err) {
		return Owner{}, false, nil
	}
	if err != nil {
		return Owner{}, false, err
	}
	defer f.Close()
	switch err := flock(f, syscall.LOCK_SH); {
	case err == nil:
		return Owner{}, false, nil
	case !errors.Is(err, syscall.EWOULDBLOCK):
		return Owner{}, false, err
	}
	return readOwner(f), true, nil
}

// openLock opens a lock's file. On a disk that can't be written one that is there does, and else
// one in the socket's directory.
func openLock(state, name string) (*os.File, error) {
	path := filepath.Join(state, name)
	err := Private(state)
	if err == nil {
		var f *os.File
		if f, err = openFile(path, os.O_RDWR|os.O_CREATE); err == nil {
			return f, nil
		}
	}
	if !unwritable(err) {
		return nil, err
	}
	switch f, readErr := openFile(path, os.O_RDONLY); {
	case readErr == nil:
		return f, nil
	case !missing(readErr) && errors.Is(err, fs.ErrPermission):
		return nil, err // it is there, another user's: somebody may hold it
	}
	path = spare(state, name)
	if err := Private(filepath.Dir(path)); err != nil {
		return nil, err
	}
	return openFile(path, os.O_RDWR|os.O_CREATE)
}

// openFile is replaced by tests, whose disk is neither full nor read-only.
var openFile = func(path string, flag int) (*os.File, error) {
	return os.OpenFile(path, flag, 0o600)
}

// spare is where a lock is whose state directory can't be written.
func spare(state, name string) string {
	socket, _ := socketFor(state, xdg.RuntimeDir)
	return strings.TrimSuffix(socket, sockSuffix) + "." + name
}

// unwritable reports whether an error is of a disk that takes nothing, not of what was asked.
func unwritable(err error) bool {
	for _, e := range []syscall.Errno{syscall.ENOSPC, syscall.EROFS, syscall.EDQUOT, syscall.EIO,
		syscall.EACCES, syscall.EPERM} {
		if errors.Is(err, e) {
			return true
		}
	}
	return false
}

// flock tries a lock operation without waiting.
func flock(f *os.File, how int) error {
	for {
		err := syscall.Flock(int(f.Fd()), how|syscall.LOCK_NB)
		if !errors.Is(err, syscall.EINTR) {
			return err
		}
	}
}

// readOwner reads the record; an empty or half-written one is nobody's.
func readOwner(f *os.File) Owner {
	var o Owner
	buf := make([]byte, recordMaxBytes)
	n, _ := f.ReadAt(buf, 0)
	line, _, whole := bytes.Cut(buf[:n], []byte{'\n'})
	if !whole || json.Unmarshal(line, &o) != nil {
		return Owner{}
	}
	return o
}

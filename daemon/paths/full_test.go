package paths

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
)

// On a disk that takes nothing a lock is held all the same, by one daemon, also when the disk is
// good again.
func TestLockOnBadDisk(t *testing.T) {
	good := openFile
	t.Cleanup(func() { openFile = good })
	for _, there := range []bool{true, false} {
		for _, bad := range []error{syscall.ENOSPC, syscall.EROFS, syscall.EACCES} {
			openFile = good
			state := filepath.Join(t.TempDir(), "state")
			must(t, os.Mkdir(state, 0o700))
			if there {
				must(t, os.WriteFile(filepath.Join(state, lockName), nil, 0o600))
			}
			openFile = func(path string, flag int) (*os.File, error) {
				if filepath.Dir(path) == state && flag&os.O_CREATE != 0 {
					return nil, &fs.PathError{Op: "open", Path: path, Err: bad}
				}
				return good(path, flag)
			}
			l, err := Acquire(state)
			if err != nil {
				t.Errorf("%v, there %v: %v", bad, there, err)
				continue
			}
			if !l.Held() {
				t.Errorf("%v, there %v: the lock is taken for gone", bad, there)
			}
			_, held, err := Holder(state)
			if !held || err != nil {
				t.Errorf("%v, there %v: held %v, %v", bad, there, held, err)
			}
			for range 2 {
				var h *HeldError
				if _, err := Acquire(state); !errors.As(err, &h) {
					t.Errorf("%v, there %v: a second daemon: %v", bad, there, err)
				}
				openFile = good // and it has become good
			}
			start, err := AcquireStart(state)
			must(t, err)
			must(t, errors.Join(start.Release(), l.Release()))
		}
	}
}

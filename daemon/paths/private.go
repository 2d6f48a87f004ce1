package paths

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
)

// Private makes a directory, and those above it, that only the user can enter. One that is there
// already and isn't so is refused: whoever made it could put another socket in our place.
func Private(dir string) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	return CheckPrivate(dir)
}

// CheckPrivate refuses a directory that isn't the user's own with mode 0700. A missing one is
// fs.ErrNotExist.
func CheckPrivate(dir string) error {
	info, err := lstatOwned(dir)
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("directory %s has mode %04o, want 0700: run `chmod 700 %s`", dir, mode, dir)
	}
	return nil
}

// checkOwned refuses a directory that isn't the user's own, or that others may write to.
func checkOwned(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return err
	}
	if !info.IsDir() || !ours(info) || info.Mode().Perm()&0o022 != 0 {
		return fmt.Errorf("%s is not a directory of this user's alone", dir)
	}
	return nil
}

func lstatOwned(dir string) (fs.FileInfo, error) {
	info, err := os.Lstat(dir)
	switch {
	case err != nil:
		return nil, err
	case !info.IsDir():
		return nil, fmt.Errorf("%s is not a directory", dir)
	case !ours(info):
		return nil, fmt.Errorf("directory %s belongs to another user", dir)
	}
	return info, nil
}

func ours(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(st.Uid) == os.Getuid()
}

// missing reports whether an error says that something isn't there.
func missing(err error) bool { return errors.Is(err, fs.ErrNotExist) }

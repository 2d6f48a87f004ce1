package client

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"apex/daemon/paths"
)

const (
	// copiesKept is how many copies of temporary programs stay in the state directory: those of a
	// daemon that runs and of some builds since.
	copiesKept = 3
	// copyNameBytes is how much of its hash names a copy.
	copyNameBytes = 8
	// selfExe is this program on Linux, even if its file was removed.
	selfExe = "/proc/self/exe"
)

// Executable returns the absolute path of a program that a daemon can be for long: this one, or, if
// it is one that `go run` or `go test` made and will remove, or that was removed, a copy in the
// state directory.
func Executable(state string) (string, error) {
	exe, err := os.Executable()
	if err != nil {
		return "", err
	}
	if _, err := os.Stat(exe); errors.Is(err, fs.ErrNotExist) {
		return copyTo(filepath.Join(state, "bin"), selfExe)
	}
	if temporary(exe) {
		return copyTo(filepath.Join(state, "bin"), exe)
	}
	return exe, nil
}

// temporary reports whether the go command made a program for one run only: in a working
// directory, or in its cache, which it trims.
func temporary(exe string) bool {
	return slices.ContainsFunc(strings.Split(filepath.ToSlash(filepath.Dir(exe)), "/"),
		func(dir string) bool {
			number, ok := strings.CutPrefix(dir, "go-build")
			return ok && strings.Trim(number, "0123456789") == ""
		})
}

// copyTo copies a program into a directory, under a name made of its content.
func copyTo(dir, exe string) (string, error) {
	if err := paths.Private(dir); err != nil {
		return "", err
	}
	from, err := os.Open(exe)
	if err != nil {
		return "", err
	}
	defer from.Close()
	to, err := os.CreateTemp(dir, "copy-*")
	if err != nil {
		return "", err
	}
	defer os.Remove(to.Name())
	sum := sha256.New()
	_, err = io.Copy(io.MultiWriter(to, sum), from)
	if err = errors.Join(err, to.Chmod(0o700), to.Close()); err != nil {
		return "", err
	}
	path := filepath.Join(dir, "apex-"+hex.EncodeToString(sum.Sum(nil)[:copyNameBytes]))
	if err := os.Rename(to.Name(), path); err != nil {
		return "", err
	}
	return path, dropOld(dir, path)
}

// dropOld removes all copies but the newest. A program that runs doesn't need its file.
func dropOld(dir, current string) error {
	names, err := filepath.Glob(filepath.Join(dir, "apex-*"))
	if err != nil {
		return err
	}
	type copied struct {
		name string
		made int64
	}
	var old []copied
	for _, name := range names {
		if info, err := os.Stat(name); err == nil && name != current {
			old = append(old, copied{name, info.ModTime().UnixNano()})
		}
	}
	slices.SortFunc(old, func(a, b copied) int { return cmp.Compare(b.made, a.made) })
	for _, c := range old[min(copiesKept, len(old)):] {
		if err := os.Remove(c.name); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

package file

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// maxLinks bounds a chain of symbolic links; it is the kernel's own limit on Linux.
const maxLinks = 40

// final follows the whole chain of links from path and returns the name that a save replaces, in a
// directory that exists. The file itself may be missing: a dangling link's target is created.
// Link texts are never cleaned, since "x/.." is not "." when x is a link.
func final(path string) (string, error) {
	for range maxLinks {
		dir, base := split(path)
		dir, err := filepath.EvalSymlinks(dir)
		if err != nil {
			return "", err
		}
		if base == "." || base == ".." || base == "" {
			return "", &fs.PathError{Op: "resolve", Path: path, Err: syscall.EISDIR}
		}
		path = filepath.Join(dir, base)
		info, err := os.Lstat(path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && info.Mode()&fs.ModeSymlink == 0 {
			return path, nil
		}
		if err != nil {
			return "", err
		}
		link, err := os.Readlink(path)
		if err != nil {
			return "", err
		}
		if filepath.IsAbs(link) {
			path = link
		} else {
			path = dir + "/" + link
		}
	}
	return "", &fs.PathError{Op: "resolve", Path: path, Err: syscall.ELOOP}
}

// split cuts the last element off, without cleaning what is before it.
func split(path string) (dir, base string) {
	i := strings.LastIndexByte(path, '/')
	if i == 0 {
		return "/", path[1:]
	}
	return path[:i], path[i+1:]
}

package file

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
)

// Code says what kind of failure an [Error] is. Callers branch on it; the list only grows.
type Code string

// Codes of this package's errors.
const (
	CodeBadPath       Code = "bad_path"        // not absolute, a loop of links, a name too long
	CodeNotFound      Code = "not_found"       // the directory that should hold the file is missing
	CodeNotRegular    Code = "not_regular"     // a FIFO, device, socket, or a directory to save to
	CodeTooLarge      Code = "too_large"       // over the caller's limit: see Size and Limit
	CodeChangedOnDisk Code = "changed_on_disk" // the disk does not hold what was last read
	CodeDenied        Code = "denied"          // no permission
	CodeReadOnly      Code = "read_only"       // a read-only file system
	CodeNoSpace       Code = "no_space"        // full disk or quota
	CodeBusy          Code = "busy"            // another save of this file is running
	CodeUnfinished    Code = "unfinished"      // in place, failed, and not rolled back yet
	CodeUnavailable   Code = "unavailable"     // in place is needed and there is no state directory
	CodeIO            Code = "io"              // anything else that the system reports
)

// Error is every error that this package returns from Open and Save.
type Error struct {
	Code Code
	Op   string // "open" or "save"
	Path string // the path as the caller gave it
	Text string // what was being done, for people; may be empty

	Size, Limit int64 // bytes, for CodeTooLarge
	Want, Got   *Hash // for CodeChangedOnDisk: what was expected and what is there; nil: no file

	Err error // the cause, may be nil
}

// Error names the operation, the path, the code's reason and the cause, in this order.
func (e *Error) Error() string {
	parts := []string{e.Op + " " + e.Path}
	switch e.Code {
	case CodeTooLarge:
		parts = append(parts, fmt.Sprintf("too large: %d bytes, limit %d", e.Size, e.Limit))
	case CodeChangedOnDisk:
		parts = append(parts, fmt.Sprintf("changed on disk: got %s, want %s", name(e.Got), name(e.Want)))
	}
	if e.Text != "" {
		parts = append(parts, e.Text)
	}
	if e.Err != nil {
		parts = append(parts, e.Err.Error())
	}
	if len(parts) == 1 {
		parts = append(parts, string(e.Code))
	}
	return strings.Join(parts, ": ")
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

func name(h *Hash) string {
	if h == nil {
		return "no file"
	}
	return h.String()[:hashShown]
}

// hashShown is how many hexadecimal digits of a hash an error shows: enough to tell two apart.
const hashShown = 12

// fail wraps err once. An *Error passes as it is, so the innermost code and text win.
func fail(op, path, text string, err error) error {
	var e *Error
	if errors.As(err, &e) {
		return err
	}
	return &Error{Code: classify(err), Op: op, Path: path, Text: text, Err: err}
}

func classify(err error) Code {
	switch {
	case is(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EFBIG):
		return CodeNoSpace
	case is(err, syscall.EROFS):
		return CodeReadOnly
	case is(err, syscall.EACCES, syscall.EPERM):
		return CodeDenied
	case is(err, syscall.ENAMETOOLONG, syscall.ELOOP):
		return CodeBadPath
	case is(err, syscall.ENOTDIR, syscall.ENOENT), errors.Is(err, fs.ErrNotExist):
		return CodeNotFound
	case is(err, syscall.EISDIR):
		return CodeNotRegular
	case is(err, syscall.ETXTBSY, syscall.EBUSY):
		return CodeBusy
	}
	return CodeIO
}

// is reports whether err is one of the numbers. errors.Is alone would let EEXIST and ENOTEMPTY,
// EACCES and EPERM stand for each other.
func is(err error, numbers ...syscall.Errno) bool {
	var got syscall.Errno
	if !errors.As(err, &got) {
		return false
	}
	for _, n := range numbers {
		if got == n {
			return true
		}
	}
	return false
}

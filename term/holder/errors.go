package holder

import (
	"errors"
	"fmt"
	"syscall"
)

// Code says what kind of failure an error of this package is. Codes travel between daemon and
// holder, which may be of different builds: numbers are appended, never reused. A Code is an error,
// so that errors.Is(err, holder.NotFound) asks for it.
type Code int

// The kinds of failure.
const (
	Internal    Code = iota + 1 // anything else
	NotFound                    // the command does not exist
	Denied                      // the command may not be executed, or the peer is another user
	NoDir                       // the working directory does not exist or can't be entered
	Descriptors                 // no file descriptor is left, in the process or in the system
	NoPty                       // the system gives no pty
	Resources                   // no process or memory is left
	TooLong                     // arguments, environment or a path is longer than the system takes
	Exists                      // a holder of that name is alive
	BadSpec                     // the request makes no sense
	Gone                        // there is no holder of that name, or it has ended
	Busy                        // another daemon is connected
	Unsupported                 // the holder is of a build that can't be talked to
	NoAnswer                    // the holder lives and did not answer in time, or ctx ended first
)

var codeNames = map[Code]string{
	Internal: "internal error", NotFound: "command not found", Denied: "permission denied",
	NoDir: "no such directory", Descriptors: "out of file descriptors", NoPty: "no pty",
	Resources: "out of processes or memory", TooLong: "too long", Exists: "holder exists",
	BadSpec: "bad request", Gone: "no such holder", Busy: "holder has a daemon",
	Unsupported: "unsupported holder", NoAnswer: "holder does not answer",
}

func (c Code) Error() string {
	if name, ok := codeNames[c]; ok {
		return name
	}
	return fmt.Sprintf("holder error %d", int(c))
}

// Error is a failure of one holder; errors.Is finds its Code.
type Error struct {
	Name string // of the holder
	Code Code
	Text string // what failed, got and want
}

func (e *Error) Error() string {
	if e.Text == "" {
		return fmt.Sprintf("holder %s: %v", e.Name, e.Code)
	}
	return fmt.Sprintf("holder %s: %v: %s", e.Name, e.Code, e.Text)
}

func (e *Error) Unwrap() error { return e.Code }

// Results of Read, Write and the methods that ask the holder.
var (
	// ErrClosed says that the daemon's side was detached or released.
	ErrClosed = errors.New("holder: closed")
	// ErrExited is what Read says once when the program has exited and all that it wrote was read.
	// Processes that it left may write on.
	ErrExited = errors.New("holder: the program has exited")
	// ErrInputFull says that the program does not read and that the bytes were not taken.
	ErrInputFull = errors.New("holder: the program does not read its input")
	// ErrNoInput says that the program is on a pipe: it got its input when it was started.
	ErrNoInput = errors.New("holder: the program takes no input")
	// ErrNotTerminal says that a program on a pipe was asked for what only a terminal has.
	ErrNotTerminal = errors.New("holder: not a terminal")
)

// GapError says that bytes are no longer in the ring.
type GapError struct {
	From   uint64 // what was asked for
	Oldest uint64 // the first offset that there is
}

func (e *GapError) Error() string {
	return fmt.Sprintf("holder: bytes from %d are gone, oldest is %d", e.From, e.Oldest)
}

// Is makes errors.Is(err, ErrGap) find every gap.
func (e *GapError) Is(target error) bool { return target == ErrGap }

// ErrGap is what every GapError is.
var ErrGap = errors.New("holder: bytes are gone")

// codeOf is the kind of a system error, or other if it has none of its own.
func codeOf(err error, other Code) Code {
	var errno syscall.Errno
	if !errors.As(err, &errno) {
		return other
	}
	switch errno {
	case syscall.EMFILE, syscall.ENFILE:
		return Descriptors
	case syscall.EAGAIN, syscall.ENOMEM:
		return Resources
	case syscall.E2BIG, syscall.ENAMETOOLONG:
		return TooLong
	}
	return other
}

package client

import (
	"errors"
	"fmt"
	"io"
	"net"
	"syscall"

	"apex/core"
)

// NoDaemonError says that no daemon holds the state directory, and that none was to be started or
// that it did not start.
type NoDaemonError struct {
	State string // directory
	Err   error  // why it did not start; nil if it wasn't to
}

func (e *NoDaemonError) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("the daemon for %s did not start: %v", e.State, e.Err)
	}
	return fmt.Sprintf("no daemon is running for %s: start it with `apex server`", e.State)
}

// Unwrap gives the error its code, unavailable, and its cause.
func (e *NoDaemonError) Unwrap() []error {
	return []error{&core.Error{Code: core.CodeUnavailable, Message: e.Error()}, e.Err}
}

func unavailable(format string, args ...any) *core.Error {
	return core.Errorf(core.CodeUnavailable, format, args...)
}

// LostError says that the connection ended before the answer came: what became of the request is not
// known.
type LostError struct{ Err error }

func (e *LostError) Error() string { return e.Err.Error() }

// Unwrap gives why the connection ended.
func (e *LostError) Unwrap() error { return e.Err }

// errHungUp says that the peer ended the connection.
var errHungUp error = unavailable("the daemon closed the connection")

// linkError gives what ended a connection a code.
func linkError(err error) error {
	var coded *core.Error
	switch {
	case errors.As(err, &coded):
		return err
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.ECONNRESET),
		errors.Is(err, syscall.EPIPE):
		return errHungUp
	case errors.Is(err, net.ErrClosed):
		return unavailable("the connection is closed")
	}
	return unavailable("connection to the daemon: %v", err)
}

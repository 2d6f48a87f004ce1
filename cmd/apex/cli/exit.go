package cli

import (
	"errors"
	"fmt"

	"apex/core"
	"apex/daemon/paths"
)

// Exit statuses; part of the contract with scripts.
const (
	exitOK       = 0
	exitFailed   = 1
	exitUsage    = 2
	exitNotFound = 3
	exitConflict = 4
	exitNoDaemon = 5
	exitUnsaved  = 6
	exitTimeout  = 7
)

// usageError is a command line that can't be understood.
type usageError struct{ text string }

func (e *usageError) Error() string { return e.text }

// timeoutError is a wait that took as long as it was given.
type timeoutError struct{ text string }

func (e *timeoutError) Error() string { return e.text }

// statusError is the exit status of a command that was run, which has said itself what there is to
// say.
type statusError struct{ status int }

func (e *statusError) Error() string { return fmt.Sprintf("status %d", e.status) }

func usagef(format string, args ...any) error {
	return &usageError{fmt.Sprintf(format, args...)}
}

// exitStatus is the exit status of an error.
func exitStatus(err error) int {
	var usage *usageError
	var absent *noDaemonError
	var held *paths.HeldError
	var late *timeoutError
	var ran *statusError
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &ran):
		return ran.status
	case errors.As(err, &late):
		return exitTimeout
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &absent):
		return exitNoDaemon
	case errors.As(err, &held):
		return exitConflict
	}
	switch core.CodeOf(err) {
	case core.CodeNotFound:
		return exitNotFound
	case core.CodeConflict, core.CodeExists, core.CodeFenced:
		return exitConflict
	case core.CodeUnsaved:
		return exitUnsaved
	}
	return exitFailed
}

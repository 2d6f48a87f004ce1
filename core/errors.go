package core

import (
	"errors"
	"fmt"
)

// Code is the machine-readable part of an error. Codes are the contract between all parts, on the
// wire too; messages are for people. Append-only.
type Code string

// The codes.
const (
	CodeNotFound    Code = "not_found"
	CodeExists      Code = "exists"
	CodeBadRequest  Code = "bad_request"
	CodeTooLarge    Code = "too_large"
	CodeNotAttached Code = "not_attached"
	CodeNotLeader   Code = "not_leader"
	CodeFenced      Code = "fenced"
	CodeConflict    Code = "conflict"
	CodeBusy        Code = "busy"
	CodeDraining    Code = "draining"
	CodeReadOnly    Code = "read_only"
	CodeUnavailable Code = "unavailable"
	CodeVersion     Code = "unsupported_version"
	CodeDenied      Code = "denied"
	CodeUnsaved     Code = "unsaved"
	CodeInternal    Code = "internal"
	CodeFailed      Code = "failed" // a program ended with another status than 0
)

// Error is a failure with a code.
type Error struct {
	Code    Code
	Message string // what failed, got and want; lower case
	// RetryAfter is in how long it may be tried again, of what is busy; 0 if that is not known.
	RetryAfter Millis
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{Code: code, Message: fmt.Sprintf(format, args...)}
}

// AsError makes an Error of any, with its own code; nil of nil.
func AsError(err error) *Error {
	if err == nil {
		return nil
	}
	out := &Error{Code: CodeOf(err), Message: err.Error()}
	var e *Error
	if errors.As(err, &e) {
		out.RetryAfter = e.RetryAfter
	}
	return out
}

// CodeOf returns err's code; an error without one is internal, and nil has none.
func CodeOf(err error) Code {
	var e *Error
	switch {
	case err == nil:
		return ""
	case errors.As(err, &e):
		return e.Code
	}
	return CodeInternal
}

// Busy makes an Error that says when to try again.
func Busy(retryAfter Millis, format string, args ...any) *Error {
	e := Errorf(CodeBusy, format, args...)
	e.RetryAfter = retryAfter
	return e
}

func badf(format string, args ...any) *Error { return Errorf(CodeBadRequest, format, args...) }

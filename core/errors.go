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
}

func (e *Error) Error() string { return e.Message }

// Errorf makes an Error.
func Errorf(code Code, format string, args ...any) *Error {
	return &Error{code, fmt.Sprintf(format, args...)}
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

func badf(format string, args ...any) *Error { return Errorf(CodeBadRequest, format, args...) }

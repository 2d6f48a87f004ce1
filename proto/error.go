package proto

import (
	"errors"

	"apex/core"
	"apex/core/codec"
)

// Error is how a request failed: the code for programs, the message for people, and what a program
// needs to go on. It unwraps to a *core.Error.
type Error struct {
	Code    core.Code
	Message string
	Details Details
}

// Details are numbers that belong to a code; a field that doesn't is zero.
type Details struct {
	RetryAfter core.Millis  `cbor:"1,keyasint,omitempty"` // busy: how long to wait
	Version    core.Version `cbor:"2,keyasint,omitempty"` // conflict: the text's version now
	Epoch      core.Epoch   `cbor:"3,keyasint,omitempty"` // fenced: the lease's epoch now
	Limit      uint64       `cbor:"4,keyasint,omitempty"` // too_large: the bound
	Matches    []string     `cbor:"5,keyasint,omitempty"` // conflict: the names that fit
}

func (e *Error) Error() string { return e.Message }

// Unwrap returns the *core.Error, so that core.CodeOf finds the code.
func (e *Error) Unwrap() error {
	return &core.Error{Code: e.Code, Message: e.Message, RetryAfter: e.Details.RetryAfter}
}

// ToError makes the wire's form of an error; one without a code is internal. It returns nil for
// nil.
func ToError(err error) *Error {
	if err == nil {
		return nil
	}
	var e *Error
	if errors.As(err, &e) {
		return e
	}
	c := core.AsError(err)
	return &Error{Code: c.Code, Message: c.Message, Details: Details{RetryAfter: c.RetryAfter}}
}

// Fail makes the Return of a request that failed.
func Fail(id uint64, err error) *Return { return &Return{ID: id, Err: ToError(err)} }

// CallError says that a request could be read and makes no sense: Fail(ID, err) answers it. It
// unwraps to a *core.Error.
type CallError struct {
	ID  uint64
	Err *core.Error
}

func (e *CallError) Error() string { return e.Err.Error() }

// Unwrap returns the *core.Error.
func (e *CallError) Unwrap() error { return e.Err }

func (e *Error) fields(f *codec.Fields) {
	f.String((*string)(&e.Code))
	f.String(&e.Message)
	f.Raw(
		func(b []byte) []byte { return appendMap(b, &e.Details) },
		func(c *codec.Cursor) { readMap(c, &e.Details) },
	)
	if f.Reading() && e.Code == "" {
		f.Fail("error without a code")
	}
}

package addr

import "fmt"

// Code says what kind of error an [Error] is. Numbers are never reused.
type Code uint8

const (
	CodeInvalid Code = iota // no code
	CodeSyntax              // the address can't be read
	CodeRange               // a line or rune, or dot, that the text doesn't have
	CodeNoMatch             // a pattern that matches nowhere
	CodeOrder               // the end of a range is before its beginning
)

// String gives the kind in words.
func (c Code) String() string {
	switch c {
	case CodeSyntax:
		return "syntax"
	case CodeRange:
		return "out of range"
	case CodeNoMatch:
		return "no match"
	case CodeOrder:
		return "out of order"
	}
	return fmt.Sprintf("code %d", uint8(c))
}

// Error is the error of Parse and Eval.
type Error struct {
	Code Code
	Addr string // the whole address
	Text string // what is wrong with it
	Err  error  // the error of the regular expression, or nil
}

// Error gives the address and what is wrong with it.
func (e *Error) Error() string { return fmt.Sprintf("address %q: %s", e.Addr, e.Text) }

// Unwrap gives the error of the regular expression, or nil.
func (e *Error) Unwrap() error { return e.Err }

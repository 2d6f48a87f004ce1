package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
)

// adviceError is an error with its own word on what to do next, which may be none.
type adviceError struct {
	err    error
	advice string
}

func (e *adviceError) Error() string { return e.err.Error() }
func (e *adviceError) Unwrap() error { return e.err }

// advise gives an error that is not nil its advice.
func advise(err error, format string, args ...any) error {
	if err == nil {
		return nil
	}
	return &adviceError{err, fmt.Sprintf(format, args...)}
}

// told is an error that standard output has told already: only its status is left.
type told struct{ err error }

func (e *told) Error() string { return e.err.Error() }
func (e *told) Unwrap() error { return e.err }

// failure is an error in JSON.
type failure struct {
	Error struct {
		Code    string `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// report says what failed and what to do next, on standard error; with --json on standard output
// too, where a program expects JSON.
func (a *app) report(c *cobra.Command, err error) {
	code := codeOf(err)
	var done *told
	var ran *statusError
	if errors.As(err, &ran) {
		return
	}
	if a.json && !errors.As(err, &done) {
		var f failure
		f.Error.Code, f.Error.Message = code, err.Error()
		a.print(f)
	}
	fmt.Fprintf(a.Err, "apex: %s (%s)\n", visibleLines(err.Error()), code)
	if next := advice(c, err); next != "" {
		fmt.Fprintf(a.Err, "next: %s\n", next)
	}
}

// codeOf is an error's code; a command line that can't be understood is usage, a wait that took too
// long timeout.
func codeOf(err error) string {
	var usage *usageError
	var absent *noDaemonError
	var coded *core.Error
	var late *timeoutError
	switch {
	case errors.As(err, &usage):
		return "usage"
	case errors.As(err, &late):
		return "timeout"
	case errors.As(err, &absent):
		return "no_daemon"
	case errors.As(err, &coded):
		return string(coded.Code)
	}
	return "failed"
}

// advice is what to do about an error; empty if there is nothing.
func advice(c *cobra.Command, err error) string {
	var own *adviceError
	if errors.As(err, &own) {
		return own.advice
	}
	path := c.CommandPath()
	switch codeOf(err) {
	case "timeout":
		return "a longer --timeout, or none, waits on; `apex term read` prints what there is"
	case "usage", "failed", string(core.CodeBadRequest):
		return fmt.Sprintf("`%s --help` shows what it takes", path)
	case "no_daemon":
		var none *client.NoDaemonError
		if errors.As(err, &none) {
			return "`apex server` runs a daemon where it can be seen"
		}
		var silent *client.SilentError
		if errors.As(err, &silent) {
			return wakeUp(silent)
		}
		return "`ps` tells whether its process is stopped or waits for a disk; " +
			"`kill` ends it, and what was acknowledged is kept"
	}
	switch core.CodeOf(err) {
	case core.CodeNotFound:
		return "`apex ls` lists the sessions, `apex win ls` the windows of one"
	case core.CodeExists:
		return "`apex ls` lists the sessions; choose another label"
	case core.CodeConflict, core.CodeFenced:
		return "`apex text info` and `apex text read` tell what is there now; try again with that"
	case core.CodeUnsaved:
		return "`apex put WIN` saves; -f does it all the same"
	case core.CodeBusy, core.CodeDraining:
		return "try again in a moment"
	case core.CodeTooLarge:
		return "write it to a file and `apex open` that"
	case core.CodeReadOnly, core.CodeUnavailable, core.CodeInternal:
		return "`apex status` says how the daemon is and where its log file is"
	}
	return fmt.Sprintf("`%s --help` shows how it is used", path)
}

// wakeUp is what to do about a process that does not answer.
func wakeUp(e *client.SilentError) string {
	how := fmt.Sprintf("`kill -CONT %d` lets it go on if it is stopped; `kill %d` ends it, and what was "+
		"acknowledged is kept", e.PID, e.PID)
	if e.Socket != "" {
		how += "; --state or --socket names another daemon"
	}
	return how
}

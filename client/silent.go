package client

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"

	"apex/core"
	"apex/daemon/paths"
)

// SilentError says that a process is there, and doesn't answer as the daemon. It is unavailable.
type SilentError struct {
	PID     int    // of the process
	State   string // the state directory whose daemon was asked for
	Socket  string // where the process listens, if it is not the daemon of State; else empty
	Stopped bool   // by a signal, as far as that can be seen
	Err     error  // how it showed
}

func (e *SilentError) Error() string {
	who := fmt.Sprintf("the daemon with pid %d holds %s and", e.PID, e.State)
	if e.Socket != "" {
		who = fmt.Sprintf("pid %d, which is not the daemon of %s, listens on %s and", e.PID, e.State,
			e.Socket)
	}
	if e.Stopped {
		return who + " is stopped: " + e.Err.Error()
	}
	return who + " doesn't answer: " + e.Err.Error()
}

// Unwrap gives the error its code, unavailable, and its cause.
func (e *SilentError) Unwrap() []error {
	return []error{&core.Error{Code: core.CodeUnavailable, Message: e.Error()}, e.Err}
}

// Silent says of a daemon that has greeted and doesn't answer any more who it is.
func Silent(state string, pid int, err error) *SilentError {
	return &SilentError{PID: pid, State: state, Stopped: stopped(pid), Err: err}
}

// Explain names the process behind a stream of Dial's on which nobody answers, as err shows, before
// the stream is closed; without a stream the one that holds the state directory. An error that says
// it already stays as it is.
func (d Daemon) Explain(nc net.Conn, err error) error { return d.silent(paths.PeerPID(nc), err) }

// silent names the process behind a connection on which nobody answers, or if there is no
// connection the one that holds the state directory; err itself if it isn't known.
func (d Daemon) silent(pid int, err error) error {
	p, resolveErr := paths.Resolve(d.State, d.Socket)
	var said *SilentError
	if resolveErr != nil || errors.Is(err, context.Canceled) || errors.As(err, &said) {
		return err
	}
	owner, held, holderErr := paths.Holder(p.State)
	if held && (pid == 0 || pid == owner.PID) {
		if pid = owner.PID; pid == 0 {
			return err // it is starting, and has not said yet who it is
		}
		return Silent(p.State, pid, err)
	}
	if pid == 0 || holderErr != nil {
		return err
	}
	e := Silent(p.State, pid, err)
	e.Socket = p.Socket
	return e
}

// stopped reports whether a signal has stopped a process, where that can be seen.
func stopped(pid int) bool {
	b, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	i := bytes.LastIndex(b, []byte(") ")) // the end of its name, which may hold anything
	return err == nil && i >= 0 && bytes.HasPrefix(b[i+2:], []byte("T"))
}

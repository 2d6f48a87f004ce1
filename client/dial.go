package client

import (
	"context"
	"errors"
	"io/fs"
	"net"
	"path/filepath"
	"syscall"
	"time"

	"apex/core"
	"apex/daemon/paths"
)

const (
	// startTimeout is how long a daemon that starts, or that has to bind its socket again, is
	// waited for.
	startTimeout = 4500 * time.Millisecond
	// Between two looks: at first as short as a start takes, then no burden on a busy machine.
	lookFirst = 2 * time.Millisecond
	lookMax   = 50 * time.Millisecond
	// greetTries is how often a daemon may hang up in the greeting: one that ends does, and then
	// the next is found or started.
	greetTries = 3
)

// Daemon says which daemon is meant, and what to do if it isn't there. The zero Daemon is the
// user's own, to be started if need be.
type Daemon struct {
	State   string // directory; empty: $APEX_STATE, else the user's
	Socket  string // path; empty: $APEX_SOCKET, else where the daemon says that it listens
	NoStart bool   // a daemon that isn't there is a *NoDaemonError
	Build   string // names this program to the daemon
	// Command starts a daemon; --state and --socket are appended. Nil: this program's `server`.
	Command []string
}

// Dial connects to the daemon. One that is there and doesn't answer is a *SilentError, and never
// replaced; one that speaks no common protocol is unsupported_version, with a message that says
// what to do.
func Dial(ctx context.Context, d Daemon) (*Conn, error) {
	for try := 1; ; try++ {
		nc, err := d.Dial(ctx)
		if err != nil {
			return nil, err
		}
		pid := paths.PeerPID(nc)
		c, err := greet(ctx, nc, d.Build, nil)
		switch hungUp := errors.Is(err, errHungUp); {
		case try < greetTries && hungUp:
		case !hungUp && core.CodeOf(err) == core.CodeUnavailable:
			return nil, d.silent(pid, err)
		default:
			return c, err
		}
	}
}

// Dial returns a stream to the daemon on which nothing has been said yet.
func (d Daemon) Dial(ctx context.Context) (net.Conn, error) {
	p, err := paths.Resolve(d.State, d.Socket)
	if err != nil {
		return nil, err
	}
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	s := starter{daemon: d, paths: p}
	defer s.close()
	for pause := lookFirst; ; pause = min(2*pause, lookMax) {
		nc, why := s.look(ctx)
		if nc != nil {
			return nc, nil
		}
		var again *retryError
		switch retry := errors.As(why, &again); {
		case caller.Err() != nil:
			return nil, d.silent(0, context.Cause(caller))
		case !retry:
			return nil, why
		case ctx.Err() != nil:
			return nil, again.err
		}
		timer := time.NewTimer(pause)
		select {
		case <-timer.C:
		case <-ctx.Done():
			timer.Stop()
		}
	}
}

// retryError is a reason to look again in a moment.
type retryError struct{ err error }

func (e *retryError) Error() string { return e.err.Error() }

// look connects if there is a daemon, and otherwise sees to it that one starts.
func (s *starter) look(ctx context.Context) (net.Conn, error) {
	p := s.paths
	owner, held, err := paths.Holder(p.State)
	if err != nil {
		return nil, err
	}
	socket := p.Socket
	if !p.Given && owner.Socket != "" {
		socket = owner.Socket
	}
	if held || p.Given {
		nc, err := dialSocket(ctx, socket, p.Given)
		switch {
		case err == nil:
			return nc, nil
		case !worthAnother(err):
			return nil, unavailable("%v", err)
		case held && p.Given && owner.Socket != "" && owner.Socket != socket:
			return nil, unavailable("%v: the daemon with pid %d, which holds %s, listens on %s", err,
				owner.PID, p.State, owner.Socket)
		case held:
			// It lives: it is starting, or busy, or binds its socket again in a moment.
			return nil, &retryError{s.daemon.silent(0, unavailable("%v", err))}
		}
	}
	if s.daemon.NoStart {
		return nil, &NoDaemonError{State: p.State}
	}
	return nil, s.start()
}

// dialSocket connects to a socket whose directory nobody else could have put there, unless the
// user named it.
func dialSocket(ctx context.Context, socket string, given bool) (net.Conn, error) {
	if !given {
		if err := paths.CheckPrivate(filepath.Dir(socket)); err != nil {
			return nil, err
		}
	}
	var d net.Dialer
	return d.DialContext(ctx, "unix", socket)
}

// worthAnother reports whether an error of dialling may be over in a moment: no socket yet, nobody
// behind it yet, or too many who wait before it.
func worthAnother(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ECONNREFUSED) ||
		errors.Is(err, syscall.EAGAIN) || errors.Is(err, context.DeadlineExceeded)
}

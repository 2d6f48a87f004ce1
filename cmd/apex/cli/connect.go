package cli

import (
	"context"
	"errors"
	"time"

	"github.com/spf13/cobra"

	"apex/client"
	"apex/core"
)

// dialTimeout is how long a command waits for a daemon that is starting, or that doesn't greet.
const dialTimeout = 4500 * time.Millisecond

// noDaemonError says that no daemon answers.
type noDaemonError struct{ err error }

func (e *noDaemonError) Error() string { return e.err.Error() }
func (e *noDaemonError) Unwrap() error { return e.err }

// daemon says which daemon is meant; one that isn't there is started if start is set.
func (a *app) daemon(start bool) client.Daemon {
	return client.Daemon{State: a.state, Socket: a.socket, NoStart: !start, Build: build()}
}

// request is what a command does with a connection.
type request func(ctx context.Context, conn *client.Conn, args []string) error

// ask makes a command that asks the daemon, started if need be.
func (a *app) ask(do request) func(*cobra.Command, []string) error { return a.askIf(true, do) }

// askIf makes a command that asks the daemon.
func (a *app) askIf(start bool, do request) func(*cobra.Command, []string) error {
	return func(c *cobra.Command, args []string) error {
		conn, err := a.dial(c.Context(), start)
		if err != nil {
			return err
		}
		defer conn.Close()
		return a.answered(conn, do(c.Context(), conn, args))
	}
}

// dial connects to the daemon. A daemon that can't be reached is a *noDaemonError.
func (a *app) dial(ctx context.Context, start bool) (*client.Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, dialTimeout,
		core.Errorf(core.CodeUnavailable, "no answer in %v", dialTimeout))
	defer cancel()
	conn, err := client.Dial(ctx, a.daemon(start))
	if core.CodeOf(err) == core.CodeUnavailable {
		err = &noDaemonError{err}
	}
	return conn, err
}

// answered tells a daemon that is gone or doesn't answer from one that says what it can't do.
func (a *app) answered(conn *client.Conn, err error) error {
	switch {
	case core.CodeOf(err) != core.CodeUnavailable:
		return err
	case conn.Err() != nil:
		return &noDaemonError{err}
	case !silent(conn):
		return err
	}
	p, _ := a.paths() // it was found there
	return &noDaemonError{client.Silent(p.State, conn.Server().PID, err)}
}

// silentAfter is how long a daemon that failed to answer has to answer the simplest question.
const silentAfter = 500 * time.Millisecond

// silent reports whether the daemon does not answer.
func silent(conn *client.Conn) bool {
	late := errors.New("no answer")
	ctx, cancel := context.WithTimeoutCause(context.Background(), silentAfter, late)
	defer cancel()
	return conn.Ping(ctx) != nil
}

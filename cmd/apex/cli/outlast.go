package cli

import (
	"context"
	"fmt"
	"time"

	"apex/client"
	"apex/core"
)

const (
	// comebackMax is how long a daemon that went away may take to come back.
	comebackMax = 30 * time.Second
	// comebackEvery is how often it is looked for.
	comebackEvery = 50 * time.Millisecond
)

// outlast asks the daemon something that may be asked twice, and asks again when the daemon went
// away meanwhile and is back: killed, stopped or replaced. One that was stopped is waited for, and
// not started: whoever stopped it meant to. limit is when it is of no use any more; zero if never.
func (a *app) outlast(ctx context.Context, limit time.Time,
	do func(context.Context, *client.Conn) error) error {
	conn, err := a.dial(ctx, true)
	var same sameSession
	for said := false; err == nil; said = true {
		err = same.check(ctx, conn, a.session)
		if err == nil {
			err = do(ctx, conn)
		}
		away := wentAway(conn, err)
		err = a.answered(conn, err)
		conn.Close()
		if !away {
			return err
		}
		if !said {
			fmt.Fprintln(a.Err, "apex: the daemon went away, waiting for it")
		}
		conn, err = a.comeback(ctx, limit, core.CodeOf(err) != core.CodeDraining)
	}
	return err
}

// wentAway reports whether an error is that the daemon is gone, or going.
func wentAway(conn *client.Conn, err error) bool {
	code := core.CodeOf(err)
	return code == core.CodeDraining || code == core.CodeUnavailable && conn.Err() != nil
}

// comeback connects to the daemon that is there next.
func (a *app) comeback(ctx context.Context, limit time.Time, start bool) (*client.Conn, error) {
	late := time.Now().Add(comebackMax)
	if !limit.IsZero() && limit.Before(late) {
		late = limit
	}
	for {
		conn, err := a.dial(ctx, start)
		if err == nil || ctx.Err() != nil || time.Now().After(late) {
			return conn, err
		}
		select {
		case <-ctx.Done():
		case <-time.After(comebackEvery):
		}
	}
}

// sameSession sees to it that one session is meant by a label, whatever happens while the daemon is
// away.
type sameSession struct {
	known bool
	id    core.SessionID
}

func (s *sameSession) check(ctx context.Context, conn *client.Conn, label string) error {
	list, err := conn.Sessions(ctx)
	if err != nil {
		return err
	}
	var id core.SessionID // zero if it is to be made yet
	for _, x := range list {
		if x.Label == label {
			id = x.Session
		}
	}
	if s.known && id != s.id {
		return core.Errorf(core.CodeNotFound, "the session was ended while the daemon was away")
	}
	s.known, s.id = true, id
	return nil
}

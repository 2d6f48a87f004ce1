package tui

import (
	"context"

	"apex/client"
	"apex/core"
	"apex/proto"
)

// Session is what the interface needs of a *client.Session; see there. Who has the Model
// is its owner. Tests put a session in memory in its place.
type Session interface {
	core.Session
	core.Minter

	Wait(ctx context.Context) error // any goroutine
	Remind()                        // any goroutine
	Process() []client.Event
	Commit(b core.Bundle) error
	Hand(ask core.Ask, done func(core.Result))
	Hold()
	Flush()
	TakeAll()
	Redial() // any goroutine
	State() client.State
	Actor() core.Author
	Peers() []proto.Peer
	Lines() []proto.Lines

	Look(v core.View, q0, q1 int)

	// Send sends in order, and does not wait: answer is called by any goroutine, or at once.
	Send(req proto.Request, answer func(proto.Reply, error)) error

	// Any goroutine may call these; they wait.
	Propose(ctx context.Context, ask core.Ask) (core.Result, error)
	Open(ctx context.Context, req *proto.Open) ([]proto.Place, error)
	Peek(ctx context.Context, session string, views []core.View, lines int) ([]proto.Lines, error)
	Call(ctx context.Context, req proto.Request) (proto.Reply, error)
	EndSession(ctx context.Context, session string, force bool) error
}

var _ Session = (*client.Session)(nil)

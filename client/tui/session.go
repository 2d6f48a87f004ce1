package tui

import (
	"context"

	"apex/core"
)

// Session is what the interface needs of client.Session: the replica of a session and the way to
// change it. Where nothing else is said, only the owner calls it, which is Bubble Tea's loop.
type Session interface {
	core.Session
	core.Minter

	// Wake is readable when something has arrived. Any goroutine may wait for it.
	Wake() <-chan struct{}
	// Process takes in what has arrived and says what it was.
	Process() []Event
	// Commit applies a bundle at once and ships it. Its error has the code not_leader unless this
	// client leads every shard of the bundle.
	Commit(b core.Bundle) error
	// TakeAll asks for every lease.
	TakeAll()
	// State says how the link and the leases are.
	State() State
	// Actor is the durable name under which the person's changes are recorded.
	Actor() core.Author

	// Propose asks whoever leads to make a change. Any goroutine may call it; it waits.
	Propose(ctx context.Context, ask core.Ask) (core.Result, error)
	// Open opens files in windows. Any goroutine may call it; it waits.
	Open(ctx context.Context, files []File) ([]Opened, error)
	// End ends the session; without force it is refused while there is unsaved work. Any goroutine
	// may call it; it waits.
	End(ctx context.Context, force bool) error
}

// State is how a session stands with this client.
type State struct {
	Connected bool  // the link is up
	Leading   bool  // this client leads the layout, and the rest or is about to
	Observer  bool  // it never leads
	Unsynced  int   // batches that are not acknowledged yet
	Draining  bool  // the daemon is stopping
	Err       error // why the link is down, or why it ended for good
}

// EventKind says what an Event tells.
type EventKind uint8

// The kinds of event.
const (
	EventShard   EventKind = iota // the shard's state changed
	EventLease                    // this client got or lost the shard's lease
	EventFenced                   // it lost it to a reclaim, and what it had not shipped is recovered
	EventLink                     // the link went down or came back
	EventDrain                    // the daemon is stopping
	EventEnd                      // the attachment ended for good
	EventMessage                  // Text is for the person
)

// Event is something that Process took in.
type Event struct {
	Kind  EventKind
	Shard core.Shard
	Text  string
}

// File names a file to open, with an address in it.
type File struct {
	Path string
	Addr string // as in package addr; may be empty
}

// Opened is what became of a File.
type Opened struct {
	Path   string
	Window core.WindowID
	Err    error
}

package client

import (
	"time"

	"apex/core"
)

// Event is something that Process took in.
type Event struct {
	Kind  EventKind
	Shard core.Shard // zero for those that are not about one
	Err   error      // EventRefused, EventRecovered, EventLink, EventEnded
}

// EventKind says what an Event tells.
type EventKind uint8

// The kinds of event.
const (
	EventChanged   EventKind = iota + 1 // the shard's state is another; told once a Process
	EventGone                           // the shard was deleted
	EventLease                          // the shard's lease moved: see Leads
	EventRefused                        // the daemon refused something of the shard: Err says why
	EventRecovered                      // changes of a lost shard were proposed again; Err: in vain
	EventLink                           // the link went down or came back: see State
	EventDraining                       // the daemon is stopping; the session waits for the next one
	EventPresence                       // somebody came, left or looks elsewhere: see Peers
	EventEnded                          // the attachment is over for good: Err says why
)

// State is how a session stands with its daemon and with others.
type State struct {
	Connected bool      // the link is up and the attachment confirmed
	Leading   bool      // this client leads the layout
	Watching  bool      // another UI took over; TakeAll takes it back
	Observer  bool      // it never leads
	Draining  bool      // the daemon said that it is stopping
	Ended     bool      // for good: Err says why
	Unkept    bool      // the disk refused when the link was welcomed: the session may not be durable
	Unsynced  int       // messages of changes that are not known to be on disk
	Since     time.Time // when Connected became what it is
	Err       error     // why the link is down; nil while it is up
	Retry     time.Time // when a link is tried next, while there is none
}

// tell turns a replica's event into the session's, or into an answer to somebody who waits.
func (s *Session) tell(e core.Event) {
	switch e.Kind {
	case core.EventChanged:
		s.change(e.Shard)
	case core.EventGone:
		s.lead.gone(e.Shard)
		s.event(Event{Kind: EventGone, Shard: e.Shard})
	case core.EventLease:
		s.lead.stir()
		s.event(Event{Kind: EventLease, Shard: e.Shard})
	case core.EventRefused:
		s.lead.refused()
		s.event(Event{Kind: EventRefused, Shard: e.Shard, Err: e.Err})
	case core.EventNotTaken:
		s.event(Event{Kind: EventRefused, Shard: e.Shard, Err: e.Err})
	case core.EventRecovered:
		s.event(Event{Kind: EventRecovered, Shard: e.Shard})
	case core.EventDraining:
		s.state.Draining = true
		s.draining.Store(true)
		s.event(Event{Kind: EventDraining})
	case core.EventResult:
		s.answered(e.ID, e.Result)
	}
}

// change reports that a shard's state is another, once a Process.
func (s *Session) change(shard core.Shard) {
	switch shard.Kind {
	case core.KindBuffer, core.KindTerm: // what they show has no part in what is followed and led
	case core.KindMeta:
		s.lead.metaChanged()
		s.renewals()
	default:
		s.lead.stir()
	}
	if s.changed[shard] {
		return
	}
	s.changed[shard] = true
	s.event(Event{Kind: EventChanged, Shard: shard})
}

func (s *Session) event(e Event) { s.events = append(s.events, e) }

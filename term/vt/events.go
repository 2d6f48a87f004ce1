package vt

// EventKind says what an Event is. The zero kind is invalid.
type EventKind uint8

// The kinds of events.
const (
	ClipboardSet   EventKind = 1 + iota // OSC 52: Text is to go to the clipboard
	ClipboardAsked                      // OSC 52 with ?; only with Options.ClipboardReads
	Notified                            // OSC 9 or 777: a message for whoever is there
)

// Event is something that a program did once and that leaves no state behind.
type Event struct {
	Kind      EventKind
	Selection string // of OSC 52: c, p, s and others, as sent; "" means c
	Title     string // of a notification, may be ""
	Text      string
}

const (
	// EventsMax is the number of events that wait for Events. The oldest go first.
	EventsMax = 32
	// ClipboardMaxBytes is the longest text that OSC 52 can set; tmux's limit is the same.
	ClipboardMaxBytes = 1 << 20
	// eventsMaxBytes bounds the text of those that wait.
	eventsMaxBytes = 4 << 20
	// selectionMax bounds Selection: each kind of clipboard once, and more.
	selectionMax = 16
)

// Events returns what has happened since the last call. At most EventsMax events wait, the newest.
func (s *Screen) Events() []Event {
	e := s.events
	s.events = nil
	return e
}

func (s *Screen) event(e Event) {
	s.events = append(s.events, e)
	total := 0
	for i := len(s.events) - 1; i >= 0; i-- {
		total += len(s.events[i].Text) + len(s.events[i].Title)
		if total > eventsMaxBytes || len(s.events)-i > EventsMax {
			s.events = append([]Event(nil), s.events[i+1:]...)
			return
		}
	}
}

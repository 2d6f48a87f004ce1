package input

import (
	"errors"
	"os"
	"time"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

const (
	// EscTimeout is how long the rest of a sequence is waited for while what is there may be keys:
	// Esc, which is also how every sequence begins, Alt-[ and the like.
	EscTimeout = 50 * time.Millisecond
	// SequenceTimeout is how long it is waited for when what is there is no key, from the beginning
	// of the sequence on: longer than any link holds back half an answer. What is not whole by then
	// is dropped, so that a terminal that lost the end does not take all that is typed for it.
	SequenceTimeout = 5 * time.Second

	// readBytes is how much is read at a time; Linux has no more in a terminal.
	readBytes = 4096
	// sequenceMax is how long a sequence may be of which the end has not come: far longer than any
	// answer to Queries. Of what is longer the first sequenceKept bytes are kept, and the end is
	// still looked for.
	sequenceMax  = 64 << 10
	sequenceKept = 64
)

// Source is the host terminal as input. Open makes one.
type Source interface {
	// Read waits for input until the deadline, if there is one; then its error is
	// os.ErrDeadlineExceeded.
	Read(b []byte) (int, error)
	SetReadDeadline(t time.Time) error
}

// Reader reads the host terminal and makes messages of what comes: Bubble Tea's own for keys, the
// mouse and answers, and a Paste for each paste, which keeps its place among them.
//
// It stands in for Bubble Tea's reader. That waits on a thread of its own, and hands what it has
// read to a second goroutine and then a third; each time the message is on its way to the other
// core for longer than all the work of a key takes.
//
// Nothing of a sequence becomes text, however it comes in pieces: a time-out makes keys only of what
// may be keys. A person's Alt-[ with a digit within EscTimeout is the beginning of a sequence
// therefore, and what is typed after it may be its end. In the first moments, while the answers to
// Queries are on their way, Alt-[ and the like wait as long as sequences.
type Reader struct {
	source   Source
	now      func() time.Time
	cut      cutter
	decoder  uv.EventDecoder
	pending  []byte // read, without the text of pastes, and not decoded
	pastes   []Paste
	waits    bool      // the source has a deadline
	began    time.Time // this reader
	since    time.Time // when what is pending began
	answered bool      // the last of Queries
	given    []byte    // what was last made keys, or dropped, because its rest did not come
	gaveUp   time.Time // when that was
}

// NewReader returns a reader of a terminal in raw mode; now is the clock.
func NewReader(s Source, now func() time.Time) *Reader {
	r := &Reader{source: s, now: now, began: now()}
	r.cut = cutter{done: func(p Paste) { r.pastes = append(r.pastes, p) }, maximum: PasteMaxBytes}
	return r
}

// Run hands messages to send, in the order of what was typed, until the source fails, and returns
// why it did: io.EOF at the end.
func (r *Reader) Run(send func(tea.Msg)) error {
	buf := make([]byte, readBytes)
	for {
		n, err := r.source.Read(buf)
		now := r.now()
		r.take(buf[:n], now)
		late := errors.Is(err, os.ErrDeadlineExceeded)
		if err != nil && !late {
			r.pending = r.cut.finish(r.pending)
			r.decode(send, true, now)
			return err
		}
		r.decode(send, late, now)
		if err := r.wait(now); err != nil {
			return err
		}
	}
}

// take adds what was read to what is pending; if it is the rest of what was given up, with that
// before it.
func (r *Reader) take(in []byte, now time.Time) {
	if len(in) == 0 {
		return
	}
	if len(r.pending) == 0 {
		r.since = now
	}
	before := len(r.pending)
	r.pending = r.cut.feed(r.pending, in, now)
	if given := r.given; len(given) > 0 && len(r.pending) > before {
		r.given = nil
		lately := now.Sub(r.gaveUp) < SequenceTimeout
		if before == 0 && lately && (resumes(given, r.pending) || r.answers(given, now)) {
			r.pending = append(given, r.pending...)
		}
	}
}

// answers reports whether what is pending, after what was given up, begins an answer to Queries.
func (r *Reader) answers(given []byte, now time.Time) bool {
	if !r.awaits(now) {
		return false
	}
	all := append(append([]byte(nil), given...), r.pending...)
	kind, n := introducer(all)
	return kind == ']' || kind == '[' && (len(all) == n || all[n] >= '0' && all[n] <= '?')
}

// awaits reports whether answers to Queries may still come.
func (r *Reader) awaits(now time.Time) bool {
	return !r.answered && now.Sub(r.began) < SequenceTimeout
}

// wait sets a deadline for the rest of what is pending. There is none while the rest is perhaps the
// mark of a paste.
func (r *Reader) wait(now time.Time) error {
	waits := len(r.pending) > 0 && !r.cut.holds()
	if !waits && !r.waits {
		return nil
	}
	r.waits = waits
	if !waits {
		return r.source.SetReadDeadline(time.Time{})
	}
	at := now.Add(EscTimeout)
	_, s := frame(r.pending)
	long := s == open || s == keyish && len(r.pending) > 1 && r.pending[1] != esc && r.awaits(now)
	if end := r.since.Add(SequenceTimeout); long && end.After(at) {
		at = end
	}
	return r.source.SetReadDeadline(at)
}

// decode sends what is pending, up to a sequence whose end has not come. Once that is late it is
// a key, if it can be, or dropped.
func (r *Reader) decode(send func(tea.Msg), late bool, now time.Time) {
	b := r.pending
	for len(b) > 0 {
		n, s := frame(b)
		if (s == open || s == keyish) && !late {
			break
		}
		r.since = now
		switch kind, _ := introducer(b); {
		case s == open && n > 1 && b[n-1] == esc:
			n-- // a key
		case s == broken, s == open && (n > 1 || b[0] != esc):
		case kind != 0:
			r.message(send, r.event(b[:n]))
		default:
			var event uv.Event
			if n, event = r.decoder.Decode(b[:n]); n > 0 {
				r.message(send, event)
			}
			n = max(n, 1)
		}
		if s == open || s == keyish {
			r.given, r.gaveUp = append([]byte(nil), b[:n]...), now
			r.cut.gone()
		}
		b = b[n:]
	}
	if len(b) > sequenceMax {
		b = b[:sequenceKept]
	}
	r.pending = append(r.pending[:0], b...)
}

// event decodes a sequence.
func (r *Reader) event(b []byte) uv.Event {
	if len(b) == consoleKey && string(b[:3]) == "\x1b[[" && b[3] >= 'A' && b[3] <= 'E' {
		return uv.KeyPressEvent{Code: uv.KeyF1 + rune(b[3]-'A')}
	}
	_, event := r.decoder.Decode(b)
	return event
}

// message sends what an event means.
func (r *Reader) message(send func(tea.Msg), event uv.Event) {
	switch event := event.(type) {
	case uv.PasteEndEvent:
		if len(r.pastes) > 0 {
			send(r.pastes[0])
			r.pastes[0] = Paste{}
			r.pastes = r.pastes[1:]
		}
	case uv.MultiEvent:
		for _, e := range event {
			r.tell(send, e)
		}
	default:
		r.tell(send, event)
	}
}

// tell sends Bubble Tea's message for an event. Those that nobody deals with are left out, such as
// answers to what Queries doesn't ask.
func (r *Reader) tell(send func(tea.Msg), event uv.Event) {
	switch e := event.(type) {
	case uv.KeyPressEvent:
		send(tea.KeyPressMsg(e))
	case uv.MouseClickEvent:
		send(tea.MouseClickMsg(e))
	case uv.MouseReleaseEvent:
		send(tea.MouseReleaseMsg(e))
	case uv.MouseMotionEvent:
		send(tea.MouseMotionMsg(e))
	case uv.MouseWheelEvent:
		send(tea.MouseWheelMsg(e))
	case uv.FocusEvent:
		send(tea.FocusMsg(e))
	case uv.BlurEvent:
		send(tea.BlurMsg(e))
	case uv.ModeReportEvent:
		send(tea.ModeReportMsg(e))
	case uv.KeyboardEnhancementsEvent:
		send(tea.KeyboardEnhancementsMsg(e))
	case uv.ForegroundColorEvent:
		send(tea.ForegroundColorMsg(e))
	case uv.BackgroundColorEvent:
		send(tea.BackgroundColorMsg(e))
	case uv.PrimaryDeviceAttributesEvent:
		r.answered = true
		send(e)
	case uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent:
		send(e)
	}
}

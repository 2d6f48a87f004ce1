package input

import (
	"bytes"
	"errors"
	"os"
	"time"
	"unicode/utf8"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

const (
	// EscTimeout is how long the rest of a sequence is waited for. After it what is there are keys:
	// Esc, which is also how every sequence begins, Alt-[ and the like.
	EscTimeout = 50 * time.Millisecond

	// readBytes is how much is read at a time; Linux has no more in a terminal.
	readBytes = 4096
	// sequenceMax is how long a sequence may be of which the end has not come: far longer than any
	// answer to Queries. What is longer is noise, and is not decoded again with every piece.
	sequenceMax = 64 << 10
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
type Reader struct {
	source  Source
	now     func() time.Time
	cut     cutter
	decoder uv.EventDecoder
	pending []byte // read, without the text of pastes, and not decoded
	pastes  []Paste
	waits   bool // the source has a deadline
}

// NewReader returns a reader of a terminal in raw mode; now is the clock.
func NewReader(s Source, now func() time.Time) *Reader {
	r := &Reader{source: s, now: now}
	r.cut = cutter{done: func(p Paste) { r.pastes = append(r.pastes, p) }, maximum: PasteMaxBytes}
	return r
}

// Run hands messages to send, in the order of what was typed, until the source fails, and returns
// why it did: io.EOF at the end.
func (r *Reader) Run(send func(tea.Msg)) error {
	buf := make([]byte, readBytes)
	for {
		n, err := r.source.Read(buf)
		r.pending = r.cut.feed(r.pending, buf[:n], r.now())
		late := errors.Is(err, os.ErrDeadlineExceeded)
		if err != nil && !late {
			r.pending = r.cut.finish(r.pending)
			r.decode(send, true)
			return err
		}
		r.decode(send, late || len(r.pending) > sequenceMax)
		if err := r.wait(); err != nil {
			return err
		}
	}
}

// wait sets a deadline for the rest of what is pending.
func (r *Reader) wait() error {
	waits := len(r.pending) > 0
	if !waits && !r.waits {
		return nil
	}
	r.waits = waits
	if !waits {
		return r.source.SetReadDeadline(time.Time{})
	}
	return r.source.SetReadDeadline(r.now().Add(EscTimeout))
}

// decode sends what is pending, up to a sequence whose end has not come. Once that is late it is
// taken for what it looks like.
func (r *Reader) decode(send func(tea.Msg), late bool) {
	b := r.pending
	for len(b) > 0 {
		n, event := r.decoder.Decode(b)
		if n = max(n, 1); !late && unfinished(b, n, event) {
			break
		}
		b = b[n:]
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
	r.pending = append(r.pending[:0], b...)
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
	case uv.DarkColorSchemeEvent, uv.LightColorSchemeEvent, uv.PrimaryDeviceAttributesEvent:
		send(e)
	}
}

// unfinished reports whether b, of which the first n bytes were taken for event, is perhaps the
// beginning of something longer.
func unfinished(b []byte, n int, event uv.Event) bool {
	switch {
	case !utf8.FullRune(b):
		return true
	case b[0] == 0x1B && len(b) > 2 && isString(b[1]) && (n == len(b) || n == 2) &&
		bytes.IndexByte(b[1:], 0x1B) == len(b)-2:
		return true // the terminator is cut in two
	case n < len(b):
		return false
	case b[0] == 0x1B && n == 1:
		return true
	case b[0] == 0x1B && n == 2:
		return b[1] == 0x1B || b[1] == '[' || b[1] == 'O' || isString(b[1])
	}
	_, unknown := event.(uv.UnknownEvent)
	return unknown
}

// isString reports whether ESC and c begin a string, which ends with ST.
func isString(c byte) bool {
	switch c {
	case ']', 'P', 'X', '^', '_':
		return true
	}
	return false
}

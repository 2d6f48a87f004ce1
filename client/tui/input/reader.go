package input

import (
	"io"
	"sync"
	"time"
)

// File is the host terminal. An *os.File is one; tea.OpenTTY gives one when standard input is
// something else, which tea.WithInput leaves to the caller.
type File interface {
	io.ReadWriteCloser
	Fd() uintptr
	Name() string
}

// Reader is the input for Bubble Tea. It has to be a File itself: Bubble Tea puts the terminal in
// raw mode only if its input has a descriptor (term.File), and can stop a read that waits, which
// it must to suspend and to end, only if it has a name too (cancelreader.File, by epoll or kqueue
// on the descriptor).
//
// That has a consequence. Bubble Tea waits on the descriptor and then calls Read once, so Read
// never keeps bytes back that it could deliver, and never waits for more of a paste. While a paste
// goes on it returns 0 bytes and no error, which Bubble Tea's loop takes.
//
// For each paste Bubble Tea sees an empty one, so a tea.PasteMsg arrives where the paste was among
// the keys: that is when to call TakePaste. Read is for one goroutine; TakePaste for any.
type Reader struct {
	file File
	now  func() time.Time
	cut  cutter
	buf  []byte // for the raw bytes
	out  []byte // made from buf, not yet delivered
	err  error  // of the file, once out is delivered

	mu     sync.Mutex
	pastes []Paste
}

const (
	// pastesMax is how many pastes may wait to be taken. Past it a paste loses its text, and says so
	// in Dropped; the number of pastes still agrees with Bubble Tea's messages.
	pastesMax = 64
	// headroom is by how much what is delivered can be longer than what was read: marks that were
	// held back, and those that are added.
	headroom = 16
)

// NewReader returns a reader of f; now is the clock.
func NewReader(f File, now func() time.Time) *Reader {
	r := &Reader{file: f, now: now}
	r.cut = cutter{done: r.put, maximum: PasteMaxBytes}
	return r
}

// Read reads keys and the like, without the text of pastes. It may return 0 bytes and no error.
func (r *Reader) Read(b []byte) (int, error) {
	if len(r.out) == 0 && r.err == nil && len(b) > 0 {
		n := max(len(b)-headroom, 1)
		if cap(r.buf) < n {
			r.buf = make([]byte, n)
		}
		var read int
		read, r.err = r.file.Read(r.buf[:n])
		r.out = r.cut.feed(r.out[:0], r.buf[:read], r.now())
		if r.err != nil {
			r.out = r.cut.finish(r.out)
		}
	}
	n := copy(b, r.out)
	r.out = r.out[n:]
	if n > 0 || r.err == nil {
		return n, nil
	}
	err := r.err
	r.err = nil // a terminal may be read again after an error: a resume, a time-out
	return 0, err
}

func (r *Reader) put(p Paste) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pastes) >= pastesMax {
		p.Dropped, p.Text = p.Dropped+len(p.Text), nil
	}
	r.pastes = append(r.pastes, p)
}

// TakePaste returns the oldest paste that was not taken, and whether there is one. Call it once for
// each tea.PasteMsg, whose own text is always empty.
func (r *Reader) TakePaste() (Paste, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.pastes) == 0 {
		return Paste{}, false
	}
	p := r.pastes[0]
	r.pastes[0] = Paste{}
	r.pastes = r.pastes[1:]
	return p, true
}

// Write writes to the terminal, for the sake of the interface.
func (r *Reader) Write(b []byte) (int, error) { return r.file.Write(b) }

// Close does nothing: whoever opened the terminal closes it.
func (r *Reader) Close() error { return nil }

// Fd returns the terminal's descriptor.
func (r *Reader) Fd() uintptr { return r.file.Fd() }

// Name returns the terminal's name.
func (r *Reader) Name() string { return r.file.Name() }

package paint

import (
	"fmt"
	"io"
	"sync"

	"apex/core/cell"
)

// File is the host terminal. An *os.File is one.
type File interface {
	io.ReadWriteCloser
	Fd() uintptr
}

// Writer is the only way to the host terminal. Give it to Bubble Tea with tea.WithOutput, which
// finds the terminal's size through it, and paint through it from Update. It may be used by
// several goroutines; a write that a slow terminal holds up holds up the others too.
//
// It paints only while the alternate screen is on, as seen in what passes through it: what is
// painted while Bubble Tea has given the terminal away, to a shell after Ctrl-Z or a program that
// it runs, appears when the terminal comes back.
type Writer struct {
	file File

	mu      sync.Mutex
	painter *Painter // nothing else uses it
	alt     bool     // the alternate screen is on
	buf     []byte
}

// NewWriter returns a writer to f, which is on its main screen.
func NewWriter(f File, profile Profile, caps Caps) *Writer {
	return &Writer{file: f, painter: NewPainter(profile, caps)}
}

// Enter takes the screen, so that the first frame needn't wait for Bubble Tea to start.
func (w *Writer) Enter() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.alt = true
	return w.send(append(w.buf[:0], Enter...))
}

// Write passes b on unchanged and then puts back what it disturbed of the painted screen. Bubble
// Tea writes whole sequences, never part of one; so must every other caller.
func (w *Writer) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	n, err := w.file.Write(b)
	if err != nil {
		w.painter.Invalidate()
		return n, fmt.Errorf("write to the terminal: %w", err)
	}
	return n, w.mend(scan(b))
}

// mend puts the screen right after somebody else's output.
func (w *Writer) mend(e effect) error {
	p := w.painter
	if e.wrap {
		p.wrapOff = false
	}
	if e.title {
		p.title, p.shape = "", unknownShape
	}
	buf := w.buf[:0]
	switch {
	case e.altOff:
		w.alt = false
		p.Invalidate()
		buf = appendLeave(buf, p.Caps())
	case e.altOn || w.alt && e.screen:
		if !w.alt {
			buf = append(buf, saveTitle...)
		}
		w.alt = true
		p.Invalidate()
		buf = p.Repaint(buf)
	case w.alt && p.known:
		buf = p.Settle(buf)
	default:
		p.disturb()
	}
	return w.send(buf)
}

// Paint shows next with the cursor as given. The painter keeps its own copy of next.
func (w *Writer) Paint(next *cell.Grid, cur Cursor) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	buf := w.painter.Frame(w.buf[:0], next, cur)
	if !w.alt {
		w.painter.Invalidate()
		return nil
	}
	return w.send(buf)
}

// Resync paints everything again, for a user who sees that the screen is damaged.
func (w *Writer) Resync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.alt {
		return nil
	}
	return w.send(w.painter.Repaint(w.buf[:0]))
}

// SetTitle changes the title of the terminal's window with the next frame.
func (w *Writer) SetTitle(title string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.painter.SetTitle(title)
}

// SetProfile changes the colours with the next frame.
func (w *Writer) SetProfile(p Profile) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.painter.SetProfile(p)
}

// Update changes what the terminal is trusted with by f, from the next frame on.
func (w *Writer) Update(f func(*Caps)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	c := w.painter.Caps()
	f(&c)
	w.painter.SetCaps(c)
}

// Restore gives the terminal back on a way out that Bubble Tea doesn't cover: a panic in a
// goroutine, SIGHUP, SIGQUIT. It doesn't wait for a write that is stuck, since the process is
// about to end; nothing may be painted after it.
func (w *Writer) Restore() error {
	alt, caps := true, Caps{}
	if w.mu.TryLock() {
		defer w.mu.Unlock()
		alt, caps = w.alt, w.painter.Caps()
		w.alt = false
	}
	if _, err := w.file.Write(AppendRestore(nil, alt, caps)); err != nil {
		return fmt.Errorf("restore the terminal: %w", err)
	}
	return nil
}

// send writes buf and keeps its memory.
func (w *Writer) send(buf []byte) error {
	w.buf = buf[:0]
	if len(buf) == 0 {
		return nil
	}
	if _, err := w.file.Write(buf); err != nil {
		w.painter.Invalidate()
		return fmt.Errorf("write to the terminal: %w", err)
	}
	return nil
}

// Read reads from the terminal. Bubble Tea asks for it and doesn't use it on an output.
func (w *Writer) Read(b []byte) (int, error) { return w.file.Read(b) }

// Close does nothing: the terminal is whoever's opened it.
func (w *Writer) Close() error { return nil }

// Fd returns the terminal's descriptor.
func (w *Writer) Fd() uintptr { return w.file.Fd() }

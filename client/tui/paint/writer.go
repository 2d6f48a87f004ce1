package paint

import (
	"fmt"
	"io"
	"sync"

	"apex/core/cell"
)

// Writer is the only way to the host terminal: it sets its modes, and paints. It may be used by
// several goroutines; a write that a slow terminal holds up holds up the others too.
//
// It paints only between Enter and Leave: what is painted while a shell has the terminal appears
// when that comes back.
type Writer struct {
	file io.Writer

	mu      sync.Mutex
	painter *Painter // nothing else uses it
	ours    bool     // the screen is
	modes            // that are wanted
	buf     []byte
}

// NewWriter returns a writer to f, a terminal that is a shell's. The mouse is wanted.
func NewWriter(f io.Writer, profile Profile, caps Caps) *Writer {
	return &Writer{file: f, painter: NewPainter(profile, caps), modes: modes{mouse: true}}
}

// Enter takes the screen and sets every mode. Nothing is known of the screen after it: the next
// frame paints everything. It may be called for a screen that was taken already, and was then in
// somebody else's hands.
func (w *Writer) Enter() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.painter.Invalidate()
	buf := appendEnter(w.buf[:0], w.ours, w.modes)
	w.ours = true
	return w.send(buf)
}

// Leave gives the screen back, as it was before Enter. It does nothing if it has been given back.
func (w *Writer) Leave() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ours {
		return nil
	}
	w.ours = false
	return w.send(appendLeave(w.buf[:0], w.painter.Caps(), w.modes))
}

// Paint shows next with the cursor as given. The painter keeps its own copy of next.
func (w *Writer) Paint(next *cell.Grid, cur Cursor) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	buf := w.painter.Frame(w.buf[:0], next, cur)
	if !w.ours {
		w.painter.Invalidate()
		return nil
	}
	return w.send(buf)
}

// Tell writes sequences that leave the screen, the cursor and the modes alone, such as queries; and
// nothing while the screen is somebody else's, who would get the answers.
func (w *Writer) Tell(sequences string) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ours {
		return nil
	}
	return w.send(append(w.buf[:0], sequences...))
}

// SetMouse says whether the terminal is to report the mouse.
func (w *Writer) SetMouse(on bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mouse == on {
		return nil
	}
	w.mouse = on
	if !w.ours {
		return nil
	}
	return w.send(w.appendMouse(w.buf[:0], on))
}

// SetMotion says whether it is to report that the mouse moves while no button is held, where it
// reports the mouse at all.
func (w *Writer) SetMotion(on bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.motion == on {
		return nil
	}
	w.motion = on
	switch {
	case !w.ours || !w.mouse:
		return nil
	case on:
		return w.send(append(w.buf[:0], motionOn...))
	}
	return w.send(append(w.buf[:0], motionOff+dragsOn...))
}

// SetClusters says whether the terminal is to be in mode 2027, which it must know.
func (w *Writer) SetClusters(on bool) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.clusters == on {
		return nil
	}
	w.clusters = on
	switch {
	case !w.ours:
		return nil
	case on:
		return w.send(append(w.buf[:0], clustersOn...))
	}
	return w.send(append(w.buf[:0], clustersOff...))
}

// Resync paints everything again, for a user who sees that the screen is damaged.
func (w *Writer) Resync() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.ours {
		return nil
	}
	return w.send(w.painter.Repaint(w.buf[:0]))
}

// Invalidate makes the next frame paint everything, for a terminal that has changed by itself.
func (w *Writer) Invalidate() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.painter.Invalidate()
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

// Restore gives the terminal back when the process is about to end by a defect or a signal: from
// whatever state, and without waiting for a write that is stuck. Nothing may be painted after it.
func (w *Writer) Restore() error {
	ours, caps := true, Caps{}
	if w.mu.TryLock() {
		defer w.mu.Unlock()
		ours, caps = w.ours, w.painter.Caps()
		w.ours = false
	}
	if _, err := w.file.Write(AppendRestore(nil, ours, caps)); err != nil {
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

package tui

import (
	"context"
	"os"
	"time"

	"apex/proto"
)

// Begin puts a session's first frame on the terminal, with a guard. The function that it returns
// gives the terminal back.
func Begin(s Session) (end func(), err error) {
	h, err := openHost(os.Getenv)
	if err != nil {
		return nil, err
	}
	if err := h.first(NewModel(s, Config{Screen: h.writer})); err != nil {
		return nil, err
	}
	h.protect()
	return func() { h.restore() }, nil
}

// Show is Run for any session and without a guard.
func Show(s Session, files []proto.File) error {
	h, err := openHost(os.Getenv)
	if err != nil {
		return err
	}
	defer h.close()
	m := NewModel(s, Config{Screen: h.writer, Now: time.Now, Stop: suspender(), Files: files})
	if err := h.begin(m); err != nil {
		return err
	}
	return h.show(context.Background(), m, s, func() error { return nil })
}

// Starting tells the model that the files of the command line are on their way, Started that they
// are here.
func (m *Model) Starting()                    { m.starting = true }
func (m *Model) Started(places []proto.Place) { m.started(places, nil) }

// TermRowsDrawn is how many rows of terminals were drawn so far.
func (m *Model) TermRowsDrawn() int { return m.terms.rowsDrawn }

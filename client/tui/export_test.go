package tui

import (
	"apex/proto"
	"context"
	"os"
)

// Begin puts a session's first frame on the terminal, with a guard. The function that it returns
// gives the terminal back.
func Begin(s Session) (end func(), err error) {
	h, err := openHost(os.Getenv)
	if err != nil {
		return nil, err
	}
	h.first(context.Background(), NewModel(s, Config{Screen: h.writer}))
	h.protect()
	return h.restore, nil
}

// Starting tells the model that the files of the command line are on their way, Started that they
// are here.
func (m *Model) Starting()                    { m.starting = true }
func (m *Model) Started(places []proto.Place) { m.started(places, nil) }

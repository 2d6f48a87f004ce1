package tui_test

import (
	"testing"

	"apex/client"
	"apex/client/tui/tuitest"
)

// TestAcknowledgedPaintsNothing: that what was typed is stored is no reason for a frame; anything
// that shows is.
func TestAcknowledgedPaintsNothing(t *testing.T) {
	s := tuitest.NewSession()
	w := s.File("/home/ann/a", "text")
	screen := tuitest.New(s, 80, 24, tuitest.Options{})
	screen.Wake()
	s.Status.Unsynced = 1
	screen.Key("x")
	frames := screen.Frames
	s.Status.Unsynced = 0
	screen.Wake()
	if screen.Frames != frames {
		t.Errorf("%d frames for an acknowledgement", screen.Frames-frames)
	}
	for what, change := range map[string]func(){
		"another leads":  func() { s.Status.Leading = false },
		"a text changes": func() { s.Tell(client.Event{Kind: client.EventChanged, Shard: s.Window(w).Body.Shard()}) },
		"somebody comes": func() { s.Tell(client.Event{Kind: client.EventPresence}) },
	} {
		frames := screen.Frames
		change()
		screen.Wake()
		if screen.Frames == frames {
			t.Errorf("%s: no frame", what)
		}
	}
}

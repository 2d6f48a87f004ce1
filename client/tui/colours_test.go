package tui_test

import (
	"image/color"
	"testing"

	"apex/client/tui/tuitest"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
	uv "github.com/charmbracelet/ultraviolet"
)

// TestTellsColours: who leads tells the colours of its terminal once, and again when they change.
func TestTellsColours(t *testing.T) {
	s := tuitest.NewSession()
	screen := tuitest.New(s, 80, 24, tuitest.Options{})
	told := func() (out []proto.TermColours) {
		for _, r := range s.Calls {
			if c, ok := r.(*proto.TermColours); ok {
				out = append(out, *c)
			}
		}
		return out
	}
	screen.Send(tea.ForegroundColorMsg{Color: color.RGBA{1, 2, 3, 255}})
	screen.Send(tea.BackgroundColorMsg{Color: color.White})
	if n := len(told()); n != 0 {
		t.Fatalf("%d told before all answers are there", n)
	}
	screen.Send(uv.PrimaryDeviceAttributesEvent{})
	screen.Wake()
	got := told()
	if len(got) != 1 || got[0].Fg != proto.RGB(1, 2, 3) || got[0].Bg != proto.RGB(255, 255, 255) {
		t.Fatalf("told %+v", got)
	}
	screen.Send(tea.BackgroundColorMsg{Color: color.Black})
	screen.Wake()
	if got := told(); len(got) != 2 || got[1].Bg != proto.RGB(0, 0, 0) {
		t.Errorf("told %+v", got)
	}
}

package input

import (
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"
)

func (k MouseKind) String() string {
	return [...]string{"none", "press", "chord", "drag", "release", "move", "wheel"}[k]
}

func (e MouseEvent) describe() string {
	s := fmt.Sprintf("%v", e.Kind)
	switch e.Kind {
	case Wheel:
		return fmt.Sprintf("%s %d,%d", s, e.DX, e.DY)
	case Move:
		return fmt.Sprintf("%s @%d,%d", s, e.X, e.Y)
	}
	s += fmt.Sprintf(" %d @%d,%d x%d", e.Button, e.X, e.Y, e.Clicks)
	if e.Chord {
		s += fmt.Sprintf(" chord of %d", e.First)
	}
	if e.Mod != 0 {
		s += fmt.Sprintf(" mod %d", e.Mod)
	}
	return s
}

type step struct {
	after time.Duration
	msg   tea.MouseMsg
}

func down(b tea.MouseButton, x int, mod tea.KeyMod) tea.MouseMsg {
	return tea.MouseClickMsg{X: x, Y: 1, Button: b, Mod: mod}
}
func up(b tea.MouseButton, x int) tea.MouseMsg { return tea.MouseReleaseMsg{X: x, Y: 1, Button: b} }
func drag(b tea.MouseButton, x int) tea.MouseMsg {
	return tea.MouseMotionMsg{X: x, Y: 1, Button: b}
}
func wheel(b tea.MouseButton) tea.MouseMsg { return tea.MouseWheelMsg{X: 3, Y: 1, Button: b} }

func TestMouse(t *testing.T) {
	const l, m, r, none = tea.MouseLeft, tea.MouseMiddle, tea.MouseRight, tea.MouseNone
	const ms = time.Millisecond
	cases := []struct {
		name  string
		steps []step
		want  string
	}{
		{"click", []step{{0, down(l, 3, 0)}, {0, up(l, 3)}}, "press 1 @3,1 x1; release 1 @3,1 x1"},
		{"sweep", []step{{0, down(l, 3, 0)}, {0, drag(l, 5)}, {0, up(l, 6)}},
			"press 1 @3,1 x1; drag 1 @5,1 x1; release 1 @6,1 x1"},
		{"double, triple and again", []step{{0, down(l, 3, 0)}, {0, up(l, 3)}, {100 * ms, down(l, 3, 0)},
			{0, up(l, 3)}, {100 * ms, down(l, 4, 0)}, {0, up(l, 4)}, {100 * ms, down(l, 4, 0)}},
			"press 1 @3,1 x1; release 1 @3,1 x1; press 1 @3,1 x2; release 1 @3,1 x2; " +
				"press 1 @4,1 x3; release 1 @4,1 x3; press 1 @4,1 x1"},
		{"too slow for a double", []step{{0, down(l, 3, 0)}, {0, up(l, 3)},
			{DoubleClick + 1, down(l, 3, 0)}},
			"press 1 @3,1 x1; release 1 @3,1 x1; press 1 @3,1 x1"},
		{"too far for a double", []step{{0, down(l, 3, 0)}, {0, up(l, 3)}, {0, down(l, 5, 0)}},
			"press 1 @3,1 x1; release 1 @3,1 x1; press 1 @5,1 x1"},
		{"another button is no double", []step{{0, down(l, 3, 0)}, {0, up(l, 3)}, {0, down(r, 3, 0)}},
			"press 1 @3,1 x1; release 1 @3,1 x1; press 3 @3,1 x1"},
		{"Alt is button 2", []step{{0, down(l, 3, tea.ModAlt|tea.ModShift)}, {0, drag(l, 4)},
			{0, up(l, 4)}},
			"press 2 @3,1 x1 mod 1; drag 2 @4,1 x1; release 2 @4,1 x1"},
		{"Ctrl is button 3", []step{{0, down(l, 3, tea.ModCtrl)}, {0, up(l, 3)}},
			"press 3 @3,1 x1; release 3 @3,1 x1"},
		{"Alt leaves other buttons alone", []step{{0, down(r, 3, tea.ModAlt)}}, "press 3 @3,1 x1 mod 2"},
		{"cut", []step{{0, down(l, 3, 0)}, {0, down(m, 3, 0)}, {0, up(m, 3)}, {0, up(l, 3)}},
			"press 1 @3,1 x1; chord 2 @3,1 x1 chord of 1; release 2 @3,1 x1 chord of 1; " +
				"release 1 @3,1 x1 chord of 1"},
		{"cut and paste", []step{{0, down(l, 3, 0)}, {0, down(m, 3, 0)}, {0, up(m, 3)},
			{0, down(r, 3, 0)},
			{0, up(l, 3)}, {0, up(r, 3)}, {0, down(l, 9, 0)}},
			"press 1 @3,1 x1; chord 2 @3,1 x1 chord of 1; release 2 @3,1 x1 chord of 1; " +
				"chord 3 @3,1 x1 chord of 1; release 1 @3,1 x1 chord of 1; release 3 @3,1 x1 chord of 1; " +
				"press 1 @9,1 x1"},
		{"stray release is a click", []step{{0, up(l, 3)}}, "press 1 @3,1 x1; release 1 @3,1 x1"},
		{"stray release after a click is the second", []step{{0, down(l, 3, 0)}, {0, up(l, 3)},
			{100 * ms, up(l, 3)}},
			"press 1 @3,1 x1; release 1 @3,1 x1; press 1 @3,1 x2; release 1 @3,1 x2"},
		{"press of a held button", []step{{0, down(l, 3, 0)}, {0, drag(l, 5)},
			{time.Second, down(l, 8, 0)}},
			"press 1 @3,1 x1; drag 1 @5,1 x1; release 1 @5,1 x1; press 1 @8,1 x1"},
		{"move with a lost release", []step{{0, down(l, 3, 0)}, {0, drag(none, 7)}},
			"press 1 @3,1 x1; release 1 @3,1 x1; move @7,1"},
		{"drag with a lost press", []step{{0, drag(l, 3)}, {0, drag(l, 4)}},
			"press 1 @3,1 x1; drag 1 @4,1 x1"},
		{"release that doesn't say which", []step{{0, down(l, 3, 0)}, {0, down(r, 3, 0)},
			{0, up(none, 3)}},
			"press 1 @3,1 x1; chord 3 @3,1 x1 chord of 1; release 1 @3,1 x1 chord of 1; " +
				"release 3 @3,1 x1 chord of 1"},
		{"wheel", []step{{0, wheel(tea.MouseWheelUp)}, {0, wheel(tea.MouseWheelDown)},
			{0, wheel(tea.MouseWheelLeft)}, {0, wheel(tea.MouseWheelRight)}},
			"wheel 0,-3; wheel 0,3; wheel -3,0; wheel 3,0"},
		{"hover", []step{{0, drag(none, 7)}}, "move @7,1"},
		{"unknown button", []step{{0, down(tea.MouseButton11, 7, 0)}, {0, up(tea.MouseButton11, 7)}}, ""},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			var mouse Mouse
			var got []string
			now := noon
			for _, s := range c.steps {
				now = now.Add(s.after)
				for _, e := range mouse.Handle(s.msg, now) {
					got = append(got, e.describe())
				}
			}
			if s := strings.Join(got, "; "); s != c.want {
				t.Errorf("got  %s\nwant %s", s, c.want)
			}
		})
	}
}

// Whatever the terminal loses, a button goes down only when it is up and up only when it is down, a
// gesture begins with a Press and nothing else, and drags happen with something held.
func TestMouseGesturesAreWhole(t *testing.T) {
	buttons := []tea.MouseButton{tea.MouseNone, tea.MouseLeft, tea.MouseMiddle, tea.MouseRight,
		tea.MouseBackward, tea.MouseWheelUp, tea.MouseButton11}
	rapid.Check(t, func(rt *rapid.T) {
		var mouse Mouse
		var held Buttons
		for range rapid.IntRange(1, 40).Draw(rt, "steps") {
			m := tea.Mouse{X: rapid.IntRange(0, 3).Draw(rt, "x"),
				Button: rapid.SampledFrom(buttons).Draw(rt, "button"),
				Mod:    tea.KeyMod(rapid.IntRange(0, 7).Draw(rt, "mod"))}
			msg := [...]tea.MouseMsg{tea.MouseClickMsg(m), tea.MouseReleaseMsg(m), tea.MouseMotionMsg(m),
				tea.MouseWheelMsg(m)}[rapid.IntRange(0, 3).Draw(rt, "kind")]
			for _, e := range mouse.Handle(msg, noon) {
				switch e.Kind {
				case Press, Chord:
					if held.Has(e.Button) || (held == 0) != (e.Kind == Press) {
						rt.Fatalf("%s with %b held", e.describe(), held)
					}
					held = held.with(e.Button)
				case Release:
					if !held.Has(e.Button) {
						rt.Fatalf("%s with %b held", e.describe(), held)
					}
					held = held.without(e.Button)
				case Drag:
					if held == 0 {
						rt.Fatalf("%s with none held", e.describe())
					}
				case Move:
					if held != 0 {
						rt.Fatalf("%s with %b held", e.describe(), held)
					}
				}
				if e.Held != held {
					rt.Fatalf("%s: says %b held, want %b", e.describe(), e.Held, held)
				}
				if e.Kind != Wheel && e.Kind != Move && (e.Clicks < 1 || e.Clicks > 3 || e.First == NoButton) {
					rt.Fatalf("%s: first %d", e.describe(), e.First)
				}
			}
		}
	})
}

func TestMouseReset(t *testing.T) {
	var mouse Mouse
	mouse.Handle(down(tea.MouseLeft, 3, 0), noon)
	mouse.Reset()
	if got := mouse.Handle(drag(tea.MouseNone, 3), noon); len(got) != 1 || got[0].Kind != Move {
		t.Errorf("after a reset: got %+v, want a move", got)
	}
}

package input

import (
	"time"

	tea "charm.land/bubbletea/v2"
)

// Button is a button of the mouse as it is meant: B2 and B3 may have been Alt and Ctrl with B1.
type Button uint8

// The buttons. NoButton is the one of moves and of the wheel.
const (
	NoButton Button = iota
	B1
	B2
	B3
	Backward
	Forward
)

// Buttons is a set of buttons.
type Buttons uint8

// Has reports whether b is in the set.
func (s Buttons) Has(b Button) bool { return s&(1<<b) != 0 }

func (s Buttons) with(b Button) Buttons    { return s | 1<<b }
func (s Buttons) without(b Button) Buttons { return s &^ (1 << b) }

// MouseKind is what happened.
type MouseKind uint8

// The kinds of mouse event.
const (
	NoMouse MouseKind = iota
	Press             // the first button goes down
	Chord             // one more goes down: Button is that one, First the one that began
	Drag              // the mouse moves with a button held; Button is the first of them
	Release           // a button goes up
	Move              // the mouse moves with none held
	Wheel             // the wheel turns by DX, DY
)

// MouseEvent is one step of what the user does with the mouse.
type MouseEvent struct {
	Kind   MouseKind
	Button Button     // what went down or up, or is held while dragging
	First  Button     // the button that began the gesture
	Held   Buttons    // those down after the event
	X, Y   int        // cells from 0 at the top left of the screen
	Clicks int        // 1, 2 or 3 in a Press and in what follows it until the next
	Mod    tea.KeyMod // without the Alt or Ctrl that made another button of B1
	DX, DY int        // lines and columns to scroll, positive right and down
	Chord  bool       // a chord was part of the gesture: its release is not a click
}

const (
	// DoubleClick is the longest time from press to press of a double click.
	DoubleClick = 500 * time.Millisecond
	// WheelLines is what one notch of the wheel scrolls by, in lines or columns.
	WheelLines = 3

	clicksMax = 3
)

// Mouse makes events of Bubble Tea's messages. It keeps which buttons are held, because terminals
// and multiplexers lose some presses and releases: a release of a button that isn't held is a
// click, a press of one that is held has missed the release before, and a move with no button
// means that the releases of all were lost. The zero value has none held.
type Mouse struct {
	held    Buttons
	first   Button
	chord   bool
	means   [Forward + 1]Button // what each physical button that is held stands for
	clicks  int
	last    Button
	lastAt  time.Time
	x, y    int // where the mouse was last
	clickX  int
	clickY  int
	pending []MouseEvent
}

// Handle returns the events that msg amounts to, none, one or several. The slice is valid until the
// next call.
func (m *Mouse) Handle(msg tea.MouseMsg, now time.Time) []MouseEvent {
	m.pending = m.pending[:0]
	mouse := msg.Mouse()
	switch msg.(type) {
	case tea.MouseClickMsg:
		m.press(mouse, now)
	case tea.MouseReleaseMsg:
		m.release(mouse, now)
	case tea.MouseMotionMsg:
		m.motion(mouse, now)
	case tea.MouseWheelMsg:
		m.wheel(mouse)
	}
	m.x, m.y = mouse.X, mouse.Y
	return m.pending
}

// Reset forgets what is held, for when the terminal was away.
func (m *Mouse) Reset() { *m = Mouse{} }

func physical(b tea.MouseButton) Button {
	switch b {
	case tea.MouseLeft:
		return B1
	case tea.MouseMiddle:
		return B2
	case tea.MouseRight:
		return B3
	case tea.MouseBackward:
		return Backward
	case tea.MouseForward:
		return Forward
	}
	return NoButton
}

// meaning returns the button that a press stands for and the modifiers that are left.
func meaning(b Button, mod tea.KeyMod) (Button, tea.KeyMod) {
	switch {
	case b == B1 && mod&tea.ModAlt != 0:
		return B2, mod &^ tea.ModAlt
	case b == B1 && mod&tea.ModCtrl != 0:
		return B3, mod &^ tea.ModCtrl
	}
	return b, mod
}

func (m *Mouse) emit(e MouseEvent) {
	e.First, e.Held, e.Chord = m.first, m.held, m.chord
	if e.Kind != Wheel && e.Kind != Move {
		e.Clicks = m.clicks
	}
	m.pending = append(m.pending, e)
}

func (m *Mouse) press(mouse tea.Mouse, now time.Time) {
	p := physical(mouse.Button)
	if p == NoButton {
		return
	}
	if m.means[p] != NoButton {
		m.lift(p, m.x, m.y, mouse.Mod)
	}
	b, mod := meaning(p, mouse.Mod)
	if m.held.Has(b) { // two physical buttons that mean the same
		return
	}
	m.means[p] = b
	kind := Press
	if m.held != 0 {
		kind, m.chord = Chord, true
	} else {
		m.first, m.chord = b, false
		m.count(b, mouse, now)
	}
	m.held = m.held.with(b)
	m.emit(MouseEvent{Kind: kind, Button: b, X: mouse.X, Y: mouse.Y, Mod: mod})
}

// count works out which click of a double or triple one this is.
func (m *Mouse) count(b Button, mouse tea.Mouse, now time.Time) {
	again := m.clicks > 0 && b == m.last && now.Sub(m.lastAt) <= DoubleClick &&
		abs(mouse.X-m.clickX) <= 1 && mouse.Y == m.clickY
	if again && m.clicks < clicksMax {
		m.clicks++
	} else {
		m.clicks = 1
	}
	m.last, m.lastAt, m.clickX, m.clickY = b, now, mouse.X, mouse.Y
}

func abs(n int) int { return max(n, -n) }

// lift ends the holding of a physical button.
func (m *Mouse) lift(p Button, x, y int, mod tea.KeyMod) {
	b := m.means[p]
	m.means[p] = NoButton
	m.held = m.held.without(b)
	m.emit(MouseEvent{Kind: Release, Button: b, X: x, Y: y, Mod: mod})
	if m.held == 0 {
		m.first, m.chord = NoButton, false
	}
}

func (m *Mouse) liftAll(x, y int, mod tea.KeyMod) {
	for p := range m.means {
		if m.means[p] != NoButton {
			m.lift(Button(p), x, y, mod)
		}
	}
}

func (m *Mouse) release(mouse tea.Mouse, now time.Time) {
	p := physical(mouse.Button)
	switch {
	case mouse.Button == tea.MouseNone: // the old encoding doesn't say which
		m.liftAll(mouse.X, mouse.Y, mouse.Mod)
	case p == NoButton:
	case m.means[p] == NoButton:
		m.press(mouse, now)
		if m.means[p] != NoButton {
			m.lift(p, mouse.X, mouse.Y, mouse.Mod)
		}
	default:
		m.lift(p, mouse.X, mouse.Y, mouse.Mod)
	}
}

func (m *Mouse) motion(mouse tea.Mouse, now time.Time) {
	if mouse.Button == tea.MouseNone {
		m.liftAll(m.x, m.y, mouse.Mod)
		m.emit(MouseEvent{Kind: Move, X: mouse.X, Y: mouse.Y, Mod: mouse.Mod})
		return
	}
	if m.held == 0 {
		m.press(mouse, now) // its press was lost
		return
	}
	m.emit(MouseEvent{Kind: Drag, Button: m.first, X: mouse.X, Y: mouse.Y, Mod: mouse.Mod})
}

func (m *Mouse) wheel(mouse tea.Mouse) {
	e := MouseEvent{Kind: Wheel, X: mouse.X, Y: mouse.Y, Mod: mouse.Mod}
	switch mouse.Button {
	case tea.MouseWheelUp:
		e.DY = -WheelLines
	case tea.MouseWheelDown:
		e.DY = WheelLines
	case tea.MouseWheelLeft:
		e.DX = -WheelLines
	case tea.MouseWheelRight:
		e.DX = WheelLines
	default:
		return
	}
	m.emit(e)
}

package tuitest

import (
	"fmt"
	"strings"
	"time"

	"apex/client/tui"
	"apex/client/tui/input"
	"apex/client/tui/paint"
	"apex/core/cell"

	tea "charm.land/bubbletea/v2"
)

// Screen drives a model: what a terminal would show, and what a person does.
type Screen struct {
	Model    *tui.Model
	Session  *Session
	Grid     *cell.Grid
	Cursor   paint.Cursor
	Title    string
	Caps     paint.Caps
	Raw      []string // what was sent to the terminal beside frames
	Mouse    bool     // its mouse reports
	Motion   bool     // all motion of it too
	Clusters bool     // mode 2027
	Quit     bool     // the program asked to end
	Frames   int
	Resyncs  int
	now      time.Time
	timers   []alarm
	later    []tea.Cmd // requests that are not answered yet, if Hold
	Hold     bool      // requests wait until Answer
}

// Options of a Screen beside its size.
type Options struct {
	Profile paint.Profile
	Light   bool
	ASCII   bool
	Prefix  string
	Remote  string // the machine that the session is on, empty: this one
}

// New returns a screen on a session. It shows true colours on dark unless Options say otherwise.
func New(s *Session, width, height int, o Options) *Screen {
	sc := &Screen{Session: s, Mouse: true, now: time.Unix(1000, 0)}
	sc.Model = tui.NewModel(s, tui.Config{
		Screen: sc, Profile: o.Profile, Unicode: !o.ASCII, Dark: !o.Light, Home: "/home/ann",
		Prefix: o.Prefix, Remote: o.Remote,
		Now: func() time.Time { return sc.now },
		Timer: func(d time.Duration, msg tea.Msg) tea.Cmd {
			sc.timers = append(sc.timers, alarm{sc.now.Add(d), msg})
			return nil
		},
		Exists: func(path string) bool { _, ok := s.Files[path]; return ok },
	})
	sc.Send(tea.WindowSizeMsg{Width: width, Height: height})
	return sc
}

// Paint implements tui.Screen.
func (s *Screen) Paint(next *cell.Grid, cur paint.Cursor) error {
	if s.Grid == nil {
		s.Grid = cell.NewGrid(0, 0, next.Clusters())
	}
	s.Grid.Copy(next)
	s.Cursor = cur
	s.Frames++
	return nil
}

// SetTitle implements tui.Screen.
func (s *Screen) SetTitle(title string) { s.Title = title }

// SetProfile implements tui.Screen.
func (s *Screen) SetProfile(paint.Profile) {}

// Update implements tui.Screen.
func (s *Screen) Update(change func(*paint.Caps)) { change(&s.Caps) }

// Resync implements tui.Screen.
func (s *Screen) Resync() error {
	s.Resyncs++
	return nil
}

// SetMouse implements tui.Screen.
func (s *Screen) SetMouse(on bool) error {
	s.Mouse = on
	return nil
}

// SetMotion implements tui.Screen.
func (s *Screen) SetMotion(on bool) error {
	s.Motion = on
	return nil
}

// SetClusters implements tui.Screen.
func (s *Screen) SetClusters(on bool) error {
	s.Clusters = on
	return nil
}

// Tell implements tui.Screen.
func (s *Screen) Tell(sequences string) error {
	s.Raw = append(s.Raw, sequences)
	return nil
}

// Send hands a message to the model and runs what it asks for.
func (s *Screen) Send(msg tea.Msg) {
	s.run(s.Model.Update(msg))
	if s.Session.reminded {
		s.Session.reminded = false
		s.Wake()
	}
}

// Do runs what a model asks for.
func (s *Screen) Do(cmd tea.Cmd) { s.run(cmd) }

func (s *Screen) run(cmd tea.Cmd) {
	if cmd == nil {
		return
	}
	switch msg := cmd().(type) {
	case nil:
	case tea.BatchMsg:
		for _, c := range msg {
			s.run(c)
		}
	case tea.QuitMsg:
		s.Quit = true
	default:
		if s.Hold {
			s.later = append(s.later, func() tea.Msg { return msg })
			return
		}
		s.Send(msg)
	}
}

// Answer lets the results of the requests so far arrive.
func (s *Screen) Answer() {
	later := s.later
	s.later, s.Hold = nil, false
	for _, c := range later {
		s.run(c)
	}
}

// Wake tells the model that something has arrived.
func (s *Screen) Wake() { s.Send(tui.WakeMsg()) }

// Key presses keys by their names, as in ctrl+s.
func (s *Screen) Key(names ...string) {
	for _, name := range names {
		k, err := input.ParseKey(name)
		if err != nil {
			panic("tuitest: " + err.Error())
		}
		s.Send(press(k))
	}
}

func press(k input.Key) tea.KeyPressMsg {
	var mod tea.KeyMod
	for _, m := range []struct {
		in  input.Mod
		out tea.KeyMod
	}{{input.Ctrl, tea.ModCtrl}, {input.Alt, tea.ModAlt}, {input.Shift, tea.ModShift}} {
		if k.Mod&m.in != 0 {
			mod |= m.out
		}
	}
	return tea.KeyPressMsg{Code: k.Code, Mod: mod}
}

// Type types a text; a newline is the Enter key, and a tab the Tab key.
func (s *Screen) Type(text string) {
	for _, r := range text {
		switch r {
		case '\n':
			s.Key("enter")
		case '\t':
			s.Key("tab")
		default:
			s.Send(tea.KeyPressMsg{Code: r, Text: string(r)})
		}
	}
}

// Paste pastes from the terminal.
func (s *Screen) Paste(text string) {
	s.Send(input.Paste{Text: []byte(text)})
}

// Press, Drag and Release use a button of the mouse at a cell. Clicks at the same cell that are to
// count as one each need Pause between them.
func (s *Screen) Press(b tea.MouseButton, x, y int) {
	s.Send(tea.MouseClickMsg{X: x, Y: y, Button: b})
}

// Drag moves the mouse with a button held.
func (s *Screen) Drag(b tea.MouseButton, x, y int) {
	s.Send(tea.MouseMotionMsg{X: x, Y: y, Button: b})
}

// Release lets a button go.
func (s *Screen) Release(b tea.MouseButton, x, y int) {
	s.Send(tea.MouseReleaseMsg{X: x, Y: y, Button: b})
}

// Click presses a button and lets it go.
func (s *Screen) Click(b tea.MouseButton, x, y int) {
	s.Press(b, x, y)
	s.Release(b, x, y)
}

// Wheel turns the wheel at a cell.
func (s *Screen) Wheel(b tea.MouseButton, x, y int) {
	s.Send(tea.MouseWheelMsg{X: x, Y: y, Button: b})
}

// alarm is a message that arrives at a time.
type alarm struct {
	at  time.Time
	msg tea.Msg
}

// Pause lets so much time pass that clicks before and after are not a double click, and that timers
// of up to a second are due.
func (s *Screen) Pause() {
	s.now = s.now.Add(time.Second)
	due := s.timers
	s.timers = nil
	for _, t := range due {
		if t.at.After(s.now) {
			s.timers = append(s.timers, t)
		} else {
			s.Send(t.msg)
		}
	}
}

// Now returns the time on the screen's clock, which Pause moves.
func (s *Screen) Now() time.Time { return s.now }

// Find returns the first cell of a text on the screen, row by row. It panics if it isn't there.
func (s *Screen) Find(text string) (x, y int) {
	_, height := s.Grid.Size()
	for y := range height {
		row := s.Grid.Text(y)
		if i := strings.Index(row, text); i >= 0 {
			return paint.Width(row[:i]), y
		}
	}
	panic(fmt.Sprintf("tuitest: %q is not on the screen:\n%s", text, s))
}

// Has reports whether a text is on the screen.
func (s *Screen) Has(text string) bool { return strings.Contains(s.String(), text) }

// String returns the rows of the screen, blanks at their ends left out, and the caret as a line.
func (s *Screen) String() string {
	var b strings.Builder
	_, height := s.Grid.Size()
	for y := range height {
		b.WriteString(strings.TrimRight(s.Grid.Text(y), " "))
		b.WriteByte('\n')
	}
	if s.Cursor.Visible {
		fmt.Fprintf(&b, "caret %d,%d\n", s.Cursor.X, s.Cursor.Y)
	}
	return b.String()
}

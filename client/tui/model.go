package tui

import (
	"fmt"
	"time"

	"apex/client"
	"apex/client/tui/input"
	"apex/client/tui/paint"
	"apex/core"
	"apex/core/cell"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// Screen is where frames go: a *paint.Writer, or what a test looks at.
type Screen interface {
	Paint(next *cell.Grid, cur paint.Cursor) error
	SetTitle(title string)
	SetProfile(p paint.Profile)
	Update(change func(*paint.Caps))
	Resync() error
	// Tell writes sequences that leave the screen alone.
	Tell(sequences string) error
	SetMouse(on bool) error
	SetMotion(on bool) error   // of the mouse with no button held
	SetClusters(on bool) error // mode 2027
}

// Model is the interface's state. One goroutine at a time has it: see program. What is in the session
// is not repeated here: this is what only this client knows.
type Model struct {
	session Session
	screen  Screen
	now     func() time.Time
	timer   func(time.Duration, tea.Msg) tea.Cmd

	grid        *cell.Grid
	profile     paint.Profile
	unicode     bool
	dark        bool
	theme       *Theme
	stood       client.State      // how the session stood at the last wake, but for what is unsynced
	coloursTold proto.TermColours // what the session was told of them
	answers     input.Answers

	placing  placing
	placedAs placedAs
	panes    map[core.View]*pane
	rows     rows // scratch of every flow

	local  map[core.View]core.ViewState // of texts that this client doesn't lead
	trail  map[core.View]trail
	peeked map[core.View]*peek // of texts that have not arrived
	left   map[core.View]int   // cells scrolled to the left
	focus  core.View           // while this client doesn't lead the layout
	caret  caret
	worked core.View // the window's text that had the focus last

	overlays []overlay
	covered  bool // the last frame had an overlay
	message  message
	fenced   bool // a lease was lost while changes were on their way
	watched  bool // another took the layout over, and the person was told
	outage   outage
	exists   func(path string) bool
	acting   core.View // while an input that waited is done: the view that it was for
	ownSnarf string    // copied while another leads the layout
	held     held
	handing  handing
	guest    map[core.View]bool // of texts that a tool leads: this client has gone on there
	answered []answered         // since the last wake
	early    held               // what was typed before the files of the command line were here
	starting bool               // they are on their way
	taking   bool               // taking over was asked for here, and is not granted yet
	takes    int                // how often that was, so that an old timer is known
	denied   bool               // it was waited for in vain
	dirty    map[core.BufferID]dirtiness
	recent   []string // files that were opened, newest first
	last     search
	told     map[core.WindowID]core.Seq // the newest outcome of a command that was told
	failures []failure                  // to be put into +Errors
	met      *core.Layout               // whose windows are all in told
	leaving  leaving
	home     string // the person's home directory, empty on another machine
	remote   string // the machine that the session is on, empty: this one
	tmux     bool
	files    []proto.File
	later    []tea.Cmd // what drawing found to be done beside the loop
	titled   string
	lag      lag
	terms    terms
	looked   core.View // what others were told that this client looks at
	stop     func()    // stops this process; nil: no shell could bring it back

	mouse   input.Mouse
	gesture gesture
	sweep   sweep
	noMouse bool

	err  error // why it ended
	quit bool
}

// placedAs is what a placing was worked out for.
type placedAs struct {
	layout        *core.Layout
	focus         core.View
	width, height int
}

// caret is where typing goes on in the text with the focus.
type caret struct {
	view  core.View
	front bool // the caret is at the dot's first rune, and its last stays when it moves with shift
	goal  int  // the cell that moving up and down tries to keep; -1 for none
	show  bool // bring it into sight before the next frame
}

// message is a line for the person, until the next key.
type message struct {
	text string
	bad  bool
}

// dirtiness is whether a value of a buffer is dirty, which may cost a hash to know.
type dirtiness struct {
	of    *core.Buffer
	dirty bool
	asked bool // a tea.Cmd is finding out
}

// Config is what a Model needs beside its session.
type Config struct {
	Screen  Screen
	Now     func() time.Time
	Timer   func(time.Duration, tea.Msg) tea.Cmd // brings a message after a time; nil: tea.Tick
	Profile paint.Profile
	Unicode bool   // the terminal shows Unicode
	Tmux    bool   // the terminal is tmux
	Stop    func() // stops this process until a shell brings it back; nil: none could
	Home    string
	Files   []proto.File           // to open at once
	Exists  func(path string) bool // whether a file is there; may wait; nil: all are
	Remote  string                 // see Options
	Dark    bool                   // its background is dark, until it says itself
	Prefix  string                 // the key before the interface's in a terminal; empty: ctrl+\
}

// NewModel returns a model that shows a session.
func NewModel(s Session, c Config) *Model {
	m := &Model{
		session: s, screen: c.Screen, now: c.Now,
		grid: cell.NewGrid(0, 0, nil), profile: c.Profile, unicode: c.Unicode, dark: c.Dark,
		panes: map[core.View]*pane{}, local: map[core.View]core.ViewState{},
		left:  map[core.View]int{},
		trail: map[core.View]trail{}, peeked: map[core.View]*peek{}, told: map[core.WindowID]core.Seq{}, home: c.Home, remote: c.Remote, tmux: c.Tmux,
		exists: c.Exists, files: c.Files, stop: c.Stop,
		dirty: map[core.BufferID]dirtiness{}, caret: caret{goal: -1}, terms: newTerms(), handing: handing{}, guest: map[core.View]bool{},
	}
	if m.timer = c.Timer; m.timer == nil {
		m.timer = timer
	}
	m.theme = NewTheme(m.profile, m.dark, m.unicode)
	m.meet()
	m.meetTerms()
	m.setPrefix(c.Prefix)
	return m
}

// Init begins: it asks the terminal what it can do, and opens files.
func (m *Model) Init() tea.Cmd {
	m.fail(m.screen.Tell(input.Queries))
	var cmd tea.Cmd
	if len(m.files) > 0 {
		m.starting = true
		cmd = call(m.opening(m.files), (*Model).started)
	}
	return tea.Batch(cmd, m.peekLater())
}

// Update deals with a message, and returns what is to be done beside the loop. It only says who deals
// with what; then what changed is painted.
func (m *Model) Update(msg tea.Msg) tea.Cmd {
	var cmd tea.Cmd
	shows := true
	switch msg := msg.(type) {
	case tea.KeyPressMsg:
		told := m.message != (message{})
		cmd = m.onKey(msg)
		shows = told || m.message != (message{}) || !m.terms.unseen
		m.terms.unseen = false
	case tea.MouseMsg:
		cmd = m.onMouse(msg)
	case input.Paste:
		cmd = m.onPaste(msg)
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case wakeMsg:
		cmd, shows = m.onWake()
	case doneMsg:
		cmd = m.onDone(msg)
	case tea.ResumeMsg:
		m.onResume()
	case endMsg:
		m.quit = true
		if msg.err != nil {
			m.err = msg.err
		}
		cmd = tea.Quit
	default:
		if m.answers.Handle(msg) {
			m.onAnswers()
		} else if !concerns(msg) {
			return nil
		}
		m.hostFocus(msg)
	}
	if shows {
		m.lookAtRecovered()
		m.meet()
		m.paint()
	} else {
		m.watchLag()
	}
	if len(m.later) > 0 {
		cmd = tea.Batch(append(m.later, cmd)...)
		m.later = nil
	}
	return cmd
}

// concerns reports whether a message that nobody deals with may still ask for a frame.
func concerns(msg tea.Msg) bool {
	switch msg.(type) {
	case tea.FocusMsg, tea.BlurMsg:
		return true
	}
	return false
}

// Err is why the program ended, nil if the person wished it.
func (m *Model) Err() error { return m.err }

// resize takes in the terminal's size. Another one than before must not hide the caret; the first
// moves nothing, since a text is to be shown where it was left.
func (m *Model) resize(width, height int) {
	w, h := m.grid.Size()
	if w > 0 && (w != width || h != height) {
		m.caret.show = true
	}
	m.grid.Resize(width, height)
	m.Forget()
}

// Forget makes the next frame draw everything, whether it changed or not.
func (m *Model) Forget() {
	for _, p := range m.panes {
		p.ok = false
	}
	m.terms.forget()
	m.placedAs = placedAs{}
}

func (m *Model) onAnswers() {
	a := m.answers
	m.screen.Update(func(c *paint.Caps) {
		c.Sync, c.Clusters, c.Emoji = a.Sync, a.Clusters, a.Clusters
	})
	if a.Off {
		m.fail(m.screen.SetClusters(true))
	}
	m.tellColours()
	if a.Themed && a.Dark != m.dark {
		m.dark = a.Dark
		m.theme = NewTheme(m.profile, m.dark, m.unicode)
		m.Forget()
	}
}

func (m *Model) onResume() {
	m.mouse.Reset()
	m.gesture = gesture{}
	m.Forget()
}

// say shows a message.
func (m *Model) say(text string) { m.message = message{text: text} }

// warn shows a message that something is wrong.
func (m *Model) warn(format string, args ...any) {
	m.message = message{text: fmt.Sprintf(format, args...), bad: true}
}

// fail shows an error.
func (m *Model) fail(err error) {
	if err != nil {
		m.warn("%v", err)
	}
}

// refuse says why this client doesn't change anything now.
func (m *Model) refuse() {
	if m.session.State().Observer {
		m.warn("This interface only watches (--observe).")
		return
	}
	m.warn("watching: %s takes over", keyOf("take-over"))
}

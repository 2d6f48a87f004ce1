package core

// Term is what there is to see of a hosted terminal: the newest grid, and what its program told.
// The daemon leads it. It is an immutable value: what is in it is never changed, only replaced, and
// rows are shared between one value and the next.
type Term struct {
	Window  WindowID // that shows it
	Command string   // for people: the arguments, joined
	Dir     string   // that the program began in

	// Generation rises when the daemon starts anew: the log of a terminal's shard does not outlive
	// the daemon, and begins again with each.
	Generation uint64

	Cols, Rows int        // cells
	Grid       []*TermRow // Rows of them, top to bottom

	// Logical lines are numbered from 0 for as long as the terminal is there. First is the oldest
	// that is kept, Base the one that the main screen's first row belongs to, of which BaseCol
	// cells have scrolled off.
	First, Base uint64
	BaseCol     int

	Cursor   Cursor
	Modes    TermMode
	Title    string
	Cwd      string // as the program told it by OSC 7; it may say what it likes
	Progress Progress
	Marks    []PromptMark // by line, the newest TermMarksMax
	Bells    uint64       // how often it has rung
	Clips    uint64       // how often it has set the clipboard; the text is the layout's snarf
	Exit     Exit
}

// Cursor is where the next character goes, and how that is shown.
type Cursor struct {
	X, Y    int // cells from 0, in the grid
	Visible bool
	Blink   bool
	Shape   CursorShape
}

// CursorShape is how a cursor is drawn.
type CursorShape uint8

// The shapes. A program that doesn't care leaves CursorShapeDefault.
const (
	CursorShapeDefault CursorShape = iota
	CursorShapeBlock
	CursorShapeUnderline
	CursorShapeBar
	cursorShapeEnd
)

// TermMode is a set of modes that whoever shows a terminal or sends it input has to know. Bits
// beyond those below are kept: a later build may know them.
type TermMode uint32

// The modes.
const (
	TermAltScreen   TermMode = 1 << iota // the alternate screen is shown
	TermPaste                            // pastes are bracketed
	TermFocus                            // changes of the focus are reported
	TermAltScroll                        // on the alternate screen the wheel sends cursor keys
	TermReverse                          // the whole screen is drawn in reverse
	TermMousePixels                      // the mouse is wanted in pixels
	TermKeyReleases                      // repeats and releases of keys are wanted
	termMouseBit                         // MouseWant, in three bits
)

const termMouseMask = 7 * termMouseBit

// MouseWant says which of the mouse's doings a program wants to know.
type MouseWant uint8

// What a program may want of the mouse.
const (
	MouseNone    MouseWant = iota
	MousePresses           // presses
	MouseClicks            // presses and releases
	MouseDrags             // also motion while a button is down
	MouseMotion            // all motion
)

// Mouse returns which of the mouse's doings the program wants to know.
func (m TermMode) Mouse() MouseWant { return MouseWant(m & termMouseMask / termMouseBit) }

// WithMouse returns m with another wish for the mouse.
func (m TermMode) WithMouse(w MouseWant) TermMode {
	return m&^termMouseMask | TermMode(w)*termMouseBit&termMouseMask
}

// Progress is what the program told of its progress (OSC 9;4).
type Progress struct {
	State   ProgressState
	Percent int // 0-100
}

// ProgressState says how it goes.
type ProgressState uint8

// The states, by their numbers in OSC 9;4.
const (
	ProgressNone ProgressState = iota
	ProgressSet
	ProgressError
	ProgressBusy // of unknown length
	ProgressPaused
	progressEnd
)

// PromptMark is a place that the shell marked (OSC 133).
type PromptMark struct {
	Kind   MarkKind
	Line   uint64
	Col    int // cells before it in the line
	Status int // of the command, with MarkEnd; StatusUnknown if none was told
}

// MarkKind is what a mark marks, by its letter in OSC 133.
type MarkKind uint8

// The kinds of marks.
const (
	MarkPrompt MarkKind = 'A'
	MarkInput  MarkKind = 'B' // where the prompt ends
	MarkOutput MarkKind = 'C'
	MarkEnd    MarkKind = 'D'
)

// StatusUnknown is the Status of a mark that tells none.
const StatusUnknown = -1

// Exit is how the program ended.
type Exit struct {
	Done   bool
	Code   int    // exit status, if Signal is empty
	Signal string // that killed it, as in KILL
	Reason string // for people, where neither tells: who kept the terminal is gone
}

// Bounds of a terminal.
const (
	TermColsMax       = 2000     // wider than any display
	TermRowsMax       = 1000     // higher than any
	TermTitleMaxBytes = 4 << 10  // what a status line could show, and to spare
	TermMarksMax      = 1 << 8   // the prompts that a person steps back through
	TermSignalMax     = 32       // bytes of a signal's name
	TermLineMax       = 1 << 62  // the number of a line
	TermRowMaxBytes   = 64 << 10 // texts and links of a row: 2,000 cells take 8,000 for their runes
	TermLinkMaxBytes  = 2083     // what browsers take
)

package vt

import (
	"fmt"

	"apex/core/cell"
)

// Limits of what a program can make a Screen hold.
const (
	// ColsMax and RowsMax bound a screen: with both, its two grids take 32 MB. Wider than any display.
	ColsMax = 2000
	RowsMax = 1000

	// HistoryLinesDefault and HistoryBytesDefault are the limits of Options that are zero.
	HistoryLinesDefault = 10_000
	HistoryBytesDefault = 16 << 20

	// LineMaxCells is the longest logical line. At that length, where a row ends, the line is
	// ended and the text goes on in the next one, so that no line takes unbounded memory; no
	// text is lost.
	LineMaxCells = 1 << 16
)

// Options are the parts of a Screen that its owner chooses. The zero value is a good choice.
type Options struct {
	HistoryLines int // logical lines that are kept; 0 means HistoryLinesDefault, negative none
	HistoryBytes int // bytes that they may take; 0 means HistoryBytesDefault
	// Name answers XTVERSION, as in "apex 1.2"; "" means "apex". Only printable ASCII is sent.
	Name string
	// ClipboardReads reports a program's wish to read the clipboard as an event. Without it the
	// wish is ignored.
	ClipboardReads bool
}

func (o Options) filled() Options {
	if o.HistoryLines == 0 {
		o.HistoryLines = HistoryLinesDefault
	}
	o.HistoryLines = max(o.HistoryLines, 0)
	if o.HistoryBytes <= 0 {
		o.HistoryBytes = HistoryBytesDefault
	}
	o.Name = printable(o.Name)
	if o.Name == "" {
		o.Name = "apex"
	}
	return o
}

// Screen is a terminal. See the package comment for who may use it and how.
type Screen struct {
	opts       Options
	cols, rows int
	tables     tables
	classes    classes

	main, alt grid // alt has no rows until it is first used
	g         *grid
	history   history

	cur         cursor
	top, bottom int // the scrolling region, both rows included
	tabs        []bool
	modes       modes
	savedModes  modes // by XTSAVE

	penID, eraseID uint32 // looks of the pen, and of what it erases
	last           lastPrinted
	joined         []byte // scratch
	parser         parser

	title      string
	titles     []string
	host, dir  string
	progress   Progress
	bells      uint64
	marksSeen  uint64
	colours    Colours
	overrides  Colours
	overridden uint64
	cellW      int
	cellH      int
	events     []Event
	silent     bool
	replies    []byte

	gen       uint64 // of the current or last change
	scrolls   uint64 // rows that the whole screen has moved up so far
	syncStart Point
}

// cursor is what DECSC saves and DECRC restores.
type cursor struct {
	x, y     int
	pending  bool // the last column was written; the next character goes to the next row
	origin   bool
	pen      look
	charsets [4]byte // the final bytes of their designations
	gl       uint8   // which of them is in use
	single   uint8   // 2 or 3 for the next character, after SS2 or SS3
}

func homeCursor() cursor { return cursor{charsets: [4]byte{'B', 'B', 'B', 'B'}} }

// New returns an empty screen. It panics when the size is one that Resize refuses.
func New(cols, rows int, o Options) *Screen {
	if err := checkSize(cols, rows); err != nil {
		panic(err)
	}
	s := &Screen{opts: o.filled(), cols: cols, rows: rows, tables: newTables(), gen: 1}
	s.main = newGrid(cols, rows, s.gen)
	s.main.saved = homeCursor()
	s.alt.saved = homeCursor()
	s.g = &s.main
	s.history.limit(s.opts)
	s.cur = homeCursor()
	s.bottom = rows - 1
	s.tabs = defaultTabs(nil, cols)
	s.modes = defaultModes
	s.savedModes = defaultModes
	return s
}

// SetOptions changes the options. Lines of the history that are too many go at once.
func (s *Screen) SetOptions(o Options) {
	s.opts = o.filled()
	s.history.limit(s.opts)
	s.history.trim()
}

func checkSize(cols, rows int) error {
	if cols < 1 || rows < 1 || cols > ColsMax || rows > RowsMax {
		return fmt.Errorf("size of a terminal: got %dx%d, want 1x1 to %dx%d", cols, rows,
			ColsMax, RowsMax)
	}
	return nil
}

// Size returns the number of columns and rows.
func (s *Screen) Size() (cols, rows int) { return s.cols, s.rows }

// grids returns the grids that have rows.
func (s *Screen) grids() []*grid { return []*grid{&s.main, &s.alt} }

func (s *Screen) row() *row { return s.g.rows[s.cur.y] }

func (s *Screen) touchAll() {
	for _, r := range s.g.rows {
		r.gen = s.gen
	}
}

// setPen makes l the look of what is written next.
func (s *Screen) setPen(l look) {
	s.cur.pen = l
	s.penID = s.tables.lookID(l)
	s.eraseID = s.tables.lookID(l.erased())
}

// Bells is the number of times that the program has rung.
func (s *Screen) Bells() uint64 { return s.bells }

// Title returns the title of the window as the program set it, without control characters and at
// most TitleMaxBytes long.
func (s *Screen) Title() string { return s.title }

// Directory returns the program's working directory as it told by OSC 7, and the host that it is
// on, which may be "". Both are "" before that. The program may say what it likes.
func (s *Screen) Directory() (host, dir string) { return s.host, s.dir }

// Progress returns what the program told by OSC 9;4.
func (s *Screen) Progress() Progress { return s.progress }

// CursorShape is how the cursor is drawn.
type CursorShape uint8

// The shapes. A program that doesn't care leaves DefaultCursor.
const (
	DefaultCursor CursorShape = iota
	BlockCursor
	UnderlineCursor
	BarCursor
)

// Cursor is where the next character goes.
type Cursor struct {
	X, Y    int // cells from 0; X is the last column also when the next character wraps
	Visible bool
	Blink   bool
	Shape   CursorShape
}

// Cursor returns the cursor.
func (s *Screen) Cursor() Cursor {
	m := &s.modes
	c := Cursor{X: s.cur.x, Y: s.cur.y, Visible: m.has(modeVisible), Blink: m.has(modeBlink)}
	if m.cursorStyle > 0 {
		c.Shape = CursorShape((m.cursorStyle + 1) / 2)
		c.Blink = c.Blink || m.cursorStyle%2 == 1
	}
	return c
}

// Row appends the runs of row y to dst. The blanks in the default look at its end are left out.
func (s *Screen) Row(y int, dst []cell.Run) []cell.Run {
	r := s.g.rows[y]
	return s.tables.appendRuns(dst, r.cells[:r.shown()], s.cols == 1)
}

// RowWrapped reports whether row y's line goes on in the next row.
func (s *Screen) RowWrapped(y int) bool { return s.g.rows[y].wrapped }

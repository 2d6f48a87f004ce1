package paint

import "apex/core/cell"

// Caps are the abilities of a terminal beyond the common subset. The zero value is safe everywhere.
type Caps struct {
	Sync       bool // synchronized output, mode 2026
	Clusters   bool // graphemes of several runes take the cells that First says, mode 2027
	Emoji      bool // single wide runes beyond the basic plane do too
	Underlines bool // styles of underline, SGR 4:n
	Shapes     bool // shapes of the cursor, DECSCUSR
	Titles     bool // window titles, OSC 2
}

// Shape is how the cursor looks. The zero value is the user's own choice.
type Shape uint8

// The shapes, numbered as in DECSCUSR.
const (
	UserShape Shape = iota
	BlinkingBlock
	SteadyBlock
	BlinkingUnderline
	SteadyUnderline
	BlinkingBar
	SteadyBar

	unknownShape Shape = 0xFF
)

// Cursor is where the terminal's cursor is to be. One outside the grid is hidden.
type Cursor struct {
	X, Y    int
	Visible bool
	Shape   Shape
}

// Painter turns grids into the bytes that bring them to a terminal. It is not safe for concurrent
// use; a Writer guards its own.
type Painter struct {
	profile Profile
	caps    Caps

	// What the screen shows, when known. texts belongs to the cells.
	cells         []cell.Cell
	grid          *cell.Grid // that the last frame was of, and that says where it was drawn in since
	width, height int
	texts         []string
	table         *cell.Clusters
	generation    uint64
	known         bool

	// What else the terminal has. x < 0 means that the position is unknown.
	pen        pen
	x, y       int
	last       []byte // written right before x, when something might join it; else empty
	wrapOff    bool
	shownKnown bool
	shown      bool
	shape      Shape
	title      string // as it was sent
	wantTitle  string
	cursor     Cursor // as it was last asked for

	body      []byte   // the frame so far
	text      []byte   // what put is about to write
	pair      []byte   // for joins
	changed   []bool   // by row
	was, want []uint64 // hashes of rows: as shown, and of the frame
	hashed    []bool   // was holds the row's hash
}

// NewPainter returns a painter for a terminal whose screen is unknown.
func NewPainter(profile Profile, caps Caps) *Painter {
	p := &Painter{profile: profile, caps: caps}
	p.Invalidate()
	return p
}

// Caps returns what the terminal is trusted with.
func (p *Painter) Caps() Caps { return p.caps }

// SetCaps changes what the terminal is trusted with, from the next frame on.
func (p *Painter) SetCaps(c Caps) {
	if c.Underlines != p.caps.Underlines {
		p.known, p.pen.known = false, false
	}
	p.caps = c
}

// SetProfile changes the colours; the next frame paints everything.
func (p *Painter) SetProfile(profile Profile) {
	if profile != p.profile {
		p.profile, p.known, p.pen.known = profile, false, false
	}
}

// SetTitle changes the title of the terminal's window with the next frame. Control characters are
// left out and TitleMaxBytes kept; an empty title is not sent.
func (p *Painter) SetTitle(title string) { p.wantTitle = cleanTitle(title) }

// Invalidate says that nothing is known about the terminal: the next frame paints everything.
func (p *Painter) Invalidate() {
	p.known, p.wrapOff, p.shape, p.title = false, false, unknownShape, ""
	p.disturb()
}

// disturb says that the cursor and the rendition are unknown, and the cells still as they were.
func (p *Painter) disturb() {
	p.x, p.y, p.last = -1, -1, p.last[:0]
	p.pen.known, p.shownKnown = false, false
}

// Frame appends to buf the bytes that make the terminal show next with the cursor as given; none
// when it does already. The terminal must have next's size. A grid has one painter: it is settled.
func (p *Painter) Frame(buf []byte, next *cell.Grid, cur Cursor) []byte {
	w, h := next.Size()
	table := next.Clusters()
	if w != p.width || h != p.height || table != p.table || table.Generation() != p.generation {
		p.known = false
		p.disturb() // a terminal that was resized may have moved its cursor
		p.width, p.height, p.table, p.generation = w, h, table, table.Generation()
		p.cells = make([]cell.Cell, w*h)
		p.changed = make([]bool, h)
		p.was, p.want, p.hashed = make([]uint64, h), make([]uint64, h), make([]bool, h)
	}
	p.texts = table.Texts()
	p.cursor = cur
	p.begin()
	if p.known {
		p.paintChanged(next, next == p.grid)
	} else {
		for y := range h {
			copy(p.row(y), next.Row(y))
		}
		p.paintAll()
	}
	p.grid = next
	next.Settle()
	return p.finish(buf)
}

// Repaint appends to buf the bytes that bring the last frame back to a terminal of which nothing is
// known, and none when there was no frame.
func (p *Painter) Repaint(buf []byte) []byte {
	if p.table == nil {
		return buf
	}
	p.Invalidate()
	p.begin()
	p.paintAll()
	return p.finish(buf)
}

// paintAll clears the screen, whatever it shows, and paints what is not blank: on a large screen
// that is a tenth of the cells.
func (p *Painter) paintAll() {
	p.known = true
	clear(p.hashed)
	if len(p.cells) == 0 {
		return
	}
	p.use(cell.Cell{})
	p.moveTo(0, 0)
	p.body = append(p.body, "\x1b[J"...)
	blank := make([]cell.Cell, p.width)
	for y := range p.height {
		p.paintRow(y, blank, p.row(y))
	}
}

func (p *Painter) row(y int) []cell.Cell { return p.cells[y*p.width : (y+1)*p.width] }

func (p *Painter) begin() {
	p.body = p.body[:0]
	if !p.wrapOff {
		p.body = append(p.body, "\x1b[?7l"...)
		p.wrapOff = true
	}
}

// quietBytes is up to how long a frame is sent without hiding the cursor or asking for a
// synchronized update: it reaches the terminal in one read, and most keystrokes stay below.
const quietBytes = 96

// finish puts the cursor in place and appends the frame to buf.
func (p *Painter) finish(buf []byte) []byte {
	cur := p.cursor
	show := cur.Visible && cur.X >= 0 && cur.Y >= 0 && cur.X < p.width && cur.Y < p.height
	loud := len(p.body) > quietBytes
	switch {
	case loud && p.caps.Sync:
		buf = append(buf, "\x1b[?2026h"...)
	case loud && (p.shown || !p.shownKnown):
		buf = append(buf, "\x1b[?25l"...)
		p.shown, p.shownKnown = false, true
	}
	if p.caps.Titles && p.wantTitle != "" && p.wantTitle != p.title {
		p.title = p.wantTitle
		p.body = append(append(append(p.body, "\x1b]2;"...), p.title...), '\a')
	}
	if show {
		p.moveTo(cur.X, cur.Y)
		if p.caps.Shapes && cur.Shape != p.shape {
			p.shape = cur.Shape
			p.body = append(p.body, '\x1b', '[', '0'+byte(p.shape), ' ', 'q')
		}
	}
	if !p.shownKnown || show != p.shown {
		p.shown, p.shownKnown = show, true
		if show {
			p.body = append(p.body, "\x1b[?25h"...)
		} else {
			p.body = append(p.body, "\x1b[?25l"...)
		}
	}
	buf = append(buf, p.body...)
	if loud && p.caps.Sync {
		buf = append(buf, "\x1b[?2026l"...)
	}
	return buf
}

// TitleMaxBytes is the longest title that is sent. Window managers show far less.
const TitleMaxBytes = 256

func cleanTitle(s string) string {
	b := make([]byte, 0, min(len(s), TitleMaxBytes))
	for _, r := range s {
		if control(r) {
			continue
		}
		n := len(b)
		if b = append(b, string(r)...); len(b) > TitleMaxBytes {
			return string(b[:n])
		}
	}
	return string(b)
}

// control reports whether r is a C0 or C1 control character or DEL.
func control(r rune) bool { return r < 0x20 || r >= 0x7F && r < 0xA0 }

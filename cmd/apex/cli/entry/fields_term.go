package entry

import (
	"apex/core"
	"apex/core/cell"
)

type procStartFields struct {
	Proc    string `json:"proc"`
	Window  string `json:"window,omitempty"`
	Term    string `json:"term,omitempty"`
	Command string `json:"command"`
	Dir     string `json:"dir"`
	Holder  string `json:"holder"`
	Started string `json:"started"`
	At      uint64 `json:"at,omitempty"`
	Actor   string `json:"actor,omitempty"`
	Replace bool   `json:"replace,omitempty"`
	Buffer  string `json:"buffer,omitempty"`
	Version uint64 `json:"version,omitempty"`
	Q0      int    `json:"q0,omitempty"`
	Q1      int    `json:"q1,omitempty"`
}

func procStart(o *core.ProcStart) any {
	f := procStartFields{Proc: o.Proc.String(), Window: WindowID(o.Window), Term: TermID(o.Term),
		Command: o.Command, Dir: o.Dir, Holder: o.Holder, Started: Time(o.Started), At: uint64(o.At),
		Actor: o.Author.Actor, Replace: o.Replace, Version: uint64(o.Version), Q0: o.Q0, Q1: o.Q1}
	if o.Buffer != 0 {
		f.Buffer = o.Buffer.String()
	}
	return f
}

type procExitFields struct {
	Proc   string `json:"proc"`
	Code   int    `json:"code"`
	Signal string `json:"signal"`
	Reason string `json:"reason"`
	Ended  string `json:"ended"`
}

func procExit(o *core.ProcExit) any {
	return procExitFields{o.Proc.String(), o.Code, o.Signal, o.Reason, Time(o.Ended)}
}

type procFields struct {
	Proc string `json:"proc"`
}

type termNewFields struct {
	Window     string `json:"window"`
	Command    string `json:"command"`
	Dir        string `json:"dir"`
	Generation uint64 `json:"generation"`
	Cols       int    `json:"cols"`
	Rows       int    `json:"rows"`
}

func termNew(o *core.TermNew) any {
	return termNewFields{o.Window.String(), o.Command, o.Dir, o.Generation, o.Cols, o.Rows}
}

type termRowsFields struct {
	Scroll int           `json:"scroll"`
	Rows   []rowAtFields `json:"rows"`
}

type rowAtFields struct {
	Y int `json:"y"`
	Row
}

func termRows(o *core.TermRows) any {
	out := termRowsFields{Scroll: o.Scroll, Rows: []rowAtFields{}}
	for i := range o.Rows {
		out.Rows = append(out.Rows, rowAtFields{o.Rows[i].Y, RowOf(o.Rows[i].Row)})
	}
	return out
}

type termMarksFields struct {
	Drop int    `json:"drop"`
	Cut  int    `json:"cut"`
	Add  []Mark `json:"add"`
}

func termMarks(o *core.TermMarks) any {
	return termMarksFields{o.Drop, o.Cut, Marks(o.Add)}
}

type sizeFields struct {
	Cols int `json:"cols"`
	Rows int `json:"rows"`
}

type termModesFields struct {
	Modes []string `json:"modes"`
	Mouse string   `json:"mouse"`
}

type titleFields struct {
	Title string `json:"title"`
}

type bellsFields struct {
	Bells uint64 `json:"bells"`
}

type clipsFields struct {
	Clips uint64 `json:"clips"`
}

type termHistoryFields struct {
	First   uint64 `json:"first"`
	Base    uint64 `json:"base"`
	BaseCol int    `json:"base_col"`
}

type termExitFields struct {
	Done   bool   `json:"done"`
	Code   int    `json:"code"`
	Signal string `json:"signal"`
	Reason string `json:"reason"`
}

// Row is a row of a terminal's grid.
type Row struct {
	Text    string `json:"text"`    // without the blanks at its end
	Wrapped bool   `json:"wrapped"` // its line goes on in the next row
}

// RowOf makes the form of a row.
func RowOf(r *core.TermRow) Row { return Row{cell.RowText(r.Runs), r.Wrapped} }

// Cursor is a terminal's cursor, in cells from 0.
type Cursor struct {
	X       int    `json:"x"`
	Y       int    `json:"y"`
	Visible bool   `json:"visible"`
	Blink   bool   `json:"blink"`
	Shape   string `json:"shape"`
}

// CursorOf makes the form of a cursor.
func CursorOf(c core.Cursor) Cursor {
	shape := "default"
	switch c.Shape {
	case core.CursorShapeBlock:
		shape = "block"
	case core.CursorShapeUnderline:
		shape = "underline"
	case core.CursorShapeBar:
		shape = "bar"
	}
	return Cursor{c.X, c.Y, c.Visible, c.Blink, shape}
}

// Mark is a place that a shell marked.
type Mark struct {
	Kind   string `json:"kind"`
	Line   uint64 `json:"line"`
	Column int    `json:"column"` // cells
	Status *int   `json:"status"` // of the command that ended there; null: none was told
}

// Marks makes the form of marks.
func Marks(in []core.PromptMark) []Mark {
	out := make([]Mark, 0, len(in))
	for _, m := range in {
		f := Mark{Kind: markKind(m.Kind), Line: m.Line, Column: m.Col}
		if m.Status != core.StatusUnknown {
			f.Status = &m.Status
		}
		out = append(out, f)
	}
	return out
}

func markKind(k core.MarkKind) string {
	switch k {
	case core.MarkPrompt:
		return "prompt"
	case core.MarkInput:
		return "input"
	case core.MarkOutput:
		return "output"
	case core.MarkEnd:
		return "end"
	}
	return "unknown"
}

// Progress is how far a program says that it is.
type Progress struct {
	State   string `json:"state"`
	Percent int    `json:"percent"`
}

// ProgressOf makes the form of a program's progress.
func ProgressOf(p core.Progress) Progress {
	state := "unknown"
	switch p.State {
	case core.ProgressNone:
		state = "none"
	case core.ProgressSet:
		state = "set"
	case core.ProgressError:
		state = "error"
	case core.ProgressBusy:
		state = "busy"
	case core.ProgressPaused:
		state = "paused"
	}
	return Progress{state, p.Percent}
}

// modeNames are the modes' names.
var modeNames = []struct {
	mode core.TermMode
	name string
}{
	{core.TermAltScreen, "alt_screen"},
	{core.TermPaste, "paste"},
	{core.TermFocus, "focus"},
	{core.TermAltScroll, "alt_scroll"},
	{core.TermReverse, "reverse"},
	{core.TermMousePixels, "mouse_pixels"},
	{core.TermKeyReleases, "key_releases"},
}

// Modes names a terminal's modes.
func Modes(m core.TermMode) []string {
	out := []string{}
	for _, n := range modeNames {
		if m&n.mode != 0 {
			out = append(out, n.name)
		}
	}
	return out
}

// Mouse names which of the mouse's doings a terminal's program wants.
func Mouse(m core.TermMode) string {
	switch m.Mouse() {
	case core.MouseNone:
		return "none"
	case core.MousePresses:
		return "presses"
	case core.MouseClicks:
		return "clicks"
	case core.MouseDrags:
		return "drags"
	case core.MouseMotion:
		return "motion"
	}
	return "unknown"
}

// WindowID prints a window's id; none is empty.
func WindowID(w core.WindowID) string {
	if w == 0 {
		return ""
	}
	return w.String()
}

// TermID prints a terminal's id; none is empty.
func TermID(t core.TermID) string {
	if t == 0 {
		return ""
	}
	return t.String()
}

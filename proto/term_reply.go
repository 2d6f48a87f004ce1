package proto

import (
	"apex/core"
	"apex/core/cell"
	"apex/core/codec"
)

// TermMade answers TermNew.
type TermMade struct {
	Window core.WindowID `cbor:"1,keyasint,omitempty"`
	Term   core.TermID   `cbor:"2,keyasint,omitempty"`
}

// Terms answers TermList, in the order in which they were made.
type Terms struct {
	Terms []TermEntry `cbor:"1,keyasint,omitempty"`
}

// TermEntry is one terminal.
type TermEntry struct {
	Term    core.TermID   `cbor:"1,keyasint,omitempty"`
	Window  core.WindowID `cbor:"2,keyasint,omitempty"`
	Title   string        `cbor:"3,keyasint,omitempty"`
	Command string        `cbor:"4,keyasint,omitempty"`
	Dir     string        `cbor:"5,keyasint,omitempty"` // that it began in
	Cwd     string        `cbor:"6,keyasint,omitempty"` // as its program told last
	Cols    int           `cbor:"7,keyasint,omitempty"`
	Rows    int           `cbor:"8,keyasint,omitempty"`
	PID     int           `cbor:"9,keyasint,omitempty"`
	Running bool          `cbor:"10,keyasint,omitempty"`
	Code    int           `cbor:"11,keyasint,omitempty"` // exit status, if it does not run
	Signal  string        `cbor:"12,keyasint,omitempty"` // that killed it, as in KILL
	Reason  string        `cbor:"13,keyasint,omitempty"` // where neither tells
	Started core.Millis   `cbor:"14,keyasint,omitempty"`
}

// TermDetail answers TermInfo.
type TermDetail struct {
	Entry    TermEntry     `cbor:"1,keyasint,omitzero"`
	Modes    core.TermMode `cbor:"2,keyasint,omitempty"`
	Marks    []TermMark    `cbor:"3,keyasint,omitempty"` // by line, the newest core.TermMarksMax
	First    uint64        `cbor:"4,keyasint,omitempty"` // the oldest line that is kept
	Base     uint64        `cbor:"5,keyasint,omitempty"` // the line that the screen begins with
	End      uint64        `cbor:"6,keyasint,omitempty"` // the line after the last
	Progress TermProgress  `cbor:"7,keyasint,omitzero"`
	Bells    uint64        `cbor:"8,keyasint,omitempty"`
}

// TermMark is core.PromptMark with its keys, and without a negative number.
type TermMark struct {
	Kind      core.MarkKind `cbor:"1,keyasint,omitempty"`
	Line      uint64        `cbor:"2,keyasint,omitempty"`
	Col       int           `cbor:"3,keyasint,omitempty"`
	HasStatus bool          `cbor:"4,keyasint,omitempty"`
	Status    int           `cbor:"5,keyasint,omitempty"`
}

// TermProgress is core.Progress with its keys; the one converts to the other.
type TermProgress struct {
	State   core.ProgressState `cbor:"1,keyasint,omitempty"`
	Percent int                `cbor:"2,keyasint,omitempty"`
}

// TermText answers TermRead.
type TermText struct {
	Term  core.TermID
	From  uint64     // the first of Lines
	Next  uint64     // the line after the last of them: where to read on
	First uint64     // the oldest line that is kept
	End   uint64     // the line after the last
	More  bool       // Next is before what was asked for
	Lines []TermLine // without the blanks at their ends
}

// TermLine is a logical line, as text or as runs.
type TermLine struct {
	Text string     // empty with Runs
	Runs []cell.Run // if they were asked for
}

// TermGrid answers TermScreen.
type TermGrid struct {
	Term  core.TermID
	State *core.Term
}

// TermMet answers TermWait.
type TermMet struct {
	Met  bool   `cbor:"1,keyasint,omitempty"` // false: the time is over, or the program has ended
	Line uint64 `cbor:"2,keyasint,omitempty"` // of the match or the prompt; else the last
	// Column is where in the line it begins, in cells.
	Column    int    `cbor:"3,keyasint,omitempty"`
	HasStatus bool   `cbor:"4,keyasint,omitempty"`
	Status    int    `cbor:"5,keyasint,omitempty"` // of the program, or the prompt's command
	Ended     bool   `cbor:"6,keyasint,omitempty"` // the program has ended
	Signal    string `cbor:"7,keyasint,omitempty"` // that killed it
	Text      string `cbor:"8,keyasint,omitempty"` // of the line that matched, at most 64 KiB
}

// TermOutput answers TermRun.
type TermOutput struct {
	Output []byte `cbor:"1,keyasint,omitempty"`
	// Cut says how many lines at its beginning are not there: no longer kept, or too many.
	Cut       uint64 `cbor:"2,keyasint,omitempty"`
	HasStatus bool   `cbor:"3,keyasint,omitempty"`
	Status    int    `cbor:"4,keyasint,omitempty"`
	TimedOut  bool   `cbor:"5,keyasint,omitempty"`
	Ended     bool   `cbor:"6,keyasint,omitempty"` // the terminal's program has ended
	Signal    string `cbor:"7,keyasint,omitempty"` // that killed it
}

// TermFound answers TermFind.
type TermFound struct {
	Found  bool   `cbor:"1,keyasint,omitempty"`
	Line   uint64 `cbor:"2,keyasint,omitempty"`
	Column int    `cbor:"3,keyasint,omitempty"` // cells
	Cells  int    `cbor:"4,keyasint,omitempty"` // of what matched
}

// Procs answers Ps, by session and age.
type Procs struct {
	Procs []ProcInfo `cbor:"1,keyasint,omitempty"`
}

// ProcInfo is one process.
type ProcInfo struct {
	Session string        `cbor:"1,keyasint,omitempty"` // its label
	Proc    core.ProcID   `cbor:"2,keyasint,omitempty"` // 0: one that left its group, found by pid
	PID     int           `cbor:"3,keyasint,omitempty"`
	Window  core.WindowID `cbor:"4,keyasint,omitempty"`
	Term    core.TermID   `cbor:"5,keyasint,omitempty"` // 0 for a command
	Command string        `cbor:"6,keyasint,omitempty"`
	Dir     string        `cbor:"7,keyasint,omitempty"`
	State   ProcState     `cbor:"8,keyasint,omitempty"`
	Started core.Millis   `cbor:"9,keyasint,omitempty"`
	Code    int           `cbor:"10,keyasint,omitempty"`
	Signal  string        `cbor:"11,keyasint,omitempty"`
	Reason  string        `cbor:"12,keyasint,omitempty"`
	Parent  core.ProcID   `cbor:"13,keyasint,omitempty"` // of one that was found: who started it
}

// ProcState is how a process is.
type ProcState string

// The states.
const (
	ProcRunning ProcState = "running"
	ProcEnding  ProcState = "ending" // it was told to end
	ProcEnded   ProcState = "ended"
	ProcUnknown ProcState = "unknown" // who kept it is gone
)

// EnvList answers EnvGet, by name.
type EnvList struct {
	Vars []EnvVar `cbor:"1,keyasint,omitempty"`
}

func (*TermMade) reply()   {}
func (*Terms) reply()      {}
func (*TermDetail) reply() {}
func (*TermText) reply()   {}
func (*TermGrid) reply()   {}
func (*TermMet) reply()    {}
func (*TermOutput) reply() {}
func (*TermFound) reply()  {}
func (*Procs) reply()      {}
func (*EnvList) reply()    {}

// TermMarkOf makes the form of a mark.
func TermMarkOf(m core.PromptMark) TermMark {
	out := TermMark{Kind: m.Kind, Line: m.Line, Col: m.Col}
	if m.Status != core.StatusUnknown {
		out.HasStatus, out.Status = true, m.Status
	}
	return out
}

// maxLineRuns bounds the runs of one line: each cell of the longest looks otherwise.
const maxLineRuns = 1 << 17

func (r *TermText) fields(f *codec.Fields) {
	codec.Num(f, &r.Term)
	codec.Num(f, &r.From)
	codec.Num(f, &r.Next)
	codec.Num(f, &r.First)
	codec.Num(f, &r.End)
	f.Bool(&r.More)
	bounded(f, TermReadMaxLines, &r.Lines, func(f *codec.Fields, l *TermLine) {
		f.String(&l.Text)
		f.Raw(func(b []byte) []byte { return core.AppendRuns(b, l.Runs) },
			func(c *codec.Cursor) { l.Runs = core.ReadRuns(c, maxLineRuns) })
	})
}

func (r *TermGrid) fields(f *codec.Fields) {
	codec.Num(f, &r.Term)
	f.Raw(r.State.Append, func(c *codec.Cursor) { r.State = core.ReadTerm(c) })
}

package proto

import (
	"apex/core"
)

// Requests about terminals. Term names a terminal as people name windows: its id (t0.7), or that of
// the window that shows it, a path, a label, or a part of one that no other terminal's window has.

// TermNew makes a terminal in a window of its own; TermMade answers it when the program runs.
type TermNew struct {
	Session string `cbor:"1,keyasint,omitempty"`
	// Dir is absolute; empty: the session's. It begins the window's name.
	Dir  string   `cbor:"2,keyasint,omitempty"`
	Argv []string `cbor:"3,keyasint,omitempty"` // empty: the shell; at most ArgsMax
	// Cols and Rows are cells; 0: 80x24, until a UI that shows it leads.
	Cols   int    `cbor:"4,keyasint,omitempty"`
	Rows   int    `cbor:"5,keyasint,omitempty"`
	Focus  bool   `cbor:"6,keyasint,omitempty"` // typing goes to it
	Author Author `cbor:"7,keyasint,omitzero"`
}

// ArgsMax and ArgsMaxBytes bound a command line: half of what a system passes to a program.
const (
	ArgsMax      = 1 << 12
	ArgsMaxBytes = 1 << 20
)

// TermList asks for a session's terminals; Terms answers it.
type TermList struct {
	Session string `cbor:"1,keyasint,omitempty"`
}

// TermInfo asks what is known of a terminal; TermDetail answers it.
type TermInfo struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Term    string `cbor:"2,keyasint,omitempty"`
}

// TermInput types into a terminal, encoded as its program has asked for; Done answers it when the
// terminal took the bytes. Inputs of one connection go in in order.
type TermInput struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Term    string `cbor:"2,keyasint,omitempty"`
	// Kind says which of the fields below are meant.
	Kind  TermInputKind `cbor:"3,keyasint,omitempty"`
	Text  []byte        `cbor:"4,keyasint,omitempty"` // of InputText, InputPaste, InputBytes
	Enter bool          `cbor:"5,keyasint,omitempty"` // behind the text
	Names []string      `cbor:"6,keyasint,omitempty"` // of InputNames: C-c, Enter, Up, F5, M-x
	Keys  []Key         `cbor:"7,keyasint,omitempty"` // of InputKeys
	Mouse Mouse         `cbor:"8,keyasint,omitzero"`  // of InputMouse
	In    bool          `cbor:"9,keyasint,omitempty"` // of InputFocus: it has the focus
	// Lines is what one turn of the wheel stands for where the program takes cursor keys for it.
	Lines int `cbor:"10,keyasint,omitempty"`
}

// InputMaxBytes bounds the text of one input, and InputMaxKeys its keys: more is several.
const (
	InputMaxBytes = 1 << 20
	InputMaxKeys  = 1 << 10
)

// TermInputKind is what kind of input it is.
type TermInputKind uint8

// The kinds of input.
const (
	InputInvalid TermInputKind = iota
	InputText                  // typed, as by keys
	InputPaste                 // bracketed, if the program asked for that
	InputNames                 // keys by their names
	InputKeys                  // events of keys
	InputMouse                 // an event of the mouse
	InputFocus                 // the window got the focus, or lost it
	InputBytes                 // as they are
	inputEnd
)

// Key is what happened to one key; the fields and numbers are those of the package that encodes it.
type Key struct {
	Code    int    `cbor:"1,keyasint,omitempty"`
	Rune    int    `cbor:"2,keyasint,omitempty"`
	Text    string `cbor:"3,keyasint,omitempty"`
	Mods    uint8  `cbor:"4,keyasint,omitempty"`
	Event   uint8  `cbor:"5,keyasint,omitempty"`
	Shifted int    `cbor:"6,keyasint,omitempty"`
	Base    int    `cbor:"7,keyasint,omitempty"`
}

// Mouse is one event of the mouse, likewise.
type Mouse struct {
	Button uint8 `cbor:"1,keyasint,omitempty"`
	Action uint8 `cbor:"2,keyasint,omitempty"`
	X      int   `cbor:"3,keyasint,omitempty"` // cells from 0 at the terminal's top left
	Y      int   `cbor:"4,keyasint,omitempty"`
	PX     int   `cbor:"5,keyasint,omitempty"` // pixels
	PY     int   `cbor:"6,keyasint,omitempty"`
	Mods   uint8 `cbor:"7,keyasint,omitempty"`
}

// TermRead reads logical lines of a terminal, scrollback included; TermText answers it. What is
// longer than one TermText comes cut, with More: the caller reads on from its Next.
type TermRead struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Term    string `cbor:"2,keyasint,omitempty"`
	From    uint64 `cbor:"3,keyasint,omitempty"` // the first line; one that is gone: the oldest
	To      uint64 `cbor:"4,keyasint,omitempty"` // the line after the last; 0: to the end
	// Tail asks for the last lines before To instead: at most as many.
	Tail int  `cbor:"5,keyasint,omitempty"`
	Runs bool `cbor:"6,keyasint,omitempty"` // with how they look
}

// TermReadMaxLines bounds one TermText, which ends before ReadMaxBytes too, but has a line.
const TermReadMaxLines = 1 << 14

// TermScreen asks for the grid as it stands; TermGrid answers it.
type TermScreen struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Term    string `cbor:"2,keyasint,omitempty"`
}

// TermWait waits for something to happen in a terminal; TermMet answers it, when it has, when it
// can't any more since the program has ended, or when the time is over.
type TermWait struct {
	Session string       `cbor:"1,keyasint,omitempty"`
	Term    string       `cbor:"2,keyasint,omitempty"`
	Kind    TermWaitKind `cbor:"3,keyasint,omitempty"`
	Pattern string       `cbor:"4,keyasint,omitempty"` // of WaitMatch: RE2, in one logical line
	Quiet   core.Millis  `cbor:"5,keyasint,omitempty"` // of WaitQuiet; 0: QuietDefault
	Timeout core.Millis  `cbor:"6,keyasint,omitempty"` // 0: none
	// From is the line that WaitMatch begins at, and the first whose prompt WaitPrompt takes, with
	// HasFrom; without, whatever is in the terminal already.
	From    uint64 `cbor:"7,keyasint,omitempty"`
	HasFrom bool   `cbor:"8,keyasint,omitempty"`
}

// TermWaitKind is what is waited for.
type TermWaitKind uint8

// The kinds of waiting.
const (
	WaitInvalid TermWaitKind = iota
	WaitExit                 // the program's end
	WaitQuiet                // no output for a time
	WaitPrompt               // the shell's prompt: it has told the end of a command, and waits
	WaitMatch                // a line that the pattern matches
	waitEnd
)

// Bounds of waiting.
const (
	QuietDefault    core.Millis = 500
	WaitMax         core.Millis = 7 * 24 * 3600 * 1000 // longer than anybody's patience
	PatternMaxBytes             = 64 << 10
)

// TermRun types a command into a terminal's shell and waits for the prompt that follows it, or the
// program's end; TermOutput answers it.
type TermRun struct {
	Session string      `cbor:"1,keyasint,omitempty"`
	Term    string      `cbor:"2,keyasint,omitempty"`
	Command string      `cbor:"3,keyasint,omitempty"`
	Timeout core.Millis `cbor:"4,keyasint,omitempty"` // 0: none
}

// TermResize gives a terminal another size in cells; Done answers it. A size beyond the largest is
// too_large.
type TermResize struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Term    string `cbor:"2,keyasint,omitempty"`
	Cols    int    `cbor:"3,keyasint,omitempty"`
	Rows    int    `cbor:"4,keyasint,omitempty"`
}

// TermClear drops a terminal's scrollback; Done answers it.
type TermClear struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Term    string `cbor:"2,keyasint,omitempty"`
}

// TermKill sends a signal to the processes of a terminal; Done answers it.
type TermKill struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Term    string `cbor:"2,keyasint,omitempty"`
	Signal  string `cbor:"3,keyasint,omitempty"` // as in HUP; empty: HUP, then TERM, then KILL
}

// TermFind finds a pattern in a terminal's lines; TermFound answers it.
type TermFind struct {
	Session   string `cbor:"1,keyasint,omitempty"`
	Term      string `cbor:"2,keyasint,omitempty"`
	Pattern   string `cbor:"3,keyasint,omitempty"` // RE2, in one logical line
	From      uint64 `cbor:"4,keyasint,omitempty"` // the first line looked at
	Column    int    `cbor:"5,keyasint,omitempty"` // cells: what begins there or behind it
	Backwards bool   `cbor:"6,keyasint,omitempty"` // what begins before it
	End       bool   `cbor:"7,keyasint,omitempty"` // From is the terminal's end
}

// Ps asks for the processes that sessions started; Procs answers it.
type Ps struct {
	Session string `cbor:"1,keyasint,omitempty"`
	All     bool   `cbor:"2,keyasint,omitempty"` // of all sessions
}

// Kill sends a signal to processes and all that they started; Done answers it.
type Kill struct {
	Session string   `cbor:"1,keyasint,omitempty"`
	IDs     []string `cbor:"2,keyasint,omitempty"` // p0.8, a terminal, or a part of a command
	Signal  string   `cbor:"3,keyasint,omitempty"` // as in TermKill
}

// EnvGet asks for the environment that a session gives its programs; EnvList answers it.
type EnvGet struct {
	Session string `cbor:"1,keyasint,omitempty"`
}

// EnvSet changes the environment that a session gives its programs; Done answers it.
type EnvSet struct {
	Session string   `cbor:"1,keyasint,omitempty"`
	Vars    []EnvVar `cbor:"2,keyasint,omitempty"` // by name, each once
	Mode    EnvMode  `cbor:"3,keyasint,omitempty"`
	// Peer asks for what Environment makes of the environment of the process at the other end of the
	// connection: the caller is on another machine.
	Peer bool `cbor:"4,keyasint,omitempty"`
}

// EnvVar is a variable and its value.
type EnvVar struct {
	Name  string `cbor:"1,keyasint,omitempty"`
	Value string `cbor:"2,keyasint,omitempty"`
	Unset bool   `cbor:"3,keyasint,omitempty"` // of EnvSet: it goes
}

// EnvMode is what becomes of the variables that an EnvSet does not name.
type EnvMode uint8

// The modes.
const (
	EnvMerge   EnvMode = iota // they stay
	EnvReplace                // those that an attachment brings go: another one has come
	envModeEnd
)

// Bounds of an environment: what a system passes to a program.
const (
	EnvMax      = 1 << 12
	EnvMaxBytes = 1 << 20
)

// TermColours tells in which colours whoever leads sees terminals, for programs that ask; Done
// answers it.
type TermColours struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Fg      Colour `cbor:"2,keyasint,omitempty"` // of text without a colour
	Bg      Colour `cbor:"3,keyasint,omitempty"`
	Cursor  Colour `cbor:"4,keyasint,omitempty"`
}

// Colour is 1<<24 | red<<16 | green<<8 | blue; 0 is not known.
type Colour uint32

// RGB makes a Colour.
func RGB(r, g, b uint8) Colour { return 1<<24 | Colour(r)<<16 | Colour(g)<<8 | Colour(b) }

// Upgrade replaces the running daemon by another program; Done answers it before it does. Programs
// go on, and clients connect again.
type Upgrade struct {
	Exe string `cbor:"1,keyasint,omitempty"` // absolute; empty: where the running one was
}

func (*TermNew) request()    {}
func (*TermList) request()   {}
func (*TermInfo) request()   {}
func (*TermInput) request()  {}
func (*TermRead) request()   {}
func (*TermScreen) request() {}
func (*TermWait) request()   {}
func (*TermRun) request()    {}
func (*TermResize) request() {}
func (*TermClear) request()  {}
func (*TermKill) request()   {}
func (*TermFind) request()   {}
func (*Ps) request()         {}
func (*Kill) request()       {}
func (*EnvGet) request()     {}
func (*EnvSet) request()     {}
func (*Upgrade) request()    {}

func (*TermColours) request() {}

func (r *TermNew) check() error {
	n := 0
	for _, a := range r.Argv {
		n += len(a)
	}
	if len(r.Argv) > ArgsMax || n > ArgsMaxBytes {
		return core.Errorf(core.CodeTooLarge, "%d arguments of %d bytes, at most %d of %d",
			len(r.Argv), n, ArgsMax, ArgsMaxBytes)
	}
	return nil
}

func (r *TermInput) check() error {
	switch {
	case r.Kind == InputInvalid || r.Kind >= inputEnd:
		return badf("input of kind %d", r.Kind)
	case len(r.Text) > InputMaxBytes || len(r.Keys) > InputMaxKeys || len(r.Names) > InputMaxKeys:
		return core.Errorf(core.CodeTooLarge, "input of %d bytes and %d keys, at most %d and %d",
			len(r.Text), max(len(r.Keys), len(r.Names)), InputMaxBytes, InputMaxKeys)
	case r.Lines < 0 || r.Mouse.X < 0 || r.Mouse.Y < 0 || r.Mouse.PX < 0 || r.Mouse.PY < 0:
		return badf("mouse at %d,%d", r.Mouse.X, r.Mouse.Y)
	}
	for _, k := range r.Keys {
		if k.Code < 0 || !validRune(k.Rune) || !validRune(k.Shifted) || !validRune(k.Base) {
			return badf("key %d with rune %d", k.Code, k.Rune)
		}
	}
	return nil
}

func validRune(r int) bool { return r >= 0 && r <= 0x10ffff }

func (r *TermRead) check() error {
	if r.Tail < 0 || r.To != 0 && r.To < r.From {
		return badf("lines %d to %d, the last %d", r.From, r.To, r.Tail)
	}
	return nil
}

func (r *TermWait) check() error {
	switch {
	case r.Kind == WaitInvalid || r.Kind >= waitEnd:
		return badf("wait of kind %d", r.Kind)
	case r.Quiet > WaitMax || r.Timeout > WaitMax:
		return badf("wait for %d ms, %d ms of quiet, at most %d", r.Timeout, r.Quiet, WaitMax)
	}
	return checkPattern(r.Pattern)
}

func (r *TermRun) check() error {
	if len(r.Command) > InputMaxBytes || r.Timeout > WaitMax {
		return badf("command of %d bytes, %d ms, at most %d and %d", len(r.Command), r.Timeout,
			InputMaxBytes, WaitMax)
	}
	return nil
}

func (r *TermFind) check() error {
	if r.Column < 0 {
		return badf("column %d", r.Column)
	}
	return checkPattern(r.Pattern)
}

func checkPattern(p string) error {
	if len(p) > PatternMaxBytes {
		return badf("pattern of %d bytes, at most %d", len(p), PatternMaxBytes)
	}
	return nil
}

func (r *EnvSet) check() error {
	if r.Mode >= envModeEnd {
		return badf("environment in mode %d", r.Mode)
	}
	n := 0
	for i, v := range r.Vars {
		if v.Name == "" || i > 0 && v.Name <= r.Vars[i-1].Name {
			return badf("variable %q is out of order", v.Name)
		}
		n += len(v.Name) + len(v.Value)
	}
	if len(r.Vars) > EnvMax || n > EnvMaxBytes {
		return core.Errorf(core.CodeTooLarge, "%d variables of %d bytes, at most %d of %d",
			len(r.Vars), n, EnvMax, EnvMaxBytes)
	}
	return nil
}

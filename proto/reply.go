package proto

import (
	"apex/core"
	"apex/core/codec"
)

// Reply is the body of a Return.
type Reply interface{ reply() }

// Done is the reply of requests that have nothing to tell.
type Done struct {
	Message string `cbor:"1,keyasint,omitempty"` // for people; mostly empty
}

// Attached answers Attach. The roster follows in the first Presence.
type Attached struct {
	Label   string
	Now     core.Millis // the daemon's clock
	Welcome core.Welcome
}

// Sessions answers SessionList and SessionNew, ordered by label.
type Sessions struct {
	Sessions []SessionInfo `cbor:"1,keyasint,omitempty"`
}

// SessionInfo is one session.
type SessionInfo struct {
	Label   string         `cbor:"1,keyasint,omitempty"`
	Session core.SessionID `cbor:"2,keyasint,omitzero"`
	Dir     string         `cbor:"3,keyasint,omitempty"`
	Created core.Millis    `cbor:"4,keyasint,omitempty"`
	Used    core.Millis    `cbor:"5,keyasint,omitempty"` // its newest entry
	Windows int            `cbor:"6,keyasint,omitempty"`
	Clients int            `cbor:"7,keyasint,omitempty"` // attachments that are connected
	Dirty   int            `cbor:"8,keyasint,omitempty"` // files with unsaved edits
	// Trouble says why the session is not durable, damaged or read-only; empty if it is well.
	Trouble     string `cbor:"9,keyasint,omitempty"`
	Unsynced    int    `cbor:"10,keyasint,omitempty"` // batches that wait for the disk
	JournalSize int64  `cbor:"11,keyasint,omitempty"` // bytes
	Diverged    int    `cbor:"12,keyasint,omitempty"` // replicas that were found to differ
	Unkept      bool   `cbor:"13,keyasint,omitempty"` // the disk refuses: Trouble says why
	Bytes       int64  `cbor:"14,keyasint,omitempty"` // of all its files
}

// Opened answers Open: one place for each file, in order.
type Opened struct {
	Places []Place `cbor:"1,keyasint,omitempty"`
}

// Place is where a file was opened, or why not.
type Place struct {
	Window  core.WindowID `cbor:"1,keyasint,omitempty"`
	Path    string        `cbor:"2,keyasint,omitempty"`
	Code    core.Code     `cbor:"3,keyasint,omitempty"` // empty: opened
	Message string        `cbor:"4,keyasint,omitempty"` // why not; or what there is to say of it
	Buffer  core.BufferID `cbor:"5,keyasint,omitempty"`
}

// Err returns why the file was not opened, or nil.
func (p *Place) Err() error {
	if p.Code == "" {
		return nil
	}
	return &core.Error{Code: p.Code, Message: p.Message}
}

// WindowList answers Windows, in the layout's order.
type WindowList struct {
	Windows []WindowInfo `cbor:"1,keyasint,omitempty"`
}

// WindowInfo is one window; it answers Resolve too.
type WindowInfo struct {
	Window core.WindowID   `cbor:"1,keyasint,omitempty"`
	Buffer core.BufferID   `cbor:"2,keyasint,omitempty"`
	Tag    core.BufferID   `cbor:"3,keyasint,omitempty"`
	Name   string          `cbor:"4,keyasint,omitempty"` // the buffer's; a path for files
	Label  string          `cbor:"5,keyasint,omitempty"` // short name that no other window has
	Kind   core.BufferKind `cbor:"6,keyasint,omitempty"`
	Column int             `cbor:"7,keyasint,omitempty"` // 1 is the leftmost; 0: in none
	Row    int             `cbor:"8,keyasint,omitempty"` // 1 is the topmost of its column
	Dirty  bool            `cbor:"9,keyasint,omitempty"`
	Stale  bool            `cbor:"10,keyasint,omitempty"` // the disk holds something else
	Focus  bool            `cbor:"11,keyasint,omitempty"`
	Show   core.Show       `cbor:"12,keyasint,omitempty"`
	Live   bool            `cbor:"13,keyasint,omitempty"` // a program stands behind it
	Work   bool            `cbor:"14,keyasint,omitempty"` // it is busy
	Owner  string          `cbor:"15,keyasint,omitempty"` // the tool that it belongs to
	Term   core.TermID     `cbor:"16,keyasint,omitempty"` // the terminal that it shows
	// Missing: the file is gone from the disk; MovedTo is where it went, if that was seen.
	Missing bool   `cbor:"17,keyasint,omitempty"`
	MovedTo string `cbor:"18,keyasint,omitempty"`
}

// Source says what a read was answered from.
type Source string

// The sources.
const (
	LocalCommitted Source = "local-committed" // the daemon's own replica, on disk
	LocalQueued    Source = "local-queued"    // with a proposal on top that is not yet applied
	Replica        Source = "replica"         // a copy that may lag
)

// Origin is where a read's answer comes from.
type Origin struct {
	Source    Source       `cbor:"1,keyasint,omitempty"`
	Seq       core.Seq     `cbor:"2,keyasint,omitempty"` // of the buffer's shard
	Version   core.Version `cbor:"3,keyasint,omitempty"`
	Committed core.Millis  `cbor:"4,keyasint,omitempty"` // when the newest entry was stored
	Lag       core.Millis  `cbor:"5,keyasint,omitempty"`
	Queued    int          `cbor:"6,keyasint,omitempty"` // proposals not yet applied
	IsStale   bool         `cbor:"7,keyasint,omitempty"`
}

// Text answers Read.
type Text struct {
	Window core.WindowID `cbor:"1,keyasint,omitempty"`
	Buffer core.BufferID `cbor:"2,keyasint,omitempty"`
	Q0     int           `cbor:"3,keyasint,omitempty"` // runes [Q0, Q1) of the text are Bytes
	Q1     int           `cbor:"4,keyasint,omitempty"`
	End    int           `cbor:"5,keyasint,omitempty"` // where the part that was asked for ends
	More   bool          `cbor:"6,keyasint,omitempty"` // Q1 < End: read on from Q1
	Bytes  []byte        `cbor:"7,keyasint,omitempty"`
	Origin Origin        `cbor:"8,keyasint,omitzero"`
}

// TextInfo answers Info.
type TextInfo struct {
	Window WindowInfo `cbor:"1,keyasint,omitzero"`
	Origin Origin     `cbor:"2,keyasint,omitzero"`
	Runes  int        `cbor:"3,keyasint,omitempty"`
	Bytes  int        `cbor:"4,keyasint,omitempty"`
	Lines  int        `cbor:"5,keyasint,omitempty"` // newlines, and one for text after the last
	Q0     int        `cbor:"6,keyasint,omitempty"` // the body's dot, runes
	Q1     int        `cbor:"7,keyasint,omitempty"`
	Hash   core.Hash  `cbor:"8,keyasint,omitzero"` // BLAKE3 of the text
	OnDisk bool       `cbor:"9,keyasint,omitempty"`
	Disk   core.Hash  `cbor:"10,keyasint,omitzero"` // of the file as last read or written, if OnDisk
	// Unsynced counts batches that wait for the disk.
	Unsynced int `cbor:"11,keyasint,omitempty"`
	// Leader holds the buffer's lease, under Epoch; 0 is the daemon.
	Leader core.AttachmentID `cbor:"12,keyasint,omitempty"`
	Epoch  core.Epoch        `cbor:"13,keyasint,omitempty"`
	Clean  core.Version      `cbor:"14,keyasint,omitempty"` // that the disk holds, if OnDisk
	// The undo history: what it keeps of deleted text, its changes, and whether its budget made
	// it forget older ones.
	UndoBytes   int  `cbor:"15,keyasint,omitempty"`
	UndoSteps   int  `cbor:"16,keyasint,omitempty"`
	UndoDropped bool `cbor:"17,keyasint,omitempty"`
}

// Outcome answers ProposeIn and Exec.
type Outcome struct{ Result core.Result }

// Peeked answers Peek, view by view, less those that there are not.
type Peeked struct {
	Views []Lines `cbor:"1,keyasint,omitempty"`
}

// Lines are the lines around a view's origin.
type Lines struct {
	View    View          `cbor:"1,keyasint,omitzero"`
	Buffer  core.BufferID `cbor:"2,keyasint,omitempty"`
	Name    string        `cbor:"3,keyasint,omitempty"`
	Version core.Version  `cbor:"4,keyasint,omitempty"`
	Q0      int           `cbor:"5,keyasint,omitempty"` // the rune at which Bytes begins
	Line    int           `cbor:"6,keyasint,omitempty"` // the line number there, from 0
	Bytes   []byte        `cbor:"7,keyasint,omitempty"`
	Origin  int           `cbor:"8,keyasint,omitempty"`  // first rune shown
	Dot0    int           `cbor:"9,keyasint,omitempty"`  // the dot, runes
	Dot1    int           `cbor:"10,keyasint,omitempty"` //
	Runes   int           `cbor:"11,keyasint,omitempty"` // of the whole text, for the scroll bar
	Count   int           `cbor:"12,keyasint,omitempty"` // lines of the whole text
	Dirty   bool          `cbor:"13,keyasint,omitempty"`
}

// Roster answers Who.
type Roster struct {
	Peers []Peer `cbor:"1,keyasint,omitempty"`
}

// DaemonStatus answers Status.
type DaemonStatus struct {
	Build    string        `cbor:"1,keyasint,omitempty"`
	Protocol uint64        `cbor:"2,keyasint,omitempty"`
	PID      int           `cbor:"3,keyasint,omitempty"`
	Socket   string        `cbor:"4,keyasint,omitempty"`
	State    string        `cbor:"5,keyasint,omitempty"` // directory
	LogFile  string        `cbor:"6,keyasint,omitempty"`
	Started  core.Millis   `cbor:"7,keyasint,omitempty"`
	Now      core.Millis   `cbor:"8,keyasint,omitempty"`
	Clients  int           `cbor:"9,keyasint,omitempty"`  // connections
	Refused  int           `cbor:"10,keyasint,omitempty"` // connections, since it started
	Draining bool          `cbor:"11,keyasint,omitempty"`
	Memory   int64         `cbor:"12,keyasint,omitempty"` // bytes of heap in use
	Sessions []SessionInfo `cbor:"13,keyasint,omitempty"`
	Polled   int           `cbor:"14,keyasint,omitempty"` // directories of open files that can't be watched
	PollWhy  string        `cbor:"15,keyasint,omitempty"` // of one of them
	Diverged int           `cbor:"16,keyasint,omitempty"` // replicas that differed, since it started
}

// Logged answers Log.
type Logged struct {
	Batches []Stored
	Before  core.Mark // the mark before the first batch
	Last    core.Seq  // the shard's newest entry on disk
	Gap     bool      // the entries that were asked for are no longer kept: it begins later
	More    bool      // ask on from behind the last batch
}

// Stored is a batch and when it was stored.
type Stored struct {
	Batch *core.Sealed
	At    core.Millis // 0: unknown
}

func (*Done) reply()         {}
func (*Attached) reply()     {}
func (*Sessions) reply()     {}
func (*Opened) reply()       {}
func (*WindowList) reply()   {}
func (*WindowInfo) reply()   {}
func (*Text) reply()         {}
func (*TextInfo) reply()     {}
func (*Outcome) reply()      {}
func (*Peeked) reply()       {}
func (*Roster) reply()       {}
func (*DaemonStatus) reply() {}
func (*Logged) reply()       {}

func (r *Attached) fields(f *codec.Fields) {
	f.String(&r.Label)
	codec.Num(f, &r.Now)
	f.Struct(func(f *codec.Fields) { welcomeFields(f, &r.Welcome) })
}

func (r *Outcome) fields(f *codec.Fields) { resultFields(f, &r.Result) }

func (r *Logged) fields(f *codec.Fields) {
	bounded(f, LogMaxBatches, &r.Batches, func(f *codec.Fields, s *Stored) {
		codec.Num(f, &s.At)
		f.Raw(
			func(b []byte) []byte { return codec.AppendBytes(b, s.Batch.Bytes) },
			func(c *codec.Cursor) { s.Batch = openBatch(c) },
		)
	})
	markFields(f, &r.Before)
	codec.Num(f, &r.Last)
	f.Bool(&r.Gap)
	f.Bool(&r.More)
}

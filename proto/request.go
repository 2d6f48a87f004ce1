package proto

import (
	"apex/core"
	"apex/core/codec"
)

// Request is the body of a Call. A request that names a session does so by label; an empty one is
// the daemon's default session. Win names a window as people do: its id (w1.3), a path, a label,
// or a part of one that no other window has; what fits none is not_found, what fits several is
// conflict.
type Request interface{ request() }

// Shard is core.Shard with its keys; the one converts to the other.
type Shard struct {
	Kind core.ShardKind `cbor:"1,keyasint,omitempty"`
	ID   core.ID        `cbor:"2,keyasint,omitempty"`
}

// View is core.View with its keys; the one converts to the other.
type View struct {
	Kind core.ViewKind `cbor:"1,keyasint,omitempty"`
	ID   core.ID       `cbor:"2,keyasint,omitempty"`
}

// Attach makes the connection an attachment of a session; Attached answers it. A connection has at
// most one, and core's messages may follow on it.
type Attach struct {
	Session string
	Create  bool   // make the session if it is missing
	Dir     string // of a session that is made
	Hello   core.Hello
	// ID is the session, of a client that has been in it: whatever its label is by now, and no other
	// that has the label. Zero for one that comes for the first time.
	ID core.SessionID
}

// SessionList asks for all sessions; Sessions answers it.
type SessionList struct{}

// SessionNew makes a session; Sessions with that one answers it. A label that is taken is exists.
type SessionNew struct {
	Label string `cbor:"1,keyasint,omitempty"`
	Dir   string `cbor:"2,keyasint,omitempty"` // absolute; empty: the daemon's home
}

// SessionRename gives a session another label; Done answers it.
type SessionRename struct {
	Old string `cbor:"1,keyasint,omitempty"`
	New string `cbor:"2,keyasint,omitempty"`
}

// SessionEnd ends a session; Done answers it, with a Message if it had ended before. With unsaved
// work it is refused as unsaved, unless Force is set.
type SessionEnd struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Force   bool   `cbor:"2,keyasint,omitempty"`
}

// Open puts files, or a text, into windows; Opened answers it, with one place for each file.
type Open struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Files   []File `cbor:"2,keyasint,omitempty"`
	// HasText asks for a window on Text, named Name, instead of files.
	HasText bool   `cbor:"3,keyasint,omitempty"`
	Text    []byte `cbor:"4,keyasint,omitempty"`
	Name    string `cbor:"5,keyasint,omitempty"`
	Focus   bool   `cbor:"6,keyasint,omitempty"` // typing goes to the last one
	Author  Author `cbor:"7,keyasint,omitzero"`
	Dir     string `cbor:"8,keyasint,omitempty"` // of a session that is made for it; absolute
	// Unkept asks for it also while the disk refuses: who shows that the session is not durable.
	Unkept bool `cbor:"9,keyasint,omitempty"`
}

// File is a file to open.
type File struct {
	Path string `cbor:"1,keyasint,omitempty"` // absolute
	Addr string `cbor:"2,keyasint,omitempty"` // sam address of the dot; empty: where it was
}

// Author is who a request without an attachment speaks for; empty is the user.
type Author struct {
	Actor string `cbor:"1,keyasint,omitempty"` // such as human:ann, agent:x
}

// Windows asks for a session's windows, in the layout's order; WindowList answers it.
type Windows struct {
	Session string `cbor:"1,keyasint,omitempty"`
}

// Resolve finds one window; WindowInfo answers it.
type Resolve struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Win     string `cbor:"2,keyasint,omitempty"`
}

// Read reads a part of a window's body; Text answers it. A part that is larger than the limit
// comes cut, with More: the caller reads on from the Q1 that it got, with the Version that it got.
type Read struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Win     string `cbor:"2,keyasint,omitempty"`
	Addr    string `cbor:"3,keyasint,omitempty"` // sam address; empty: runes [Q0, Q1)
	Q0      int    `cbor:"4,keyasint,omitempty"`
	Q1      int    `cbor:"5,keyasint,omitempty"` // 0: to the end
	Max     int    `cbor:"6,keyasint,omitempty"` // bytes; 0 or above ReadMaxBytes: ReadMaxBytes
	// Pinned asks for that Version and no other: conflict if the text has moved on.
	Pinned  bool         `cbor:"7,keyasint,omitempty"`
	Version core.Version `cbor:"8,keyasint,omitempty"`
	Tag     bool         `cbor:"9,keyasint,omitempty"` // the tag instead of the body
}

// ReadMaxBytes bounds one Text: long enough that a file is few round trips, short enough that
// nothing else on the connection waits noticeably.
const ReadMaxBytes = 1 << 20

// Info asks what is known of a window's text; TextInfo answers it.
type Info struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Win     string `cbor:"2,keyasint,omitempty"`
}

// ProposeIn makes a proposal without an attachment; Outcome answers it. If Win is set, it names
// the window whose id, or whose body's buffer, is put in the proposal's Ask.
type ProposeIn struct {
	Session  string
	Win      string
	Proposal core.Proposal
}

// Exec runs a command as if B2 had run it in the window; Outcome answers it when the command has
// ended, with its Message.
type Exec struct {
	Session string `cbor:"1,keyasint,omitempty"`
	Win     string `cbor:"2,keyasint,omitempty"`
	Command string `cbor:"3,keyasint,omitempty"`
	// Intent has a command that is asked for again, of the same window, executed once: the answer is
	// its outcome each time.
	Intent core.IntentID `cbor:"4,keyasint,omitzero"`
	Author Author        `cbor:"5,keyasint,omitzero"`
	// NoWait has it answered when the command is recorded, without a message.
	NoWait bool `cbor:"6,keyasint,omitempty"`
}

// Peek asks for the lines that views show, so that a first paint never waits for a large buffer;
// Peeked answers it.
type Peek struct {
	Session string `cbor:"1,keyasint,omitempty"`
	// Views are at most PeekMaxViews. None: the bodies of the windows that the layout shows, for who
	// does not know them yet.
	Views []View `cbor:"2,keyasint,omitempty"`
	// Lines is how many before the origin and how many from it on; at most PeekMaxLines.
	Lines int `cbor:"3,keyasint,omitempty"`
}

// Bounds of one Peek: more than the largest screens show.
const (
	PeekMaxViews = 256
	PeekMaxLines = 1024
)

// Who asks who is in a session; Roster answers it.
type Who struct {
	Session string `cbor:"1,keyasint,omitempty"`
}

// Status asks how the daemon is; DaemonStatus answers it.
type Status struct{}

// Stop drains and ends the daemon; Done answers it when everything is on disk. While a disk refuses
// what a session holds it is refused as unsaved, unless Force is set.
type Stop struct {
	Force bool `cbor:"1,keyasint,omitempty"`
}

// Log asks for a shard's entries and when they were stored; Logged answers it.
type Log struct {
	Session string   `cbor:"1,keyasint,omitempty"`
	Shard   Shard    `cbor:"2,keyasint,omitzero"`
	From    core.Seq `cbor:"3,keyasint,omitempty"` // the first entry; 0 or 1: the oldest that is kept
	Max     int      `cbor:"4,keyasint,omitempty"` // batches; 0 or above LogMaxBatches: LogMaxBatches
}

// LogMaxBatches bounds one Logged, which ends before ReadMaxBytes of batches too, but has one.
const LogMaxBatches = 4096

// Ping asks for a Done, which says that the daemon answers.
type Ping struct{}

// Exists asks whether there is something at a path of the daemon's machine: Done, or not_found.
type Exists struct {
	Path string `cbor:"1,keyasint,omitempty"` // absolute, or in the user's directory: ~/...
}

func (*Attach) request()        {}
func (*SessionList) request()   {}
func (*SessionNew) request()    {}
func (*SessionRename) request() {}
func (*SessionEnd) request()    {}
func (*Open) request()          {}
func (*Windows) request()       {}
func (*Resolve) request()       {}
func (*Read) request()          {}
func (*Info) request()          {}
func (*ProposeIn) request()     {}
func (*Exec) request()          {}
func (*Peek) request()          {}
func (*Who) request()           {}
func (*Status) request()        {}
func (*Stop) request()          {}
func (*Log) request()           {}
func (*Ping) request()          {}
func (*Exists) request()        {}

func (r *Attach) fields(f *codec.Fields) {
	f.String(&r.Session)
	f.Bool(&r.Create)
	f.String(&r.Dir)
	f.Struct(func(f *codec.Fields) { helloFields(f, &r.Hello) })
	if f.Optional(); f.Reading() || r.ID != (core.SessionID{}) { // older builds had none
		f.Fixed(r.ID[:])
	}
}

func (r *ProposeIn) fields(f *codec.Fields) {
	f.String(&r.Session)
	f.String(&r.Win)
	f.Struct(func(f *codec.Fields) { proposalFields(f, &r.Proposal) })
}

func (r *Read) check() error {
	if r.Q0 < 0 || r.Q1 < 0 || r.Max < 0 || r.Q1 != 0 && r.Q1 < r.Q0 {
		return badf("read of %d to %d, at most %d bytes", r.Q0, r.Q1, r.Max)
	}
	return nil
}

func (r *Open) check() error {
	if r.HasText == (len(r.Files) > 0) {
		return badf("open of %d files, with text: %v: want one of both",
			len(r.Files), r.HasText)
	}
	return nil
}

func (r *Peek) check() error {
	if len(r.Views) > PeekMaxViews || r.Lines < 0 || r.Lines > PeekMaxLines {
		return badf("peek at %d views of %d lines, at most %d of %d",
			len(r.Views), r.Lines, PeekMaxViews, PeekMaxLines)
	}
	return nil
}

func (r *Log) check() error {
	if !core.Shard(r.Shard).Valid() || r.Max < 0 {
		return badf("log of shard %v, at most %d batches",
			core.Shard(r.Shard), r.Max)
	}
	if !r.Shard.Kind.Journaled() {
		return badf("log of shard %v, of which only the newest state is kept", core.Shard(r.Shard))
	}
	return nil
}

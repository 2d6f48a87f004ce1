package core

import "unicode/utf8"

// Proposal is a change that somebody who may not lead asks the leader to make. The intent makes it
// idempotent: sent again, it is answered as it was the first time.
type Proposal struct {
	Intent        IntentID
	Author        Author
	ExpectedEpoch Epoch // 0: any; else refused if the lease changed hands since
	Ask           Ask
	// At is when the daemon got it: it is told of what could not be applied. 0 before that.
	At Millis
}

// Ask is what a proposal wants: one of the Ask types.
type Ask interface {
	// Target is the shard whose leader evaluates it.
	Target() Shard
}

// OnConflict says what becomes of an edit whose base is old.
type OnConflict uint8

// The policies.
const (
	ConflictFail    OnConflict = iota // refused
	ConflictRebase                    // moved past later edits, if none overlaps
	ConflictRecover                   // moved if possible; the rest goes to +Recovered
)

// AskEdit replaces ranges of the text at version Base, as one batch and one undo step.
type AskEdit struct {
	Buffer     BufferID
	Base       Version
	OnConflict OnConflict
	Edits      []Span // against Base, in order, not overlapping
	Select     View   // if its Kind is set: this view's dot becomes what was inserted last
}

// CheckText refuses an edit with text that is not UTF-8, which a tool has cut in the middle of a
// character, and which is never repaired. Whole texts (AskSet) may be any bytes, as files are, and
// so may what a leader lost and brings back.
func (p *Proposal) CheckText() *Error {
	a, ok := p.Ask.(*AskEdit)
	if !ok || a.OnConflict == ConflictRecover {
		return nil
	}
	for i := range a.Edits {
		if !utf8.ValidString(a.Edits[i].Text) {
			return Errorf(CodeBadRequest, "edit %d: its text is not UTF-8", i+1)
		}
	}
	return nil
}

// AskSet makes the whole text what is given, by the smallest edits.
type AskSet struct {
	Buffer  BufferID
	Base    Version // the version that must be current, if HasBase
	HasBase bool
	Text    string
	Disk    *DiskState // what was read from there: it is known after it
	Force   bool       // with Disk: although the buffer is dirty
	// Edits, if there are any, are the smallest edits of the text at Base, in Text's place: who made
	// them has seen that text, and a large one need not travel for a small change.
	Edits []Span
}

// DiskState is what a file on disk holds.
type DiskState struct {
	Hash  Hash
	Bytes int
	// Name is the name under which the buffer meant the file: under another one, which it may have
	// got meanwhile, it means another file. Empty: whatever its name.
	Name string
	// Apart is what of the text differs from the file: with it replaced, the text is the file's.
	Apart []Span
}

// AskUndo takes the actor's last step back, or with Redo brings it back.
type AskUndo struct {
	Buffer BufferID
	Redo   bool
	All    bool // anybody's step
}

// AskClean records that the text at a version was written to, or read from, the disk.
type AskClean struct {
	Buffer  BufferID
	Version Version
	Disk    DiskState
}

// AskStale records that the disk holds something else than the buffer was read from.
type AskStale struct {
	Buffer BufferID
	Disk   Hash
	Name   string // as in DiskState
	// How it was found out: by a Put that was refused for it, or else by a look, which may also
	// have found no file.
	Seen, Missing bool
}

// AskRename gives a buffer another name.
type AskRename struct {
	Buffer BufferID
	Name   string
}

// AskSelect sets a view's dot, and with Show scrolls it into sight.
type AskSelect struct {
	Buffer BufferID
	View   View
	Q0, Q1 int
	Show   bool
}

// AskWindow puts a window on the buffer Body, or on a new buffer with Text if Body is 0.
type AskWindow struct {
	Body   BufferID
	Name   string // of the new buffer; the tag shows it
	Kind   BufferKind
	Text   string // at most LoadMaxBytes
	Select Span   // Q0, Q1: the first dot of the body
	Reuse  bool   // a window that has this name is shown, its text replaced if Kind is scratch
	Append bool   // with Reuse: the text is appended
	Focus  bool
	Term   TermID // that the window shows, if it is a new one; 0: none
}

// AskShow makes a window visible and gives it the focus.
type AskShow struct{ Window WindowID }

// AskDelete removes a window; without Force it refuses while its body has unsaved edits and no
// other window shows it.
type AskDelete struct {
	Window WindowID
	Force  bool
}

// AskExec executes a command as if it had been executed in the window. The leader of the shard
// that the command acts on runs it.
type AskExec struct {
	Window  WindowID
	Command string
	Shard   Shard // whose leader runs it; the daemon fills it in
	NoWait  bool  // a command that has an effect is answered when it is recorded
}

// AskStatus records how the Exec at Of ended, or without a Window the layout's LayoutExec.
type AskStatus struct {
	Window WindowID
	Status Status
}

// AskSnarf sets the session's snarf buffer; what is longer than MaxSnarfBytes is refused.
type AskSnarf struct{ Text string }

// Target implements Ask.
func (a *AskEdit) Target() Shard   { return a.Buffer.Shard() }
func (a *AskSet) Target() Shard    { return a.Buffer.Shard() }
func (a *AskUndo) Target() Shard   { return a.Buffer.Shard() }
func (a *AskClean) Target() Shard  { return a.Buffer.Shard() }
func (a *AskStale) Target() Shard  { return a.Buffer.Shard() }
func (a *AskRename) Target() Shard { return a.Buffer.Shard() }
func (a *AskSelect) Target() Shard { return a.Buffer.Shard() }
func (a *AskWindow) Target() Shard { return LayoutShard }
func (a *AskShow) Target() Shard   { return LayoutShard }
func (a *AskDelete) Target() Shard { return LayoutShard }
func (a *AskSnarf) Target() Shard  { return LayoutShard }
func (a *AskExec) Target() Shard   { return a.Shard }
func (a *AskStatus) Target() Shard {
	if a.Window == 0 {
		return LayoutShard
	}
	return a.Window.Shard()
}

// Outcome is how a proposal ended.
type Outcome string

// The outcomes. Everything else is an error by code.
const (
	Applied       Outcome = "applied"
	AlreadyDone   Outcome = "noop_already_applied"
	Superseded    Outcome = "superseded"
	NeedsMerge    Outcome = "conflict_requires_merge"
	RejectedFence Outcome = "rejected_fenced"
)

// Result answers a proposal.
type Result struct {
	Outcome     Outcome  // empty if Err is set
	Err         *Error   // what went wrong, by code
	Shard       Shard    // that it was applied to
	First, Last Seq      // its entries; 0 if there was nothing to change
	Version     Version  // of the buffer: after it, or the current one on a conflict
	Epoch       Epoch    // of the lease
	Window      WindowID // that was made or shown
	Hash        Hash     // of the buffer's text after it, if it was asked of a buffer
	Message     string   // what a command said
}

// Failed makes the Result of an error.
func Failed(err error) Result {
	return Result{Err: AsError(err)}
}

package core

import (
	"encoding/hex"
	"fmt"
	"strconv"
	"strings"
)

// Seq numbers the entries of one shard: 1-based, contiguous, gap-free. 0 is "before the first".
type Seq uint64

// Epoch is a fence epoch: it rises with every grant and reclaim of a lease and never falls.
type Epoch uint64

// MaxEpoch keeps epochs exact in every language's numbers (2^53).
const MaxEpoch Epoch = 1<<53 - 1

// Version counts the Edits, Undos and Redos of one buffer. A new buffer is at version 0.
type Version uint64

// Group names an undo group: the version that its first edit was made against, plus one, so that
// the zero Group is "none".
type Group uint64

// AttachmentID is the fenced identity of a client in a session: counted up from 1, never reused.
type AttachmentID uint64

// Server is the daemon's own attachment.
const Server AttachmentID = 0

// idCounterBits is the share of an ID that counts; the rest names the creator.
const idCounterBits = 40

// MaxAttachment and MaxCounter bound the two halves of an ID. 2^23 attachments outlast any
// session; passing either is refused, never wrapped.
const (
	MaxAttachment AttachmentID = 1<<23 - 1
	MaxCounter    uint64       = 1<<idCounterBits - 1
)

// ID names what an attachment created: creator << 40 | counter. It needs no round trip to make.
type ID uint64

// MakeID returns the counter-th ID of creator a.
func MakeID(a AttachmentID, counter uint64) ID { return ID(uint64(a)<<idCounterBits | counter) }

// Creator returns the attachment that made id.
func (id ID) Creator() AttachmentID { return AttachmentID(id >> idCounterBits) }

// Counter returns the creator's counter in id.
func (id ID) Counter() uint64 { return uint64(id) & MaxCounter }

// String prints creator and counter, as in 3.12. IDs leave the program in this form only: as
// numbers they would pass 2^53.
func (id ID) String() string {
	return strconv.FormatUint(uint64(id.Creator()), 10) + "." + strconv.FormatUint(id.Counter(), 10)
}

func parseID(s string) (ID, bool) {
	left, right, ok := strings.Cut(s, ".")
	a, err1 := strconv.ParseUint(left, 10, 64)
	c, err2 := strconv.ParseUint(right, 10, 64)
	if !ok || err1 != nil || err2 != nil || AttachmentID(a) > MaxAttachment || c > MaxCounter {
		return 0, false
	}
	return MakeID(AttachmentID(a), c), true
}

// BufferID names a buffer: a file's text, a tag, the top row.
type BufferID ID

// WindowID names a window.
type WindowID ID

// TermID names a hosted terminal.
type TermID ID

// ProcID names a process that the daemon started: a command, or the program of a terminal.
type ProcID ID

func (b BufferID) String() string { return "b" + ID(b).String() }
func (w WindowID) String() string { return "w" + ID(w).String() }
func (t TermID) String() string   { return "t" + ID(t).String() }
func (p ProcID) String() string   { return "p" + ID(p).String() }

// ParseWindowID reads the printed form, as in w3.12.
func ParseWindowID(s string) (WindowID, bool) {
	id, ok := parseID(strings.TrimPrefix(s, "w"))
	return WindowID(id), ok && strings.HasPrefix(s, "w")
}

// ParseBufferID reads the printed form, as in b3.11.
func ParseBufferID(s string) (BufferID, bool) {
	id, ok := parseID(strings.TrimPrefix(s, "b"))
	return BufferID(id), ok && strings.HasPrefix(s, "b")
}

// ParseTermID reads the printed form, as in t0.7.
func ParseTermID(s string) (TermID, bool) {
	id, ok := parseID(strings.TrimPrefix(s, "t"))
	return TermID(id), ok && strings.HasPrefix(s, "t")
}

// ParseProcID reads the printed form, as in p0.8.
func ParseProcID(s string) (ProcID, bool) {
	id, ok := parseID(strings.TrimPrefix(s, "p"))
	return ProcID(id), ok && strings.HasPrefix(s, "p")
}

// SessionID is a session's identity: minted once, random, never changed.
type SessionID [16]byte

func (s SessionID) String() string { return hex.EncodeToString(s[:]) }

// IntentID names a proposal; its maker chooses it at random, and it makes the proposal idempotent.
// The zero value is "none".
type IntentID [16]byte

func (i IntentID) String() string { return hex.EncodeToString(i[:]) }

// Hash is a BLAKE3-256 value.
type Hash [32]byte

func (h Hash) String() string { return hex.EncodeToString(h[:]) }

// ShardKind says which part of a session's state a shard drives.
type ShardKind uint8

// The kinds of shard. Numbers are on disk and on the wire: appended, never reused.
const (
	KindInvalid ShardKind = iota
	KindRegistry
	KindMeta
	KindLayout
	KindWindow
	KindBuffer
	KindTerm
	KindNotes
	kindEnd
)

var kindNames = [kindEnd]string{"invalid", "registry", "meta", "layout", "window", "buffer", "term", "notes"}

func (k ShardKind) String() string {
	if k < kindEnd {
		return kindNames[k]
	}
	return fmt.Sprintf("kind(%d)", uint8(k))
}

// Leasable reports whether clients may lead shards of this kind; the daemon leads the rest.
func (k ShardKind) Leasable() bool {
	return k == KindLayout || k == KindWindow || k == KindBuffer
}

// Journaled reports whether entries of such shards go to the disk. Of what is not journaled only
// the newest state counts; it is numbered all the same, so that a hole shows.
func (k ShardKind) Journaled() bool { return k != KindTerm }

// Single reports whether a session has exactly one shard of this kind, with ID 0.
func (k ShardKind) Single() bool {
	return k == KindRegistry || k == KindMeta || k == KindLayout || k == KindNotes
}

// Shard names one append-only log and the part of the state that it drives.
type Shard struct {
	Kind ShardKind
	ID   ID // 0 for the kinds that a session has one of
}

// The shards that every session has.
var (
	RegistryShard = Shard{Kind: KindRegistry}
	MetaShard     = Shard{Kind: KindMeta}
	LayoutShard   = Shard{Kind: KindLayout}
	NotesShard    = Shard{Kind: KindNotes}
)

// Shard returns the buffer's shard.
func (b BufferID) Shard() Shard { return Shard{KindBuffer, ID(b)} }

// Shard returns the terminal's shard.
func (t TermID) Shard() Shard { return Shard{KindTerm, ID(t)} }

// Shard returns the window's shard.
func (w WindowID) Shard() Shard { return Shard{KindWindow, ID(w)} }

// Valid reports whether s can name a shard.
func (s Shard) Valid() bool {
	return s.Kind > KindInvalid && s.Kind < kindEnd && (s.Kind.Single() == (s.ID == 0))
}

// Compare orders shards by kind, then id.
func (s Shard) Compare(t Shard) int {
	switch {
	case s.Kind != t.Kind:
		return int(s.Kind) - int(t.Kind)
	case s.ID < t.ID:
		return -1
	case s.ID > t.ID:
		return 1
	}
	return 0
}

// String prints a shard as people name it: meta, buffer/b3.11, window/w3.12.
func (s Shard) String() string {
	if s.Kind.Single() || s.Kind >= kindEnd || s.Kind == KindInvalid {
		return s.Kind.String()
	}
	return s.Kind.String() + "/" + s.Kind.String()[:1] + s.ID.String()
}

// ParseShard reads the printed form.
func ParseShard(text string) (Shard, bool) {
	name, rest, has := strings.Cut(text, "/")
	for k := KindRegistry; k < kindEnd; k++ {
		if kindNames[k] != name {
			continue
		}
		if k.Single() {
			return Shard{Kind: k}, !has
		}
		id, ok := parseID(strings.TrimPrefix(rest, name[:1]))
		s := Shard{k, id}
		return s, ok && strings.HasPrefix(rest, name[:1]) && s.Valid()
	}
	return Shard{}, false
}

// ViewKind says where a view shows its buffer.
type ViewKind uint8

// The kinds of view. Numbers are on disk and on the wire.
const (
	ViewInvalid ViewKind = iota
	ViewBody             // a window's body
	ViewTag              // a window's tag
	ViewColumn           // a column's tag; the view's ID is the tag's buffer
	ViewTop              // the top row
)

// View names one text's selection and scroll origin on a buffer.
type View struct {
	Kind ViewKind
	ID   ID // the window, or for a column its tag's buffer; 0 for the top row
}

// Body names the view of w's body.
func (w WindowID) Body() View { return View{ViewBody, ID(w)} }

// Tag names the view of w's tag.
func (w WindowID) Tag() View { return View{ViewTag, ID(w)} }

// TopView names the view of the top row.
var TopView = View{Kind: ViewTop}

// ColumnView names the view of the column whose tag is b.
func ColumnView(b BufferID) View { return View{ViewColumn, ID(b)} }

// Window returns the window that the view belongs to, if it belongs to one.
func (v View) Window() (WindowID, bool) {
	return WindowID(v.ID), v.Kind == ViewBody || v.Kind == ViewTag
}

func (v View) String() string {
	switch v.Kind {
	case ViewBody:
		return "w" + v.ID.String()
	case ViewTag:
		return "w" + v.ID.String() + "/tag"
	case ViewColumn:
		return "column/b" + v.ID.String()
	case ViewTop:
		return "top"
	}
	return fmt.Sprintf("view(%d)", v.Kind)
}

func (v View) compare(u View) int {
	switch {
	case v.ID < u.ID:
		return -1
	case v.ID > u.ID:
		return 1
	}
	return int(v.Kind) - int(u.Kind)
}

// Mark says how far somebody is in a shard; the chain value proves that it is the same history.
type Mark struct {
	Seq   Seq
	Chain Hash
}

// Millis is a time: milliseconds since the Unix epoch. Core has no clock; times are arguments.
type Millis uint64

package core

import (
	"math/bits"

	"apex/core/codec"
)

// ChangeKind says how a change came about.
type ChangeKind uint8

// The kinds of change.
const (
	ChangeInvalid ChangeKind = iota
	ChangeEdit
	ChangeUndo
	ChangeRedo
)

// Change is what happened to the text between two versions: runes [Q0, Q0+ND) became NI other
// runes. A run of single-rune insertions, each right behind the one before, is one Change of Run
// versions. The changes of one Undo share a version.
type Change struct {
	Version Version // before it
	Run     int     // versions beyond the first that it spans
	Q0      int
	ND, NI  int
	Deleted string // the ND runes
	Kind    ChangeKind
	Group   Group
	Target  Group // ChangeUndo, ChangeRedo: the group taken back or brought back
	Actor   string
}

// The history's budget, per buffer: what rebase and undo can reach back to. Past it the oldest
// quarter goes. 100,000 changes are a long day's work; 16 MiB bounds what deletions keep.
const (
	maxHistoryChanges = 100_000
	maxHistoryBytes   = 16 << 20
)

// history is a buffer's changes, oldest first. The slice is appended to and never changed in
// place, so that older values of the buffer and their readers keep what they have; the newest
// change stays outside it while it may still grow.
type history struct {
	past   []Change
	newest Change
	kept   int    // bytes of Deleted in past
	digest uint64 // rolling over every change, part of the canonical encoding
}

// Changes calls yield with the changes from the newest to the oldest until it returns false.
func (h *history) backwards(yield func(*Change) bool) {
	if h.newest.Kind == ChangeInvalid || !yield(&h.newest) {
		return
	}
	for i := len(h.past) - 1; i >= 0; i-- {
		if !yield(&h.past[i]) {
			return
		}
	}
}

func (h *history) push(c Change) {
	h.mix(&c)
	n := &h.newest
	runs := c.Kind == ChangeEdit && n.Kind == ChangeEdit && c.ND == 0 && c.NI == 1 && n.ND == 0 &&
		n.NI == n.Run+1 && c.Q0 == n.Q0+n.NI && c.Group == n.Group && c.Actor == n.Actor &&
		c.Version == n.Version+Version(n.Run)+1
	if runs {
		n.Run++
		n.NI++
		return
	}
	if n.Kind != ChangeInvalid {
		h.past = append(h.past, *n)
		h.kept += len(n.Deleted)
	}
	h.newest = c
	if len(h.past) > maxHistoryChanges || h.kept > maxHistoryBytes {
		h.trim()
	}
}

// trim drops the oldest changes until a quarter of each budget is free.
func (h *history) trim() {
	drop := max(0, len(h.past)-maxHistoryChanges*3/4)
	kept := h.kept
	for i := range h.past {
		if i >= drop && kept <= maxHistoryBytes*3/4 {
			drop = i
			break
		}
		kept -= len(h.past[i].Deleted)
		drop = max(drop, i+1)
	}
	h.past = append([]Change(nil), h.past[drop:]...)
	h.kept = kept
}

// mix rolls a change into the digest: enough to notice replicas that differ, not a proof.
func (h *history) mix(c *Change) {
	h.word(uint64(c.Q0))
	h.word(uint64(c.ND)<<32 ^ uint64(c.NI))
	h.word(uint64(c.Group)<<8 ^ uint64(c.Kind))
	for i := 0; i < len(c.Actor); i++ {
		h.digest = (h.digest ^ uint64(c.Actor[i])) * 0x100000001b3 // FNV-1a
	}
}

func (h *history) word(v uint64) {
	hi, lo := bits.Mul64(h.digest^v, 0x9e3779b97f4a7c15)
	h.digest = hi ^ lo ^ v
}

func (c *Change) fields(f *codec.Fields) {
	codec.Num(f, &c.Version)
	codec.Num(f, &c.Run)
	codec.Num(f, &c.Q0)
	codec.Num(f, &c.ND)
	codec.Num(f, &c.NI)
	f.String(&c.Deleted)
	codec.Num(f, &c.Kind)
	codec.Num(f, &c.Group)
	codec.Num(f, &c.Target)
	f.String(&c.Actor)
}

func (h *history) fields(f *codec.Fields) {
	codec.List(f, &h.past, func(f *codec.Fields, c *Change) { c.fields(f) })
	f.Struct(h.newest.fields)
	if f.Reading() {
		h.kept = 0
		for i := range h.past {
			h.kept += len(h.past[i].Deleted)
		}
	}
}

package core

import (
	"math/bits"
	"unicode/utf8"

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

// UndoKeepsBytes is how much deleted text one change is sure to keep when more changes come: what is
// beyond it goes with the oldest quarter.
const UndoKeepsBytes = maxHistoryBytes * 3 / 4

// history is a buffer's changes, oldest first. It is persistent: the older ones are a list of
// blocks that are never changed, so that several values of a buffer may go on from one. The newest
// change stays outside while it may still grow.
type history struct {
	past   *changeBlock
	newest Change
	digest uint64 // rolling over every change, part of the canonical encoding

	// own is the block that only the draft being applied can see and append to.
	own *changeBlock
	// actor and actorSum save the draft hashing the same name again and again.
	actor    string
	actorSum uint64
}

// changeBlock is a stretch of changes and the older ones before it.
type changeBlock struct {
	older   *changeBlock
	changes []Change
	count   int // of changes, here and before
	kept    int // bytes of Deleted, here and before
}

// blockChanges bounds what one batch copies of the block that it goes on from.
const blockChanges = 32

// backwards calls yield with the changes from the newest to the oldest until it returns false.
func (h *history) backwards(yield func(*Change) bool) {
	if h.newest.Kind == ChangeInvalid || !yield(&h.newest) {
		return
	}
	for k := h.past; k != nil; k = k.older {
		for i := len(k.changes) - 1; i >= 0; i-- {
			if !yield(&k.changes[i]) {
				return
			}
		}
	}
}

// Newest returns the last change that was made; not ok if none is known.
func (h *history) Newest() (Change, bool) { return h.newest, h.newest.Kind != ChangeInvalid }

func (h *history) push(c *Change) {
	h.mix(c)
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
		h.keep(n)
	}
	h.newest = *c
	if p := h.past; p != nil && (p.count > maxHistoryChanges || p.kept > maxHistoryBytes) {
		h.trim()
	}
}

// pushRun is push for c, which inserts one rune, and n-1 like it, each right behind the one before.
func (h *history) pushRun(c *Change, n int) {
	h.push(c)
	for range n - 1 {
		c.Q0++
		h.mix(c)
	}
	h.newest.Run += n - 1
	h.newest.NI += n - 1
}

// keep appends a change to the past.
func (h *history) keep(c *Change) {
	p := h.past
	switch {
	case p == nil || len(p.changes) == blockChanges:
		next := &changeBlock{older: p, changes: make([]Change, 0, blockChanges)}
		if p != nil {
			next.count, next.kept = p.count, p.kept
		}
		p = next
	case p != h.own:
		mine := *p
		mine.changes = append(make([]Change, 0, blockChanges), p.changes...)
		p = &mine
	}
	p.changes = append(p.changes, *c)
	p.count++
	p.kept += len(c.Deleted)
	h.past, h.own = p, p
}

// freeze gives up the block that the draft appended to.
func (h *history) freeze() { h.own = nil }

// trim drops the oldest changes until a quarter of each budget is free. What is kept begins with
// the first change of a version: the changes of one Undo go together.
func (h *history) trim() {
	all := h.all()
	count, kept := h.past.count, h.past.kept
	drop := 0
	for drop < len(all) {
		fits := count <= maxHistoryChanges*3/4 && kept <= maxHistoryBytes*3/4
		if fits && (drop == 0 || all[drop].Version != all[drop-1].Version) {
			break
		}
		count--
		kept -= len(all[drop].Deleted)
		drop++
	}
	h.setPast(all[drop:])
}

// check refuses changes that can't have led to a text of n runes at a version: whoever rebases or
// undoes relies on their ranges.
func (h *history) check(v Version, n int) error {
	shared := false // the last change looked at is one of an Undo, whose others have its version
	for c := range h.backwards {
		end := c.Version + Version(c.Run) + 1
		switch {
		case c.Kind == ChangeInvalid || c.Kind > ChangeRedo:
			return badf("change of kind %d", c.Kind)
		case end != v && !(shared && end == v+1):
			return badf("change from version %d to %d, want to %d", c.Version, end, v)
		case c.NI > n || c.Q0 > n-c.NI:
			return badf("change of %d runes at %d in %d", c.NI, c.Q0, n)
		case utf8.RuneCountInString(c.Deleted) != c.ND:
			return badf("change that took %d runes away and keeps %q", c.ND, c.Deleted)
		case c.Run > 0 && (c.ND != 0 || c.NI != c.Run+1):
			return badf("run of %d keys that changed %d runes to %d", c.Run+1, c.ND, c.NI)
		}
		v, n, shared = c.Version, n-c.NI+c.ND, c.Kind != ChangeEdit
	}
	return nil
}

// all returns the past, oldest first.
func (h *history) all() []Change {
	if h.past == nil {
		return nil
	}
	out := make([]Change, h.past.count)
	at := len(out)
	for k := h.past; k != nil; k = k.older {
		at -= len(k.changes)
		copy(out[at:], k.changes)
	}
	return out
}

func (h *history) setPast(changes []Change) {
	h.past, h.own = nil, nil
	for i := range changes {
		h.keep(&changes[i])
	}
}

// mix rolls a change into the digest: enough to notice replicas that differ, not a proof.
func (h *history) mix(c *Change) {
	if h.actorSum == 0 || c.Actor != h.actor {
		h.actor, h.actorSum = c.Actor, fnv1a(c.Actor)
	}
	h.word(uint64(c.Q0) ^ bits.RotateLeft64(uint64(c.ND), 24) ^ bits.RotateLeft64(uint64(c.NI), 44))
	h.word(h.actorSum ^ uint64(c.Group)<<8 ^ uint64(c.Kind))
}

// fnv1a is the FNV-1a hash of s.
func fnv1a(s string) uint64 {
	sum := uint64(0xcbf29ce484222325)
	for i := 0; i < len(s); i++ {
		sum = (sum ^ uint64(s[i])) * 0x100000001b3
	}
	return sum
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
	past := h.all()
	codec.List(f, &past, func(f *codec.Fields, c *Change) { c.fields(f) })
	f.Struct(h.newest.fields)
	if f.Reading() {
		h.setPast(past)
		h.freeze()
	}
}

// Kept says how much of a buffer's changes is known: how many there are, how many bytes of deleted
// text they keep, and whether the budget made it forget older ones.
func (b *Buffer) Kept() (changes, bytes int, dropped bool) {
	oldest := b.newest
	if oldest.Kind != ChangeInvalid {
		changes, bytes = 1, len(b.newest.Deleted)
	}
	if b.past != nil {
		changes, bytes = changes+b.past.count, bytes+b.past.kept
	}
	for k := b.past; k != nil; k = k.older {
		oldest = k.changes[0]
	}
	return changes, bytes, b.Version > 0 && (changes == 0 || oldest.Version > 0)
}

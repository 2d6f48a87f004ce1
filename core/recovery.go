package core

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"apex/core/text"
)

// recoveredName is the name of the window that keeps what could not be applied.
func (r *Replica) recoveredName() string { return path.Join("/", r.Meta().Dir, "+Recovered") }

// recovery makes the proposal for batches that a fenced leader lost: their edits against the
// version before them, or the whole text of a buffer that the daemon never had. It is nil if they
// changed no text.
func recovery(name string, id BufferID, buf *Buffer, lost []led) Ask {
	if lost[0].First == 1 && !lost[0].asked {
		if buf.Text.Bytes() == 0 || buf.Kind == BufferTag {
			return nil
		}
		return recovered(name, buf)
	}
	base, ok := firstVersion(lost)
	if !ok {
		return nil
	}
	changes, ok := buf.ChangesSince(base)
	if !ok {
		return recovered(name, buf)
	}
	changes, text := withoutProposals(buf, changes, lost)
	var d Delta
	for i := range changes {
		d.Add(changes[i].Q0, changes[i].ND, changes[i].NI)
	}
	spans := d.Spans(text.Substring)
	if len(spans) == 0 {
		return nil
	}
	return &AskEdit{Buffer: id, Base: base, OnConflict: ConflictRecover, Edits: spans}
}

// recovered keeps a whole text, as far as one op holds it.
func recovered(name string, buf *Buffer) Ask {
	s := buf.Text.String()
	return &AskWindow{Name: name, Kind: BufferScratch, Reuse: true, Append: true,
		Text: s[:min(len(s), LoadMaxBytes)]}
}

// recoveredSpans keeps edits whose buffer is gone.
func recoveredSpans(name string, by Author, a *AskEdit) Ask {
	var s strings.Builder
	fmt.Fprintf(&s, "-- by %s (attachment %d), against version %d of %v, which takes them no more\n",
		by.Actor, by.Attachment, a.Base, a.Buffer)
	for _, e := range a.Edits {
		fmt.Fprintf(&s, "-- for runes %d,%d of that version, %d bytes:\n%s\n", e.Q0, e.Q1, len(e.Text), e.Text)
	}
	return &AskWindow{Name: name, Kind: BufferScratch, Reuse: true, Append: true,
		Text: s.String()[:min(s.Len(), LoadMaxBytes)]}
}

// derived returns the intent of what is asked instead of a proposal.
func derived(i IntentID) IntentID {
	sum := extend(Hash{}, i[:])
	copy(i[:], sum[:])
	return i
}

// firstVersion returns the version that the first edit in batches was made against.
func firstVersion(batches []led) (Version, bool) {
	for _, b := range batches {
		for i := range b.Ops {
			switch o := &b.Ops[i]; o.Kind {
			case OpEdit:
				return o.Version, true
			case OpUndo:
				return o.Body.(*Undo).Version, true
			}
		}
	}
	return 0, false
}

// withoutProposals drops what the leader did on behalf of proposals: the daemon asks the next
// leader for those, and they must be made once. They are moved behind the other changes and taken
// back; one that others overlap stays.
func withoutProposals(buf *Buffer, changes []Change, lost []led) ([]Change, text.Text) {
	t := buf.Text
	for _, b := range lost {
		if !b.asked {
			continue
		}
		from, ok := firstVersion([]led{b})
		if !ok {
			continue
		}
		g := Group(from) + 1
		moved, ok := bubble(slices.Clone(changes), g)
		if !ok {
			continue
		}
		for len(moved) > 0 && moved[len(moved)-1].Group == g {
			c := &moved[len(moved)-1]
			t = t.Replace(c.Q0, c.Q0+c.NI, c.Deleted)
			moved = moved[:len(moved)-1]
		}
		changes = moved
	}
	return changes, t
}

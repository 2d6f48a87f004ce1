package core

import (
	"slices"

	"apex/core/text"
)

// recovery makes the proposal for batches that a fenced leader lost: their edits against the
// version before them, or the whole text of a buffer that the daemon never had. It is nil if they
// changed no text.
func recovery(id BufferID, buf *Buffer, lost []*Sealed) Ask {
	if lost[0].First == 1 {
		if buf.Text.Bytes() == 0 || buf.Kind == BufferTag {
			return nil
		}
		return recovered(buf)
	}
	base, ok := firstVersion(lost)
	if !ok {
		return nil
	}
	changes, ok := buf.ChangesSince(base)
	if !ok {
		return recovered(buf)
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
func recovered(buf *Buffer) Ask {
	s := buf.Text.String()
	return &AskWindow{Name: "+Recovered", Kind: BufferScratch, Reuse: true, Append: true,
		Text: s[:min(len(s), LoadMaxBytes)]}
}

// firstVersion returns the version that the first edit in batches was made against.
func firstVersion(batches []*Sealed) (Version, bool) {
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
func withoutProposals(buf *Buffer, changes []Change, lost []*Sealed) ([]Change, text.Text) {
	t := buf.Text
	for _, b := range lost {
		if b.Intent == (IntentID{}) {
			continue
		}
		from, ok := firstVersion([]*Sealed{b})
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

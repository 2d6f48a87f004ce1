package core

import (
	"encoding/binary"
	"fmt"
	"path"
	"strings"
	"unicode/utf8"
)

// recoveredName is the name of the window that keeps what could not be applied.
func (r *Replica) recoveredName() string { return path.Join("/", r.Meta().Dir, "+Recovered") }

// recovery makes the proposals for batches that a fenced leader lost: their edits against the
// version before them, or the whole text of a buffer that the daemon never had. There are none if
// they changed no text.
func recovery(name string, by Author, id BufferID, buf *Buffer, lost []led) []Ask {
	if lost[0].First == 1 && !lost[0].asked {
		if buf.Text.Bytes() == 0 || buf.Kind == BufferTag {
			return nil
		}
		return keepWhole(name, by, buf)
	}
	base, ok := firstVersion(lost)
	if !ok {
		return nil
	}
	changes, ok := buf.ChangesSince(base)
	if !ok {
		return keepWhole(name, by, buf)
	}
	spans := ownSpans(buf.Text, changes, askedGroups(lost))
	if len(spans) == 0 {
		return nil
	}
	return []Ask{&AskEdit{Buffer: id, Base: base, OnConflict: ConflictRecover, Edits: spans}}
}

// keepMaxBytes is how much of a text one op keeps: the daemon puts the time into it.
const keepMaxBytes = LoadMaxBytes - 256

// RecoveredHead is what a text that is kept in +Recovered begins with; the daemon tells the time after
// it.
const RecoveredHead = "-- "

// keepWhole asks for a whole text to be kept, that the daemon never had or of which the history does
// not reach back.
func keepWhole(name string, by Author, buf *Buffer) []Ask {
	of := buf.Name
	if of == "" {
		of = "an unnamed text"
	}
	return keepText(name, fmt.Sprintf(RecoveredHead+"by %s (attachment %d), all of %s at version %d:\n",
		by.Actor, by.Attachment, of, buf.Version)+buf.Text.String())
}

// keepText asks for a text to be kept in +Recovered, in pieces that one op holds.
func keepText(name, s string) []Ask {
	var out []Ask
	for s != "" {
		n := len(s)
		if n > keepMaxBytes {
			n = keepMaxBytes
			for k := 1; k < utf8.UTFMax && !utf8.RuneStart(s[n]); k++ {
				n--
			}
		}
		out = append(out, &AskWindow{Name: name, Kind: BufferScratch, Reuse: true, Append: true,
			Text: s[:n]})
		s = s[n:]
	}
	return out
}

// keepSpans asks for edits whose buffer takes them no more to be kept in +Recovered.
func keepSpans(name string, by Author, a *AskEdit) []Ask {
	var s strings.Builder
	fmt.Fprintf(&s, RecoveredHead+"by %s (attachment %d), against version %d of %v, which takes them no more\n",
		by.Actor, by.Attachment, a.Base, a.Buffer)
	for _, e := range a.Edits {
		fmt.Fprintf(&s, "-- for runes %d,%d of that version, %d bytes:\n", e.Q0, e.Q1, len(e.Text))
		s.WriteString(e.Text + "\n")
	}
	return keepText(name, s.String())
}

// derived returns the intent of the n-th thing that is asked on behalf of one intent.
func derived(i IntentID, n uint64) IntentID {
	var seed Hash
	binary.BigEndian.PutUint64(seed[:], n)
	sum := extend(seed, i[:])
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

// askedGroups returns the undo groups of what a leader did on behalf of proposals: the daemon asks
// the next leader for those, and they must be made once.
func askedGroups(lost []led) map[Group]bool {
	out := map[Group]bool{}
	for i, b := range lost {
		if !b.asked {
			continue
		}
		if v, ok := firstVersion(lost[i : i+1]); ok {
			out[Group(v)+1] = true
		}
	}
	return out
}

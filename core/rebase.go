package core

import (
	"slices"

	"apex/core/text"
)

// segment is a stretch of text that changed: runes [b0, b1) of the older text became [t0, t1) of
// the newer one. What lies between segments is the same in both.
type segment struct{ b0, b1, t0, t1 int }

// Delta is the composition of consecutive changes: ordered segments that neither touch nor overlap.
type Delta struct{ segments []segment }

// Add composes a change that replaces nd runes at q0 of the newer text by ni.
func (d *Delta) Add(q0, nd, ni int) {
	if nd == 0 && ni == 0 {
		return
	}
	first := 0
	for first < len(d.segments) && d.segments[first].t1 < q0 {
		first++
	}
	last := first
	for last < len(d.segments) && d.segments[last].t0 <= q0+nd {
		last++
	}
	var s segment
	if first == last { // touches none
		shift := 0
		if first > 0 {
			shift = d.segments[first-1].t1 - d.segments[first-1].b1
		}
		s = segment{q0 - shift, q0 - shift + nd, q0, q0 + ni}
	} else {
		l, r := d.segments[first], d.segments[last-1]
		s = segment{b0: l.b0, b1: r.b1, t0: l.t0, t1: r.t1}
		if q0 < s.t0 {
			s.b0, s.t0 = s.b0-(s.t0-q0), q0
		}
		if q0+nd > s.t1 {
			s.b1, s.t1 = s.b1+(q0+nd-s.t1), q0+nd
		}
		s.t1 += ni - nd
	}
	for i := last; i < len(d.segments); i++ {
		d.segments[i].t0 += ni - nd
		d.segments[i].t1 += ni - nd
	}
	if s.b0 == s.b1 && s.t0 == s.t1 { // what was put in is out again
		d.segments = slices.Delete(d.segments, first, last)
		return
	}
	d.segments = slices.Replace(d.segments, first, last, s)
}

// Map returns where the range [q0, q1) of the older text is in the newer one; not ok if a change
// overlaps it. What touches it does not overlap: an insertion at an empty range comes before it.
func (d *Delta) Map(q0, q1 int) (int, int, bool) {
	shift := 0
	for _, s := range d.segments {
		switch {
		case s.b1 <= q0:
			shift = s.t1 - s.b1
		case s.b0 >= q1:
			return q0 + shift, q1 + shift, true
		default:
			return 0, 0, false
		}
	}
	return q0 + shift, q1 + shift, true
}

// Spans returns the composition as replacements in the older text's runes, with the newer text's
// content as substring gives it.
func (d *Delta) Spans(substring func(q0, q1 int) string) []Span {
	out := make([]Span, len(d.segments))
	for i, s := range d.segments {
		out[i] = Span{s.b0, s.b1, substring(s.t0, s.t1)}
	}
	return out
}

// Grew returns by how many runes the newer text is longer than the older one.
func (d *Delta) Grew() int {
	if len(d.segments) == 0 {
		return 0
	}
	last := d.segments[len(d.segments)-1]
	return last.t1 - last.b1
}

// Hull widens [q0, q1) of the older text by every change that touches it, and returns where the
// widened range is in the older text and in the newer one.
func (d *Delta) Hull(q0, q1 int) (older, newer [2]int) {
	older = [2]int{q0, q1}
	shift, end := 0, 0
	for _, s := range d.segments {
		switch {
		case s.b1 < q0:
			shift, end = s.t1-s.b1, s.t1-s.b1
		case s.b0 <= q1:
			older[0], older[1] = min(older[0], s.b0), max(older[1], s.b1)
			end = s.t1 - s.b1
		}
	}
	return older, [2]int{older[0] + shift, older[1] + end}
}

// ChangesSince returns the changes from version v to now, oldest first; not ok if the history
// does not reach back that far.
func (b *Buffer) ChangesSince(v Version) ([]Change, bool) {
	var changes []Change
	reached := v == b.Version
	for c := range b.backwards {
		if v > b.Version || c.Version+Version(c.Run) < v {
			break
		}
		cut := *c
		if c.Version < v { // in the middle of a run of single runes
			skip := int(v - c.Version)
			cut.Version, cut.Run = v, c.Run-skip
			cut.Q0, cut.NI = c.Q0+skip, c.NI-skip
		}
		changes = append(changes, cut)
		reached = reached || c.Version <= v
	}
	slices.Reverse(changes)
	return changes, reached
}

// Since returns the composition of the changes from version v to now; not ok if the history does
// not reach back that far.
func (b *Buffer) Since(v Version) (Delta, bool) {
	changes, ok := b.ChangesSince(v)
	var d Delta
	for i := range changes {
		d.Add(changes[i].Q0, changes[i].ND, changes[i].NI)
	}
	return d, ok
}

// At returns the text as it was at version v; not ok if the history does not reach back that far.
func (b *Buffer) At(v Version) (text.Text, bool) {
	changes, ok := b.ChangesSince(v)
	if !ok {
		return text.Text{}, false
	}
	d := b.Text.Edit()
	for i := len(changes) - 1; i >= 0; i-- {
		c := &changes[i]
		d.Replace(c.Q0, c.Q0+c.NI, c.Deleted)
	}
	return d.Text(), true
}

package edit

import (
	"slices"
	"strings"

	"apex/core"
)

// edit evaluates AskEdit by the outcome table: applied if the base is current or the ranges move
// past the later edits, superseded if there is nothing left to do, a conflict otherwise.
func (e *evaluation) edit(a *core.AskEdit) (core.Result, error) {
	b, err := editable(e.Session, a.Buffer)
	if err != nil {
		return core.Result{}, err
	}
	if a.Base > b.Version {
		return core.Result{}, badf("edits against version %d, the buffer is at %d", a.Base,
			b.Version)
	}
	length := -1
	delta, reached := b.Since(a.Base)
	if reached {
		length = b.Text.Runes() - delta.Grew()
	}
	if err := checkSpans(a.Edits, length); err != nil {
		return core.Result{}, err
	}
	if reached && (a.Base == b.Version || a.OnConflict != core.ConflictFail) {
		if moved, rest := move(&delta, a.Edits); len(rest) == 0 {
			return e.apply(a.Buffer, b, moved, a.Select)
		}
	}
	switch {
	case reached && e.superseded(b, &delta, a):
		return core.Result{Outcome: core.Superseded, Version: b.Version}, nil
	case a.OnConflict == core.ConflictRecover:
		return e.recover(a, b, &delta, reached)
	}
	return core.Result{Outcome: core.NeedsMerge, Version: b.Version}, nil
}

// editable returns a buffer whose text may be changed.
func editable(s core.Session, id core.BufferID) (*core.Buffer, error) {
	b, err := buffer(s, id)
	if err == nil && b.Loading {
		err = core.Errorf(core.CodeBusy, "buffer %v is still loading", id)
	}
	return b, err
}

// move returns where spans are now, and those that a change overlaps, as they were.
func move(d *core.Delta, spans []core.Span) (moved, rest []core.Span) {
	for _, s := range spans {
		if q0, q1, ok := d.Map(s.Q0, s.Q1); ok {
			moved = append(moved, core.Span{Q0: q0, Q1: q1, Text: s.Text})
		} else {
			rest = append(rest, s)
		}
	}
	return moved, rest
}

// apply adds the Edits for spans of the buffer's text, and the selection of what came last.
func (e *evaluation) apply(
	id core.BufferID, b *core.Buffer, spans []core.Span, sel core.View,
) (core.Result, error) {
	r := replace(b.Text, b.Version, 0, spans)
	if len(r.ops) == 0 {
		return core.Result{Version: b.Version}, nil
	}
	e.Add(id.Shard(), r.ops...)
	if sel.Kind != core.ViewInvalid {
		if _, ok := b.View(sel); !ok {
			return core.Result{}, core.Errorf(core.CodeNotFound, "no view %v on buffer %v", sel, id)
		}
		e.Add(id.Shard(), core.Select(sel, r.q0, r.q1))
	}
	if b.Kind == core.BufferTag {
		e.renameByTag(id, r.text)
	}
	return core.Result{Version: r.version(b.Version)}, nil
}

// superseded reports whether nothing is left to do: each range has been changed already to what
// the edits make of it, or was to be deleted and is gone by a later change of the same author. An
// insertion is not: the same text may well be wanted twice, by two commands of one name. What a
// fenced leader did is, since that may have been stored before.
func (e *evaluation) superseded(b *core.Buffer, d *core.Delta, a *core.AskEdit) bool {
	again := a.OnConflict == core.ConflictRecover
	if a.Base == b.Version || len(a.Edits) == 0 || !again && slices.ContainsFunc(a.Edits, inserts) {
		return false
	}
	base, ok := b.At(a.Base)
	changes, ok2 := b.ChangesSince(a.Base)
	if !ok || !ok2 {
		return false
	}
	for rest := a.Edits; len(rest) > 0; {
		older, newer := d.Hull(rest[0].Q0, rest[0].Q1)
		n := 1 // edits that the same changes touch
		for ; n < len(rest) && rest[n].Q0 <= older[1]; n++ {
			older, newer = d.Hull(older[0], max(older[1], rest[n].Q1))
		}
		want := string(splice(base, older[0], older[1], rest[:n]))
		made := want == b.Text.Substring(newer[0], newer[1])
		for _, s := range rest[:n] {
			if !made && (s.Text != "" || !takenBy(changes, e.author.Actor, s.Q0, s.Q1)) {
				return false
			}
		}
		rest = rest[n:]
	}
	return true
}

// inserts reports whether a span only adds text.
func inserts(s core.Span) bool { return s.Q0 == s.Q1 }

// takenBy reports whether changes by one actor alone removed all of the runes [q0, q1).
func takenBy(changes []core.Change, actor string, q0, q1 int) bool {
	pieces := [][2]int{{q0, q1}} // what is left of the range, in the text before each change
	for i := range changes {
		c := &changes[i]
		end := c.Q0 + c.ND
		var left [][2]int
		for _, p := range pieces {
			if c.Q0 < p[1] && end > p[0] && c.Actor != actor {
				return false
			}
			if p[0] < c.Q0 {
				left = append(left, [2]int{p[0], min(p[1], c.Q0)})
			}
			if p[1] > end {
				grown := c.NI - c.ND
				left = append(left, [2]int{max(p[0], end) + grown, p[1] + grown})
			}
		}
		pieces = left
	}
	return len(pieces) == 0
}

// recover applies what rebases and keeps the rest in a window of its own, so that it is seen.
func (e *evaluation) recover(
	a *core.AskEdit, b *core.Buffer, d *core.Delta, reached bool,
) (core.Result, error) {
	var moved []core.Span
	rest := a.Edits
	if reached {
		moved, rest = move(d, a.Edits)
	}
	res, err := e.apply(a.Buffer, b, moved, a.Select)
	if err != nil {
		return core.Result{}, err
	}
	w, err := e.window(&core.AskWindow{
		Name: RecoveredName(e.Session), Kind: core.BufferScratch, Text: e.recovered(a, b, rest),
		Reuse: true, Append: true,
	})
	if err != nil {
		return core.Result{}, err
	}
	res.Window, res.Message = w.Window, "what could not be applied is in "+RecoveredName(e.Session)
	return res, nil
}

// RecoveredName is the name of the window that keeps what could not be applied.
func RecoveredName(s core.Session) string { return inDir(sessionDir(s), "+Recovered") }

// recovered is the text that keeps spans: whose they are, when they were brought back, what they were
// made against, and what each would have done.
func (e *evaluation) recovered(a *core.AskEdit, b *core.Buffer, spans []core.Span) string {
	var out strings.Builder
	by := e.author
	name := b.Name
	if name == "" {
		name = "buffer " + a.Buffer.String()
	}
	out.WriteString(core.RecoveredHead)
	if e.at != 0 {
		writef(&out, "%s, ", e.at.UTC())
	}
	writef(&out, "by %s (attachment %d), against version %d of %s, now at %d\n",
		by.Actor, by.Attachment, a.Base, name, b.Version)
	for _, s := range spans {
		writef(&out, "-- for runes %d,%d of that version, %d bytes:\n", s.Q0, s.Q1, len(s.Text))
		out.WriteString(s.Text)
		if !strings.HasSuffix(s.Text, "\n") {
			out.WriteString("\n")
		}
	}
	return out.String()
}

// stamped puts the time into what a client asks to be kept in +Recovered: it has no clock itself.
func (e *evaluation) stamped(a *core.AskWindow) *core.AskWindow {
	rest, ok := strings.CutPrefix(a.Text, core.RecoveredHead)
	if !ok || !a.Append || e.at == 0 || a.Name != RecoveredName(e.Session) {
		return a
	}
	kept := *a
	kept.Text = core.RecoveredHead + e.at.UTC() + ", " + rest
	return &kept
}

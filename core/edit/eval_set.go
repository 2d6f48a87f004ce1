package edit

import (
	"strings"

	"apex/core"
)

// set evaluates AskSet: the text becomes what is given by the smallest edits against what it is
// now. A text that was read from the disk leaves the buffer clean; it does not replace unsaved
// text unless forced, and then that text is one undo away.
func (e *evaluation) set(a *core.AskSet) (core.Result, error) {
	b, err := editable(e.Session, a.Buffer)
	if err != nil {
		return core.Result{}, err
	}
	if a.HasBase && a.Base > b.Version {
		return core.Result{}, badf("a text against version %d, the buffer is at %d", a.Base,
			b.Version)
	}
	if len(a.Text) > core.MaxTextBytes {
		return core.Result{}, core.Errorf(core.CodeTooLarge, "text of %d bytes, at most %d",
			len(a.Text), core.MaxTextBytes)
	}
	res := core.Result{Version: b.Version}
	spans := a.Edits
	if len(spans) == 0 {
		res.Hash = hashOf(a.Text)
		spans = Change(b, a.Text)
	} else if err := checkEdits(b, a); err != nil {
		return core.Result{}, err
	}
	switch {
	case a.HasBase && a.Base != b.Version && len(spans) == 0:
		res.Outcome = core.Superseded
		return res, nil
	case a.HasBase && a.Base != b.Version:
		return core.Result{Outcome: core.NeedsMerge, Version: b.Version}, nil
	case a.Disk != nil && renamed(b, a.Disk.Name):
		return core.Result{}, core.Errorf(core.CodeConflict, "%s: it is named so by now, and %s was read",
			nameOf(b, a.Buffer), a.Disk.Name)
	case a.Disk != nil && !a.Force && len(spans) > 0 && b.Dirty():
		return core.Result{}, core.Errorf(core.CodeUnsaved, "%s: unsaved changes", nameOf(b,
			a.Buffer))
	}
	if len(spans) > 0 {
		applied, err := e.apply(a.Buffer, b, spans, core.View{})
		if err != nil {
			return core.Result{}, err
		}
		res.Version = applied.Version
	}
	if a.Disk != nil {
		e.Add(a.Buffer.Shard(), cleanOp(res.Version, *a.Disk))
	}
	return res, nil
}

// checkEdits refuses edits of another text than the one at the version that is named.
func checkEdits(b *core.Buffer, a *core.AskSet) error {
	switch {
	case !a.HasBase:
		return badf("edits that set a text are against a version")
	case a.Text != "":
		return badf("a text is set by itself or by edits, not both")
	case a.Base == b.Version:
		return checkSpans(a.Edits, b.Text.Runes())
	}
	return nil
}

// Change returns the smallest edits that make the buffer's text exactly what is wanted.
func Change(b *core.Buffer, want string) []core.Span {
	spans := Diff(b.Text, want)
	if len(spans) == 0 {
		return nil
	}
	return exactly(b, spans, want)
}

// exactly returns spans if they make the text what is wanted, else one that replaces all. Broken
// encodings may join across the border of a span, and what was to be written is what counts.
func exactly(b *core.Buffer, spans []core.Span, want string) []core.Span {
	r := replace(b.Text, b.Version, 0, spans)
	rest, same := want, r.text.Bytes() == len(want)
	for c := range r.text.Chunks() {
		if !same {
			break
		}
		same = strings.HasPrefix(rest, string(c))
		rest = rest[min(len(c), len(rest)):]
	}
	if same {
		return spans
	}
	return []core.Span{{Q1: b.Text.Runes(), Text: want}}
}

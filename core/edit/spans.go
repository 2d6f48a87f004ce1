package edit

import (
	"slices"
	"unicode/utf8"

	"apex/core"
	"apex/core/text"
)

// maxPieceBytes bounds the text of one Edit: a larger text is many Edits in one undo group, so
// that followers are never long without a message.
const maxPieceBytes = core.LoadMaxBytes

// maxSpans bounds how many replacements become an op each. Beyond it neighbours are made one,
// with the text between them: half of what a batch holds, the rest being selections and pieces.
const maxSpans = core.MaxBatchOps / 2

// checkSpans refuses ranges that are reversed, out of order, overlapping or outside a text of n
// runes; n < 0 means that the length is not known.
func checkSpans(spans []core.Span, n int) error {
	end := 0
	for i, s := range spans {
		switch {
		case s.Q0 < 0 || s.Q1 < s.Q0:
			return badf("edit %d: runes %d,%d are no range", i, s.Q0, s.Q1)
		case s.Q0 < end:
			return badf("edit %d: runes %d,%d begin before %d, where the one before it ends",
				i, s.Q0, s.Q1, end)
		case n >= 0 && s.Q1 > n:
			return badf("edit %d: runes %d,%d of a text of %d", i, s.Q0, s.Q1, n)
		}
		end = s.Q1
	}
	return nil
}

// replacement is a list of spans as consecutive Edits in one undo group.
type replacement struct {
	ops    []core.Op
	text   text.Text // after them
	q0, q1 int       // what the last span inserted, in text
}

// version is the buffer's version after the ops.
func (r *replacement) version(v core.Version) core.Version { return v + core.Version(len(r.ops)) }

// replace turns spans, in order and against the text t at version v, into Edits that each stand
// against the version that the one before makes. group 0 begins a new undo group.
func replace(t text.Text, v core.Version, group core.Group, spans []core.Span) replacement {
	spans = slices.DeleteFunc(slices.Clone(spans), func(s core.Span) bool {
		return s.Q0 == s.Q1 && s.Text == ""
	})
	spans = coalesce(t, spans, maxSpans)
	r, ok := replaceEach(t, v, group, spans, maxPieceBytes)
	if !ok {
		// Broken encodings became whole across a border, so that runes were no longer where
		// the spans say: the bytes between first and last are replaced at once.
		r, _ = replaceEach(t, v, group, coalesce(t, spans, 1), core.MaxBatchBytes)
	}
	return r
}

// replaceEach makes the Edits. Not ok if runes joined at a border while there was more to do.
func replaceEach(
	t text.Text, v core.Version, g core.Group, spans []core.Span, piece int,
) (replacement, bool) {
	r := replacement{}
	d := t.Edit()
	if g == 0 {
		g = core.Group(v) + 1
	}
	shift, joined := 0, false
	for _, s := range spans {
		q0, q1 := s.Q0+shift, s.Q1+shift
		// The last piece first: then no piece but the outer ones meets the text around it.
		for end, rest := q1, s.Text; ; end = q0 {
			if joined {
				return replacement{}, false
			}
			with := lastPiece(rest, piece)
			rest = rest[:len(rest)-len(with)]
			r.ops = append(r.ops, core.Edit(v+core.Version(len(r.ops)), q0, end, with, g))
			grew := d.Replace(q0, end, with)
			joined = grew != utf8.RuneCountInString(with)-(end-q0)
			shift += grew
			if rest == "" {
				break
			}
		}
		r.q0 = min(q0, d.Runes())
		r.q1 = min(max(r.q0, s.Q1+shift), d.Runes())
	}
	r.text = d.Text()
	return r, true
}

// lastPiece returns the last piece of s: at most n bytes, beginning where a rune does.
func lastPiece(s string, n int) string {
	if len(s) <= n {
		return s
	}
	at := len(s) - n
	for k := 0; k < utf8.UTFMax && !utf8.RuneStart(s[at]); k++ {
		at++
	}
	return s[at:]
}

// coalesce makes neighbours one until there are at most n spans.
func coalesce(t text.Text, spans []core.Span, n int) []core.Span {
	if len(spans) <= n {
		return spans
	}
	per := (len(spans) + n - 1) / n
	var out []core.Span
	for part := range slices.Chunk(spans, per) {
		one := core.Span{Q0: part[0].Q0, Q1: part[len(part)-1].Q1}
		one.Text = string(splice(t, one.Q0, one.Q1, part))
		out = append(out, one)
	}
	return out
}

// splice returns the bytes of runes [q0, q1) after spans that lie in them.
func splice(t text.Text, q0, q1 int, spans []core.Span) []byte {
	var out []byte
	for _, s := range spans {
		out = t.AppendRange(out, q0, s.Q0)
		out = append(out, s.Text...)
		q0 = s.Q1
	}
	return t.AppendRange(out, q0, q1)
}

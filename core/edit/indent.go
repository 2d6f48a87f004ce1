package edit

import (
	"slices"
	"strings"

	"apex/core"
	"apex/core/text"
)

// Indent returns the bundle that moves the lines of a view's dot in by one unit of the text's
// indentation, or out by one; the dot is then those lines. Empty lines stay empty.
func Indent(s core.Session, by core.Author, v core.View, out bool) (core.Bundle, error) {
	p, err := paneOf(s, v)
	if err != nil {
		return core.Bundle{}, err
	}
	unit := indentUnit(p.Text, p.q0)
	q0, q1 := p.lines()
	var spans []core.Span
	for n := p.Text.LineOf(q0); n <= p.Text.Newlines() && p.Text.LineStart(n) < max(q1, q0+1); n++ {
		at := p.Text.LineStart(n)
		end := LineEnd(p.Text, at)
		switch {
		case out:
			if k := outdent(p.Text.Substring(at, at+textIndent(p.Text, at, end)), unit); k > 0 {
				spans = append(spans, core.Span{Q0: at, Q1: at + k})
			}
		case end > at:
			spans = append(spans, core.Span{Q0: at, Q1: at, Text: unit})
		}
	}
	b := core.Bundle{Author: by}
	r := replace(p.Text, p.Version, 0, spans)
	if len(r.ops) > 0 {
		end := q1 + r.text.Runes() - p.Text.Runes()
		b.Add(p.id.Shard(), append(r.ops, core.Select(v, q0, end))...)
	}
	return checked(s, b)
}

// outdent returns how many of a line's first blanks one unit is.
func outdent(blanks, unit string) int {
	if strings.HasPrefix(blanks, "\t") {
		return 1
	}
	width := len(unit)
	if unit == "\t" {
		width = core.DefaultTabWidth
	}
	return min(width, len(blanks)-len(strings.TrimLeft(blanks, " ")))
}

// indentLines is how many lines say what a text is indented with.
const indentLines = 500

// indentUnit returns what a text is indented with: a tab, unless the lines around q begin with
// spaces, and then as many as the least indented of them.
func indentUnit(t text.Text, q int) string {
	first := max(0, t.LineOf(q)-indentLines/2)
	var widths []int
	for n := first; n <= t.Newlines() && n < first+indentLines; n++ {
		at := t.LineStart(n)
		blanks := t.Substring(at, at+textIndent(t, at, min(t.Runes(), at+maxIndentUnit+1)))
		if strings.HasPrefix(blanks, "\t") {
			return "\t"
		}
		if len(blanks) > 1 && len(blanks) <= maxIndentUnit {
			widths = append(widths, len(blanks))
		}
	}
	if len(widths) == 0 {
		return "\t"
	}
	return strings.Repeat(" ", slices.Min(widths))
}

// maxIndentUnit is the widest unit in use.
const maxIndentUnit = 8

package edit

import (
	"slices"
	"strings"

	"apex/core"
	"apex/core/text"
)

// maxKeyRunes is how much one press of a key that erases takes away: a cluster. Presses in a row
// are one undo step; larger pieces are a step each.
const maxKeyRunes = 8

// Erase returns the bundle that takes away a view's dot, or if that is empty what lies between it
// and where m moves: Left and Right are backspace and delete, and the others whole words and
// lines. It is empty if there is nothing.
func Erase(s core.Session, by core.Author, v core.View, m Motion) (core.Bundle, error) {
	p, err := paneOf(s, v)
	if err != nil {
		return core.Bundle{}, err
	}
	q0, q1 := p.q0, p.q1
	if q0 == q1 {
		to := m(p.Text, q0)
		q0, q1 = min(q0, to), max(q0, to)
	}
	return p.erase(s, by, q0, q1)
}

// EraseLines returns the bundle that takes away the lines that a view's dot touches.
func EraseLines(s core.Session, by core.Author, v core.View) (core.Bundle, error) {
	p, err := paneOf(s, v)
	if err != nil {
		return core.Bundle{}, err
	}
	q0, q1 := p.lines()
	return p.erase(s, by, q0, q1)
}

// lines returns the range of the lines that the dot touches; one that it only ends before is not
// touched.
func (p *pane) lines() (int, int) {
	last := p.q1
	if last > p.q0 && p.before(last) == '\n' {
		last--
	}
	_, q1 := Line(p.Text, last)
	return LineStart(p.Text, p.q0), q1
}

func (p *pane) erase(s core.Session, by core.Author, q0, q1 int) (core.Bundle, error) {
	b := core.Bundle{Author: by}
	r := replace(p.Text, p.Version, p.erasedGroup(by, q0, q1), []core.Span{{Q0: q0, Q1: q1}})
	if len(r.ops) > 0 {
		b.Add(p.id.Shard(), append(r.ops, core.Select(p.view, r.q0, r.q0))...)
	}
	return checked(s, b)
}

// erasedGroup returns the undo group that erasing [q0, q1) goes on in, 0 for a new one.
func (p *pane) erasedGroup(by core.Author, q0, q1 int) core.Group {
	c, ok := p.Newest()
	if !ok || c.Kind != core.ChangeEdit || c.Actor != by.Actor || c.NI != 0 || c.ND > maxKeyRunes {
		return 0
	}
	if q1-q0 > maxKeyRunes || p.q0 != p.q1 || c.Q0 != q0 && c.Q0 != q1 {
		return 0
	}
	return c.Group
}

// Cut, Snarf and PasteSnarf are the commands of those names for keys, which work on any view.

// Cut returns the bundle that moves a view's dot into the snarf buffer.
func Cut(s core.Session, by core.Author, v core.View) (core.Bundle, error) {
	return onPane(s, by, v, (*evaluation).cut)
}

// Snarf returns the bundle that copies a view's dot into the snarf buffer.
func Snarf(s core.Session, by core.Author, v core.View) (core.Bundle, error) {
	return onPane(s, by, v, (*evaluation).snarf)
}

// PasteSnarf returns the bundle that replaces a view's dot by the snarf buffer and selects it.
func PasteSnarf(s core.Session, by core.Author, v core.View) (core.Bundle, error) {
	return onPane(s, by, v, func(e *evaluation, p *pane) error {
		l, err := layout(s)
		if err == nil {
			e.put(p, l.Snarf)
		}
		return err
	})
}

// Undo returns the bundle that takes back the author's last step in a view's text, or with redo
// brings back the last that was taken back, and selects what changed.
func Undo(s core.Session, by core.Author, v core.View, redo bool) (core.Bundle, error) {
	return onPane(s, by, v, func(e *evaluation, p *pane) error {
		ops, err := undoOps(p, by, redo, false)
		if err == nil {
			e.Add(p.id.Shard(), ops...)
		}
		return err
	})
}

func onPane(
	s core.Session, by core.Author, v core.View, do func(*evaluation, *pane) error,
) (core.Bundle, error) {
	p, err := paneOf(s, v)
	if err != nil {
		return core.Bundle{}, err
	}
	e := &evaluation{Session: s, author: by}
	e.Author = by
	if err := do(e, &p); err != nil {
		return core.Bundle{}, err
	}
	return checked(s, e.Bundle)
}

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

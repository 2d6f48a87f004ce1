package edit

import "apex/core"

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

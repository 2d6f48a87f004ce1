package addr

import (
	"fmt"

	"apex/core/text"
)

// Range is a stretch of text, from rune offset Q0 to Q1.
type Range struct{ Q0, Q1 int }

// Eval gives the range that the address means in t with the given dot. The error is an [*Error]:
// CodeRange for a line or rune that isn't there, or for a dot outside the text, CodeNoMatch and
// CodeOrder.
func (a Addr) Eval(t text.Text, dot Range) (Range, error) {
	e := evaluator{a, t}
	if n := t.Runes(); dot.Q0 < 0 || dot.Q1 < dot.Q0 || dot.Q1 > n {
		return Range{}, e.failf(CodeRange, "dot [%d,%d) of a text of %d runes", dot.Q0, dot.Q1, n)
	}
	if a.root == nil {
		return dot, nil
	}
	return e.eval(a.root, dot, dot)
}

type evaluator struct {
	addr Addr
	t    text.Text
}

func (e evaluator) failf(code Code, format string, args ...any) error {
	return &Error{code, e.addr.src, fmt.Sprintf(format, args...), nil}
}

// eval evaluates x from the range at. Only ; makes that another than dot.
func (e evaluator) eval(x *expr, at, dot Range) (Range, error) {
	if x.sep == 0 {
		return e.chain(x.steps, at, dot)
	}
	left, right := Range{}, Range{e.t.Runes(), e.t.Runes()}
	var err error
	if x.left != nil {
		if left, err = e.eval(x.left, at, dot); err != nil {
			return Range{}, err
		}
	}
	if x.sep == ';' {
		at, dot = left, left
	}
	if x.right != nil {
		if right, err = e.eval(x.right, at, dot); err != nil {
			return Range{}, err
		}
	}
	if right.Q1 < left.Q0 {
		return Range{}, e.failf(CodeOrder,
			"ends at rune %d, before it begins at %d", right.Q1, left.Q0)
	}
	return Range{left.Q0, right.Q1}, nil
}

// chain evaluates steps, each from the range of those before it. The sign is that of the last + or
// -, 0 if there was none.
func (e evaluator) chain(steps []step, at, dot Range) (Range, error) {
	sign := 0
	var err error
	for i, s := range steps {
		switch s.op {
		case '.':
			at = dot
		case '$':
			at = Range{e.t.Runes(), e.t.Runes()}
		case '+', '-':
			sign = 1
			if s.op == '-' {
				sign = -1
			}
			if i+1 == len(steps) || steps[i+1].op == '+' || steps[i+1].op == '-' {
				at, err = e.lines(1, at, sign)
			}
		case 'l':
			at, err = e.lines(s.number, at, sign)
		case '#':
			at, err = e.runes(s.number, at, sign)
		case '/', '?':
			if s.op == '?' {
				if sign = -sign; sign == 0 {
					sign = -1
				}
			}
			at, err = e.match(s, at, sign)
		}
		if err != nil {
			return Range{}, err
		}
	}
	return at, nil
}

// runes evaluates #n.
func (e evaluator) runes(n int, at Range, sign int) (Range, error) {
	q := n
	switch {
	case sign > 0:
		q = at.Q1 + n
	case sign < 0:
		q = at.Q0 - n
	}
	if q < 0 || q > e.t.Runes() {
		return Range{}, e.failf(CodeRange, "no rune %d in a text of %d", q, e.t.Runes())
	}
	return Range{q, q}, nil
}

// lines evaluates n, a number of lines.
func (e evaluator) lines(n int, at Range, sign int) (Range, error) {
	switch {
	case sign < 0:
		return e.linesBefore(n, at.Q0)
	case sign == 0 || at.Q1 == 0:
		if n == 0 {
			return Range{}, nil
		}
		return e.wholeLine(n - 1)
	}
	// A place after a newline is in the last line already passed, not in the one it begins.
	last := e.t.LineOf(at.Q1 - 1)
	if n == 0 {
		return Range{at.Q1, e.lineEnd(last)}, nil
	}
	return e.wholeLine(last + n)
}

// linesBefore evaluates -n from rune q.
func (e evaluator) linesBefore(n, q int) (Range, error) {
	first := e.t.LineOf(q)
	switch {
	case n == 0:
		return Range{e.t.LineStart(first), q}, nil
	case n == first+1:
		return Range{}, nil // what is before the first line
	case n > first:
		return Range{}, e.failf(CodeRange, "no %d lines before line %d", n, first+1)
	}
	return e.wholeLine(first - n)
}

// wholeLine gives the line i, counted from 0, with its newline.
func (e evaluator) wholeLine(i int) (Range, error) {
	if i > e.t.Newlines() {
		return Range{}, e.failf(CodeRange, "no line %d in a text of %d", i+1, e.t.Newlines()+1)
	}
	return Range{e.t.LineStart(i), e.lineEnd(i)}, nil
}

// lineEnd gives the rune offset after the newline of line i, counted from 0.
func (e evaluator) lineEnd(i int) int {
	if i == e.t.Newlines() {
		return e.t.Runes()
	}
	return e.t.LineStart(i + 1)
}

// match evaluates a pattern. If the match is empty and where the search begins, it searches once
// more from one rune further on.
func (e evaluator) match(s step, at Range, sign int) (Range, error) {
	find, q, next := e.backward, at.Q0, at.Q0-1
	if sign >= 0 {
		find, q, next = e.forward, at.Q1, at.Q1+1
	}
	loc := find(s.pattern, q)
	if loc != nil && loc[0] == q && loc[1] == q {
		switch {
		case next < 0:
			next = e.t.Runes()
		case next > e.t.Runes():
			next = 0
		}
		loc = find(s.pattern, next)
	}
	if loc == nil {
		return Range{}, e.failf(CodeNoMatch, "no match for %q", s.source)
	}
	return Range{loc[0], loc[1]}, nil
}

// forward finds the first match from rune q on, or else from the beginning.
func (e evaluator) forward(p *text.Pattern, q int) []int {
	loc := e.t.Find(p, q, e.t.Runes())
	if loc == nil && q > 0 {
		loc = e.t.Find(p, 0, e.t.Runes())
	}
	return loc
}

// backward finds the last match before rune q, or else before the end.
func (e evaluator) backward(p *text.Pattern, q int) []int {
	loc := e.t.FindLast(p, q)
	if loc == nil && q < e.t.Runes() {
		loc = e.t.FindLast(p, e.t.Runes())
	}
	return loc
}

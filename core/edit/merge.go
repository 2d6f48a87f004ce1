package edit

import "strings"

// Merging is what a merge made.
type Merging struct {
	Text      string
	Conflicts int // stretches that both have changed, each differently: they are marked in Text
}

// The marks of a conflict, which each begin a line: what the window has, what both come from, and
// what the disk has. Most programs that show conflicts know them.
const (
	markMine   = "<<<<<<< window"
	markBase   = "||||||| before"
	markTheirs = "======="
	markEnd    = ">>>>>>> disk"
)

// Merge takes the changes that lead from base to mine and from base to theirs together, line by
// line: what only one has changed is as that one has it, what both have changed alike is so, and
// what they have changed differently is marked, with all three. Nothing of either is left out but
// what the other has removed.
func Merge(base, mine, theirs string) Merging {
	m := merger{ids: map[string]int{}, eol: firstLineEnd(mine)}
	b, x, y := m.number(base), m.number(mine), m.number(theirs)
	inX, inY := places(b, x), places(b, y)
	i, j, k := 0, 0, 0
	for i < b.n() || j < x.n() || k < y.n() {
		if i < b.n() && inX[i] == j && inY[i] == k {
			m.out.WriteString(b.text(i, i+1))
			i, j, k = i+1, j+1, k+1
			continue
		}
		i1, j1, k1 := i, x.n(), y.n()
		for ; i1 < b.n(); i1++ {
			if inX[i1] >= 0 && inY[i1] >= 0 {
				j1, k1 = inX[i1], inY[i1]
				break
			}
		}
		m.take(b.text(i, i1), x.text(j, j1), y.text(k, k1), true)
		i, j, k = i1, j1, k1
	}
	return Merging{m.out.String(), m.conflicts}
}

// MergeUnrelated marks all that differs: what both come from is not known.
func MergeUnrelated(mine, theirs string) Merging {
	m := merger{ids: map[string]int{}, eol: firstLineEnd(mine)}
	x, y := m.number(mine), m.number(theirs)
	j, k := 0, 0
	for _, r := range append(lineRuns(x.ids, y.ids), run{x.n(), y.n(), 0}) {
		m.take("", x.text(j, r.a), y.text(k, r.b), false)
		m.out.WriteString(x.text(r.a, r.a+r.n))
		j, k = r.a+r.n, r.b+r.n
	}
	return Merging{m.out.String(), m.conflicts}
}

// merger is a merge in the making.
type merger struct {
	ids       map[string]int // of lines, in all texts
	eol       string         // ends a mark
	out       strings.Builder
	conflicts int
}

// numbered is a text as lines: equal ones have equal ids.
type numbered struct {
	whole  string
	starts []int // and the length
	ids    []int
}

func (m *merger) number(s string) numbered {
	n := numbered{whole: s, starts: []int{0}}
	for len(s) > n.starts[len(n.ids)] {
		at := n.starts[len(n.ids)]
		end := strings.IndexByte(s[at:], '\n') + 1
		if end == 0 {
			end = len(s) - at
		}
		line := s[at : at+end]
		id, ok := m.ids[line]
		if !ok {
			id = len(m.ids)
			m.ids[line] = id
		}
		n.ids, n.starts = append(n.ids, id), append(n.starts, at+end)
	}
	return n
}

func (n *numbered) n() int { return len(n.ids) }

// text returns lines [from, to).
func (n *numbered) text(from, to int) string { return n.whole[n.starts[from]:n.starts[to]] }

// places returns for each line of b which line of x it is, -1 for none.
func places(b, x numbered) []int {
	out := make([]int, b.n())
	for i := range out {
		out[i] = -1
	}
	for _, r := range lineRuns(b.ids, x.ids) {
		for i := range r.n {
			out[r.a+i] = r.b + i
		}
	}
	return out
}

// take writes what becomes of a stretch; without base all that differs is a conflict.
func (m *merger) take(base, mine, theirs string, hasBase bool) {
	switch {
	case mine == theirs:
		m.out.WriteString(mine)
	case hasBase && mine == base:
		m.out.WriteString(theirs)
	case hasBase && theirs == base:
		m.out.WriteString(mine)
	default:
		m.conflicts++
		m.part(markMine, mine)
		if hasBase {
			m.part(markBase, base)
		}
		m.part(markTheirs, theirs)
		m.part(markEnd, "")
	}
}

// part writes a mark and what it is of, ended by a line end.
func (m *merger) part(mark, s string) {
	m.out.WriteString(mark)
	m.out.WriteString(m.eol)
	m.out.WriteString(s)
	if s != "" && !strings.HasSuffix(s, "\n") {
		m.out.WriteString(m.eol)
	}
}

// firstLineEnd is how the first line of a text ends.
func firstLineEnd(s string) string {
	if i := strings.IndexByte(s, '\n'); i > 0 && s[i-1] == '\r' {
		return "\r\n"
	}
	return "\n"
}

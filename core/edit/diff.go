package edit

import (
	"strings"
	"unicode/utf8"

	"apex/core"
	"apex/core/text"
)

// diffMaxEdits bounds the search for the shortest script, whose time and memory grow with its
// square: beyond it the texts have little in common, and the stretch that differs is replaced.
const diffMaxEdits = 1000

// diffMaxBlocks bounds the replacements: each is an entry and a change of the history, which a text
// that is different all over is not worth.
const diffMaxBlocks = 2000

// Diff returns replacements, in order, that make the text b of t. Whole lines that the two have in
// common stay as they are, at the beginning and at the end and then as a comparison line by line
// finds them; only what is left is trimmed within its lines. So a selection on a line that is the
// same afterwards stays on it. The bytes that come out are exactly b's.
func Diff(t text.Text, b string) []core.Span {
	a := t.String()
	if a == b {
		return nil
	}
	pre, post := trimLines(a, b)
	am, bm := a[pre:len(a)-post], b[pre:len(b)-post]
	blocks := []block{{0, len(am), 0, len(bm)}}
	if am != "" && bm != "" {
		blocks = lineBlocks(am, bm)
	}
	spans := make([]core.Span, 0, len(blocks))
	at, q := 0, 0 // bytes of a that have been counted, and their runes in t
	for _, k := range blocks {
		x, y := am[k.a0:k.a1], bm[k.b0:k.b1]
		p, s := trim(x, y)
		b0, b1 := pre+k.a0+p, pre+k.a1-s
		q0 := q + utf8.RuneCountInString(a[at:b0])
		q1 := q0 + utf8.RuneCountInString(a[b0:b1])
		at, q = b1, q1
		spans = append(spans, core.Span{Q0: q0, Q1: q1, Text: y[p : len(y)-s]})
	}
	return spans
}

// trim returns how many bytes x and y have in common at their beginnings and, beyond those, at
// their ends, without cutting a rune of either in two.
func trim(x, y string) (pre, post int) {
	n := min(len(x), len(y))
	for pre < n && x[pre] == y[pre] {
		pre++
	}
	for pre > 0 && !(border(x, pre) && border(y, pre)) {
		pre--
	}
	n -= pre
	for post < n && x[len(x)-1-post] == y[len(y)-1-post] {
		post++
	}
	for post > 0 && !(border(x, len(x)-post) && border(y, len(y)-post)) {
		post--
	}
	return pre, post
}

// trimLines is trim that cuts no line in two.
func trimLines(x, y string) (pre, post int) {
	pre, post = trim(x, y)
	pre = strings.LastIndexByte(x[:pre], '\n') + 1
	if end := len(x) - post; !lineStart(x, end) || !lineStart(y, len(y)-post) {
		n := strings.IndexByte(x[end:], '\n')
		if n < 0 {
			return pre, 0
		}
		post -= n + 1
	}
	return pre, post
}

// lineStart reports whether a line begins at byte i of s.
func lineStart(s string, i int) bool { return i == 0 || s[i-1] == '\n' }

// border reports whether a valid encoding surely does not go over byte i of s. Broken bytes are
// taken along: they might join with what comes to stand beside them.
func border(s string, i int) bool {
	return (i == len(s) || s[i] < utf8.RuneSelf || utf8.RuneStart(s[i])) &&
		(i == 0 || s[i-1] < utf8.RuneSelf || wholeBefore(s[:i]))
}

// wholeBefore reports whether s ends with a whole encoding.
func wholeBefore(s string) bool {
	r, size := utf8.DecodeLastRuneInString(s)
	return r != utf8.RuneError || size != 1
}

// block says that bytes [a0, a1) of one text stand for bytes [b0, b1) of the other.
type block struct{ a0, a1, b0, b1 int }

// lineBlocks returns the stretches of lines in which a and b differ: where one has as many lines as
// the other, line by line.
func lineBlocks(a, b string) []block {
	al, bl := lineStarts(a), lineStarts(b)
	ids := map[string]int{}
	number := func(s string, starts []int) []int {
		out := make([]int, len(starts)-1)
		for i := range out {
			line := s[starts[i]:starts[i+1]]
			id, ok := ids[line]
			if !ok {
				id = len(ids)
				ids[line] = id
			}
			out[i] = id
		}
		return out
	}
	same := lineRuns(number(a, al), number(b, bl))
	var out []block
	i, j := 0, 0
	for _, m := range append(same, run{len(al) - 1, len(bl) - 1, 0}) {
		for m.a-i == m.b-j && i < m.a {
			out = append(out, block{al[i], al[i+1], bl[j], bl[j+1]})
			i, j = i+1, j+1
		}
		if i < m.a || j < m.b {
			out = append(out, block{al[i], al[m.a], bl[j], bl[m.b]})
		}
		i, j = m.a+m.n, m.b+m.n
	}
	if len(out) > diffMaxBlocks {
		return []block{{0, len(a), 0, len(b)}}
	}
	return out
}

// lineStarts returns the byte at which each line begins, and the length.
func lineStarts(s string) []int {
	out := make([]int, 1, strings.Count(s, "\n")+2)
	for i := 0; i < len(s); {
		n := strings.IndexByte(s[i:], '\n')
		if n < 0 {
			break
		}
		i += n + 1
		if i < len(s) {
			out = append(out, i)
		}
	}
	return append(out, len(s))
}

// run says that n elements from a on equal those from b on.
type run struct{ a, b, n int }

// common returns the runs that a shortest edit script keeps (Myers, 1986), in order; not ok if
// the script is longer than diffMaxEdits.
func common(a, b []int) ([]run, bool) {
	limit := min(len(a)+len(b), diffMaxEdits)
	v := make([]int, 2*limit+2) // furthest x on diagonal k, at k+limit
	var trace [][]int           // v[-d..d] after each d
	for d := 0; d <= limit; d++ {
		for k := -d; k <= d; k += 2 {
			x := 0
			switch {
			case d == 0:
			case k == -d || k != d && v[limit+k-1] < v[limit+k+1]:
				x = v[limit+k+1]
			default:
				x = v[limit+k-1] + 1
			}
			for x < len(a) && x-k >= 0 && x-k < len(b) && a[x] == b[x-k] {
				x++
			}
			v[limit+k] = x
			if x >= len(a) && x-k >= len(b) {
				return walk(trace, len(a), len(b)), true
			}
		}
		trace = append(trace, append([]int(nil), v[limit-d:limit+d+1]...))
	}
	return nil, false
}

// walk goes back over the trace from the ends and returns the runs that it passed.
func walk(trace [][]int, x, y int) []run {
	var back []run
	for d := len(trace); ; d-- {
		px, py := 0, 0
		if d > 0 {
			last := trace[d-1] // diagonals -(d-1) to d-1
			at := func(k int) int { return last[k+d-1] }
			k := x - y
			pk := k - 1
			if k == -d || k != d && at(k-1) < at(k+1) {
				pk = k + 1
			}
			px = at(pk)
			py = px - pk
			sx, sy := px, py+1
			if pk == k-1 {
				sx, sy = px+1, py
			}
			if n := x - sx; n > 0 {
				back = append(back, run{sx, sy, n})
			}
		} else if x > 0 {
			back = append(back, run{0, 0, x})
		}
		if d == 0 {
			break
		}
		x, y = px, py
	}
	for i, j := 0, len(back)-1; i < j; i, j = i+1, j-1 {
		back[i], back[j] = back[j], back[i]
	}
	return back
}

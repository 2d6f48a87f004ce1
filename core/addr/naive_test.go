package addr

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"apex/core/text"
	"pgregory.net/rapid"
)

// naive evaluates addresses by walking over runes, one at a time. It has its own reader of
// addresses, for the forms that genAddr makes.
type naive struct {
	runes []rune
	dot   Range
}

// bad is what naive panics with.
type bad Code

func (n *naive) lineRange(first int) Range { // from rune first to the end of its line
	end := first
	for end < len(n.runes) {
		end++
		if n.runes[end-1] == '\n' {
			break
		}
	}
	return Range{first, end}
}

// downLines goes l lines on from q. A newline just before q counts as the first of them.
func (n *naive) downLines(l, q int) Range {
	if q == 0 {
		if l == 0 {
			return Range{}
		}
		l--
	} else {
		q--
		if l == 0 {
			return Range{q + 1, n.lineRange(q).Q1}
		}
	}
	for l > 0 {
		if q == len(n.runes) {
			panic(bad(CodeRange))
		}
		if n.runes[q] == '\n' {
			l--
		}
		q++
	}
	return n.lineRange(q)
}

func (n *naive) upLines(l, q int) Range {
	end := q
	for q > 0 && n.runes[q-1] != '\n' {
		q--
	}
	if l == 0 {
		return Range{q, end}
	}
	for ; l > 1; l-- {
		if q == 0 {
			panic(bad(CodeRange))
		}
		for q--; q > 0 && n.runes[q-1] != '\n'; q-- {
		}
	}
	if q == 0 {
		return Range{}
	}
	end = q
	for q--; q > 0 && n.runes[q-1] != '\n'; q-- {
	}
	return Range{q, end}
}

// matches tells whether expr matches runes q0 to q1, seeing all of the text.
func (n *naive) matches(expr string, q0, q1 int) bool {
	skip := strings.Repeat("(?s:.)", q0)
	rest := strings.Repeat("(?s:.)", len(n.runes)-q1)
	re := regexp.MustCompile(`\A` + skip + "(?m:" + expr + ")" + rest + `\z`)
	return re.MatchString(string(n.runes))
}

// after gives the first, longest match that begins in [q, end), in the order of offsets.
func (n *naive) after(expr string, q, end int) (Range, bool) {
	for ; q < end; q++ {
		for q1 := len(n.runes); q1 >= q; q1-- {
			if n.matches(expr, q, q1) {
				return Range{q, q1}, true
			}
		}
	}
	return Range{}, false
}

// before gives the longest match that ends last of those that end in (end, q].
func (n *naive) before(expr string, q, end int) (Range, bool) {
	for ; q > end; q-- {
		for q0 := 0; q0 <= q; q0++ {
			if n.matches(expr, q0, q) {
				return Range{q0, q}, true
			}
		}
	}
	return Range{}, false
}

func (n *naive) searchOnce(expr string, q, sign int) (r Range) {
	ok := false
	if sign >= 0 {
		if r, ok = n.after(expr, q, len(n.runes)+1); !ok {
			r, ok = n.after(expr, 0, q)
		}
	} else if r, ok = n.before(expr, q, -1); !ok {
		r, ok = n.before(expr, len(n.runes), q)
	}
	if !ok {
		panic(bad(CodeNoMatch))
	}
	return r
}

func (n *naive) search(expr string, at Range, sign int) Range {
	q, step := at.Q1, 1
	if sign < 0 {
		q, step = at.Q0, -1
	}
	r := n.searchOnce(expr, q, sign)
	if r == (Range{q, q}) {
		total := len(n.runes) + 1
		r = n.searchOnce(expr, (q+step+total)%total, sign)
	}
	return r
}

var stepForm = regexp.MustCompile(`^(?:#(\d*)|(\d+)|/([^/]+)/|\?([^?]+)\?|([-+.$]))`)

func (n *naive) chain(s string, at Range) Range {
	sign, prev := 0, ""
	for s != "" {
		m := stepForm.FindStringSubmatch(s)
		s = s[len(m[0]):]
		if m[5] == "" && prev != "" && prev != "+" && prev != "-" {
			sign = 1
		}
		count := func(digits string) (v int) {
			fmt.Sscan(digits, &v)
			return v
		}
		switch {
		case m[5] == ".":
			at = n.dot
		case m[5] == "$":
			at = Range{len(n.runes), len(n.runes)}
		case m[5] != "":
			sign = map[string]int{"+": 1, "-": -1}[m[5]]
			if s == "" || s[0] == '+' || s[0] == '-' {
				at = n.lines(1, at, sign)
			}
		case m[0][0] == '#':
			at = n.count(count(m[1]), at, sign)
		case m[2] != "":
			at = n.lines(count(m[2]), at, sign)
		case m[3] != "":
			at = n.search(m[3], at, sign)
		default:
			if sign = -sign; sign == 0 {
				sign = -1
			}
			at = n.search(m[4], at, sign)
		}
		prev = m[0]
	}
	return at
}

func (n *naive) lines(l int, at Range, sign int) Range {
	switch sign {
	case 0:
		return n.downLines(l, 0)
	case 1:
		return n.downLines(l, at.Q1)
	}
	return n.upLines(l, at.Q0)
}

func (n *naive) count(c int, at Range, sign int) Range {
	q := map[int]int{0: 0, 1: at.Q1, -1: at.Q0}[sign]
	if sign < 0 {
		q -= c
	} else {
		q += c
	}
	if q < 0 || q > len(n.runes) {
		panic(bad(CodeRange))
	}
	return Range{q, q}
}

// compound evaluates parts joined by separators, of which only the outermost may be missing.
func (n *naive) compound(parts, seps []string, at Range) Range {
	if len(seps) == 0 {
		return n.chain(parts[0], at)
	}
	left, right := Range{}, Range{len(n.runes), len(n.runes)}
	if parts[0] != "" {
		left = n.chain(parts[0], at)
	}
	if seps[0] == ";" {
		at, n.dot = left, left
	}
	if len(seps) > 1 || parts[1] != "" {
		right = n.compound(parts[1:], seps[1:], at)
	}
	if right.Q1 < left.Q0 {
		panic(bad(CodeOrder))
	}
	return Range{left.Q0, right.Q1}
}

func (n *naive) eval(parts, seps []string) (r Range, code Code) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case bad:
			r, code = Range{}, Code(p)
		default:
			panic(p)
		}
	}()
	return n.compound(parts, seps, n.dot), CodeInvalid
}

func genChain(t *rapid.T, empty bool) string {
	first := []string{".", "$", "0", "1", "2", "3", "#0", "#1", "#5", "/a/", "?a?", "+", "-"}
	next := []string{
		"+", "-", "+1", "-1", "+0", "-0", "+2", "-2", "2", "#1", "+#1", "-#1", "+#0", "-#0",
		"/b+/", "?ab*?",
		"+/^/", "-/$/", "-?a|ab?", "+?.*?", "/[^a\\n]+/", "/b*/", "/\\n/", "-/a\\n*/", "/^b/",
	}
	var b strings.Builder
	if !empty || rapid.IntRange(0, 3).Draw(t, "some") > 0 {
		b.WriteString(rapid.SampledFrom(append(first, next...)).Draw(t, "first"))
		for range rapid.IntRange(0, 3).Draw(t, "steps") {
			b.WriteString(rapid.SampledFrom(next).Draw(t, "step"))
		}
	}
	return b.String()
}

func TestEvalAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		letters := rapid.SampledFrom([]rune{'a', 'a', 'b', '\n', '你'})
		runes := rapid.SliceOfN(letters, 0, 14).Draw(t, "text")
		q0 := rapid.IntRange(0, len(runes)).Draw(t, "q0")
		dot := Range{q0, rapid.IntRange(q0, len(runes)).Draw(t, "q1")}

		seps := rapid.SliceOfN(rapid.SampledFrom([]string{",", ";"}), 0, 2).Draw(t, "seps")
		var parts []string
		src := ""
		for i := range len(seps) + 1 {
			part := genChain(t, i == 0 || i == len(seps))
			if i == 0 && len(seps) == 0 && part == "" {
				part = "."
			}
			parts = append(parts, part)
			src += part
			if i < len(seps) {
				src += seps[i]
			}
		}
		a, err := Parse(src)
		if err != nil {
			t.Fatal(err)
		}
		got, err := a.Eval(text.FromString(string(runes)), dot)
		code := CodeInvalid
		if err != nil {
			code = err.(*Error).Code
		}
		want, wantCode := (&naive{runes, dot}).eval(parts, seps)
		if got != want || code != wantCode {
			t.Fatalf("%q from %v in %q: got %v %v, want %v %v",
				src, dot, string(runes), got, code, want, wantCode)
		}
	})
}

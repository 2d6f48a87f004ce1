package text

import (
	"bytes"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// naiveIndexes gives the rune offsets of all occurrences of s, overlapping ones too.
func naiveIndexes(runes []string, s string) []int {
	want := runesOf([]byte(s))
	var out []int
	for q := 0; q+len(want) <= len(runes); q++ {
		if slices.Equal(runes[q:q+len(want)], want) {
			out = append(out, q)
		}
	}
	return out
}

func TestIndexAgainstNaive(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		flat := genPiece().Draw(t, "a") + genPiece().Draw(t, "b") + genPiece().Draw(t, "c")
		x := FromString(flat)
		runes := runesOf([]byte(flat))
		s := genPiece().Draw(t, "s")
		if rapid.Bool().Draw(t, "part") {
			q0, q1 := genRange(t, len(runes))
			s = strings.Join(runes[q0:q1], "")
		}
		if FromString(s).Runes() > 200 && len(flat) > 10_000 {
			t.Skip("the naive search is quadratic")
		}
		q := rapid.IntRange(0, len(runes)).Draw(t, "q")
		next, prev := -1, -1
		for _, i := range naiveIndexes(runes, s) {
			if i >= q && next < 0 {
				next = i
			}
			if i+len(runesOf([]byte(s))) <= q {
				prev = i
			}
		}
		if got := x.Index(q, s); got != next {
			t.Fatalf("Index(%d, %q): got %d, want %d", q, s, got, next)
		}
		if got := x.LastIndex(q, s); got != prev {
			t.Fatalf("LastIndex(%d, %q): got %d, want %d", q, s, got, prev)
		}
	})
}

func TestIndexAcrossLeaves(t *testing.T) {
	t.Parallel()
	for _, n := range []int{1, 2, 63, 64, 65, 200, 3 * maxLeaf} {
		s := strings.Repeat("n", n-1) + "m"
		for _, at := range []int{0, 1, bulkLeaf - n/2, maxLeaf, slabBytes - n/2} {
			at = max(at, 0)
			x := FromString(strings.Repeat("n", at) + s + strings.Repeat("o", slabBytes))
			if got := x.Index(0, s); got != at {
				t.Errorf("%d runes at %d: Index: got %d", n, at, got)
			}
			if got := x.LastIndex(x.Runes(), s); got != at {
				t.Errorf("%d runes at %d: LastIndex: got %d", n, at, got)
			}
			if got := x.LastIndex(at+n-1, s); got != -1 {
				t.Errorf("%d runes at %d: LastIndex before the end: got %d", n, at, got)
			}
		}
	}
}

// exprs are patterns with assertions, groups, and the runes of texts below.
var exprs = []string{
	"a", "ab", "a+", "a*", "(a|ab)(b?)", "^", "$", "^a", "a$", "^$", `\b`, `\B`, `\ba`, `\Ba`,
	`a\b`,
	"(a)|(b)", ".", ".*", "(?s:.)", "[^a]", "[^a]+", "x*?a", "你+", "(你)?a", `\Aa`, `a\z`, "(?i)A+b",
	"\ufffd",
	"a{2,3}", "(^a|b$)", "", "(|a)", "ab|a", "(a|ab)(c|bcd)", "(?-m:^a)", "(?-m:a$)",
}

func genLine() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		part := rapid.SampledFrom([]string{"a", "b", "ab", "\n", " ", "你", "\xff", "x", "abcd"})
		return strings.Join(rapid.SliceOfN(part, 0, 12).Draw(t, "line"), "")
	})
}

// mapped gives loc, byte offsets of flat, as rune offsets.
func mapped(flat string, loc []int) []int {
	var out []int
	for _, b := range loc {
		if b >= 0 {
			b = len(runesOf([]byte(flat[:b])))
		}
		out = append(out, b)
	}
	return out
}

// oracle finds the leftmost match at or after byte b with true context: it makes the expression
// pass over exactly b bytes first.
func oracle(t *rapid.T, flat, expr string, runes int, longest bool) []int {
	tree, err := syntax.Parse(expr, SamSyntax)
	if err != nil {
		t.Fatal(err)
	}
	var best []int
	total := len(runesOf([]byte(flat)))
	for at := runes; at <= total && best == nil; at++ {
		skip := `\A` + strings.Repeat("(?s:.)", at)
		re := regexp.MustCompile(skip + "(" + tree.String() + ")")
		if longest {
			re.Longest()
		}
		if loc := re.FindStringSubmatchIndex(flat); loc != nil {
			best = mapped(flat, loc[2:])
		}
	}
	return best
}

func TestFindAgainstOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		flat := genLine().Draw(t, "flat")
		x := FromString(flat)
		expr := rapid.SampledFrom(exprs).Draw(t, "expr")
		longest := rapid.Bool().Draw(t, "longest")
		p, err := CompilePattern(expr, SamSyntax, longest)
		if err != nil {
			t.Fatal(err)
		}
		q := rapid.IntRange(0, x.Runes()).Draw(t, "q")
		want := oracle(t, flat, expr, q, longest)
		if got := x.Find(p, q, x.Runes()); !slices.Equal(got, want) {
			t.Fatalf("Find(%q, %d) in %q: got %v, want %v", expr, q, flat, got, want)
		}
	})
}

// TestFindLastAgainstOracle looks for a match between every two offsets, nearest end first.
func TestFindLastAgainstOracle(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		flat := genLine().Draw(t, "flat")
		x := FromString(flat)
		expr := rapid.SampledFrom(exprs).Draw(t, "expr")
		p, err := CompilePattern(expr, SamSyntax, true)
		if err != nil {
			t.Fatal(err)
		}
		tree, err := syntax.Parse(expr, SamSyntax)
		if err != nil {
			t.Fatal(err)
		}
		q := rapid.IntRange(0, x.Runes()).Draw(t, "q")
		var want []int
		for end := q; end >= 0 && want == nil; end-- {
			for start := 0; start <= end && want == nil; start++ {
				if matchesExactly(flat, tree.String(), start, end) {
					want = []int{start, end}
				}
			}
		}
		if got := x.FindLast(p, q); !slices.Equal(got, want) {
			t.Fatalf("FindLast(%q, %d) in %q: got %v, want %v", expr, q, flat, got, want)
		}
	})
}

// matchesExactly tells whether expr matches runes start to end of flat, with true context.
func matchesExactly(flat, expr string, start, end int) bool {
	total := len(runesOf([]byte(flat)))
	re := regexp.MustCompile(`\A` + strings.Repeat("(?s:.)", start) + "(?:" + expr + ")" +
		strings.Repeat("(?s:.)", total-end) + `\z`)
	return re.MatchString(flat)
}

func TestFindRegexp(t *testing.T) {
	t.Parallel()
	const fn = `func (\w+)\(`
	pad := strings.Repeat("你 line\n", 1000)
	x := FromString(pad + "func main() {\n" + pad + "func other(x int)\n")
	base := 7 * 1000
	last := 2*base + 14
	for _, c := range []struct {
		expr   string
		q0, q1 int
		want   []int
	}{
		{fn, 0, x.Runes(), []int{base, base + 10, base + 5, base + 9}},
		{fn, base + 1, x.Runes(), []int{last, last + 11, last + 5, last + 10}},
		{fn, base + 1, last + 6, nil},
		{`(?m)^f.*$`, 0, x.Runes(), []int{base, base + 13}},
		{`(x)|(n{2})`, base, x.Runes(), []int{last + 11, last + 12, last + 11, last + 12, -1, -1}},
	} {
		if got := x.FindRegexp(regexp.MustCompile(c.expr), c.q0, c.q1); !slices.Equal(got, c.want) {
			t.Errorf("%q in [%d,%d): got %v, want %v", c.expr, c.q0, c.q1, got, c.want)
		}
	}
}

func BenchmarkIndex(b *testing.B) {
	flat := bytes.Repeat([]byte(benchTexts[0].line), benchBytes/60)
	x := New(flat)
	b.SetBytes(int64(len(flat)))
	for b.Loop() {
		if x.Index(0, "lazy cat") >= 0 {
			b.Fatal("found what isn't there")
		}
	}
}

func BenchmarkFind(b *testing.B) {
	flat := bytes.Repeat([]byte(benchTexts[0].line), benchBytes/60)
	x := New(flat)
	for _, expr := range []string{"lazy cat", "^cat", "c[aou]t"} {
		p, err := CompilePattern(expr, SamSyntax, true)
		if err != nil {
			b.Fatal(err)
		}
		b.Run(expr, func(b *testing.B) {
			b.SetBytes(int64(len(flat)))
			for b.Loop() {
				if x.Find(p, 1, x.Runes()) != nil {
					b.Fatal("found what isn't there")
				}
			}
		})
	}
}

package edit

import (
	"fmt"
	"strings"
	"testing"

	"apex/core/text"

	"pgregory.net/rapid"
)

var diffPieces = []string{"a\n", "b\n", "c\n", "a", "\r\n", "你\n", "\xe4", "\xbd", "\xa0",
	"func {\n", "}\n", "", "\x00"}

func drawLines(t *rapid.T, label string) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(diffPieces), 0, 25).Draw(t, label), "")
}

// What AskSet makes of any text is exactly what was asked for.
func TestDiffMakesTheText(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a := drawLines(t, "a")
		b := drawLines(t, "b")
		if rapid.Bool().Draw(t, "similar") {
			at := rapid.IntRange(0, len(a)).Draw(t, "at")
			end := rapid.IntRange(at, len(a)).Draw(t, "end")
			b = a[:at] + drawLines(t, "piece") + a[end:]
		}
		tx := text.FromString(a)
		spans := Diff(tx, b)
		if err := checkSpans(spans, tx.Runes()); err != nil {
			t.Fatalf("%v", err)
		}
		if (a == b) != (len(spans) == 0) {
			t.Fatalf("%d spans between %q and %q", len(spans), a, b)
		}
		var got strings.Builder
		at := 0
		for _, s := range spans {
			got.WriteString(tx.Substring(at, s.Q0) + s.Text)
			at = s.Q1
		}
		got.WriteString(tx.Substring(at, tx.Runes()))
		if got.String() != b {
			t.Fatalf("%q to %q: %q by %v", a, b, got.String(), spans)
		}
	})
}

// A line that is the same afterwards, with others like it before and behind, is not touched.
func TestDiffKeepsLines(t *testing.T) {
	const kept = "fo(kept)\n"
	before := rapid.SliceOfN(rapid.StringMatching(`fo?\([ab]\)\n`), 0, 6)
	behind := rapid.SliceOfN(rapid.StringMatching(`fo?\([cd]\)\n`), 0, 6)
	rapid.Check(t, func(t *rapid.T) {
		side := func(name string) (head, tail string) {
			return strings.Join(before.Draw(t, name+" before"), ""),
				strings.Join(behind.Draw(t, name+" behind"), "")
		}
		head, tail := side("a")
		head2, tail2 := side("b")
		for _, s := range Diff(text.FromString(head+kept+tail), head2+kept+tail2) {
			if s.Q0 < len(head+kept) && s.Q1 > len(head) {
				t.Fatalf("%v is within %d,%d", s, len(head), len(head+kept))
			}
		}
	})
}

// The longest common subsequence by the book is as long as what common keeps.
func TestCommonIsLongest(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		elems := rapid.SliceOfN(rapid.IntRange(0, 3), 0, 20)
		a, b := elems.Draw(t, "a"), elems.Draw(t, "b")
		runs, ok := common(a, b)
		if !ok {
			t.Fatalf("gave up on %d and %d elements", len(a), len(b))
		}
		kept, i, j := 0, 0, 0
		for _, r := range runs {
			if r.a < i || r.b < j {
				t.Fatalf("runs overlap: %v", runs)
			}
			for k := range r.n {
				if a[r.a+k] != b[r.b+k] {
					t.Fatalf("runs %v keep what differs", runs)
				}
			}
			kept, i, j = kept+r.n, r.a+r.n, r.b+r.n
		}
		long := make([][]int, len(a)+1)
		for i := range long {
			long[i] = make([]int, len(b)+1)
		}
		for i := range a {
			for j := range b {
				long[i+1][j+1] = max(long[i][j+1], long[i+1][j])
				if a[i] == b[j] {
					long[i+1][j+1] = long[i][j] + 1
				}
			}
		}
		if kept != long[len(a)][len(b)] {
			t.Fatalf("kept %d of %v and %v, want %d", kept, a, b, long[len(a)][len(b)])
		}
	})
}

func TestDiffIsSmall(t *testing.T) {
	tests := []struct{ name, a, b, want string }{
		{"a word", "one two three\n", "one 2 three\n", `[{4 7 2}]`},
		{"two lines", "a\nb\nc\nd\n", "a\nB\nc\nD\n", `[{2 3 B} {6 7 D}]`},
		{"a new line", "a\nc\n", "a\nb\nc\n", "[{2 2 b\n}]"},
		{"a line less", "a\nb\nc\n", "a\nc\n", `[{2 4 }]`},
		{"all", "abc", "xyz", `[{0 3 xyz}]`},
		{"to nothing", "abc", "", `[{0 3 }]`},
		{"from nothing", "", "abc", `[{0 0 abc}]`},
		{"a line like its neighbours, before", "foo(a)\nfoo(b)\n", "foo(c)\nfoo(a)\nfoo(b)\n",
			"[{0 0 foo(c)\n}]"},
		{"a line like its neighbours, between", "foo(a)\nfoo(b)\n", "foo(a)\nfoo(c)\nfoo(b)\n",
			"[{7 7 foo(c)\n}]"},
		{"a line like its neighbours less", "foo(a)\nfoo(b)\nfoo(c)\n", "foo(a)\nfoo(c)\n", "[{7 14 }]"},
		{"the last line, not ended", "a1\na2", "a1\na0\na2", "[{3 3 a0\n}]"},
		{"neighbours, each by itself", "x = a1\ny = a2\n", "x = b1\ny = b2\n", "[{4 5 b} {11 12 b}]"},
		{"a rune that shares bytes", "你", "佡", `[{0 1 佡}]`},
	}
	for _, c := range tests {
		if got := fmt.Sprint(Diff(text.FromString(c.a), c.b)); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
	// Too different to compare line by line: one replacement, exact all the same.
	lines := func(of string) string {
		var s strings.Builder
		for i := range 4 * diffMaxEdits {
			fmt.Fprintf(&s, "line %d of %s\n", i, of)
		}
		return s.String()
	}
	if got := Diff(text.FromString(lines("a")), lines("b")); len(got) != 1 {
		t.Errorf("%d replacements, want one", len(got))
	}
}

func BenchmarkDiff(b *testing.B) {
	var s strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&s, "line %d of a file that a formatter went over\n", i)
	}
	old := s.String()
	for _, changes := range []int{1, 100, 900} {
		lines := strings.SplitAfter(old, "\n")
		for i := range changes {
			lines[(i*977)%len(lines)] = "another line\n"
		}
		now := strings.Join(lines, "")
		t := text.FromString(old)
		b.Run(fmt.Sprintf("lines=%d", changes), func(b *testing.B) {
			b.SetBytes(int64(len(old)))
			for range b.N {
				Diff(t, now)
			}
		})
	}
}

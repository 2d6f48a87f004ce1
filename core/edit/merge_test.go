package edit

import (
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMerge(t *testing.T) {
	for _, tt := range []struct{ name, base, mine, theirs, want string }{
		{"both change other lines", "a\nb\nc\n", "A\nb\nc\n", "a\nb\nC\n", "A\nb\nC\n"},
		{"both alike", "a\nb\n", "a\nX\n", "a\nX\n", "a\nX\n"},
		{"one appends, one prepends", "a\n", "a\nz\n", "0\na\n", "0\na\nz\n"},
		{"one deletes, one changes elsewhere", "a\nb\nc\nd\n", "a\nd\n", "a\nb\nc\nD\n", "a\n" +
			"<<<<<<< window\nd\n||||||| before\nb\nc\nd\n=======\nb\nc\nD\n>>>>>>> disk\n"},
		{"a conflict", "a\nb\nc\n", "a\nmine\nc\n", "a\ntheirs\nc\n",
			"a\n<<<<<<< window\nmine\n||||||| before\nb\n=======\ntheirs\n>>>>>>> disk\nc\n"},
		{"the last line ends nowhere", "a", "b", "c",
			"<<<<<<< window\nb\n||||||| before\na\n=======\nc\n>>>>>>> disk\n"},
		{"a last line gets its end", "a\nb", "A\nb", "a\nb\n", "<<<<<<< window\nA\nb\n" +
			"||||||| before\na\nb\n=======\na\nb\n>>>>>>> disk\n"},
		{"CR LF", "a\r\nb\r\n", "a\r\nx\r\n", "a\r\ny\r\n", "a\r\n<<<<<<< window\r\nx\r\n" +
			"||||||| before\r\nb\r\n=======\r\ny\r\n>>>>>>> disk\r\n"},
		{"bytes that are not UTF-8", "\xff\nb\n", "\xff\nb\n\x80\n", "\x00\xff\nb\n", "\x00\xff\nb\n\x80\n"},
		{"from nothing", "", "a\n", "b\n",
			"<<<<<<< window\na\n||||||| before\n=======\nb\n>>>>>>> disk\n"},
	} {
		if got := Merge(tt.base, tt.mine, tt.theirs); got.Text != tt.want {
			t.Errorf("%s: %q, want %q", tt.name, got.Text, tt.want)
		}
	}
	got := MergeUnrelated("a\nb\nc\nd", "a\nB\nc\n")
	want := "a\n<<<<<<< window\nb\n=======\nB\n>>>>>>> disk\nc\n<<<<<<< window\nd\n=======\n>>>>>>> disk\n"
	if got.Text != want || got.Conflicts != 2 {
		t.Errorf("unrelated: %q, %d conflicts, want %q", got.Text, got.Conflicts, want)
	}
}

// drawSource makes a text of a few different lines, so that texts have much in common.
func drawSource(t *rapid.T, name string) string {
	lines := rapid.SliceOfN(rapid.SampledFrom([]string{"a\n", "b\n", "c\n", "\n", "a\r\n", "\xff\n"}), 0,
		12).Draw(t, name)
	s := strings.Join(lines, "")
	if rapid.IntRange(0, 3).Draw(t, name+" cut") == 0 {
		s += rapid.SampledFrom([]string{"end", "a", "\x80"}).Draw(t, name+" end")
	}
	return s
}

// drawVersion makes a text of another one by changing some of its lines.
func drawVersion(t *rapid.T, name, base string) string {
	var out strings.Builder
	for _, line := range strings.SplitAfter(base, "\n") {
		switch rapid.IntRange(0, 5).Draw(t, name) {
		case 0:
		case 1:
			out.WriteString(rapid.SampledFrom([]string{"x\n", "y\n", "a\n"}).Draw(t, name+" new"))
			out.WriteString(line)
		default:
			out.WriteString(line)
		}
	}
	return out.String()
}

// Who has changed nothing has the other's text; both alike have that; and it does not matter which
// of two texts is whose, but for the order in a conflict.
func TestMergeLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := drawSource(t, "base")
		x := drawVersion(t, "x", base)
		y := rapid.OneOf(rapid.Just(drawSource(t, "other")), rapid.Just(drawVersion(t, "y", base))).Draw(t,
			"theirs")
		for _, tt := range []struct{ base, mine, theirs, want string }{
			{base, base, x, x}, {base, x, base, x}, {base, x, x, x}, {base, y, y, y}, {base, base, y, y},
		} {
			got := Merge(tt.base, tt.mine, tt.theirs)
			if got.Text != tt.want || got.Conflicts != 0 {
				t.Fatalf("merge of %+v: %+v", tt, got)
			}
		}
		there, back := Merge(base, x, y), Merge(base, y, x)
		if there.Conflicts != back.Conflicts {
			t.Fatalf("%d conflicts, the other way round %d", there.Conflicts, back.Conflicts)
		}
		if there.Conflicts == 0 && there.Text != back.Text {
			t.Fatalf("%q, the other way round %q", there.Text, back.Text)
		}
		if u := MergeUnrelated(x, x); u.Text != x || u.Conflicts != 0 {
			t.Fatalf("unrelated: %+v", u)
		}
	})
}

// countLines counts how often a text has each line, whether its last one is ended or not.
func countLines(s string) map[string]int {
	out := map[string]int{}
	for _, line := range strings.Split(s, "\n") {
		out[strings.TrimSuffix(line, "\r")]++
	}
	return out
}

// What a side has added to what both come from is in the outcome; without what both come from all of
// both is.
func TestMergeKeepsAll(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		base := drawSource(t, "base")
		x, y := drawVersion(t, "x", base), drawVersion(t, "y", base)
		m := Merge(base, x, y)
		u := MergeUnrelated(x, y)
		had, has, all := countLines(base), countLines(m.Text), countLines(u.Text)
		for _, side := range []string{x, y} {
			for line, n := range countLines(side) {
				if line != "" && n > had[line] && has[line] == 0 {
					t.Fatalf("merge of %q, %q, %q: %q lacks %q", base, x, y, m.Text, line)
				}
				if line != "" && all[line] < n {
					t.Fatalf("%q, %q: %q has %q %d times, want %d", x, y, u.Text, line, all[line], n)
				}
			}
		}
		if strings.Contains(m.Text, markMine) != (m.Conflicts > 0) {
			t.Fatalf("%d conflicts in %q", m.Conflicts, m.Text)
		}
	})
}

// A change of one line stays one where the other side has changed more of a long text than the
// shortest script is looked for.
func TestMergeOfMuchChange(t *testing.T) {
	var base, mine, theirs, want strings.Builder
	for i := range 4 * diffMaxEdits {
		line := fmt.Sprintf("line %d\n", i)
		x, y, both := line, line, line
		switch {
		case i == 2*diffMaxEdits+2:
			x, both = "mine\n", "mine\n"
		case i%4 == 0:
			y, both = "\t"+line, "\t"+line
		}
		base.WriteString(line)
		mine.WriteString(x)
		theirs.WriteString(y)
		want.WriteString(both)
	}
	got := Merge(base.String(), mine.String(), theirs.String())
	if got.Conflicts != 0 || got.Text != want.String() {
		t.Fatalf("%d conflicts, as wanted %v", got.Conflicts, got.Text == want.String())
	}
}

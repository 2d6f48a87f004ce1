package edit

import (
	"testing"

	"pgregory.net/rapid"
)

func drawIDs(t *rapid.T, name string) []int {
	return rapid.SliceOfN(rapid.IntRange(0, 12), 0, 25).Draw(t, name)
}

// checkRuns checks that runs are in order, don't overlap, and are of equal elements.
func checkRuns(t *rapid.T, a, b []int, runs []run) {
	i, j := 0, 0
	for _, r := range runs {
		if r.a < i || r.b < j || r.n < 1 || r.a+r.n > len(a) || r.b+r.n > len(b) {
			t.Fatalf("%v of %v and %v", runs, a, b)
		}
		for k := range r.n {
			if a[r.a+k] != b[r.b+k] {
				t.Fatalf("%v of %v and %v: element %d", runs, a, b, k)
			}
		}
		i, j = r.a+r.n, r.b+r.n
	}
}

func TestRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := drawIDs(t, "a"), drawIDs(t, "b")
		checkRuns(t, a, b, lineRuns(a, b))
		marks := anchors(a, b)
		checkRuns(t, a, b, marks)
		for _, m := range marks {
			if m.n != 1 {
				t.Fatalf("anchor %v", m)
			}
		}
		if all := lineRuns(a, a); len(a) > 0 && (len(all) != 1 || all[0].n != len(a)) {
			t.Fatalf("%v has %v in common with itself", a, all)
		}
	})
}

// Of elements that are there once, the most that are in order are found.
func TestAnchors(t *testing.T) {
	got := anchors([]int{1, 9, 2, 3, 9, 4, 5}, []int{5, 1, 3, 9, 2, 4, 8})
	want := []run{{0, 1, 1}, {3, 2, 1}, {5, 5, 1}}
	if len(got) != len(want) {
		t.Fatalf("got %v, want as many as %v", got, want)
	}
	if got[0] != want[0] || got[2] != want[2] {
		t.Errorf("got %v, want %v", got, want)
	}
}

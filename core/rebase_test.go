package core

import (
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// ids is a text of runes that know where they came from: base offsets, -1 for later ones.
func baseIDs(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}

// Delta agrees with following each rune: a range is moved if all of its runes are still there
// with nothing between them, and then to where they are.
func TestDeltaAgainstRunes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, 12).Draw(t, "n")
		now := baseIDs(n)
		var d Delta
		for range rapid.IntRange(0, 6).Draw(t, "changes") {
			q0, q1 := drawRange(t, len(now))
			ni := rapid.IntRange(0, 3).Draw(t, "ni")
			d.Add(q0, q1-q0, ni)
			now = slices.Replace(now, q0, q1, slices.Repeat([]int{-1}, ni)...)
		}
		if got := d.Grew(); got != len(now)-n {
			t.Fatalf("grew %d, want %d", got, len(now)-n)
		}
		for i, s := range d.segments {
			if i > 0 && (s.b0 <= d.segments[i-1].b1 || s.t0 <= d.segments[i-1].t1) {
				t.Fatalf("segments touch: %v", d.segments)
			}
		}
		for q0 := range n + 1 {
			for q1 := q0; q1 <= n; q1++ {
				checkMap(t, &d, now, q0, q1)
				checkHull(t, &d, now, n, q0, q1)
			}
		}
	})
}

func checkMap(t *rapid.T, d *Delta, now []int, q0, q1 int) {
	m0, m1, ok := d.Map(q0, q1)
	if q0 == q1 {
		before, after := -1, slices.Index(now, q0)
		if q0 > 0 {
			before = slices.Index(now, q0-1)
		}
		switch {
		case after >= 0 && (!ok || m0 != after || m1 != after):
			t.Fatalf("map %d: %d,%d %v, want before rune at %d", q0, m0, m1, ok, after)
		case after < 0 && before >= 0 && !ok:
			t.Fatalf("map %d: not ok behind a rune that is there", q0)
		case ok && after < 0 && before >= 0 && m0 < before+1:
			t.Fatalf("map %d: %d, want behind rune at %d", q0, m0, before)
		}
		return
	}
	at := slices.Index(now, q0)
	whole := at >= 0 && at+q1-q0 <= len(now)
	for i := q0; whole && i < q1; i++ {
		whole = now[at+i-q0] == i
	}
	if ok != whole || ok && (m0 != at || m1 != at+q1-q0) {
		t.Fatalf("map %d,%d: %d,%d %v in %v, want %d %v", q0, q1, m0, m1, ok, now, at, whole)
	}
}

// The hull covers the range, what is outside it is the same in both texts, and its two sides hold
// the same runes of the base that are left.
func checkHull(t *rapid.T, d *Delta, now []int, n, q0, q1 int) {
	older, newer := d.Hull(q0, q1)
	if older[0] > q0 || older[1] < q1 || older[0] < 0 || older[1] > n || newer[0] > newer[1] ||
		newer[0] < 0 || newer[1] > len(now) {
		t.Fatalf("hull of %d,%d: %v %v in %v", q0, q1, older, newer, now)
	}
	for i, id := range now {
		inside := i >= newer[0] && i < newer[1]
		if id >= 0 && inside != (id >= older[0] && id < older[1]) {
			t.Fatalf("hull of %d,%d: %v %v cuts rune %d of %v", q0, q1, older, newer, id, now)
		}
	}
}

// Spans make the newer text of the older one.
func TestSinceAgainstTexts(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := newTestBuffer(t, drawText(t, "start"))
		texts := []string{r.buffer().Text.String()}
		at := rapid.IntRange(0, 100).Draw(t, "caret")
		for range rapid.IntRange(1, 20).Draw(t, "edits") {
			b := r.buffer()
			q0, q1, s := min(at, b.Text.Runes()), min(at, b.Text.Runes()), "k"
			if rapid.Bool().Draw(t, "elsewhere") {
				q0, q1 = drawRange(t, b.Text.Runes())
				s = drawText(t, "text")
			}
			r.must("ann", Edit(b.Version, q0, q1, s, b.newest.Group))
			at = q0 + 1
			texts = append(texts, r.buffer().Text.String())
		}
		b := r.buffer()
		for v, old := range texts {
			d, ok := b.Since(Version(v))
			if !ok {
				t.Fatalf("no delta since %d", v)
			}
			got, at := "", 0
			runes := splitRunes(old)
			for _, s := range d.Spans(b.Text.Substring) {
				got += strings.Join(runes[at:s.Q0], "") + s.Text
				at = s.Q1
			}
			got += strings.Join(runes[at:], "")
			if want := b.Text.String(); got != want {
				t.Fatalf("since %d: %q, want %q", v, got, want)
			}
		}
		if _, ok := b.Since(b.Version + 1); ok {
			t.Fatalf("a delta since a version that is not there yet")
		}
	})
}

// Past the kept history there is no delta, no text and no undo, and trimming is the same for a
// replica that began with a snapshot.
func TestHistoryIsBounded(t *testing.T) {
	r := newTestBuffer(t, "x")
	const piece = 1 << 20
	text := string(make([]byte, piece))
	for i := range Version(2 * (maxHistoryBytes / piece)) {
		r.must("ann", Edit(2*i, 1, 1, text, 0), Edit(2*i+1, 1, 1+piece, "", 0))
	}
	b := r.buffer()
	if b.past.kept > maxHistoryBytes {
		t.Errorf("%d bytes kept, at most %d", b.past.kept, maxHistoryBytes)
	}
	if _, ok := b.Since(0); ok {
		t.Error("a delta since the beginning")
	}
	if _, ok := b.At(0); ok {
		t.Error("the text at the beginning")
	}
	oldest := b.all()[0].Version
	if _, ok := b.Since(oldest); !ok {
		t.Errorf("no delta since %d, the oldest change kept", oldest)
	}
	r.reread()
	steps := 0
	for ; ; steps++ {
		u, err := r.buffer().PlanUndo("ann", false, false)
		if err != nil {
			break
		}
		r.must("ann", Of(u))
		if steps == 8 {
			break
		}
	}
	if steps != 8 {
		t.Errorf("%d steps taken back, want more", steps)
	}
}

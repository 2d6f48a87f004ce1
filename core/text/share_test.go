package text

import (
	"strings"
	"sync"
	"testing"
)

// TestReadWhileDraftEdits reads snapshots in other goroutines while the draft that gave them goes
// on; the race detector sees any write to a node that they share.
func TestReadWhileDraftEdits(t *testing.T) {
	t.Parallel()
	d := FromString(strings.Repeat("0123456789\n", 5000)).Edit()
	var readers sync.WaitGroup
	for i := range 40 {
		x := d.Text()
		want, lines := x.Bytes(), x.Newlines()
		readers.Go(func() {
			if got := len(x.String()); got != want {
				t.Errorf("snapshot %d: got %d bytes, want %d", i, got, want)
			}
			if got := x.LineOf(x.Runes()); got != lines {
				t.Errorf("snapshot %d: got line %d, want %d", i, got, lines)
			}
		})
		for j := range 50 {
			q := (i*7919 + j*104729) % d.Runes()
			d.Replace(q, min(q+j, d.Runes()), "edit\n")
			d.Replace(q, q, "x")
		}
	}
	readers.Wait()
	if err := d.Text().Verify(); err != nil {
		t.Error(err)
	}
}

func TestZeroValues(t *testing.T) {
	t.Parallel()
	var x Text
	if err := x.Verify(); err != nil {
		t.Error(err)
	}
	if x.String() != "" || x.LineStart(0) != 0 || x.LineOf(0) != 0 || x.RuneOffset(0) != 0 {
		t.Error("the zero Text isn't an empty text")
	}
	if !x.Equal(FromString("")) || !x.Slice(0, 0).Equal(x) || !x.Concat(x).Equal(x) {
		t.Error("empty texts differ")
	}
	for s, want := range map[string]int{"": 0, "a": -1} {
		if x.Index(0, s) != want || x.LastIndex(0, s) != want {
			t.Errorf("wrong search for %q in the empty text", s)
		}
	}
	var d Draft
	got := d.Replace(0, 0, "你\n")
	if got != 2 || d.Runes() != 2 || d.Bytes() != 4 || d.Newlines() != 1 {
		t.Errorf("zero Draft: grew by %d to %d runes", got, d.Runes())
	}
	if got := d.Replace(0, 2, ""); got != -2 || d.Text() != x {
		t.Errorf("emptied Draft: grew by %d to %q", got, d.Text())
	}
}

func TestPatternTooLarge(t *testing.T) {
	t.Parallel()
	for expr, ok := range map[string]bool{
		"(abc){1000}": true,
		"(" + strings.Repeat("a", 100) + "){1000}": false,
		"((a{10}b){9}c){9}":                        true,
		strings.Repeat("[a-z]{999}", 60):           false,
	} {
		if _, err := CompilePattern(expr, SamSyntax, true); (err == nil) != ok {
			t.Errorf("%.20s: got %v", expr, err)
		}
	}
}

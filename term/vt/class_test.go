package vt

import (
	"strings"
	"testing"

	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"apex/core/cell"
)

// The clusters that come of one rune after the other are those of the whole text.
func TestClustersAreUnicodes(t *testing.T) {
	runes := []rune("ab é世한각\u1100\u1161\u11a8\uac00\u0301\u0308\u20e3\ufe0f\ufe0e\u200d👩👧🚀❤✅🏽🇩🇪🇫#1" +
		"कषत\u094d\u093f\u0902\u0e01\u0e33\u0e49\u0d4e\u00a9™\u3099か\U000e0067")
	rapid.Check(t, func(t *rapid.T) {
		text := "a" + string(rapid.SliceOfN(rapid.SampledFrom(runes), 0, 20).Draw(t, "text"))
		s := New(80, 1, Options{})
		s.Write([]byte(text))
		var got, want []string
		for x, g := range s.g.rows[0].cells[:s.g.rows[0].used] {
			if g.isTail() {
				continue
			}
			got = append(got, string(s.tables.appendText(nil, g)))
			width := 1
			if g.isLead() {
				width = 2
			}
			if w := max(displaywidth.String(got[len(got)-1]), 1); w != width {
				t.Fatalf("%q at %d is %d wide, want %d", got[len(got)-1], x, width, w)
			}
		}
		for g := graphemes.FromString(text); g.Next(); {
			want = append(want, g.Value())
		}
		if d := cmp.Diff(want, got); d != "" {
			t.Fatalf("%q: clusters (- want, + got):\n%s", text, d)
		}
	})
}

func TestLongCluster(t *testing.T) {
	s := New(10, 1, Options{})
	s.Write([]byte("e" + strings.Repeat("\u0301", 500) + "x"))
	runs := s.Row(0, nil)
	if n := len(runs[0].Text); len(runs) != 2 || n > cell.ClusterMaxBytes || n < cell.ClusterMaxBytes-2 {
		t.Errorf("%d runs, the first of %d bytes, want at most %d", len(runs), n, cell.ClusterMaxBytes)
	}
}

package core

import (
	"slices"
	"strings"
	"testing"

	"apex/core/text"

	"pgregory.net/rapid"
)

// TestOwnSpans makes random changes, some asked by proposals, and checks what is handed over: all
// that the leader itself typed and nothing that a proposal did.
func TestOwnSpans(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := &Buffer{Kind: BufferFile, Text: text.New([]byte("0123456789"))}
		asked := map[Group]bool{}
		var own, foreign []string
		for i := range rapid.IntRange(0, 12).Draw(t, "changes") {
			n := b.Text.Runes()
			q0 := rapid.IntRange(0, n).Draw(t, "q0")
			nd := 0
			byProposal := rapid.Bool().Draw(t, "asked")
			if byProposal || rapid.Bool().Draw(t, "cuts") {
				nd = rapid.IntRange(0, n-q0).Draw(t, "nd")
			}
			s := strings.Repeat(string(rune('a'+i)), rapid.IntRange(0, 3).Draw(t, "ni"))
			cut := b.Text.Substring(q0, q0+nd)
			if byProposal {
				asked[Group(b.Version)+1] = true
				foreign = append(foreign, s)
			} else {
				own = slices.DeleteFunc(own, func(o string) bool { return strings.ContainsAny(cut, o) })
				own = append(own, s)
			}
			b = mustApply(t, b, Edit(b.Version, q0, q0+nd, s, 0))
		}
		changes, _ := b.ChangesSince(0)
		got := text.New([]byte("0123456789"))
		spans := ownSpans(b.Text, changes, asked)
		for i := len(spans) - 1; i >= 0; i-- {
			got = got.Replace(spans[i].Q0, spans[i].Q1, spans[i].Text)
		}
		for _, s := range own {
			if s != "" && strings.Count(got.String(), s[:1]) != len(s) {
				t.Fatalf("typed %q, handed over %q by %v", s, got.String(), spans)
			}
		}
		for _, s := range foreign {
			if s != "" && strings.Contains(got.String(), s[:1]) {
				t.Fatalf("a proposal put in %q, handed over %q", s, got.String())
			}
		}
		if len(asked) == 0 && got.String() != b.Text.String() {
			t.Fatalf("handed over %q, want %q", got.String(), b.Text.String())
		}
	})
}

func mustApply(t *rapid.T, b *Buffer, ops ...Op) *Buffer {
	next, err := b.apply(&Batch{Author: Author{Actor: "a"}, Ops: ops})
	if err != nil {
		t.Fatal(err)
	}
	return next.(*Buffer)
}

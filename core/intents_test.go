package core

import (
	"slices"
	"testing"

	"apex/core/codec"

	"pgregory.net/rapid"
)

// TestIntents compares the remembered proposals with a plain list, and a value that went on in two
// ways with itself.
func TestIntents(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(0, maxIntents*2).Draw(t, "n")
		fork := rapid.IntRange(0, max(0, n-1)).Draw(t, "fork")
		var kept, other intents
		var want []Answered
		for i := range n {
			if i == fork {
				other = kept.with(Answered{First: 1 << 40})
			}
			a := Answered{Intent: IntentID{1, byte(i), byte(i >> 8)}, First: Seq(i)}
			kept = kept.with(a)
			if want = append(want, a); len(want) > maxIntents {
				want = want[1:]
			}
		}
		if got := listIntents(kept); !slices.Equal(got, want) {
			t.Fatalf("%d remembered from %v, want %d from %v", len(got), got[:1], len(want), want[:1])
		}
		if n > 0 && listIntents(other)[min(fork, maxIntents-1)].First != 1<<40 {
			t.Fatalf("the other way of %d changed", fork)
		}
		bytes := codec.AppendFields(nil, kept.fields)
		var read intents
		c := codec.NewCursor(bytes)
		codec.ReadFields(&c, read.fields)
		if err := c.Done(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(listIntents(read), want) {
			t.Fatalf("%d read back, want %d", read.count(), len(want))
		}
	})
}

func listIntents(t intents) []Answered {
	var out []Answered
	for a := range t.backwards {
		out = append(out, *a)
	}
	slices.Reverse(out)
	return out
}

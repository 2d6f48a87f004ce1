package text

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Whatever pieces a text comes in, it is the same text, and no byte of a piece is written by an
// edit of it.
func TestBuilder(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		unit := rapid.SampledFrom([]string{"a", "ab\n", "你\n", "\xf0\x9f\x98\x80", "\x80", "\xe4\xbd",
			"x\xff", "日本\x80語"}).Draw(t, "unit")
		flat := []byte(strings.Repeat(unit, rapid.IntRange(0, 12_000/len(unit)).Draw(t, "times")))
		sizes := rapid.SampledFrom([]*rapid.Generator[int]{rapid.IntRange(0, 3),
			rapid.IntRange(1, 700), rapid.IntRange(minLeaf, 3*maxLeaf)}).Draw(t, "sizes")
		var b Builder
		frozen := bytes.Clone(flat)
		for rest := frozen; len(rest) > 0; {
			n := min(len(rest), sizes.Draw(t, "size"))
			b.Add(rest[:n:n])
			rest = rest[n:]
		}
		if b.Bytes() != len(flat) {
			t.Fatalf("got %d bytes, want %d", b.Bytes(), len(flat))
		}
		x := b.Text()
		checkText(t, x, flat)
		q0, q1 := genRange(t, x.Runes())
		x.Replace(q0, q1, "edit")
		if !bytes.Equal(frozen, flat) || !bytes.Equal(x.AppendTo(nil), flat) {
			t.Fatal("an edit wrote into the pieces")
		}
	})
}

// A piece that arrives by the megabyte is kept where it is: what the builder copies is a few
// kilobytes a piece.
func TestBuilderKeepsPieces(t *testing.T) {
	pieces := make([][]byte, 4)
	for i := range pieces {
		pieces[i] = bytes.Repeat([]byte("0123456789abcde\n"), 1<<16)
	}
	var b Builder
	for _, p := range pieces {
		b.Add(p)
	}
	x := b.Text()
	for _, p := range pieces {
		p[0], p[len(p)/2] = '!', '!'
	}
	if got := x.Index(1<<20/2, "!"); got != 1<<20/2 {
		t.Errorf("the middle of a piece was copied: found at %d", got)
	}
}

func BenchmarkBuilder(b *testing.B) {
	eachText(b, func(b *testing.B, flat []byte, _ string) {
		b.SetBytes(int64(len(flat)))
		b.ReportAllocs()
		for b.Loop() {
			var build Builder
			for rest := flat; len(rest) > 0; rest = rest[min(len(rest), 1<<18):] {
				build.Add(rest[:min(len(rest), 1<<18)])
			}
			build.Text()
		}
	})
}

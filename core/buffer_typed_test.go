package core

import (
	"bytes"
	"testing"

	"pgregory.net/rapid"
)

// A batch does what its ops do one by one, runs of typing or not: state, history and digest.
func TestTypedRunsApplyAsSingleEdits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		shard := BufferID(MakeID(3, 1)).Shard()
		view := WindowID(MakeID(3, 2)).Body()
		begin := []Op{Of(&BufferNew{Kind: BufferScratch, Text: drawText(t, "begin")}),
			Of(&ViewAdd{View: view}), Of(&MarkSet{Name: "m"})}
		whole := applied(t, NewShardState([16]byte{1}, SessionID{2}, shard), begin)
		single := whole
		var ops []Op
		for range rapid.IntRange(1, 4).Draw(t, "steps") {
			now := applied(t, whole, ops)
			ops = append(ops, drawTyping(t, now.Buffer(), view)...)
		}
		whole = applied(t, whole, ops)
		for _, o := range ops {
			single = applied(t, single, []Op{o})
		}
		// The chains differ: they are over batches.
		single.Mark = whole.Mark
		var a, b bytes.Buffer
		if err := whole.WriteSnapshot(&a); err != nil {
			t.Fatal(err)
		}
		if err := single.WriteSnapshot(&b); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(a.Bytes(), b.Bytes()) {
			t.Fatalf("%v\nat once  %x\none by one %x", ops, a.Bytes(), b.Bytes())
		}
	})
}

// applied returns the state after a batch of ops.
func applied(t *rapid.T, s ShardState, ops []Op) ShardState {
	if len(ops) == 0 {
		return s
	}
	b := &Sealed{Batch: Batch{Shard: s.Shard, First: s.Mark.Seq + 1,
		Author: Author{3, "human:ann"}, Ops: ops}}
	b.Bytes = b.Batch.Append(nil)
	next, err := s.Apply(b)
	if err != nil {
		t.Fatalf("%v: %v", ops, err)
	}
	return next
}

// drawTyping makes a run of typing, of several runes at a time now and then, and a dot after it.
func drawTyping(t *rapid.T, b *Buffer, v View) []Op {
	var ops []Op
	q := rapid.IntRange(0, b.Text.Runes()).Draw(t, "q")
	g := Group(rapid.Uint64Range(0, uint64(b.Version)+1).Draw(t, "group"))
	text := b.Text
	for i := range rapid.IntRange(1, 12).Draw(t, "runes") {
		s := rapid.SampledFrom([]string{"a", "\n", "你", "😀", "\x80", "\xe4", "ab"}).Draw(t, "key")
		ops = append(ops, Edit(b.Version+Version(i), q, q, s, g))
		next := text.Replace(q, q, s)
		q = min(q+1, next.Runes())
		if rapid.IntRange(0, 7).Draw(t, "jump") == 0 {
			q = rapid.IntRange(0, next.Runes()).Draw(t, "to")
		}
		text = next
	}
	dot := rapid.IntRange(0, text.Runes()).Draw(t, "dot")
	return append(ops, Select(v, dot, text.Runes()))
}

// A run that can't be applied is refused as its ops are.
func TestTypedRunRefused(t *testing.T) {
	shard := BufferID(MakeID(3, 1)).Shard()
	s := NewShardState([16]byte{1}, SessionID{2}, shard)
	run := func(v Version, q int, g Group) []Op {
		return []Op{Edit(v, q, q, "a", g), Edit(v+1, q+1, q+1, "b", g)}
	}
	begin := Of(&BufferNew{Kind: BufferScratch})
	for name, tt := range map[string]struct {
		ops  []Op
		code Code
	}{
		"no buffer":     {run(0, 0, 1), CodeBadRequest},
		"old version":   {append([]Op{begin, Edit(0, 0, 0, "x", 1)}, run(0, 1, 1)...), CodeConflict},
		"outside":       {append([]Op{begin}, run(0, 1, 1)...), CodeBadRequest},
		"group to come": {append([]Op{begin}, run(0, 0, 2)...), CodeBadRequest},
		"loading": {append([]Op{Of(&BufferNew{Kind: BufferScratch, Loading: true})}, run(0, 0, 1)...),
			CodeBusy},
	} {
		b := &Sealed{Batch: Batch{Shard: shard, First: 1, Ops: tt.ops}}
		if _, err := s.Apply(b); CodeOf(err) != tt.code {
			t.Errorf("%s: got %v, want %s", name, err, tt.code)
		}
	}
}

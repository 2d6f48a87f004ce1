package core

import (
	"strings"
	"testing"
)

// The log does not keep a text that was loaded a second and a third time: what it keeps begins
// after the load, and who comes from before that takes a snapshot.
func TestLogLetsGoOfLoadedText(t *testing.T) {
	shard := BufferID(MakeID(3, 1)).Shard()
	l := newShardLog(NewShardState([16]byte{1}, SessionID{2}, shard))
	push := func(ops ...Op) Mark {
		t.Helper()
		b := &Sealed{Batch: Batch{Shard: shard, First: l.Mark.Seq + 1, Ops: ops}}
		b.Bytes = b.Batch.Append(nil)
		next, err := l.Apply(b)
		if err != nil {
			t.Fatal(err)
		}
		l.push(b, next)
		return l.Mark
	}
	piece := strings.Repeat("x", 2*maxLoadKept)
	hash := SumText(func(yield func([]byte) bool) { yield([]byte(piece)) })
	empty := l.Mark
	made := push(Of(&BufferNew{Kind: BufferScratch, Loading: true}))
	if got, ok := l.since(empty); !ok || len(got) != 1 {
		t.Errorf("a short first batch: got %d batches, %v, want it kept", len(got), ok)
	}
	loaded := push(Of(&Load{Text: piece}), Of(&Loaded{Hash: hash}))
	push(Edit(0, 0, 0, "y", 0))
	for _, m := range []Mark{empty, made} {
		if got, ok := l.since(m); ok {
			t.Errorf("from %d: got %d batches, want a snapshot", m.Seq, len(got))
		}
	}
	got, ok := l.since(loaded)
	if !ok || len(got) != 1 || l.tailBytes != len(got[0].Bytes) {
		t.Errorf("after the load: got %d batches of %d bytes, %v", len(got), l.tailBytes, ok)
	}
}

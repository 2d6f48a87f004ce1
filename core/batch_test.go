package core

import (
	"testing"

	"apex/core/codec"

	"pgregory.net/rapid"
)

// The short way to read an Edit reads what the long one does, up to the same byte, or leaves it.
func TestReadTyped(t *testing.T) {
	number := func(t *rapid.T, name string) uint64 {
		return rapid.Uint64().Draw(t, name) >> rapid.IntRange(1, 63).Draw(t, name+" shift")
	}
	rapid.Check(t, func(t *rapid.T) {
		q0 := int(number(t, "q0") >> 1)
		op := Edit(Version(number(t, "version")), q0, q0+int(number(t, "n")>>1),
			drawText(t, "text"), Group(number(t, "group")))
		b := append(op.append(nil), 0xff)
		if rapid.Bool().Draw(t, "broken") {
			b[rapid.IntRange(0, len(b)-1).Draw(t, "at")] = rapid.Byte().Draw(t, "byte")
		}
		b = b[:rapid.IntRange(0, len(b)).Draw(t, "cut")]
		long, short := codec.NewCursor(b), codec.NewCursor(b)
		var want, got Op
		want.read(&long)
		if !got.readTyped(&short) {
			if short.Offset() != 0 || got != (Op{}) {
				t.Fatalf("%x: left, but read %d bytes", b, short.Offset())
			}
			return
		}
		if long.Err() != nil || got != want || long.Offset() != short.Offset() {
			t.Fatalf("%x: got %v up to %d, want %v up to %d, %v", b, got, short.Offset(), want,
				long.Offset(), long.Err())
		}
	})
}

// Every Edit that is short and near is read the short way.
func TestReadTypedTakesTyping(t *testing.T) {
	for _, op := range []Op{Edit(0, 0, 0, "x", 1), Edit(1<<40, 1<<30, 1<<30, "你", 1<<40),
		Edit(300, 7, 9, "", 0)} {
		c := codec.NewCursor(op.append(nil))
		var got Op
		if !got.readTyped(&c) || got != op || c.Len() != 0 {
			t.Errorf("%v: got %v, %d bytes left", op, got, c.Len())
		}
	}
}

// What a log keeps of a long run of edits applies as the run does, and is as long.
func TestKeptBatch(t *testing.T) {
	shard := BufferID(MakeID(3, 1)).Shard()
	s := NewShardState([16]byte{1}, SessionID{2}, shard)
	b := &Sealed{Batch: Batch{Shard: shard, First: 1, Ops: []Op{Of(&BufferNew{Kind: BufferScratch})}}}
	for i := range 2 * manyOps {
		b.Ops = append(b.Ops, Edit(Version(i), i, i, "x", 1))
	}
	b.Bytes = b.Batch.Append(nil)
	want, err := s.Apply(b)
	if err != nil {
		t.Fatal(err)
	}
	kept := b.kept()
	if kept.Ops != nil || kept.Len() != b.Len() || kept.Mark() != b.Mark() {
		t.Errorf("kept %d ops, %d entries up to %v, want 0, %d, %v", len(kept.Ops), kept.Len(),
			kept.Mark(), b.Len(), b.Mark())
	}
	got, err := s.Apply(kept)
	if err != nil || got.Mark != want.Mark || got.Hash() != want.Hash() {
		t.Errorf("got %v, %v, want %v", got.Mark, err, want.Mark)
	}
	if b.Ops = b.Ops[:manyOps-1]; b.kept() != b {
		t.Error("a short batch was copied")
	}
}

package proto

import (
	"bytes"
	"testing"

	"apex/core"

	"github.com/fxamacker/cbor/v2"
	"pgregory.net/rapid"
)

// What is coded by hand is, byte for byte, what a full encoder makes of the same item in core
// deterministic form. Batches are byte strings here; core's own tests hold their inside.
func TestHandWrittenEqualsReference(t *testing.T) {
	for _, k := range Kinds() {
		item := itemOf(k.Number)
		if item == nil {
			continue
		}
		t.Run(k.Name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) {
				m := drawMessage(t, k)
				got, err := Append(nil, m)
				if err != nil {
					t.Fatal(err)
				}
				want, err := encMode.Marshal(item(m))
				if err != nil {
					t.Fatal(err)
				}
				if !bytes.Equal(got[headBytes:], want) {
					t.Fatalf("got %x, want %x", got[headBytes:], want)
				}
			})
		})
	}
}

// itemOf returns how to lay out a hand-coded message as plain values, or nil for the others.
func itemOf(n Number) func(Message) []any {
	switch n {
	case nAppend:
		return func(m Message) []any {
			a := m.(*core.Append)
			return []any{n, shardItems(a.New), shardItems(a.Del), batchItems(a.Batches)}
		}
	case nDeliver, nShow:
		return func(m Message) []any { return []any{n, batchItems(m.(*core.Deliver).Batches)} }
	case nAck:
		return func(m Message) []any {
			heads := []any{}
			for _, h := range m.(*core.Ack).Heads {
				heads = append(heads, []any{h.Shard.Kind, h.Shard.ID, h.Mark.Seq, h.Mark.Chain[:]})
			}
			return []any{n, heads}
		}
	case nCaughtUp:
		return func(m Message) []any {
			c := m.(*core.CaughtUp)
			return []any{n, c.Shard.Kind, c.Shard.ID, c.Mark.Seq, c.Mark.Chain[:]}
		}
	case nCheck:
		return func(m Message) []any {
			c := m.(*core.Check)
			return []any{n, c.Shard.Kind, c.Shard.ID, c.Seq, c.Hash[:]}
		}
	case nSnapshot:
		return func(m Message) []any {
			c := m.(*SnapshotChunk)
			return []any{n, c.Shard.Kind, c.Shard.ID, c.Index, c.Last, append([]byte{}, c.Bytes...)}
		}
	}
	return nil
}

func shardItems(shards []core.Shard) []any {
	out := []any{}
	for _, s := range shards {
		out = append(out, []any{s.Kind, s.ID})
	}
	return out
}

func batchItems(batches []*core.Sealed) []any {
	out := []any{}
	for _, b := range batches {
		out = append(out, b.Bytes)
	}
	return out
}

// Every frame, read as plain values and encoded again by a full encoder, is the same: it is in
// core deterministic form from end to end, inside batches too.
func TestEveryFrameIsDeterministic(t *testing.T) {
	for _, m := range samples() {
		item := frameOf(t, m.message)[headBytes:]
		deterministic(t, m.name, item)
	}
	for _, b := range append(opSamples(), lateOpSamples()...) {
		deterministic(t, b.Shard.String(), b.Bytes)
	}
}

func deterministic(t *testing.T, name string, item []byte) {
	t.Helper()
	var v any
	if err := decMode.Unmarshal(item, &v); err != nil {
		t.Errorf("%s: %v", name, err)
		return
	}
	em, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		t.Fatal(err)
	}
	again, err := em.Marshal(v)
	if err != nil || !bytes.Equal(again, item) {
		t.Errorf("%s: %v\n got %x\nwant %x", name, err, item, again)
	}
}

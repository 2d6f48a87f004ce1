package proto

import (
	"bytes"
	"testing"

	"apex/core"
)

// keystroke is what one typed rune is on the wire: an edit and where the dot went.
func keystroke() *core.Append {
	return &core.Append{Batches: []*core.Sealed{sealed(core.KindBuffer,
		core.Edit(4, 10, 10, "x", 5), core.Select(win.Body(), 11, 11))}}
}

// flush is 4,096 of them in one batch.
func flush() *core.Append {
	ops := make([]core.Op, 0, 4096)
	for i := range cap(ops) {
		ops = append(ops, core.Edit(core.Version(i), 1000+i, 1000+i, "x", 5))
	}
	return &core.Append{Batches: []*core.Sealed{sealed(core.KindBuffer, ops...)}}
}

// benchMessages are the busiest messages, and requests for comparison.
func benchMessages() []sample {
	return []sample{
		{"keystroke", FromClient, keystroke()},
		{"flush", FromClient, flush()},
		{"ack", FromDaemon, &core.Ack{Heads: []core.Head{{Shard: buf.Shard(), Mark: mark(9)}}}},
		{"ping", FromClient, &Call{ID: 9, Request: &Ping{}}},
		{"read", FromClient, &Call{ID: 9, Request: &Read{Win: "w1.3", Q1: 500}}},
		{"text", FromDaemon, &Return{ID: 9, Reply: &Text{Window: win, Bytes: make([]byte, 500),
			Origin: origin()}}},
	}
}

func BenchmarkAppend(b *testing.B) {
	for _, m := range benchMessages() {
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			var dst []byte
			for b.Loop() {
				var err error
				if dst, err = Append(dst[:0], m.message); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func BenchmarkDecode(b *testing.B) {
	for _, m := range benchMessages() {
		item := frameOf(b, m.message)[headBytes:]
		b.Run(m.name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := Decode(m.from, item); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A snapshot of 12 MB, written, read from a stream and assembled.
func BenchmarkSnapshot(b *testing.B) {
	state := bufferState(b, string(bytes.Repeat([]byte("some text here\n"), 800_000)))
	b.SetBytes(12_000_000)
	for b.Loop() {
		var stream bytes.Buffer
		emit := func(f []byte) error { stream.Write(f); return nil }
		if err := WriteSnapshot(&state, emit); err != nil {
			b.Fatal(err)
		}
		r, a := NewReader(&stream), NewSnapshotAssembler(MaxSnapshotBytes)
		for done := false; !done; {
			item, err := r.ReadFrame()
			if err != nil {
				b.Fatal(err)
			}
			m, err := Decode(FromDaemon, item)
			if err != nil {
				b.Fatal(err)
			}
			if _, done, err = a.Add(m.(*SnapshotChunk)); err != nil {
				b.Fatal(err)
			}
		}
	}
}

package core

import (
	"strings"
	"testing"
)

// typedBatch is a run of one-rune insertions at the end of a buffer, as a flood of keys makes it.
func typedBatch(s *ShardState, n int) *Sealed {
	buf := s.Buffer()
	b := &Sealed{Batch: Batch{Shard: s.Shard, Attachment: 3, Epoch: 7, First: s.Mark.Seq + 1,
		Author: Author{3, "human:ann"}, Ops: make([]Op, n)}}
	q, g := buf.Text.Runes(), Group(buf.Version)+1
	for i := range b.Ops {
		b.Ops[i] = Edit(buf.Version+Version(i), q+i, q+i, "x", g)
	}
	b.Bytes = b.Batch.Append(nil)
	return b
}

func typedBuffer(b *testing.B) ShardState {
	s := NewShardState([16]byte{1}, SessionID{2}, BufferID(MakeID(3, 1)).Shard())
	first := &Sealed{Batch: Batch{Shard: s.Shard, First: 1, Ops: []Op{
		Of(&BufferNew{Kind: BufferScratch, Text: strings.Repeat("0123456789abcde\n", 1<<12)}),
		Of(&ViewAdd{View: WindowID(MakeID(3, 2)).Body()})}}}
	first.Bytes = first.Batch.Append(nil)
	out, err := s.Apply(first)
	if err != nil {
		b.Fatal(err)
	}
	return out
}

const typedOps = 4096

// What an entry costs: nanoseconds an op are those of one batch of typedOps entries.
func BenchmarkApplyTyped(b *testing.B) {
	s := typedBuffer(b)
	batch := typedBatch(&s, typedOps)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := s.Apply(batch); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/typedOps, "ns/entry")
}

func BenchmarkOpenTyped(b *testing.B) {
	s := typedBuffer(b)
	batch := typedBatch(&s, typedOps)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Open(batch.Bytes); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/typedOps, "ns/entry")
}

func BenchmarkAppendTyped(b *testing.B) {
	s := typedBuffer(b)
	batch := typedBatch(&s, typedOps)
	b.ReportAllocs()
	for b.Loop() {
		batch.Batch.Append(nil)
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/typedOps, "ns/entry")
}

// What recovery takes for an entry of a log of batches of 64.
func BenchmarkRestoreTyped(b *testing.B) {
	const batches, n = 1000, 64
	s := typedBuffer(b)
	at := s
	var log [][]byte
	for range batches {
		batch := typedBatch(&at, n)
		next, err := at.Apply(batch)
		if err != nil {
			b.Fatal(err)
		}
		at = next
		log = append(log, batch.Bytes)
	}
	b.ReportAllocs()
	for b.Loop() {
		r := NewRestore(nil)
		r.Snapshot(s)
		for _, bytes := range log {
			batch, err := Open(bytes)
			if err == nil {
				err = r.Batch(batch)
			}
			if err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/batches/n, "ns/entry")
}

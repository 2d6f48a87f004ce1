package proto

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"apex/core"
)

// bufferState makes a buffer that holds text, by its log.
func bufferState(t testing.TB, text string) core.ShardState {
	t.Helper()
	s := core.NewShardState([16]byte{1}, core.SessionID{2}, buf.Shard())
	b := core.Batch{Shard: buf.Shard(), First: 1, Author: author(), Ops: []core.Op{
		core.Of(&core.BufferNew{Kind: core.BufferScratch, Name: "/a", Loading: true})}}
	hash := core.SumText(func(yield func([]byte) bool) { yield([]byte(text)) })
	for ; len(text) > 0; text = text[min(len(text), core.LoadMaxBytes):] {
		b.Ops = append(b.Ops, core.Of(&core.Load{Text: text[:min(len(text), core.LoadMaxBytes)]}))
	}
	b.Ops = append(b.Ops, core.Of(&core.Loaded{Hash: hash}))
	next, err := s.Apply(&core.Sealed{Batch: b, Bytes: b.Append(nil)})
	if err != nil {
		t.Fatal(err)
	}
	return next
}

// chunksOf returns a state's snapshot as a receiver gets it.
func chunksOf(t testing.TB, s core.ShardState) []*SnapshotChunk {
	t.Helper()
	var out []*SnapshotChunk
	err := WriteSnapshot(&s, func(frame []byte) error {
		if len(frame) > 1<<20 {
			t.Errorf("chunk's frame of %d bytes", len(frame))
		}
		item, err := NewReader(bytes.NewReader(frame)).ReadFrame()
		if err != nil {
			return err
		}
		m, err := Decode(FromDaemon, item)
		if err != nil {
			return err
		}
		out = append(out, m.(*SnapshotChunk))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func sameState(t *testing.T, got, want core.ShardState) {
	t.Helper()
	if got.Shard != want.Shard || got.Mark != want.Mark || got.Hash() != want.Hash() {
		t.Errorf("got %v at %v, want %v at %v", got.Shard, got.Mark, want.Shard, want.Mark)
	}
}

// A state of any size comes together again, and its chunks are frames that Append makes too.
func TestSnapshot(t *testing.T) {
	for _, n := range []int{0, 1, ChunkBytes - 200, ChunkBytes, 3*ChunkBytes + 17} {
		want := bufferState(t, strings.Repeat("x\xffy\n", n/4+1)[:n])
		chunks := chunksOf(t, want)
		if least := n / ChunkBytes; len(chunks) < least || len(chunks) > least+2 {
			t.Errorf("%d bytes of text in %d chunks", n, len(chunks))
		}
		a := NewSnapshotAssembler(MaxSnapshotBytes)
		for i, c := range chunks {
			got, done, err := a.Add(c)
			if err != nil || done != (i == len(chunks)-1) {
				t.Fatalf("chunk %d of %d: %v, %v", i, len(chunks), done, err)
			}
			if done {
				sameState(t, got, want)
			}
		}
		if a.held != 0 || len(a.pending) != 0 {
			t.Errorf("%d bytes of %d shards are still held", a.held, len(a.pending))
		}
	}
}

// Whatever pieces the writer gets, the frames are the same.
func TestSnapshotWriterCuts(t *testing.T) {
	data := bytes.Repeat([]byte("0123456789"), ChunkBytes/4)
	var want []byte
	for _, piece := range []int{len(data), 1 << 16, 4093} {
		var got []byte
		emit := func(f []byte) error { got = append(got, f...); return nil }
		w := NewSnapshotWriter(buf.Shard(), emit)
		for rest := data; len(rest) > 0; rest = rest[min(piece, len(rest)):] {
			if n, err := w.Write(rest[:min(piece, len(rest))]); n != min(piece, len(rest)) || err != nil {
				t.Fatalf("wrote %d, %v", n, err)
			}
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if want == nil {
			want = got
		}
		if !bytes.Equal(got, want) {
			t.Errorf("pieces of %d: %d bytes of frames differ from %d", piece, len(got), len(want))
		}
	}
	r := NewReader(bytes.NewReader(want))
	for i, rest := 0, data; len(rest) > 0; i++ {
		c := &SnapshotChunk{Shard: buf.Shard(), Index: i, Last: len(rest) <= ChunkBytes,
			Bytes: rest[:min(ChunkBytes, len(rest))]}
		rest = rest[len(c.Bytes):]
		item, err := r.ReadFrame()
		if err != nil || !bytes.Equal(item, frameOf(t, c)[headBytes:]) {
			t.Fatalf("chunk %d: %v, not what Append makes", i, err)
		}
	}
}

// An error of emit ends the writing, once.
func TestSnapshotWriterFails(t *testing.T) {
	gone := errors.New("gone")
	calls := 0
	s := bufferState(t, strings.Repeat("x", 3*ChunkBytes))
	err := WriteSnapshot(&s, func([]byte) error { calls++; return gone })
	if !errors.Is(err, gone) || calls != 1 {
		t.Errorf("got %v after %d calls", err, calls)
	}
}

func TestAssemblerRefuses(t *testing.T) {
	state := bufferState(t, strings.Repeat("x", 2*ChunkBytes))
	chunks := chunksOf(t, state)
	other := func(c *SnapshotChunk, change func(*SnapshotChunk)) *SnapshotChunk {
		d := *c
		change(&d)
		return &d
	}
	for _, tt := range []struct {
		name  string
		limit int
		in    []*SnapshotChunk
		code  core.Code
	}{
		{"begins in the middle", 1 << 30, chunks[1:], core.CodeBadRequest},
		{"one is missing", 1 << 30, []*SnapshotChunk{chunks[0], chunks[2]}, core.CodeBadRequest},
		{"one comes twice", 1 << 30, []*SnapshotChunk{chunks[0], chunks[1], chunks[1]},
			core.CodeBadRequest},
		{"one is empty", 1 << 30, []*SnapshotChunk{chunks[0],
			other(chunks[1], func(c *SnapshotChunk) { c.Bytes = nil })}, core.CodeBadRequest},
		{"the end is missing", 1 << 30, []*SnapshotChunk{
			other(chunks[0], func(c *SnapshotChunk) { c.Last = true })}, core.CodeBadRequest},
		{"another shard's", 1 << 30, []*SnapshotChunk{
			other(chunksOf(t, bufferState(t, ""))[0], func(c *SnapshotChunk) { c.Shard = win.Shard() })},
			core.CodeBadRequest},
		{"over the limit", 2*ChunkBytes - 1, chunks, core.CodeTooLarge},
	} {
		a := NewSnapshotAssembler(tt.limit)
		var err error
		for _, c := range tt.in {
			if _, _, err = a.Add(c); err != nil {
				break
			}
		}
		if core.CodeOf(err) != tt.code || a.held != 0 || len(a.pending) != 0 {
			t.Errorf("%s: got %v, %d bytes held, want %s", tt.name, err, a.held, tt.code)
		}
	}
}

// Chunks of several shards may be mixed, and a snapshot may begin anew in the middle of one.
func TestAssemblerMixes(t *testing.T) {
	one := bufferState(t, strings.Repeat("x", 2*ChunkBytes))
	two := core.NewShardState([16]byte{1}, core.SessionID{2}, core.LayoutShard)
	a := NewSnapshotAssembler(MaxSnapshotBytes)
	order := append(chunksOf(t, one)[:2:2], chunksOf(t, two)...)
	order = append(order, chunksOf(t, one)...)
	var done []core.ShardState
	for _, c := range order {
		s, ok, err := a.Add(c)
		if err != nil {
			t.Fatal(err)
		}
		if ok {
			done = append(done, s)
		}
	}
	if len(done) != 2 {
		t.Fatalf("%d states", len(done))
	}
	sameState(t, done[0], two)
	sameState(t, done[1], one)
	a.Add(chunksOf(t, one)[0])
	a.Drop(buf.Shard())
	if a.held != 0 {
		t.Errorf("%d bytes held after Drop", a.held)
	}
}

// DeliverFits cuts a long run of batches so that every piece has a frame and nothing is left out.
func TestDeliverFits(t *testing.T) {
	big := sealed(core.KindBuffer, core.Edit(0, 0, 0, strings.Repeat("x", MaxFrame/3), 0))
	small := sealed(core.KindBuffer, core.Edit(0, 0, 0, "x", 0))
	many := sealed(core.KindBuffer, slicesRepeat(core.Origin(core.TopView, 0), core.MaxBatchOps)...)
	for name, batches := range map[string][]*core.Sealed{
		"none":         nil,
		"one":          {small},
		"large":        slicesRepeat(big, 7),
		"many":         slicesRepeat(small, 2*maxFrameBatches+3),
		"many entries": slicesRepeat(many, 2*maxFrameOps/core.MaxBatchOps+1),
		"mixed":        append(slicesRepeat(big, 2), append(slicesRepeat(small, 500), big)...),
	} {
		got := 0
		for rest := batches; len(rest) > 0; {
			n := DeliverFits(rest)
			if n < 1 || n > len(rest) {
				t.Fatalf("%s: %d of %d fit", name, n, len(rest))
			}
			item := frameOf(t, &core.Deliver{Batches: rest[:n]})[headBytes:]
			if _, err := Decode(FromDaemon, item); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got, rest = got+n, rest[n:]
		}
		if got != len(batches) {
			t.Errorf("%s: %d of %d went out", name, got, len(batches))
		}
	}
}

func slicesRepeat[T any](v T, n int) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = v
	}
	return out
}

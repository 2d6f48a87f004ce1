package proto

import (
	"encoding/binary"

	"apex/core"
)

const (
	// ChunkBytes bounds the bytes of a SnapshotChunk so that its frame is not longer than 1 MiB:
	// between two of them something more urgent has its turn.
	ChunkBytes = 1<<20 - chunkHead
	// chunkHead is room for the frame's length and for all of a chunk but its bytes, each head at
	// its longest.
	chunkHead = 64
	// MaxSnapshotBytes bounds a shard's snapshot: the largest text, its history of undo, and room
	// for the rest.
	MaxSnapshotBytes = core.MaxTextBytes + 256<<20
)

// SnapshotWriter cuts a snapshot into frames of SnapshotChunk. It is an io.Writer for
// core.ShardState.WriteSnapshot; Close ends it.
type SnapshotWriter struct {
	chunk SnapshotChunk
	buf   []byte // chunkHead bytes of room, then the chunk's bytes
	emit  func(frame []byte) error
	err   error
}

// NewSnapshotWriter returns a writer of shard's snapshot. It calls emit with each frame in turn,
// whole and in a slice that nobody else has; an error of emit ends the writing.
func NewSnapshotWriter(shard core.Shard, emit func(frame []byte) error) *SnapshotWriter {
	return &SnapshotWriter{chunk: SnapshotChunk{Shard: shard}, emit: emit}
}

// WriteSnapshot writes all of a state's snapshot through emit.
func WriteSnapshot(s *core.ShardState, emit func(frame []byte) error) error {
	w := NewSnapshotWriter(s.Shard, emit)
	if err := s.WriteSnapshot(w); err != nil {
		return err
	}
	return w.Close()
}

// Write takes in p and emits the chunks that it fills.
func (w *SnapshotWriter) Write(p []byte) (int, error) {
	n := 0
	for n < len(p) && w.err == nil {
		if len(w.buf) == chunkHead+ChunkBytes {
			w.flush(false)
		}
		if w.buf == nil {
			w.begin()
		}
		k := min(len(p)-n, chunkHead+ChunkBytes-len(w.buf))
		w.buf = append(w.buf, p[n:n+k]...)
		n += k
	}
	return n, w.err
}

// begin makes a buffer: most shards fit a small one, and behind one full chunk comes another.
func (w *SnapshotWriter) begin() {
	size := chunkHead
	if w.chunk.Index > 0 {
		size += ChunkBytes
	}
	w.buf = make([]byte, chunkHead, size)
}

// Close emits the last chunk.
func (w *SnapshotWriter) Close() error {
	if w.err == nil {
		if w.buf == nil {
			w.begin()
		}
		w.flush(true)
	}
	return w.err
}

// flush writes the head right in front of the bytes and emits the frame.
func (w *SnapshotWriter) flush(last bool) {
	w.chunk.Last, w.chunk.Bytes = last, w.buf[chunkHead:]
	var room [chunkHead]byte
	head := w.chunk.appendHead(beginFrame(room[:0]))
	frame := w.buf[chunkHead-len(head):]
	copy(frame, head)
	binary.BigEndian.PutUint32(frame, uint32(len(frame)-headBytes))
	if last && len(frame) < cap(frame)/2 {
		frame = append([]byte(nil), frame...) // queues count lengths: keep them honest
	}
	w.err = w.emit(frame)
	w.chunk.Index++
	w.buf = nil
}

// SnapshotAssembler puts chunks together. It belongs to one goroutine.
type SnapshotAssembler struct {
	limit   int
	held    int // bytes in all of pending
	pending map[core.Shard]*pieces
}

type pieces struct {
	chunks [][]byte
	bytes  int
}

// NewSnapshotAssembler returns an assembler that holds at most limit bytes of unfinished
// snapshots, of all shards together.
func NewSnapshotAssembler(limit int) *SnapshotAssembler {
	return &SnapshotAssembler{limit: limit, pending: map[core.Shard]*pieces{}}
}

// Add takes in a chunk, whose bytes it keeps. With the last chunk of a snapshot it returns the
// state and true. A chunk that is out of order, a limit that is passed and a snapshot that can't
// be read are errors; the shard's pieces are dropped then.
func (a *SnapshotAssembler) Add(m *SnapshotChunk) (core.ShardState, bool, error) {
	if m.Index == 0 {
		a.Drop(m.Shard)
		a.pending[m.Shard] = &pieces{}
	}
	p := a.pending[m.Shard]
	if p == nil || m.Index != len(p.chunks) || len(m.Bytes) == 0 && !m.Last {
		a.Drop(m.Shard)
		return core.ShardState{}, false, badf("shard %v: snapshot chunk %d of %d bytes is out of order",
			m.Shard, m.Index, len(m.Bytes))
	}
	if len(m.Bytes) > a.limit-a.held {
		held := a.held
		a.Drop(m.Shard)
		return core.ShardState{}, false, core.Errorf(core.CodeTooLarge,
			"shard %v: snapshots of over %d bytes, at most %d", m.Shard, held, a.limit)
	}
	p.chunks = append(p.chunks, m.Bytes)
	p.bytes += len(m.Bytes)
	a.held += len(m.Bytes)
	if !m.Last {
		return core.ShardState{}, false, nil
	}
	a.Drop(m.Shard)
	return p.read(m.Shard)
}

// Drop forgets the pieces of a shard: what follows it is over, or begins anew.
func (a *SnapshotAssembler) Drop(s core.Shard) {
	if p := a.pending[s]; p != nil {
		a.held -= p.bytes
		delete(a.pending, s)
	}
}

func (p *pieces) read(shard core.Shard) (core.ShardState, bool, error) {
	all := p.chunks[0]
	if len(p.chunks) > 1 {
		all = make([]byte, 0, p.bytes)
		for _, c := range p.chunks {
			all = append(all, c...)
		}
	}
	s, err := core.ReadSnapshot(all)
	if err == nil && s.Shard != shard {
		err = badf("snapshot of %v in chunks of %v", s.Shard, shard)
	}
	if err != nil {
		return core.ShardState{}, false, err
	}
	return s, true, nil
}

package proto

import (
	"encoding/binary"

	"apex/core"
)

const (
	// ChunkBytes bounds the bytes of a SnapshotChunk so that its frame is not longer than 256 KiB:
	// what one peer writes is still in its cache when the other reads it, between two of them
	// something more urgent has its turn, and a text keeps the frames that it came in, whole, while
	// a byte of them is left.
	ChunkBytes = 256<<10 - chunkHead
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
// whole and in a slice that is written again after emit has returned; an error of emit ends the
// writing.
func NewSnapshotWriter(shard core.Shard, emit func(frame []byte) error) *SnapshotWriter {
	return &SnapshotWriter{chunk: SnapshotChunk{Shard: shard}, emit: emit,
		buf: make([]byte, chunkHead, smallSnapshot)}
}

// smallSnapshot is room for most snapshots: windows, tags and short texts.
const smallSnapshot = 4 << 10

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
		room := chunkHead + ChunkBytes - len(w.buf)
		if room == 0 {
			w.flush(false)
			continue
		}
		k := min(len(p)-n, room)
		w.reserve(k)
		w.buf = append(w.buf, p[n:n+k]...)
		n += k
	}
	return n, w.err
}

// reserve makes room for k bytes more: all that there may be, when a little is not enough.
func (w *SnapshotWriter) reserve(k int) {
	if len(w.buf)+k > cap(w.buf) {
		w.buf = append(make([]byte, 0, chunkHead+ChunkBytes), w.buf...)
	}
}

// Close emits the last chunk.
func (w *SnapshotWriter) Close() error {
	if w.err == nil {
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
	w.err = w.emit(frame)
	w.chunk.Index++
	w.buf = w.buf[:chunkHead]
}

// SnapshotAssembler puts chunks together, and reads them while they arrive. It belongs to one
// goroutine.
type SnapshotAssembler struct {
	limit   int
	held    int // bytes in all of pending
	pending map[core.Shard]*pieces
}

// pieces is a snapshot that has not come whole.
type pieces struct {
	reader core.SnapshotReader
	chunks int
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
	if p == nil || m.Index != p.chunks || len(m.Bytes) == 0 && !m.Last {
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
	p.reader.Add(m.Bytes)
	p.chunks++
	p.bytes += len(m.Bytes)
	a.held += len(m.Bytes)
	if !m.Last {
		return core.ShardState{}, false, nil
	}
	a.Drop(m.Shard)
	s, err := p.reader.Done()
	if err == nil && s.Shard != m.Shard {
		err = badf("snapshot of %v in chunks of %v", s.Shard, m.Shard)
	}
	if err != nil {
		return core.ShardState{}, false, err
	}
	return s, true, nil
}

// Drop forgets the pieces of a shard: what follows it is over, or begins anew.
func (a *SnapshotAssembler) Drop(s core.Shard) {
	if p := a.pending[s]; p != nil {
		a.held -= p.bytes
		delete(a.pending, s)
	}
}

package journal

import (
	"io"
	"sort"

	"apex/daemon/disk"
)

const (
	// directSize is the piece from which on copying it into the buffer costs more than a write of
	// its own.
	directSize = 64 << 10
	// bufferKeep is the buffer that a quiet journal holds on to, in bytes.
	bufferKeep = 64 << 10
	// indexStep is how far apart, in bytes, the places are at which a reader can enter a
	// generation.
	indexStep = 1 << 20
)

// generation is an open file that records are appended to.
type generation struct {
	number  uint64
	file    disk.File
	base    uint64 // the last record that the snapshot covers
	records int64  // offset of the first record
	end     int64  // offset after the last durable record
	filled  int64  // offset up to which the file has been written, with zeros after end
	index   []place
}

// place is where a record stands.
type place struct {
	record uint64
	off    int64
}

// enter returns a place at or before the frame of a record.
func (g *generation) enter(record uint64) int64 {
	i := sort.Search(len(g.index), func(i int) bool { return g.index[i].record > record })
	if i == 0 {
		return g.records
	}
	return g.index[i-1].off
}

// lastPlace is the offset of the last place in the index.
func (g *generation) lastPlace() int64 {
	if n := len(g.index); n > 0 {
		return g.index[n-1].off
	}
	return g.records
}

// note adds a record to the index if it is far enough from the last one there.
func (g *generation) note(record uint64, off int64) {
	if off-g.lastPlace() >= indexStep {
		g.index = append(g.index, place{record, off})
	}
}

// close releases the file, without the zeros at its end if they can be had off: they are harmless.
func (g *generation) close() error {
	if g.filled > g.end {
		_ = g.file.Truncate(g.end)
	}
	return g.file.Close()
}

// leave makes sure that the file stays as it is: what follows its durable records may be wanted.
func (g *generation) leave() { g.filled = g.end }

// frameWriter writes frames one after another at an offset of a file.
type frameWriter struct {
	file       disk.File
	generation uint64
	off        int64 // where buf belongs in the file
	buf        []byte
}

// pos is the offset at which the next frame will stand.
func (w *frameWriter) pos() int64 { return w.off + int64(len(w.buf)) }

// frame writes a frame; the header's version, length, generation and sum are filled in.
func (w *frameWriter) frame(h header, data []byte, more ...[]byte) error {
	h.version, h.generation = formatVersion, w.generation
	h.length, h.payloadSum = uint32(len(data)), sum(data)
	for _, p := range more {
		h.length += uint32(len(p))
		h.payloadSum = updateSum(h.payloadSum, p)
	}
	w.buf = appendHeader(w.buf, h, w.pos())
	if err := w.bytes(data); err != nil {
		return err
	}
	for _, p := range more {
		if err := w.bytes(p); err != nil {
			return err
		}
	}
	return nil
}

func (w *frameWriter) bytes(p []byte) error {
	if len(p) < directSize {
		w.buf = append(w.buf, p...)
		if len(w.buf) < windowSize {
			return nil
		}
		return w.flush()
	}
	if err := w.flush(); err != nil {
		return err
	}
	return w.write(p)
}

func (w *frameWriter) flush() error {
	b := w.buf
	w.buf = w.buf[:0]
	if len(b) == 0 {
		return nil
	}
	return w.write(b)
}

// write puts p at the writer's offset, whole or with an error.
func (w *frameWriter) write(p []byte) error {
	n, err := w.file.WriteAt(p, w.off)
	w.off += int64(n)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	return err
}

// patch overwrites what was written at an offset before.
func (w *frameWriter) patch(b []byte, off int64) error {
	if off >= w.off {
		copy(w.buf[off-w.off:], b)
		return nil
	}
	if err := w.flush(); err != nil {
		return err
	}
	_, err := w.file.WriteAt(b, off)
	return err
}

package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/zeebo/blake3"
)

// An archive is a stream of named parts, to be kept or sent elsewhere. It begins with a magic number
// and a format version:
//
//	"apexsess" 8 bytes
//	version    4 bytes, little-endian
//	zero       4 bytes
//
// Then come frames as those of a snapshot (frame.go), of generation 1, numbered from 1, each at its
// offset in the stream: for each part a part frame with its key and size, and chunks of its data; an
// end frame with the number of parts. Then the BLAKE3 hash of all that, and nothing more.
const (
	archiveMagic      = "apexsess"
	archiveVersion    = 1
	archiveHead       = 16
	archiveGeneration = 1
	// archiveKeyMax bounds a part's key, in bytes: names of shards, files and terminals are shorter.
	archiveKeyMax = 512
)

// Errors of an archive.
var (
	// ErrNotArchive is returned for what does not begin as an archive does.
	ErrNotArchive = errors.New("not an exported session")
	// ErrArchive is matched by errors that say where an archive is damaged, or cut short.
	ErrArchive = errors.New("damaged")
)

// ArchiveWriter writes an archive. Its methods return the first error that there was.
type ArchiveWriter struct {
	w        io.Writer
	sum      *blake3.Hasher
	off      int64
	sequence uint64
	parts    int
	buf      []byte
	err      error
}

// NewArchiveWriter begins an archive.
func NewArchiveWriter(w io.Writer) *ArchiveWriter {
	a := &ArchiveWriter{w: w, sum: blake3.New()}
	head := binary.LittleEndian.AppendUint32([]byte(archiveMagic), archiveVersion)
	a.write(binary.LittleEndian.AppendUint32(head, 0))
	return a
}

// Part writes one part; data has to write size bytes.
func (a *ArchiveWriter) Part(key string, size int64, data func(io.Writer) error) error {
	a.parts++
	a.frame(kindPart, part{size: size, key: key}.append(nil))
	w := &archivePart{archive: a, left: size}
	if a.err == nil {
		a.err = data(w)
	}
	if a.err == nil && w.left != int64(len(w.buf)) {
		a.err = fmt.Errorf("part %q: %d bytes are missing", key, w.left-int64(len(w.buf)))
	}
	if len(w.buf) > 0 {
		a.frame(kindChunk, w.buf)
	}
	return a.err
}

// Close ends the archive. It does not close the writer under it.
func (a *ArchiveWriter) Close() error {
	a.frame(kindEnd, end{parts: a.parts}.append(nil))
	a.write(a.sum.Sum(nil))
	return a.err
}

func (a *ArchiveWriter) frame(k kind, payload []byte) {
	a.sequence++
	h := header{version: formatVersion, kind: k, length: uint32(len(payload)),
		generation: archiveGeneration, sequence: a.sequence, payloadSum: sum(payload)}
	a.buf = append(appendHeader(a.buf[:0], h, a.off), payload...)
	a.write(a.buf)
}

func (a *ArchiveWriter) write(p []byte) {
	if a.err != nil {
		return
	}
	_, _ = a.sum.Write(p) // a hash takes everything
	_, a.err = a.w.Write(p)
	a.off += int64(len(p))
}

// archivePart cuts a part's data into frames.
type archivePart struct {
	archive *ArchiveWriter
	buf     []byte // not in a frame yet
	left    int64  // bytes to come, those in buf too
}

func (w *archivePart) Write(p []byte) (int, error) {
	if int64(len(w.buf)+len(p)) > w.left {
		return 0, fmt.Errorf("%d bytes too many", int64(len(w.buf)+len(p))-w.left)
	}
	n := len(p)
	for len(p) > 0 {
		k := min(len(p), chunkSize-len(w.buf))
		w.buf = append(w.buf, p[:k]...)
		if p = p[k:]; len(w.buf) == chunkSize {
			w.archive.frame(kindChunk, w.buf)
			w.left -= chunkSize
			w.buf = w.buf[:0]
		}
	}
	return n, w.archive.err
}

// ArchiveReader reads an archive from anywhere: it holds one frame at a time, and believes nothing
// before it was verified. That the whole is what was written is known when Next returns io.EOF.
type ArchiveReader struct {
	r        io.Reader
	sum      hash.Hash
	off      int64
	sequence uint64
	parts    int
	left     int64  // bytes of the part to come
	chunk    []byte // verified, not read
	buf      []byte
	key      string
	err      error
}

// NewArchiveReader reads an archive's head. Errors: ErrNotArchive, ErrNewer, ErrArchive.
func NewArchiveReader(r io.Reader) (*ArchiveReader, error) {
	a := &ArchiveReader{r: r, sum: blake3.New()}
	head, err := a.take(archiveHead)
	if err != nil || string(head[:len(archiveMagic)]) != archiveMagic {
		return nil, ErrNotArchive
	}
	switch v := binary.LittleEndian.Uint32(head[len(archiveMagic):]); {
	case v > archiveVersion:
		return nil, fmt.Errorf("format %d, want at most %d: %w", v, archiveVersion, ErrNewer)
	case v == 0 || binary.LittleEndian.Uint32(head[12:]) != 0:
		return nil, a.damaged("its head makes no sense")
	}
	return a, nil
}

func (a *ArchiveReader) damaged(format string, args ...any) error {
	a.err = fmt.Errorf("%w at offset %d: %s", ErrArchive, a.off, fmt.Sprintf(format, args...))
	return a.err
}

// take returns the next n bytes, valid until the next call.
func (a *ArchiveReader) take(n int) ([]byte, error) {
	if cap(a.buf) < n {
		a.buf = make([]byte, n)
	}
	b := a.buf[:n]
	if got, err := io.ReadFull(a.r, b); err != nil {
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			return nil, a.damaged("it ends %d bytes too soon", n-got)
		}
		a.err = err
		return nil, err
	}
	_, _ = a.sum.Write(b)
	a.off += int64(n)
	return b, nil
}

// frame reads the next frame.
func (a *ArchiveReader) frame() (header, []byte, error) {
	at := a.off
	b, err := a.take(headerSize)
	if err != nil {
		return header{}, nil, err
	}
	h, ok := parseHeader(b, at)
	switch {
	case !ok:
		return h, nil, a.damaged("no frame begins at %d", at)
	case h.version > formatVersion:
		a.err = fmt.Errorf("offset %d: format %d: %w", at, h.version, ErrNewer)
		return h, nil, a.err
	case h.generation != archiveGeneration || h.sequence != a.sequence+1 || h.length > chunkSize:
		return h, nil, a.damaged("frame %d of generation %d, %d bytes, at %d", h.sequence, h.generation,
			h.length, at)
	}
	a.sequence++
	payload, err := a.take(int(h.length))
	if err == nil && sum(payload) != h.payloadSum {
		err = a.damaged("checksum %08x, want %08x, in the frame at %d", sum(payload), h.payloadSum, at)
	}
	return h, payload, err
}

// Next goes to the next part; what was not read of the one before is skipped. It returns io.EOF if
// there is none, and the whole archive was read and is what was written.
func (a *ArchiveReader) Next() (key string, size int64, err error) {
	if _, err := io.Copy(io.Discard, a); err != nil {
		return "", 0, err
	}
	h, payload, err := a.frame()
	if err != nil {
		return "", 0, err
	}
	switch h.kind {
	case kindPart:
		p, ok := parsePart(payload)
		if !ok || len(p.key) > archiveKeyMax {
			return "", 0, a.damaged("a part's first frame makes no sense")
		}
		a.parts++
		a.key, a.left = p.key, p.size
		return p.key, p.size, nil
	case kindEnd:
		return "", 0, a.end(payload)
	}
	return "", 0, a.damaged("frame of kind %d between two parts", h.kind)
}

func (a *ArchiveReader) end(payload []byte) error {
	if p, ok := parseEnd(payload); !ok || p.parts != a.parts || p.base != 0 {
		return a.damaged("%d parts, want %d", a.parts, p.parts)
	}
	want := a.sum.Sum(nil)
	got, err := a.take(len(want))
	if err != nil {
		return err
	}
	if string(got) != string(want) {
		return a.damaged("the hash of the whole is another one")
	}
	if n, err := io.ReadFull(a.r, a.buf[:1]); n > 0 || err != io.EOF {
		return a.damaged("something follows its end")
	}
	a.err = io.EOF
	return io.EOF
}

// Read reads the part's data.
func (a *ArchiveReader) Read(p []byte) (int, error) {
	if a.err != nil {
		return 0, a.err
	}
	if len(a.chunk) == 0 {
		if a.left == 0 {
			return 0, io.EOF
		}
		h, payload, err := a.frame()
		if err != nil {
			return 0, err
		}
		if h.kind != kindChunk || len(payload) == 0 || int64(len(payload)) > a.left {
			return 0, a.damaged("part %q: frame of kind %d with %d bytes, %d are missing", a.key, h.kind,
				len(payload), a.left)
		}
		a.chunk = payload
	}
	n := copy(p, a.chunk)
	a.chunk = a.chunk[n:]
	a.left -= int64(n)
	return n, nil
}

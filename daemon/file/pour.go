package file

import (
	"bufio"
	"io"
	"iter"

	"github.com/zeebo/blake3"
)

// blockBytes is how much is read or written by one call: large enough that the calls cost nothing
// beside the copying, small enough to hold a few of them.
const blockBytes = 256 << 10

// sink writes from the start of a handle on, and hashes what it wrote.
type sink struct {
	h   handle
	off int64
	sum *blake3.Hasher
}

func (s *sink) Write(p []byte) (int, error) {
	for done := 0; done < len(p); {
		n, err := s.h.WriteAt(p[done:], s.off)
		done += n
		s.off += int64(n)
		if err == nil && n == 0 {
			err = io.ErrShortWrite
		}
		if err != nil {
			return done, err
		}
	}
	return s.sum.Write(p)
}

// pour writes the chunks to h and cuts it to their length. Syncing is the caller's.
func pour(h handle, chunks iter.Seq[[]byte]) (Hash, int64, error) {
	s := &sink{h: h, sum: blake3.New()}
	b := bufio.NewWriterSize(s, blockBytes)
	for c := range chunks {
		if _, err := b.Write(c); err != nil {
			break // Flush gives the same error
		}
	}
	return s.finish(b.Flush())
}

// pourFile does the same from the size bytes of a file.
func pourFile(h, from handle, size int64) (Hash, int64, error) {
	s := &sink{h: h, sum: blake3.New()}
	_, err := io.CopyBuffer(s, io.NewSectionReader(from, 0, size), make([]byte, blockBytes))
	return s.finish(err)
}

func (s *sink) finish(err error) (Hash, int64, error) {
	if err == nil {
		err = s.h.Truncate(s.off)
	}
	return digest(s.sum), s.off, err
}

// measure returns hash and length of the chunks.
func measure(chunks iter.Seq[[]byte]) (Hash, int64) {
	sum, size := blake3.New(), int64(0)
	for c := range chunks {
		sum.Write(c) // never fails
		size += int64(len(c))
	}
	return digest(sum), size
}

// hashFile reads h to its end.
func hashFile(h handle) (Hash, error) {
	sum := blake3.New()
	b := make([]byte, blockBytes)
	for off := int64(0); ; {
		n, err := h.ReadAt(b, off)
		sum.Write(b[:n])
		off += int64(n)
		if err == io.EOF {
			return digest(sum), nil
		}
		if err != nil {
			return Hash{}, err
		}
	}
}

func digest(sum *blake3.Hasher) (h Hash) {
	sum.Sum(h[:0])
	return h
}

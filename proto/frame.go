package proto

import (
	"bufio"
	"encoding/binary"
	"errors"
	"io"

	"apex/core"
)

// MaxFrame bounds a frame's item in bytes: what one peer may make the other hold at once. Larger
// things travel in chunks.
const MaxFrame = 16 << 20

// headBytes is the length in front of every frame: big-endian, of the item that follows.
const headBytes = 4

const (
	// readerBytes is a Reader's buffer: some 80 keystrokes in one system call, and a thousand
	// clients that say nothing cost 8 MB.
	readerBytes = 8 << 10
	// firstBytes and growth bound what a claimed length may cost before the bytes are there: a
	// frame gets 64 KiB, or as much as the peer's largest frame before it, and then at most four
	// times what has arrived.
	firstBytes = 64 << 10
	growth     = 4
)

// Reader cuts a stream into frames. It belongs to one goroutine. Deadlines are its owner's duty.
type Reader struct {
	r       *bufio.Reader
	head    [headBytes]byte
	largest int // bytes of the largest frame so far
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader {
	return &Reader{r: bufio.NewReaderSize(r, readerBytes)}
}

// Buffered reports how many bytes were read from the stream and not yet returned: with 0, the next
// ReadFrame may wait.
func (r *Reader) Buffered() int { return r.r.Buffered() }

// ReadFrame returns the next frame's item, in a slice that nobody else has: batches alias it, and
// it becomes the log's record. At the end of the stream it returns io.EOF, in the middle of a
// frame io.ErrUnexpectedEOF; a length that is 0 or above MaxFrame is a *core.Error. After an error
// the stream is of no more use.
func (r *Reader) ReadFrame() ([]byte, error) {
	if _, err := io.ReadFull(r.r, r.head[:]); err != nil {
		return nil, err
	}
	n := int64(binary.BigEndian.Uint32(r.head[:]))
	switch {
	case n == 0:
		return nil, core.Errorf(core.CodeBadRequest, "frame of 0 bytes")
	case n > MaxFrame:
		return nil, core.Errorf(core.CodeTooLarge, "frame of %d bytes, at most %d", n, MaxFrame)
	}
	return r.body(int(n))
}

func (r *Reader) body(n int) ([]byte, error) {
	b := make([]byte, min(n, max(firstBytes, r.largest)))
	for got := 0; ; {
		if _, err := io.ReadFull(r.r, b[got:]); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if got = len(b); got == n {
			r.largest = max(r.largest, n)
			return b, nil
		}
		more := make([]byte, min(n, got*growth))
		copy(more, b)
		b = more
	}
}

// beginFrame leaves room for the length, which endFrame writes.
func beginFrame(dst []byte) []byte { return append(dst, 0, 0, 0, 0) }

// endFrame writes the length of the item that began at dst[at+headBytes]. If the item is too
// large, it returns dst[:at] and an error.
func endFrame(dst []byte, at int) ([]byte, error) {
	n := len(dst) - at - headBytes
	if n > MaxFrame {
		return dst[:at], core.Errorf(core.CodeTooLarge, "frame of %d bytes, at most %d", n, MaxFrame)
	}
	binary.BigEndian.PutUint32(dst[at:], uint32(n))
	return dst, nil
}

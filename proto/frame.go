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

// Reader cuts a stream into frames. It belongs to one goroutine at a time. Deadlines are its
// owner's duty.
type Reader struct {
	r       *bufio.Reader
	largest int // bytes of the largest frame so far

	// Of the frame that is being read:
	head [headBytes]byte
	body []byte // nil until its length is known
	got  int    // bytes of head, or of body
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
// frame io.ErrUnexpectedEOF; a length that is 0 or above MaxFrame is a *core.Error. After
// os.ErrDeadlineExceeded the next call goes on where this one stopped; after any other error the
// stream is of no more use.
func (r *Reader) ReadFrame() ([]byte, error) {
	if r.body == nil {
		if err := r.fill(r.head[:]); err != nil {
			if errors.Is(err, io.EOF) && r.got > 0 {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
	}
	n, err := r.length()
	if err != nil {
		return nil, err
	}
	if r.body == nil {
		r.body, r.got = make([]byte, min(n, max(firstBytes, r.largest))), 0
	}
	for {
		if err := r.fill(r.body); err != nil {
			if errors.Is(err, io.EOF) {
				err = io.ErrUnexpectedEOF
			}
			return nil, err
		}
		if r.got == n {
			b := r.body
			r.body, r.got, r.largest = nil, 0, max(r.largest, n)
			return b, nil
		}
		more := make([]byte, min(n, r.got*growth))
		copy(more, r.body)
		r.body = more
	}
}

// length is what head says.
func (r *Reader) length() (int, error) {
	n := int64(binary.BigEndian.Uint32(r.head[:]))
	switch {
	case n == 0:
		return 0, core.Errorf(core.CodeBadRequest, "frame of 0 bytes")
	case n > MaxFrame:
		return 0, core.Errorf(core.CodeTooLarge, "frame of %d bytes, at most %d", n, MaxFrame)
	}
	return int(n), nil
}

// fill reads what is missing of b, whose first got bytes are there.
func (r *Reader) fill(b []byte) error {
	for r.got < len(b) {
		n, err := r.r.Read(b[r.got:])
		r.got += n
		if err != nil && r.got < len(b) {
			return err
		}
	}
	return nil
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

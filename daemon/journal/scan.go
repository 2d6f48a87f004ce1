package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"

	"apex/daemon/disk"
)

// windowSize is how much of a file a scanner holds. Larger buys nothing measurable on recovery, and
// a daemon with a hundred sessions opens them side by side. A frame that is larger is held whole.
const windowSize = 256 << 10

// ErrNewer is returned for a file that a later format version wrote. Nothing is done to such a
// file.
var ErrNewer = errors.New("written by a newer version")

// item is what a scanner finds: a frame, or bytes that are none.
type item struct {
	off     int64  // where it begins
	length  int64  // bytes
	bad     string // why the bytes are no frame; empty for a frame
	header  header
	payload []byte // valid until the next call of next
}

// scanner reads a generation's file frame by frame. After bytes that are no frame it goes on with
// the next frame of the same generation whose sequence is higher than the last one's.
type scanner struct {
	file       disk.File
	size       int64 // bytes of the file that count
	generation uint64
	off        int64 // where the next item begins

	// unread is why a block could not be read, if there was one. It stands as zeros in the window,
	// so from then on zeros say nothing about where the file ends.
	unread error

	record uint64 // the last record's number
	snap   uint64 // the last snapshot frame's sequence

	window []byte
	start  int64 // the window's offset in the file
}

func newScanner(f disk.File, generation uint64, off, size int64) *scanner {
	return &scanner{file: f, size: size, generation: generation, off: off}
}

// next returns the next item. At the end, where nothing or only zeros follow, it returns io.EOF.
func (s *scanner) next() (item, error) {
	b, err := s.peek(headerSize)
	if err != nil {
		return item{}, err
	}
	if len(b) == 0 {
		return item{}, io.EOF
	}
	h, ok := parseHeader(b, s.off)
	if !ok {
		return s.noFrame(b)
	}
	if h.version > formatVersion {
		return item{}, fmt.Errorf("offset %d: format %d, want at most %d: %w",
			s.off, h.version, formatVersion, ErrNewer)
	}
	it := item{off: s.off, header: h}
	if b, err = s.peek(int(h.size())); err != nil {
		return item{}, err
	}
	it.length, it.payload = int64(len(b)), b[headerSize:]
	s.off += it.length
	if it.length < h.size() {
		it.bad = fmt.Sprintf("payload cut short: got %d bytes, want %d", len(it.payload), h.length)
		return it, nil
	}
	it.bad = s.judge(h, it.payload)
	if it.bad == "" {
		s.seen(h)
	}
	return it, nil
}

// judge says what is wrong with a frame whose header is intact, or nothing.
func (s *scanner) judge(h header, payload []byte) string {
	if h.generation != s.generation {
		return fmt.Sprintf("frame of generation %d, want %d", h.generation, s.generation)
	}
	if h.version == 0 || h.kind < kindBegin || h.kind > kindRecord {
		return fmt.Sprintf("frame of kind %d, format %d", h.kind, h.version)
	}
	if !s.rises(h) {
		return fmt.Sprintf("sequence %d is not above what came before", h.sequence)
	}
	if got := sum(payload); got != h.payloadSum {
		return fmt.Sprintf("payload checksum %08x, want %08x", got, h.payloadSum)
	}
	return ""
}

// rises reports whether a frame may follow what was seen: numbers only rise, and a snapshot's
// frames come before the records.
func (s *scanner) rises(h header) bool {
	if h.kind == kindRecord {
		return h.sequence > s.record
	}
	return s.record == 0 && h.sequence > s.snap
}

func (s *scanner) seen(h header) {
	if h.kind == kindRecord {
		s.record = h.sequence
	} else {
		s.snap = h.sequence
	}
}

// noFrame handles bytes where a header should be: the clean end if all that follows is zero, else
// bytes to be skipped up to the next frame or the end.
func (s *scanner) noFrame(b []byte) (item, error) {
	it := item{off: s.off, bad: "no frame header"}
	if len(b) < headerSize {
		it.bad = fmt.Sprintf("header cut short: got %d bytes, want %d", len(b), headerSize)
	}
	if zero(b) {
		it.bad = "zeros where a frame should be"
		end, err := s.zeroToEnd()
		if err != nil || end && s.unread == nil {
			return item{}, errOrEOF(err)
		}
	}
	if s.unread != nil {
		it.bad = "no frame, and not all could be read: " + s.unread.Error()
	}
	err := s.resync()
	it.length = s.off - it.off
	return it, err
}

func errOrEOF(err error) error {
	if err != nil {
		return err
	}
	return io.EOF
}

// zeroToEnd reports whether everything from here to the end is zero. It looks no further than the
// first byte that isn't, and leaves the scanner where it was.
func (s *scanner) zeroToEnd() (bool, error) {
	keep := s.off
	defer func() { s.off = keep }()
	for s.off < s.size {
		b, err := s.peek(windowSize)
		if err != nil || !zero(b) {
			return false, err
		}
		s.off += int64(len(b))
	}
	return true, nil
}

// lastNonZero returns the offset after the last byte that is not zero at or after from, or from.
func (s *scanner) lastNonZero(from int64) (int64, error) {
	keep := s.off
	defer func() { s.off = keep }()
	end := from
	for s.off = from; s.off < s.size; {
		b, err := s.peek(windowSize)
		if err != nil {
			return 0, err
		}
		if i := len(bytes.TrimRight(b, "\x00")); i > 0 {
			end = s.off + int64(i)
		}
		s.off += int64(len(b))
	}
	return end, nil
}

// resync moves to the next header of this generation that may follow, or to the end.
func (s *scanner) resync() error {
	s.off++
	for s.off < s.size {
		b, err := s.peek(windowSize)
		if err != nil {
			return err
		}
		i := bytes.IndexByte(b, magic0)
		if i < 0 {
			s.off += int64(len(b))
			continue
		}
		s.off += int64(i)
		if b = b[i:]; len(b) < headerSize {
			if b, err = s.peek(headerSize); err != nil {
				return err
			}
		}
		h, ok := parseHeader(b, s.off)
		if ok && h.generation == s.generation && s.rises(h) {
			return nil
		}
		s.off++
	}
	return nil
}

// peek returns the n bytes at the scanner's offset, fewer only at the end of the file.
func (s *scanner) peek(n int) ([]byte, error) {
	if left := s.size - s.off; int64(n) > left {
		n = int(left)
	}
	skip := s.off - s.start
	if skip < 0 || skip > int64(len(s.window)) {
		s.window, s.start, skip = s.window[:0], s.off, 0
	}
	if have := s.window[skip:]; len(have) >= n {
		return have[:n], nil
	}
	return s.fill(n, s.window[skip:])
}

// fill makes a window that begins at the scanner's offset with the bytes it has of it and holds at
// least n bytes.
func (s *scanner) fill(n int, have []byte) ([]byte, error) {
	want := max(n, windowSize)
	if cap(s.window) < want || cap(s.window) > windowSize && want == windowSize {
		s.window = append(make([]byte, 0, want), have...)
	} else {
		s.window = append(s.window[:0], have...)
	}
	s.start = s.off
	at := len(s.window)
	want = int(min(int64(want), s.size-s.off))
	got, err := s.file.ReadAt(s.window[at:want], s.off+int64(at))
	if err != nil && err != io.EOF {
		if err := s.salvage(s.window[at:want], s.off+int64(at)); err != nil {
			return nil, err
		}
		got = want - at
	}
	s.window = s.window[:at+got]
	if len(s.window) < want {
		s.size = s.off + int64(len(s.window)) // the zeros at its end were taken off meanwhile
		n = min(n, len(s.window))
	}
	return s.window[:n], nil
}

// blockSize is what a disk that has gone bad loses at once, in bytes.
const blockSize = 4096

// salvage reads block by block what could not be read in one piece. A block that can't be read is
// left zero: its frame's checksum then fails, and it is one damaged place among others. If nothing
// can be read, the disk is gone rather than damaged, and that is an error.
func (s *scanner) salvage(p []byte, off int64) error {
	read := 0
	for len(p) > 0 {
		n := int(min(int64(len(p)), roundUp(off+1, blockSize)-off))
		got, err := s.file.ReadAt(p[:n], off)
		if err != nil && err != io.EOF {
			clear(p[:n])
			s.unread = err
			got = 0
		}
		read += got
		p, off = p[n:], off+int64(n)
	}
	if read == 0 {
		return s.unread
	}
	return nil
}

func zero(b []byte) bool { return len(bytes.TrimLeft(b, "\x00")) == 0 }

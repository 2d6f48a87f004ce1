package core

import (
	"io"
	"math"

	"apex/core/codec"
	"apex/core/text"
)

// snapshotFormat is the first field of a snapshot. It rises when a field changes its meaning.
const snapshotFormat = 1

// A snapshot is a sequence of CBOR items: format, shard and mark; the intents; the state's canonical
// encoding, which for a buffer is its fields and its text; and for a buffer the history.

// WriteCanonical writes the canonical encoding of the state without its mark: two replicas that
// applied the same prefix write the same bytes.
func (s *ShardState) WriteCanonical(w io.Writer) error {
	e := newEncoder(w)
	e.fields(s.head)
	s.state.encode(e)
	return e.flush()
}

// WriteSnapshot writes everything that makes a replica: mark, state and history.
func (s *ShardState) WriteSnapshot(w io.Writer) error {
	e := newEncoder(w)
	e.fields(s.covered)
	e.fields(s.head)
	s.state.encode(e)
	s.state.encodeHistory(e)
	return e.flush()
}

// covered describes whose snapshot it is and up to where.
func (s *ShardState) covered(f *codec.Fields) {
	format := uint64(snapshotFormat)
	codec.Num(f, &format)
	if format != snapshotFormat {
		f.Fail("snapshot format %d, want %d", format, snapshotFormat)
	}
	s.Shard.fields(f)
	codec.Num(f, &s.Mark.Seq)
	f.Fixed(s.Mark.Chain[:])
}

func (s *ShardState) head(f *codec.Fields) { s.intents.fields(f) }

// ReadSnapshot reads what WriteSnapshot wrote. A buffer's text keeps b, which must not be written
// from then on.
func ReadSnapshot(b []byte) (ShardState, error) {
	var r SnapshotReader
	r.Add(b)
	return r.Done()
}

// SnapshotReader reads a snapshot that arrives in pieces. A buffer's text is built while they
// arrive, of the pieces themselves. The zero SnapshotReader is ready for use.
type SnapshotReader struct {
	rest []byte // pieces that have not been read; a copy if there were several
	next int    // the length of rest at which reading the head is tried again

	// Once a buffer's head has been read:
	state ShardState
	buf   *Buffer
	text  text.Builder
	left  int // bytes of the text that have not arrived
}

// Add takes in the next piece, which must not be written from then on. What is wrong with it is
// said by Done.
func (r *SnapshotReader) Add(piece []byte) {
	if r.buf == nil {
		r.keep(piece)
		if len(r.rest) >= r.next {
			r.begin()
		}
		return
	}
	if n := min(r.left, len(piece)); n > 0 {
		r.text.Add(piece[:n:n])
		r.left -= n
		piece = piece[n:]
	}
	r.keep(piece)
}

// keep puts a piece behind those that wait.
func (r *SnapshotReader) keep(piece []byte) {
	if len(r.rest) == 0 {
		r.rest = piece[:len(piece):len(piece)] // whoever appends to it copies
		return
	}
	r.rest = append(r.rest, piece...)
}

// begin reads a buffer's head, up to its text. While it is not whole that fails and is tried again
// when twice as much has arrived, so that all tries together read no more than twice the head.
func (r *SnapshotReader) begin() {
	r.next = 2 * len(r.rest)
	c := codec.NewCursor(r.rest)
	s := readHead(&c)
	if c.Err() != nil {
		return
	}
	if s.Shard.Kind != KindBuffer {
		r.next = math.MaxInt // Done reads it
		return
	}
	b := &Buffer{}
	codec.ReadFields(&c, b.fields)
	n := c.BytesHead()
	if c.Err() != nil {
		return
	}
	after := r.rest[c.Offset():]
	r.state, r.buf, r.left, r.rest = s, b, n, nil
	r.Add(after)
}

// Done returns the state when all pieces have been added.
func (r *SnapshotReader) Done() (ShardState, error) {
	c := codec.NewCursor(r.rest)
	s := r.state
	switch {
	case r.buf != nil:
		r.finish(&c)
		s.state = r.buf
	default:
		s = readHead(&c)
		s.state = readState(s.Shard.Kind, &c)
	}
	if err := c.Done(); err != nil {
		return ShardState{}, badf("snapshot: %v", err)
	}
	return s, nil
}

// finish reads what follows a buffer's text.
func (r *SnapshotReader) finish(c *codec.Cursor) {
	if r.left > 0 {
		c.Fail("%d bytes of the text are missing", r.left)
	}
	b := r.buf
	b.Text = r.text.Text()
	codec.ReadFields(c, b.history.fields)
	if c.Err() == nil {
		b.checkRead(c)
	}
}

// readHead reads what comes before the state.
func readHead(c *codec.Cursor) ShardState {
	var s ShardState
	codec.ReadFields(c, s.covered)
	if c.Err() == nil && !s.Shard.Valid() {
		c.Fail("snapshot of shard %v", s.Shard)
	}
	codec.ReadFields(c, s.head)
	return s
}

// readState reads the state of a shard. A buffer's comes here only if its text is not to be had.
func readState(k ShardKind, c *codec.Cursor) state {
	switch k {
	case KindRegistry:
		return readRegistry(c)
	case KindMeta:
		return readMeta(c)
	case KindLayout:
		return readLayout(c)
	case KindWindow:
		return readWindow(c)
	case KindBuffer:
		b := &Buffer{}
		codec.ReadFields(c, b.fields)
		c.BytesHead()
		c.Fail("the snapshot ends in a buffer's head")
		return b
	case KindTerm:
		return ReadTerm(c)
	}
	return &Unused{}
}

// encoder writes a sequence of CBOR items. What is short is gathered, what is long goes through
// without a copy.
type encoder struct {
	w       io.Writer
	short   []byte
	scratch []byte
	err     error
}

const (
	// encoderBytes is how much is gathered: the leaves of an edited text go out many at a time.
	encoderBytes = 64 << 10
	// directBytes is from where on a write of its own is cheaper than a copy.
	directBytes = 8 << 10
)

func newEncoder(w io.Writer) *encoder { return &encoder{w: w} }

func (e *encoder) fields(describe func(*codec.Fields)) {
	e.scratch = codec.AppendFields(e.scratch[:0], describe)
	e.write(e.scratch)
}

// bytes writes one byte string made of chunks of n bytes in all.
func (e *encoder) bytes(n int, chunks func(func([]byte) bool)) {
	e.scratch = codec.AppendBytesHead(e.scratch[:0], n)
	e.write(e.scratch)
	for c := range chunks {
		e.write(c)
	}
}

func (e *encoder) write(p []byte) {
	if len(p) < directBytes && len(e.short)+len(p) <= encoderBytes {
		e.short = append(e.short, p...)
		return
	}
	e.flush()
	if len(p) < directBytes {
		e.short = append(e.short, p...)
	} else if e.err == nil {
		_, e.err = e.w.Write(p)
	}
}

// flush returns the first error of all that was written.
func (e *encoder) flush() error {
	if e.err == nil && len(e.short) > 0 {
		_, e.err = e.w.Write(e.short)
	}
	e.short = e.short[:0]
	return e.err
}

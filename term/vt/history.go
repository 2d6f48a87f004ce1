package vt

// history holds the logical lines that have left the main screen at its top, packed, in chunks of
// memory that are used again: a flood of output allocates nothing here.
type history struct {
	lines, max int // limits: lines and bytes

	first  uint64 // the number of refs[head]
	refs   []lineRef
	head   int // refs before it are gone
	bytes  int // that refs stand for, overhead included
	chunk  *chunk
	spare  *chunk
	marks  []Mark // of lines in refs, in order
	packed []byte // scratch

	// open says that the last line goes on in the first row of the screen.
	open      bool
	openCells int
	openLook  packedLook

	saved savedHistory // only while Restore is at work
}

type chunk struct {
	buf  []byte
	live int // lines in it
}

type lineRef struct {
	chunk  *chunk
	off, n uint32
}

const (
	chunkBytes = 64 << 10
	// lineOverhead is what a line takes beside its bytes.
	lineOverhead = 24
	// linkLineMax is the packed length from which a line's links are not kept, so that a line of
	// links can't take LineMaxCells times LinkMaxBytes.
	linkLineMax = 1 << 20
)

func (h *history) limit(o Options) { h.lines, h.max = o.HistoryLines, o.HistoryBytes }

func (h *history) count() int  { return len(h.refs) - h.head }
func (h *history) end() uint64 { return h.first + uint64(h.count()) }

// closedEnd is the number after the last line that is whole.
func (h *history) closedEnd() uint64 {
	if h.open {
		return h.end() - 1
	}
	return h.end()
}

func (h *history) bytesOf(n uint64) []byte {
	r := h.refs[h.head+int(n-h.first)]
	return r.chunk.buf[r.off : r.off+r.n]
}

func (h *history) last() *lineRef { return &h.refs[len(h.refs)-1] }

// retire puts r at the end of the history: the row is about to leave the main screen.
func (s *Screen) retire(r *row) {
	h := &s.history
	if !h.open {
		h.openCells, h.openLook = 0, packedLook{}
		h.begin()
	}
	links := h.last().n < linkLineMax
	h.packed = s.tables.pack(h.packed[:0], r.line(), &h.openLook, links)
	h.grow(h.packed)
	for _, m := range r.marks {
		h.addMark(m.at(h.end()-1, h.openCells+m.x))
	}
	h.openCells += r.width()
	h.open = true
	if r.wrapped {
		h.trim()
	} else {
		h.close()
	}
}

// close ends the line that went on in the first row.
func (h *history) close() {
	if h.open {
		h.open = false
		h.fit()
	}
	h.trim()
}

// fit gives up the room that a long line had to grow.
func (h *history) fit() {
	c := h.chunk
	if n := len(c.buf); cap(c.buf) > chunkBytes && n < cap(c.buf)/4*3 {
		c.buf = append(make([]byte, 0, n), c.buf...)
	}
}

// begin adds an empty line.
func (h *history) begin() {
	if h.head > 64 && h.head > len(h.refs)/2 {
		h.refs = h.refs[:copy(h.refs, h.refs[h.head:])]
		h.head = 0
	}
	if h.chunk == nil || cap(h.chunk.buf)-len(h.chunk.buf) < 256 {
		h.chunk = h.newChunk(chunkBytes)
	}
	h.chunk.live++
	h.refs = append(h.refs, lineRef{chunk: h.chunk, off: uint32(len(h.chunk.buf))})
	h.bytes += lineOverhead
}

func (h *history) newChunk(size int) *chunk {
	if c := h.spare; c != nil && size <= cap(c.buf) {
		h.spare = nil
		return c
	}
	return &chunk{buf: make([]byte, 0, max(size, chunkBytes))}
}

// grow adds p to the last line, which is at the end of the last chunk.
func (h *history) grow(p []byte) {
	r := h.last()
	if len(h.chunk.buf)+len(p) > cap(h.chunk.buf) {
		old := r.chunk.buf[r.off : r.off+r.n]
		c := h.newChunk(2 * (len(old) + len(p)))
		c.buf = append(c.buf, old...)
		r.chunk.buf = r.chunk.buf[:r.off]
		h.release(r.chunk)
		c.live++
		h.chunk, r.chunk, r.off = c, c, 0
	}
	h.chunk.buf = append(h.chunk.buf, p...)
	r.n += uint32(len(p))
	h.bytes += len(p)
}

// release takes a line off c, and keeps c for later when that was the last one.
func (h *history) release(c *chunk) {
	c.live--
	if c.live > 0 {
		return
	}
	c.buf = c.buf[:0]
	if h.spare == nil && cap(c.buf) == chunkBytes && c != h.chunk {
		h.spare = c
	}
}

// trim drops the oldest lines until the limits hold. A line that goes on on the screen stays.
func (h *history) trim() {
	for h.count() > 0 {
		whole := int(h.closedEnd() - h.first)
		if whole == 0 || whole <= h.lines && h.bytes <= h.max {
			return
		}
		h.dropFirst()
	}
}

func (h *history) dropFirst() {
	r := &h.refs[h.head]
	h.bytes -= int(r.n) + lineOverhead
	h.release(r.chunk)
	*r = lineRef{}
	h.head++
	h.first++
	gone := 0
	for gone < len(h.marks) && h.marks[gone].Line < h.first {
		gone++
	}
	h.marks = h.marks[gone:]
}

// takeLast removes the newest line and returns its bytes, valid until the history changes.
func (h *history) takeLast() []byte {
	r := *h.last()
	b := r.chunk.buf[r.off : r.off+r.n]
	h.bytes -= int(r.n) + lineOverhead
	r.chunk.buf = r.chunk.buf[:r.off]
	r.chunk.live--
	h.refs[len(h.refs)-1] = lineRef{}
	h.refs = h.refs[:len(h.refs)-1]
	h.open = false
	h.chunk = nil
	if h.count() > 0 {
		h.chunk = h.last().chunk
	}
	return b
}

// takeMarks removes the marks on line n and after it, and returns those.
func (h *history) takeMarks(n uint64) []Mark {
	i := len(h.marks)
	for i > 0 && h.marks[i-1].Line >= n {
		i--
	}
	taken := h.marks[i:]
	h.marks = h.marks[:i:i]
	return taken
}

func (h *history) addMark(m Mark) {
	if len(h.marks) >= MarksMax {
		h.marks = append(h.marks[:0:0], h.marks[MarksMax/4:]...)
	}
	h.marks = append(h.marks, m)
}

// Clear forgets the history. What is on the screen stays, and the numbering goes on; a line that
// began in the history begins anew on the screen.
func (s *Screen) Clear() {
	h := &s.history
	h.first, h.refs, h.head, h.bytes = h.end(), nil, 0, 0
	h.chunk, h.spare, h.marks, h.open = nil, nil, nil, false
}

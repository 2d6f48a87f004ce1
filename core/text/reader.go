package text

import (
	"io"
	"unicode/utf8"
)

// Reader reads the runes of a text in order. It is an io.RuneReader.
type Reader struct {
	t    Text
	leaf []byte // what is left of the leaf
	next int    // byte offset of what follows leaf
	end  int    // byte offset at which to stop
	q    int
}

// Reader gives a reader of the runes from q to the end of the text. It panics if q is outside the
// text.
func (t Text) Reader(q int) *Reader {
	return &Reader{t: t, next: t.ByteOffset(q), end: t.sum.bytes, q: q}
}

// readerBytes gives a reader of bytes b0 to b1, both rune borders, that doesn't know its offset.
func (t Text) readerBytes(b0, b1 int) *Reader { return &Reader{t: t, next: b0, end: b1} }

// ReadRune gives the next rune and its size in bytes, io.EOF at the end of the text. A byte that is
// no UTF-8 is RuneError of size 1.
func (r *Reader) ReadRune() (c rune, size int, err error) {
	if len(r.leaf) == 0 && !r.fill() {
		return 0, 0, io.EOF
	}
	r.q++
	if b := r.leaf[0]; b < utf8.RuneSelf {
		r.leaf = r.leaf[1:]
		return rune(b), 1, nil
	}
	c, size = utf8.DecodeRune(r.leaf)
	r.leaf = r.leaf[size:]
	return c, size, nil
}

// Offset is the rune offset of the next rune.
func (r *Reader) Offset() int { return r.q }

func (r *Reader) fill() bool {
	if r.next >= r.end {
		return false
	}
	leaf, before := r.t.leafAtByte(r.next)
	r.leaf = leaf[r.next-before.bytes : min(len(leaf), r.end-before.bytes)]
	r.next += len(r.leaf)
	return true
}

// BackReader reads the runes of a text backwards. It is an io.RuneReader.
type BackReader struct {
	t    Text
	leaf []byte // what is left of the leaf
	next int    // byte offset at which leaf begins
	end  int    // byte offset at which to stop
	q    int
}

// BackReader gives a reader of the runes before q, the nearest first. It panics if q is outside the
// text.
func (t Text) BackReader(q int) *BackReader {
	return &BackReader{t: t, next: t.ByteOffset(q), q: q}
}

// backReaderBytes gives a reader of bytes b0 to b1, both rune borders, from the end, that doesn't
// know its offset.
func (t Text) backReaderBytes(b0, b1 int) *BackReader {
	return &BackReader{t: t, next: b1, end: b0}
}

// ReadRune gives the rune before the offset and its size in bytes, io.EOF at the beginning of the
// text. A byte that is no UTF-8 is RuneError of size 1.
func (r *BackReader) ReadRune() (c rune, size int, err error) {
	if len(r.leaf) == 0 && !r.fill() {
		return 0, 0, io.EOF
	}
	r.q--
	c, size = utf8.DecodeLastRune(r.leaf)
	r.leaf = r.leaf[:len(r.leaf)-size]
	return c, size, nil
}

// Offset is the rune offset before which the next rune is.
func (r *BackReader) Offset() int { return r.q }

func (r *BackReader) fill() bool {
	if r.next <= r.end {
		return false
	}
	leaf, before := r.t.leafAtByte(r.next - 1)
	start := max(before.bytes, r.end)
	r.leaf = leaf[start-before.bytes : r.next-before.bytes]
	r.next = start
	return true
}

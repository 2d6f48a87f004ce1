package codec

import (
	"encoding/binary"
	"fmt"
	"math"
	"unicode/utf8"
)

// MaxDepth bounds nesting: the deepest value that apex sends has 8 levels, and a bound keeps a
// hostile frame from using the stack.
const MaxDepth = 16

// Error says what was wrong with the bytes and where.
type Error struct {
	Offset int    // bytes from the start of the input
	Reason string // what was expected and what was found
}

func (e *Error) Error() string { return fmt.Sprintf("cbor: offset %d: %s", e.Offset, e.Reason) }

// Cursor reads one CBOR sequence. The zero value reads an empty one. A failed Cursor returns zero
// values from every method; Err tells.
type Cursor struct {
	b   []byte
	off int
	err error
}

// NewCursor reads b, which must not change while anything that the cursor returned is in use.
func NewCursor(b []byte) Cursor { return Cursor{b: b} }

// Err returns the first error, or nil.
func (c *Cursor) Err() error { return c.err }

// Offset returns how many bytes were consumed.
func (c *Cursor) Offset() int { return c.off }

// Len returns how many bytes are left.
func (c *Cursor) Len() int { return len(c.b) - c.off }

// Unread returns what was not consumed, aliasing the input; nothing after an error.
func (c *Cursor) Unread() []byte {
	if c.err != nil {
		return nil
	}
	return c.b[c.off:]
}

// Advance consumes n bytes of what Unread returned, which the caller has read.
func (c *Cursor) Advance(n int) { c.off += n }

// UintAt reads the unsigned integer at b[at] and returns it and where it ends. The end is 0 if there
// is none in its shortest form, and if at is 0: a chain of reads is checked once.
func UintAt(b []byte, at int) (v uint64, end int) {
	if at == 0 || at >= len(b) {
		return 0, 0
	}
	switch first, rest := b[at], b[at+1:]; {
	case first < 24:
		return uint64(first), at + 1
	case first == 24 && len(rest) >= 1 && rest[0] >= 24:
		return uint64(rest[0]), at + 2
	case first == 25 && len(rest) >= 2:
		if v = uint64(binary.BigEndian.Uint16(rest)); v > math.MaxUint8 {
			return v, at + 3
		}
	case first == 26 && len(rest) >= 4:
		if v = uint64(binary.BigEndian.Uint32(rest)); v > math.MaxUint16 {
			return v, at + 5
		}
	case first == 27 && len(rest) >= 8:
		if v = binary.BigEndian.Uint64(rest); v > math.MaxUint32 {
			return v, at + 9
		}
	}
	return 0, 0
}

// Fail records an error at the current offset, unless there is one already. Decoders use it for
// values that are well-formed and wrong.
func (c *Cursor) Fail(format string, args ...any) {
	if c.err == nil {
		c.err = &Error{c.off, fmt.Sprintf(format, args...)}
	}
}

// Done returns the first error, or an error if bytes are left over.
func (c *Cursor) Done() error {
	if c.err == nil && c.off != len(c.b) {
		c.Fail("%d bytes after the last item", len(c.b)-c.off)
	}
	return c.err
}

// head reads an item's first byte and argument.
func (c *Cursor) head() (major byte, v uint64, ok bool) {
	if c.err != nil {
		return 0, 0, false
	}
	if c.off >= len(c.b) {
		c.Fail("unexpected end")
		return 0, 0, false
	}
	first := c.b[c.off]
	major, low := first&0xe0, first&0x1f
	if low < 24 {
		c.off++
		return major, uint64(low), true
	}
	if low > 27 {
		c.Fail("reserved or indefinite length 0x%02x", first)
		return 0, 0, false
	}
	n := 1 << (low - 24)
	if len(c.b)-c.off-1 < n {
		c.Fail("unexpected end in an item's head")
		return 0, 0, false
	}
	p := c.b[c.off+1:]
	var least uint64
	switch n {
	case 1:
		v, least = uint64(p[0]), 24
	case 2:
		v, least = uint64(binary.BigEndian.Uint16(p)), 1<<8
	case 4:
		v, least = uint64(binary.BigEndian.Uint32(p)), 1<<16
	default:
		v, least = binary.BigEndian.Uint64(p), 1<<32
	}
	if v < least {
		c.Fail("%d is not in its shortest form", v)
		return 0, 0, false
	}
	c.off += 1 + n
	return major, v, true
}

// item reads the head of an item that must be of the given major type.
func (c *Cursor) item(want byte, what string) uint64 {
	at := c.off
	major, v, ok := c.head()
	if !ok {
		return 0
	}
	if major != want {
		c.off = at
		c.Fail("want %s, got major type %d", what, major>>5)
		return 0
	}
	return v
}

// Uint reads an unsigned integer.
func (c *Cursor) Uint() uint64 { return c.item(majorUint, "unsigned integer") }

// UintMax reads an unsigned integer that must not exceed limit: the guard against truncation when
// the result goes into a narrower type.
func (c *Cursor) UintMax(limit uint64) uint64 {
	v := c.Uint()
	if v > limit {
		c.Fail("%d exceeds %d", v, limit)
		return 0
	}
	return v
}

// Int reads an unsigned integer that fits an int: an offset or a count.
func (c *Cursor) Int() int { return int(c.UintMax(math.MaxInt)) }

// Bytes reads a byte string, aliasing the input.
func (c *Cursor) Bytes() []byte { return c.take(c.item(majorBytes, "byte string")) }

// BytesHead reads the head of a byte string, whose bytes need not be there yet, and returns their
// number.
func (c *Cursor) BytesHead() int {
	n := c.item(majorBytes, "byte string")
	if n > math.MaxInt {
		c.Fail("string of %d bytes", n)
		return 0
	}
	return int(n)
}

// BytesN reads a byte string of exactly n bytes.
func (c *Cursor) BytesN(n int) []byte {
	s := c.Bytes()
	if c.err == nil && len(s) != n {
		c.Fail("want %d bytes, got %d", n, len(s))
		return nil
	}
	return s
}

// Text reads a text string; invalid UTF-8 is an error.
func (c *Cursor) Text() string {
	s := c.take(c.item(majorText, "text string"))
	if !utf8.Valid(s) {
		c.Fail("text string is not UTF-8")
		return ""
	}
	return string(s)
}

func (c *Cursor) take(n uint64) []byte {
	if c.err != nil {
		return nil
	}
	if n > uint64(len(c.b)-c.off) {
		c.Fail("string of %d bytes, %d are left", n, len(c.b)-c.off)
		return nil
	}
	s := c.b[c.off : c.off+int(n) : c.off+int(n)]
	c.off += int(n)
	return s
}

// Array reads the head of an array and returns its length, which is at most the bytes left.
func (c *Cursor) Array() int { return c.count(c.item(majorArray, "array"), 1) }

// ArrayMin reads the head of an array that has at least least items: fields may be added at the
// end, so readers take what they know and Skip the rest.
func (c *Cursor) ArrayMin(least int) int {
	n := c.Array()
	if c.err == nil && n < least {
		c.Fail("array of %d, want at least %d", n, least)
		return 0
	}
	return n
}

func (c *Cursor) count(n uint64, bytesEach int) int {
	if c.err != nil {
		return 0
	}
	if n > uint64((len(c.b)-c.off)/bytesEach) {
		c.Fail("%d items in %d bytes", n, len(c.b)-c.off)
		return 0
	}
	return int(n)
}

// Bool reads a boolean.
func (c *Cursor) Bool() bool {
	if c.err != nil {
		return false
	}
	if c.off < len(c.b) {
		switch c.b[c.off] {
		case simpleTrue:
			c.off++
			return true
		case simpleFalse:
			c.off++
			return false
		}
	}
	c.Fail("want boolean")
	return false
}

// Null consumes a null and reports whether there was one; anything else is left alone.
func (c *Cursor) Null() bool {
	if c.err != nil || c.off >= len(c.b) || c.b[c.off] != simpleNull {
		return false
	}
	c.off++
	return true
}

// Skip consumes one item of any kind.
func (c *Cursor) Skip() { c.skip(0) }

// SkipN consumes n items: the fields at the end of an array that this version doesn't know.
func (c *Cursor) SkipN(n int) {
	for ; n > 0 && c.err == nil; n-- {
		c.skip(0)
	}
}

// Raw consumes one item and returns its bytes, aliasing the input.
func (c *Cursor) Raw() []byte {
	at := c.off
	c.skip(0)
	if c.err != nil {
		return nil
	}
	return c.b[at:c.off:c.off]
}

func (c *Cursor) skip(depth int) {
	if depth >= MaxDepth {
		c.Fail("nested deeper than %d", MaxDepth)
		return
	}
	at := c.off
	major, v, ok := c.head()
	if !ok {
		return
	}
	switch major {
	case majorUint, majorNeg:
	case majorBytes:
		c.take(v)
	case majorText:
		if s := c.take(v); !utf8.Valid(s) {
			c.Fail("text string is not UTF-8")
		}
	case majorArray, majorMap:
		n := c.count(v, 1)
		if major == majorMap {
			n = c.count(v, 2) * 2
		}
		for ; n > 0 && c.err == nil; n-- {
			c.skip(depth + 1)
		}
	case majorSimple:
		// Floats and other simple values may come from a later version; their argument is
		// already consumed. One-byte simple values below 32 are not well-formed.
		if c.b[at]&0x1f == 24 && v < 32 {
			c.off = at
			c.Fail("simple value %d in two bytes", v)
		}
	default:
		c.off = at
		c.Fail("tags are not used")
	}
}

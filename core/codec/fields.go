package codec

// Fields describes the fields of one array in one place for both directions: a type's fields
// method names them in order, and the same method encodes and decodes, so the two cannot drift
// apart. Arrays grow at the end only: a reader skips fields that it does not know, and Optional
// marks the first field that an older writer did not have.
type Fields struct {
	enc      []byte
	cur      *Cursor
	left     int  // decoding: fields not yet read
	count    int  // encoding: fields written
	optional bool // decoding: missing fields keep their zero value
}

// maxFields keeps an array's head in one byte, which the encoder patches once it has counted.
const maxFields = 23

// AppendFields appends the array that describe describes.
func AppendFields(b []byte, describe func(*Fields)) []byte {
	at := len(b)
	f := Fields{enc: append(b, majorArray)}
	describe(&f)
	if f.count > maxFields {
		panic("codec: more than 23 fields in one array")
	}
	f.enc[at] |= byte(f.count)
	return f.enc
}

// ReadFields reads the array that describe describes; errors stay in c.
func ReadFields(c *Cursor, describe func(*Fields)) {
	f := Fields{cur: c, left: c.Array()}
	describe(&f)
	c.SkipN(f.left)
}

// Reading reports whether the fields are being decoded.
func (f *Fields) Reading() bool { return f.cur != nil }

// Fail records a decoding error: a value that is well-formed and wrong.
func (f *Fields) Fail(format string, args ...any) {
	if f.cur != nil {
		f.cur.Fail(format, args...)
	}
}

// Optional says that fields from here on may be missing.
func (f *Fields) Optional() { f.optional = true }

// next reports whether to decode (true) a field from the cursor. When encoding it counts.
func (f *Fields) next() bool {
	if f.cur == nil {
		f.count++
		return false
	}
	if f.left == 0 {
		if !f.optional {
			f.cur.Fail("array too short")
		}
		return false
	}
	f.left--
	return true
}

// Integer is what Num can describe.
type Integer interface {
	~uint8 | ~uint16 | ~uint32 | ~uint64 | ~int
}

// Num describes an unsigned integer; a value that does not fit p's type is an error, never cut.
func Num[T Integer](f *Fields, p *T) {
	if f.next() {
		v := f.cur.Uint()
		if *p = T(v); uint64(*p) != v || *p < 0 {
			f.cur.Fail("%d is out of range", v)
			*p = 0
		}
		return
	}
	if f.cur == nil {
		f.enc = AppendUint(f.enc, uint64(*p))
	}
}

// Bool describes a boolean.
func (f *Fields) Bool(p *bool) {
	if f.next() {
		*p = f.cur.Bool()
	} else if f.cur == nil {
		f.enc = AppendBool(f.enc, *p)
	}
}

// String describes a string of arbitrary bytes, as a CBOR byte string.
func (f *Fields) String(p *string) {
	if f.next() {
		*p = string(f.cur.Bytes())
	} else if f.cur == nil {
		f.enc = AppendBytes(f.enc, *p)
	}
}

// Bytes describes a byte string. Decoding copies.
func (f *Fields) Bytes(p *[]byte) {
	if f.next() {
		*p = append([]byte(nil), f.cur.Bytes()...)
	} else if f.cur == nil {
		f.enc = AppendBytes(f.enc, *p)
	}
}

// Fixed describes a byte string of exactly len(p) bytes.
func (f *Fields) Fixed(p []byte) {
	if f.next() {
		copy(p, f.cur.BytesN(len(p)))
	} else if f.cur == nil {
		f.enc = AppendBytes(f.enc, p)
	}
}

// Struct describes a nested array.
func (f *Fields) Struct(describe func(*Fields)) {
	if f.next() {
		ReadFields(f.cur, describe)
	} else if f.cur == nil {
		f.enc = AppendFields(f.enc, describe)
	}
}

// List describes an array of any length whose elements are arrays that each describes.
func List[T any](f *Fields, p *[]T, each func(*Fields, *T)) {
	if f.next() {
		n := f.cur.Array()
		*p = nil
		for i := 0; i < n && f.cur.Err() == nil; i++ {
			var e T
			ReadFields(f.cur, func(g *Fields) { each(g, &e) })
			*p = append(*p, e)
		}
		return
	}
	if f.cur != nil {
		return
	}
	f.enc = AppendArray(f.enc, len(*p))
	for i := range *p {
		f.enc = AppendFields(f.enc, func(g *Fields) { each(g, &(*p)[i]) })
	}
}

// Raw gives the caller the bytes of one field: write appends exactly one item when encoding, read
// consumes exactly one when decoding. It serves values that have their own encoding, such as text
// that is not to be copied.
func (f *Fields) Raw(write func([]byte) []byte, read func(*Cursor)) {
	if f.next() {
		read(f.cur)
	} else if f.cur == nil {
		f.enc = write(f.enc)
	}
}

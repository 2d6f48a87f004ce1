package codec

import (
	"bytes"
	"errors"
	"math"
	"testing"

	"github.com/fxamacker/cbor/v2"
	"pgregory.net/rapid"
)

func encMode(t testing.TB) cbor.EncMode {
	m, err := cbor.CoreDetEncOptions().EncMode()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// What we append is, byte for byte, what a full encoder makes in core deterministic form.
func TestAppendEqualsReference(t *testing.T) {
	em := encMode(t)
	rapid.Check(t, func(t *rapid.T) {
		u := rapid.Uint64().Draw(t, "u")
		i := rapid.Int64().Draw(t, "i")
		s := rapid.SliceOf(rapid.Byte()).Draw(t, "s")
		x := rapid.String().Draw(t, "x")
		f := rapid.Bool().Draw(t, "f")
		want, err := em.Marshal([]any{u, i, s, x, f, nil, map[uint64]uint64{1: u}})
		if err != nil {
			t.Fatal(err)
		}
		got := AppendArray(nil, 7)
		got = AppendUint(got, u)
		got = AppendInt(got, i)
		got = AppendBytes(got, s)
		got = AppendText(got, x)
		got = AppendBool(got, f)
		got = AppendNull(got)
		got = AppendMap(got, 1)
		got = AppendUint(AppendUint(got, 1), u)
		if s == nil {
			t.Skip("nil slice marshals as null")
		}
		if !bytes.Equal(got, want) {
			t.Fatalf("got %x, want %x", got, want)
		}
		c := NewCursor(got)
		if n := c.Array(); n != 7 {
			t.Fatalf("array of %d", n)
		}
		if v := c.Uint(); v != u {
			t.Fatalf("uint %d, want %d", v, u)
		}
		c.Skip()
		if b := c.Bytes(); !bytes.Equal(b, s) {
			t.Fatalf("bytes %x, want %x", b, s)
		}
		if v := c.Text(); v != x {
			t.Fatalf("text %q, want %q", v, x)
		}
		if c.Bool() != f || !c.Null() {
			t.Fatal("bool or null")
		}
		c.Skip()
		if err := c.Done(); err != nil {
			t.Fatal(err)
		}
	})
}

func TestCursorRefuses(t *testing.T) {
	for _, tt := range []struct {
		name string
		in   []byte
		read func(*Cursor)
	}{
		{"empty", nil, func(c *Cursor) { c.Uint() }},
		{"long form of a small integer", []byte{0x18, 0x05}, func(c *Cursor) { c.Uint() }},
		{"eight bytes for a small integer", []byte{0x1b, 0, 0, 0, 0, 0, 0, 1, 0}, func(c *Cursor) { c.Uint() }},
		{"cut head", []byte{0x1b, 0}, func(c *Cursor) { c.Uint() }},
		{"string longer than the input", []byte{0x5a, 0xff, 0xff, 0xff, 0xff}, func(c *Cursor) { c.Bytes() }},
		{"array longer than the input", []byte{0x9a, 0xff, 0xff, 0xff, 0xff}, func(c *Cursor) { c.Array() }},
		{"indefinite array", []byte{0x9f, 0xff}, func(c *Cursor) { c.Array() }},
		{"invalid UTF-8", []byte{0x61, 0xff}, func(c *Cursor) { c.Text() }},
		{"bytes for text", []byte{0x41, 'a'}, func(c *Cursor) { c.Text() }},
		{"tag", []byte{0xc0, 0x00}, func(c *Cursor) { c.Skip() }},
		{"deep nesting", bytes.Repeat([]byte{0x81}, 1000), func(c *Cursor) { c.Skip() }},
		{"two-byte simple value below 32", []byte{0xf8, 0x18}, func(c *Cursor) { c.Skip() }},
		{"map longer than the input", []byte{0xa2, 0, 0}, func(c *Cursor) { c.Skip() }},
		{"int beyond an offset", AppendUint(nil, math.MaxUint64), func(c *Cursor) { c.Int() }},
		{"above the limit", []byte{0x18, 200}, func(c *Cursor) { c.UintMax(100) }},
		{"left over", []byte{0, 0}, func(c *Cursor) { c.Uint() }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			c := NewCursor(tt.in)
			tt.read(&c)
			var e *Error
			if err := c.Done(); !errors.As(err, &e) {
				t.Fatalf("got %v, want an *Error", err)
			}
			if c.Uint() != 0 || c.Bytes() != nil || c.Bool() {
				t.Fatal("a failed cursor returns values")
			}
		})
	}
}

// Skip accepts only what a full decoder calls well-formed, and consumes the same number of bytes.
func FuzzSkip(f *testing.F) {
	f.Add([]byte{0x83, 0x01, 0x41, 'a', 0xf6})
	f.Add([]byte{0xa1, 0x01, 0x82, 0x00, 0xfb, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, b []byte) {
		c := NewCursor(b)
		raw := c.Raw()
		if c.Err() != nil {
			return
		}
		if err := cbor.Wellformed(raw); err != nil {
			t.Fatalf("accepted %x: %v", raw, err)
		}
	})
}

// UintAt takes what Cursor.Uint takes, and nothing else.
func TestUintAt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b := rapid.SliceOfN(rapid.Byte(), 0, 10).Draw(t, "b")
		if rapid.Bool().Draw(t, "valid") {
			b = append(AppendUint([]byte{0}, rapid.Uint64().Draw(t, "u")>>rapid.IntRange(0, 63).Draw(t, "shift")), b...)
		} else {
			b = append([]byte{0}, b...)
		}
		c := NewCursor(b[1:])
		want := c.Uint()
		got, end := UintAt(b, 1)
		if (end > 0) != (c.Err() == nil) || end > 0 && (got != want || end != 1+c.Offset()) {
			t.Fatalf("%x: got %d up to %d, want %d up to %d, %v", b[1:], got, end, want, c.Offset(), c.Err())
		}
	})
	if _, end := UintAt([]byte{1}, 0); end != 0 {
		t.Error("a failed chain of reads goes on")
	}
}

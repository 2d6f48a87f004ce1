package proto

import (
	"bytes"
	"errors"
	"io"
	"testing"

	"apex/core"

	"github.com/fxamacker/cbor/v2"
)

// coded reports whether err is what a receiver may be given: an error with a code of its own.
func coded(err error) bool {
	e := new(core.Error)
	return errors.As(err, &e) && (e.Code == core.CodeBadRequest || e.Code == core.CodeTooLarge)
}

// Whatever bytes come, Reader returns frames that were there, or an error; never more than came.
func FuzzReader(f *testing.F) {
	f.Add([]byte{0, 0, 0, 1, 0xf6}, 3)
	f.Add([]byte{0xff, 0xff, 0xff, 0xff}, 1)
	f.Add(rawFrame(make([]byte, 300)), 7)
	f.Fuzz(func(t *testing.T, in []byte, step int) {
		r := NewReader(&stepReader{bytes.NewReader(in), max(1, step%64)})
		var out []byte
		for {
			frame, err := r.ReadFrame()
			if err != nil {
				if !coded(err) && err != io.EOF && err != io.ErrUnexpectedEOF {
					t.Fatalf("got %v", err)
				}
				break
			}
			out = append(out, rawFrame(frame)...)
		}
		if !bytes.HasPrefix(in, out) {
			t.Fatalf("read %x of %x", out, in)
		}
	})
}

// stepReader gives a few bytes at a time.
type stepReader struct {
	r    io.Reader
	step int
}

func (s *stepReader) Read(p []byte) (int, error) { return s.r.Read(p[:min(len(p), s.step)]) }

// Whatever item comes, from either side, Decode returns a message that can be sent on and comes
// back the same, or an error with a code. What it takes is well-formed.
func FuzzDecode(f *testing.F) {
	for _, m := range samples() {
		f.Add(frameOf(f, m.message)[headBytes:], m.from == FromDaemon)
	}
	for _, b := range bad() {
		if len(b.item) < 1<<10 {
			f.Add(b.item, b.from == FromDaemon)
		}
	}
	f.Fuzz(func(t *testing.T, item []byte, daemon bool) {
		from := FromClient
		if daemon {
			from = FromDaemon
		}
		fuzzFirst(t, item)
		m, err := Decode(from, item)
		if err != nil {
			if !coded(err) || m != nil {
				t.Fatalf("got %v, %v", m, err)
			}
			return
		}
		if err := cbor.Wellformed(item); err != nil {
			t.Fatalf("took %x: %v", item, err)
		}
		if Describe(m) == "" {
			t.Fatalf("%T has no description", m)
		}
		again := sendAgain(t, from, m)
		if third := sendAgain(t, from, again); !bytes.Equal(mustAppend(t, again), mustAppend(t, third)) {
			t.Fatalf("%T does not settle", m)
		}
	})
}

func fuzzFirst(t *testing.T, item []byte) {
	if s, err := DecodeServer(item); err == nil {
		if d, err := DecodeServer(mustAppend(t, s)[headBytes:]); err != nil || d.PID != s.PID {
			t.Fatalf("server: %+v, %v", d, err)
		}
	} else if !coded(err) {
		t.Fatalf("server: %v", err)
	}
	if c, err := DecodeClient(item); err == nil {
		if d, err := DecodeClient(mustAppend(t, c)[headBytes:]); err != nil || d.Protocol != c.Protocol {
			t.Fatalf("client: %+v, %v", d, err)
		}
	} else if !coded(err) {
		t.Fatalf("client: %v", err)
	}
}

func mustAppend(t *testing.T, m Message) []byte {
	b, err := Append(nil, m)
	if err != nil {
		t.Fatalf("%T: %v", m, err)
	}
	return b
}

func sendAgain(t *testing.T, from Side, m Message) Message {
	b := mustAppend(t, m)
	again, err := Decode(from, b[headBytes:])
	if err != nil {
		t.Fatalf("sent again: %v: %x", err, b)
	}
	return again
}

// Whatever chunks come, the assembler holds no more than its limit.
func FuzzAssembler(f *testing.F) {
	state := bufferState(f, "hello")
	f.Add(chunksOf(f, state)[0].Bytes, uint8(3))
	f.Fuzz(func(t *testing.T, data []byte, step uint8) {
		const limit = 1 << 12
		a := NewSnapshotAssembler(limit)
		n := int(step)%64 + 1
		for i := 0; len(data) > 0; i++ {
			piece := data[:min(n, len(data))]
			data = data[len(piece):]
			_, _, err := a.Add(&SnapshotChunk{Shard: buf.Shard(), Index: i, Last: len(data) == 0,
				Bytes: piece})
			if err != nil && !coded(err) {
				t.Fatalf("got %v", err)
			}
			if a.held > limit {
				t.Fatalf("%d bytes held", a.held)
			}
			if err != nil {
				return
			}
		}
	})
}

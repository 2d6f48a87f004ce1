package proto

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"apex/core"

	"pgregory.net/rapid"
)

// rawFrame makes a frame of an item.
func rawFrame(item []byte) []byte {
	return append(binary.BigEndian.AppendUint32(nil, uint32(len(item))), item...)
}

// However a stream is cut into reads, the same frames come out, each in a slice of its own.
func TestReaderCuts(t *testing.T) {
	sizes := []int{1, 2, readerBytes, firstBytes, firstBytes + 1, firstBytes * growth, 1 << 20, 7}
	var stream []byte
	for i, n := range sizes {
		stream = append(stream, rawFrame(bytes.Repeat([]byte{byte(i + 1)}, n))...)
	}
	for name, r := range map[string]io.Reader{
		"whole":        bytes.NewReader(stream),
		"byte by byte": iotest.OneByteReader(bytes.NewReader(stream)),
		"halves":       iotest.HalfReader(bytes.NewReader(stream)),
		"late error":   iotest.DataErrReader(bytes.NewReader(stream)),
	} {
		reader := NewReader(r)
		var got [][]byte
		for {
			f, err := reader.ReadFrame()
			if err == io.EOF {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			got = append(got, f)
		}
		if len(got) != len(sizes) {
			t.Fatalf("%s: %d frames, want %d", name, len(got), len(sizes))
		}
		for i, f := range got {
			if want := bytes.Repeat([]byte{byte(i + 1)}, sizes[i]); !bytes.Equal(f, want) {
				t.Errorf("%s: frame %d of %d bytes differs", name, i, len(f))
			}
		}
	}
}

func TestReaderRefuses(t *testing.T) {
	over := binary.BigEndian.AppendUint32(nil, MaxFrame+1)
	for _, tt := range []struct {
		name string
		in   []byte
		code core.Code // or
		err  error
	}{
		{"nothing", nil, "", io.EOF},
		{"half a length", []byte{0, 0}, "", io.ErrUnexpectedEOF},
		{"no item", []byte{0, 0, 0, 0}, core.CodeBadRequest, nil},
		{"4 GiB", []byte{0xff, 0xff, 0xff, 0xff, 1, 2, 3}, core.CodeTooLarge, nil},
		{"one byte too many", over, core.CodeTooLarge, nil},
		{"item that does not come", []byte{0, 0, 0, 9}, "", io.ErrUnexpectedEOF},
		{"item that is cut", []byte{0, 0, 0, 9, 1, 2}, "", io.ErrUnexpectedEOF},
		{"item that is cut behind 64 KiB", append([]byte{0, 2, 0, 0}, make([]byte, firstBytes)...), "",
			io.ErrUnexpectedEOF},
		{"text", []byte("GET / HTTP/1.1\r\n\r\n"), core.CodeTooLarge, nil},
	} {
		f, err := NewReader(bytes.NewReader(tt.in)).ReadFrame()
		if f != nil || err == nil {
			t.Errorf("%s: got a frame of %d bytes, %v", tt.name, len(f), err)
		}
		if tt.err != nil && err != tt.err {
			t.Errorf("%s: got %v, want %v", tt.name, err, tt.err)
		}
		if e := new(core.Error); tt.code != "" && (!errors.As(err, &e) || e.Code != tt.code) {
			t.Errorf("%s: got %v, want %s", tt.name, err, tt.code)
		}
	}
}

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}

// A length that is claimed costs nothing; only what arrives does.
// hasty is a stream whose deadline passes after every byte.
type hasty struct {
	r    io.Reader
	late bool
}

func (h *hasty) Read(b []byte) (int, error) {
	if h.late = !h.late; h.late {
		return 0, os.ErrDeadlineExceeded
	}
	return h.r.Read(b[:1])
}

// TestReaderGoesOn: a deadline may pass anywhere in a frame, and nothing is lost.
func TestReaderGoesOn(t *testing.T) {
	var stream []byte
	want := []string{"a", "bc", strings.Repeat("d", 300)}
	for _, w := range want {
		stream = binary.BigEndian.AppendUint32(stream, uint32(len(w)))
		stream = append(stream, w...)
	}
	r := NewReader(&hasty{r: bytes.NewReader(stream)})
	var got []string
	late := 0
	for {
		b, err := r.ReadFrame()
		if errors.Is(err, os.ErrDeadlineExceeded) {
			late++
			continue
		}
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, string(b))
	}
	if !slices.Equal(got, want) || late < len(stream) {
		t.Errorf("got %q after %d deadlines, want %q", got, late, want)
	}
}

func TestClaimedLengthCostsNothing(t *testing.T) {
	claim := binary.BigEndian.AppendUint32(nil, MaxFrame)
	for _, tt := range []struct {
		sent  int
		limit uint64
	}{
		{0, 2 * firstBytes},
		{100, 2 * firstBytes},
		{firstBytes, 2 * firstBytes * (1 + growth)},
	} {
		in := append(bytes.Clone(claim), make([]byte, tt.sent)...)
		got := allocated(func() {
			if _, err := NewReader(bytes.NewReader(in)).ReadFrame(); err != io.ErrUnexpectedEOF {
				t.Errorf("got %v", err)
			}
		})
		if got > tt.limit {
			t.Errorf("%d bytes of a claimed %d cost %d, at most %d", tt.sent, MaxFrame, got, tt.limit)
		}
	}
}

// Reader reads what Append wrote through a real socket pair, while both ends run.
func TestStream(t *testing.T) {
	a, b := net.Pipe()
	want := samples()
	go func() {
		defer a.Close()
		var out []byte
		for _, m := range want {
			out, _ = Append(out, m.message)
		}
		a.Write(out)
	}()
	r := NewReader(b)
	for _, m := range want {
		f, err := r.ReadFrame()
		if err != nil {
			t.Fatal(err)
		}
		if got := frameOf(t, m.message)[headBytes:]; !bytes.Equal(f, got) {
			t.Fatalf("%s: got %x, want %x", m.name, f, got)
		}
	}
	if _, err := r.ReadFrame(); err != io.EOF {
		t.Fatalf("got %v, want EOF", err)
	}
}

func TestAppendRefuses(t *testing.T) {
	huge := &Return{ID: 1, Reply: &Text{Bytes: make([]byte, MaxFrame)}}
	for _, tt := range []struct {
		m    Message
		code core.Code
	}{
		{huge, core.CodeTooLarge},
		{nil, core.CodeInternal},
		{"text", core.CodeInternal},
		{&core.Hello{}, core.CodeInternal},
		{&core.Welcome{}, core.CodeInternal},
		{&core.Snapshot{}, core.CodeInternal},
		{&Ping{}, core.CodeInternal}, // without its Call
		{&Call{ID: 1}, core.CodeInternal},
		{&Return{ID: 1}, core.CodeInternal},
	} {
		dst := []byte("before")
		got, err := Append(dst, tt.m)
		if core.CodeOf(err) != tt.code || string(got) != "before" {
			t.Errorf("%T: got %q, %v, want %s", tt.m, got, err, tt.code)
		}
	}
}

// Frames are appended behind what is there.
func TestAppendAppends(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		all := samples()
		var out, want []byte
		for _, i := range rapid.SliceOf(rapid.IntRange(0, len(all)-1)).Draw(t, "messages") {
			one, err := Append(nil, all[i].message)
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, one...)
			if out, err = Append(out, all[i].message); err != nil {
				t.Fatal(err)
			}
		}
		if !bytes.Equal(out, want) {
			t.Fatalf("got %x, want %x", out, want)
		}
	})
}

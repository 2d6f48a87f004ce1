package holder

import (
	"bytes"
	"errors"
	"testing"
	"unsafe"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"
)

// smallRing is a ring of a size that a property wraps often.
func smallRing(kept, window int) *ring {
	words := make([]uint64, headerBytes/8) // aligned as a mapping is
	head := (*header)(unsafe.Pointer(&words[0]))
	return &ring{head: head, data: make([]byte, kept+window), window: uint64(window)}
}

// A ring gives back the newest bytes that were put in, whoever was killed in between, and keeps its
// window zero.
func TestRingIsTheEndOfTheStream(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		window := rapid.IntRange(1, 20).Draw(t, "window")
		kept := rapid.IntRange(window, 50).Draw(t, "kept")
		r := smallRing(kept, window)
		var stream []byte
		t.Repeat(map[string]func(*rapid.T){
			"read": func(t *rapid.T) {
				room := r.room()
				n := rapid.IntRange(1, len(room)).Draw(t, "n")
				b := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "bytes")
				from := r.written()
				copy(room, b)
				r.put(n)
				stream = append(stream, b...)
				if got := r.view(from, r.written()); !bytes.Equal(got, b) {
					t.Fatalf("view %q, want %q", got, b)
				}
			},
			"killed in a read": func(t *rapid.T) {
				room := r.room()
				n := rapid.IntRange(1, len(room)).Draw(t, "n")
				b := rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, "bytes")
				copy(room, b)
				want := bytes.TrimRight(b, "\x00")
				if got := r.recover(); got != len(want) {
					t.Fatalf("recovered %d of %q", got, b)
				}
				stream = append(stream, want...)
			},
			"killed after the window was cleared": func(t *rapid.T) {
				room := r.room()
				copy(room, "x")
				r.each(r.written()+r.window, r.written()+r.window+1, func(b []byte) { clear(b) })
				r.recover()
				stream = append(stream, 'x')
			},
			"": func(t *rapid.T) { checkRing(t, r, stream, kept) },
		})
	})
}

func checkRing(t *rapid.T, r *ring, stream []byte, kept int) {
	if got := r.written(); got != uint64(len(stream)) {
		t.Fatalf("written %d, want %d", got, len(stream))
	}
	oldest := max(len(stream)-kept, 0)
	if got := r.oldest(); got != uint64(oldest) {
		t.Fatalf("oldest %d, want %d", got, oldest)
	}
	from := rapid.IntRange(0, len(stream)+1).Draw(t, "from")
	got, err := r.bytes(uint64(from))
	var gap *GapError
	switch {
	case from > len(stream):
		if err == nil || errors.Is(err, ErrGap) {
			t.Fatalf("bytes from beyond the end: %v", err)
		}
	case from < oldest:
		if !errors.As(err, &gap) || gap.Oldest != uint64(oldest) || gap.From != uint64(from) {
			t.Fatalf("bytes from %d: %v, want a gap up to %d", from, err, oldest)
		}
	case err != nil || !bytes.Equal(got, stream[from:]):
		t.Fatalf("bytes from %d: %q, %v, want %q", from, got, err, stream[from:])
	}
	r.each(r.written(), r.written()+r.window, func(b []byte) {
		if len(bytes.Trim(b, "\x00")) > 0 {
			t.Fatalf("window %q, want zeros", b)
		}
	})
}

// A memory file that is none, or of a layout that is not known, is refused and never read beyond.
func TestForeignMemory(t *testing.T) {
	whole := int64(headerBytes + RingBytes + windowBytes)
	tests := []struct {
		name   string
		size   int64
		change func(*header)
	}{
		{"empty", 0, nil},
		{"short", 100, nil},
		{"blank", whole, func(h *header) { h.magic = 0 }},
		{"version", whole, func(h *header) { h.version++ }},
		{"longer than the file", whole, func(h *header) { h.dataBytes += 4096 }},
		{"header longer than the file", whole, func(h *header) { h.headerBytes = 1 << 31 }},
		{"no window", whole, func(h *header) { h.windowBytes = 0 }},
		{"mostly window", whole, func(h *header) { h.windowBytes = h.dataBytes/2 + 1 }},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			fd, err := memoryFile("apex-test", test.size)
			if err != nil {
				t.Fatal(err)
			}
			defer unix.Close(fd)
			if test.change != nil {
				r, err := mapRing(fd, true)
				if err != nil {
					t.Fatal(err)
				}
				test.change(r.head)
				defer r.unmap()
			}
			if r, err := mapRing(fd, false); err == nil {
				t.Errorf("mapped, with %d bytes of data", len(r.data))
			}
		})
	}
}

package journal

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"

	"apex/daemon/disk/disktest"
)

// scanAll scans bytes as a file of generation 1 and writes down what it finds.
func scanAll(t *testing.T, b []byte) []string {
	t.Helper()
	d := disktest.New(1)
	d.SetBytes("/tmp/f", b)
	f, err := d.Mount().OpenFile("/tmp/f", 0)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for s := newScanner(f, 1, 0, int64(len(b))); ; {
		it, err := s.next()
		switch {
		case err == io.EOF:
			return found
		case err != nil:
			t.Fatal(err)
		case it.bad != "":
			found = append(found, fmt.Sprintf("bad %d", it.length))
		default:
			found = append(found, fmt.Sprintf("%d %s", it.header.sequence, it.payload))
		}
	}
}

// records builds the bytes of a file with some records, beginning at an offset.
func records(off int64, generation uint64, numbers ...uint64) []byte {
	w := frameWriter{generation: generation, off: off}
	for _, n := range numbers {
		_ = w.frame(header{kind: kindRecord, sequence: n}, fmt.Appendf(nil, "r%d", n))
	}
	return w.buf
}

const recordSize = headerSize + 2

// After bytes that are no frame only a frame that was written to this place of this generation, and
// belongs after what came before, is one.
func TestScannerGoesOnWithNothingForeign(t *testing.T) {
	junk := bytes.Repeat([]byte("aj"), 50)
	at := int64(recordSize + len(junk))
	for name, c := range map[string]struct {
		next []byte
		want []string
	}{
		"the next record":      {records(at, 1, 8), []string{"7 r7", "bad 100", "8 r8"}},
		"a later record":       {records(at, 1, 9), []string{"7 r7", "bad 100", "9 r9"}},
		"an earlier record":    {records(at, 1, 6), []string{"7 r7", "bad 146"}},
		"the same record":      {records(at, 1, 7), []string{"7 r7", "bad 146"}},
		"another generation's": {records(at, 2, 8), []string{"7 r7", "bad 146"}},
		"from another place":   {records(at-1, 1, 8), []string{"7 r7", "bad 146"}},
		"4 GiB further on":     {records(at+1<<32, 1, 8), []string{"7 r7", "bad 146"}},
	} {
		b := slices.Concat(records(0, 1, 7), junk, c.next)
		if got := scanAll(t, b); !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", name, got, c.want)
		}
	}
}

// A frame whose header is intact says where the next one is, so what its payload looks like does
// not matter.
func TestScannerTrustsAnIntactHeader(t *testing.T) {
	inner := records(recordSize+headerSize, 1, 8)
	w := frameWriter{generation: 1, off: recordSize}
	_ = w.frame(header{kind: kindRecord, sequence: 8}, inner)
	_ = w.frame(header{kind: kindRecord, sequence: 9}, []byte("r9"))
	b := append(records(0, 1, 7), w.buf...)
	want := []string{"7 r7", "8 " + string(inner), "9 r9"}
	if got := scanAll(t, b); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
	b[recordSize+headerSize+recordSize-1] ^= 1 // the payload's last byte
	want = []string{"7 r7", fmt.Sprintf("bad %d", headerSize+recordSize), "9 r9"}
	if got := scanAll(t, b); !slices.Equal(got, want) {
		t.Fatalf("got %q, want %q", got, want)
	}
}

// Frames of every size around the window's are read whole.
func TestScannerWindow(t *testing.T) {
	w := frameWriter{generation: 1}
	const fits = windowSize - headerSize
	sizes := []int{0, fits - 1, fits, fits + 1,
		1, 3 * windowSize, windowSize / 2, windowSize / 2, windowSize/2 + 1}
	d := disktest.New(1)
	f, err := d.Mount().OpenFile("/tmp/f", os.O_RDWR|os.O_CREATE)
	if err != nil {
		t.Fatal(err)
	}
	w.file = f
	for i, size := range sizes {
		payload := bytes.Repeat([]byte{byte('a' + i)}, size)
		if err := w.frame(header{kind: kindRecord, sequence: uint64(i + 1)}, payload); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.flush(); err != nil {
		t.Fatal(err)
	}
	s := newScanner(f, 1, 0, w.off)
	for i, size := range sizes {
		it, err := s.next()
		want := bytes.Repeat([]byte{byte('a' + i)}, size)
		if err != nil || it.bad != "" || !bytes.Equal(it.payload, want) {
			t.Fatalf("frame %d: got %d bytes, %s, %v; want %d",
				i, len(it.payload), it.bad, err, size)
		}
	}
	if _, err := s.next(); err != io.EOF {
		t.Fatalf("got %v, want the end", err)
	}
	if cap(s.window) > windowSize {
		t.Fatalf("the window has kept %d bytes after a large frame", cap(s.window))
	}
}

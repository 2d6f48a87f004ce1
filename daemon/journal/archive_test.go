package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"
)

// archived is an archive of some parts.
func archived(t testing.TB, parts ...string) []byte {
	var b bytes.Buffer
	w := NewArchiveWriter(&b)
	for i, p := range parts {
		if err := w.Part(fmt.Sprint("part", i), int64(len(p)), func(w io.Writer) error {
			_, err := io.WriteString(w, p)
			return err
		}); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readArchive reads all parts.
func readArchive(r io.Reader) (parts []string, err error) {
	a, err := NewArchiveReader(r)
	if err != nil {
		return nil, err
	}
	for {
		key, size, err := a.Next()
		if err == io.EOF {
			return parts, nil
		}
		if err != nil {
			return parts, err
		}
		b, err := io.ReadAll(a)
		if err != nil {
			return parts, err
		}
		if int64(len(b)) != size || key != fmt.Sprint("part", len(parts)) {
			return parts, fmt.Errorf("part %s of %d bytes, said to be %d", key, len(b), size)
		}
		parts = append(parts, string(b))
	}
}

// What is archived is read again, however it arrives; what is not read of a part is skipped.
func TestArchive(t *testing.T) {
	want := []string{"", "one", strings.Repeat("x", chunkSize), strings.Repeat("yz", chunkSize)}
	file := archived(t, want...)
	for _, r := range []io.Reader{bytes.NewReader(file), iotest.OneByteReader(bytes.NewReader(file)),
		iotest.DataErrReader(bytes.NewReader(file))} {
		got, err := readArchive(r)
		if err != nil || strings.Join(got, ",") != strings.Join(want, ",") {
			t.Errorf("%d parts, %v", len(got), err)
		}
	}
	a, err := NewArchiveReader(bytes.NewReader(file))
	n := 0
	for ; err == nil; n++ {
		_, _, err = a.Next()
	}
	if err != io.EOF || n != len(want)+1 {
		t.Errorf("skipped %d parts: %v", n-1, err)
	}
}

// A part that is not as long as was said is an error of who writes.
func TestArchiveOfAnotherSize(t *testing.T) {
	for _, size := range []int64{0, 2, 4, chunkSize + 3} {
		w := NewArchiveWriter(io.Discard)
		err := w.Part("a", size, func(w io.Writer) error {
			_, err := io.WriteString(w, "abc")
			return err
		})
		if err == nil || w.Close() == nil {
			t.Errorf("three bytes are taken for %d", size)
		}
	}
}

// Every byte of an archive matters, and so does every cut.
func TestArchiveDamaged(t *testing.T) {
	file := archived(t, "one", "two")
	for at := range file {
		for bit := range 8 {
			b := bytes.Clone(file)
			b[at] ^= 1 << bit
			_, err := readArchive(bytes.NewReader(b))
			if !errors.Is(err, ErrArchive) && !errors.Is(err, ErrNotArchive) && !errors.Is(err, ErrNewer) {
				t.Fatalf("bit %d of byte %d: %v", bit, at, err)
			}
		}
		if _, err := readArchive(bytes.NewReader(file[:at])); err == nil {
			t.Fatalf("cut at %d: no error", at)
		}
	}
	if _, err := readArchive(bytes.NewReader(append(file, 0))); !errors.Is(err, ErrArchive) {
		t.Errorf("something behind it: %v", err)
	}
}

// FuzzArchive gives the reader any bytes: it ends, says by code what is wrong, and gives no more
// than there was.
func FuzzArchive(f *testing.F) {
	whole := archived(f, "one", "", strings.Repeat("x", 100))
	f.Add(whole)
	f.Add(whole[:len(whole)-40])
	f.Add([]byte(archiveMagic))
	f.Fuzz(func(t *testing.T, b []byte) {
		a, err := NewArchiveReader(bytes.NewReader(b))
		total := 0
		for err == nil {
			if _, _, err = a.Next(); err != nil {
				break
			}
			var part []byte
			part, err = io.ReadAll(a)
			total += len(part)
		}
		if total > len(b) {
			t.Fatalf("%d bytes of %d", total, len(b))
		}
		if err != io.EOF && !errors.Is(err, ErrArchive) && !errors.Is(err, ErrNotArchive) &&
			!errors.Is(err, ErrNewer) {
			t.Fatal(err)
		}
	})
}

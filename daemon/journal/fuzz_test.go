package journal

import (
	"bytes"
	"io"
	"testing"

	"apex/daemon/disk/disktest"
)

// FuzzScanner gives the frame decoder any bytes: it ends, keeps its promises about order and place,
// and what it calls a frame encodes to the same bytes again.
func FuzzScanner(f *testing.F) {
	d := disktest.New(1)
	w := frameWriter{generation: 1, buf: nil}
	_ = w.frame(header{kind: kindBegin, sequence: 1}, begin{base: 3, snapshot: 70}.append(nil))
	_ = w.frame(header{kind: kindEnd, sequence: 2}, end{base: 3}.append(nil))
	_ = w.frame(header{kind: kindRecord, sequence: 4, stored: 9}, []byte("four"))
	_ = w.frame(header{kind: kindRecord, sequence: 5, behind: 1}, nil)
	whole := w.buf
	f.Add(whole)
	f.Add(append(bytes.Clone(whole), make([]byte, 1000)...))
	f.Add(append(bytes.Clone(whole[:150]), whole[100:]...))
	f.Add(whole[:len(whole)-3])
	f.Fuzz(func(t *testing.T, b []byte) {
		d.SetBytes("/tmp/f", b)
		file, err := d.Mount().OpenFile("/tmp/f", 0)
		if err != nil {
			t.Fatal(err)
		}
		at, record := int64(0), uint64(0)
		for s := newScanner(file, 1, 0, int64(len(b))); ; {
			it, err := s.next()
			if err == io.EOF {
				if !zero(b[at:]) {
					t.Fatalf("the end at %d, but more follows", at)
				}
				return
			}
			if err != nil {
				return // a newer version's
			}
			if it.off != at || it.length <= 0 || it.off+it.length > int64(len(b)) {
				t.Fatalf("got an item of %d bytes at %d, want it at %d", it.length, it.off, at)
			}
			at += it.length
			if it.bad != "" {
				continue
			}
			checkFrame(t, b, it, &record)
		}
	})
}

func checkFrame(t *testing.T, b []byte, it item, record *uint64) {
	t.Helper()
	again := append(appendHeader(nil, it.header, it.off), it.payload...)
	if !bytes.Equal(again, b[it.off:it.off+it.length]) {
		t.Fatalf("the frame at %d encodes to other bytes", it.off)
	}
	if it.header.kind != kindRecord {
		return
	}
	if it.header.sequence <= *record {
		t.Fatalf("got record %d after %d", it.header.sequence, *record)
	}
	*record = it.header.sequence
}

// FuzzRecover gives Recover a file of any bytes after a sample's intact beginning: it ends without
// a panic, and a second time it gives the same.
func FuzzRecover(f *testing.F) {
	d := disktest.New(1)
	j, _ := Open(d.Mount(), dir, Options{})
	_, _ = j.Recover(&log{})
	_, _ = j.Append([]byte("one"))
	_ = j.Rotate([]Part{text("a", "A"), text("b", "B")}, 1)
	_, _ = j.Append([]byte("two"))
	_ = j.Close()
	whole, err := d.Bytes(dir + "/" + second)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(0, whole)
	f.Add(len(whole)/2, []byte("x"))
	f.Add(len(whole), make([]byte, 600))
	f.Fuzz(func(t *testing.T, keep int, b []byte) {
		d := disktest.New(1)
		content := append(bytes.Clone(whole[:min(max(keep, 0), len(whole))]), b...)
		d.SetBytes("/tmp/"+second, content)
		first, err := recoverAll(t, d)
		again, errAgain := recoverAll(t, d)
		if first != again || (err == nil) != (errAgain == nil) {
			t.Fatalf("got first\n%s %v\nthen\n%s %v", first, err, again, errAgain)
		}
	})
}

func recoverAll(t *testing.T, d *disktest.Disk) (string, error) {
	t.Helper()
	j, err := Open(d.Mount(), "/tmp", Options{})
	if err != nil {
		t.Fatal(err)
	}
	var l log
	_, err = j.Recover(&l)
	if err == nil {
		err = j.Close()
	}
	return l.String(), err
}

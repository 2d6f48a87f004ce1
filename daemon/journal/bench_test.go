package journal

import (
	"io"
	"os"
	"testing"
	"time"

	"apex/daemon/disk"
)

// BenchmarkCommit is one small record until it is durable, against a plain append and fdatasync of
// the same bytes on the same disk.
func BenchmarkCommit(b *testing.B) {
	for _, size := range []int{100, 4 << 20} {
		payload := make([]byte, size)
		name := map[int]string{100: "100B", 4 << 20: "4MB"}[size]
		b.Run(name+"/raw", func(b *testing.B) { rawAppends(b, payload) })
		b.Run(name+"/journal", func(b *testing.B) {
			done := make(chan uint64, 1)
			j, err := Open(disk.OS, b.TempDir(), Options{Durable: func(n uint64) { done <- n }})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := j.Recover(discard{}); err != nil {
				b.Fatal(err)
			}
			b.SetBytes(int64(size))
			for b.Loop() {
				if _, err := j.Append(payload); err != nil {
					b.Fatal(err)
				}
				<-done
			}
			if err := j.Close(); err != nil {
				b.Fatal(err)
			}
		})
	}
}

func rawAppends(b *testing.B, payload []byte) {
	f, err := disk.OS.OpenFile(b.TempDir()+"/raw", os.O_RDWR|os.O_CREATE)
	if err != nil {
		b.Fatal(err)
	}
	defer f.Close()
	b.SetBytes(int64(len(payload)))
	for off := int64(0); b.Loop(); off += int64(len(payload)) {
		if _, err := f.WriteAt(payload, off); err != nil {
			b.Fatal(err)
		}
		if err := f.Sync(); err != nil {
			b.Fatal(err)
		}
	}
}

// counter is a receiver that looks at each record's first byte.
type counter struct{ records, bytes int }

func (c *counter) Part(_ string, data []byte) { c.bytes += len(data) }
func (c *counter) Record(_ uint64, _ time.Time, payload []byte) {
	c.records++
	c.bytes += len(payload)
}
func (c *counter) Damage(Damage) {}
func (c *counter) Reset()        {}

// BenchmarkRecover is 100,000 records of 100 bytes, and a snapshot of 100 MB, against reading the
// file.
func BenchmarkRecover(b *testing.B) {
	dir := b.TempDir()
	b.Run("records", func(b *testing.B) { recoverBench(b, dir+"/records", 100_000, 0) })
	b.Run("snapshot", func(b *testing.B) { recoverBench(b, dir+"/snapshot", 0, 100<<20) })
}

func recoverBench(b *testing.B, dir string, records, snapshot int) {
	j, err := Open(disk.OS, dir, Options{HistoryBytes: -1})
	if err != nil {
		b.Fatal(err)
	}
	if _, err := j.Recover(discard{}); err != nil {
		b.Fatal(err)
	}
	data := Part{Key: "s", Data: func(w io.Writer) error {
		_, err := w.Write(make([]byte, snapshot))
		return err
	}}
	if err := j.Rotate([]Part{data}, 0); err != nil {
		b.Fatal(err)
	}
	payload := make([]byte, 100)
	for range records {
		if _, err := j.Append(payload); err != nil {
			b.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
	name := dir + "/" + second
	b.Run("raw", func(b *testing.B) {
		for b.Loop() {
			f, err := os.Open(name)
			if err != nil {
				b.Fatal(err)
			}
			_, err = io.CopyBuffer(io.Discard, struct{ io.Reader }{f}, make([]byte, windowSize))
			if err != nil {
				b.Fatal(err)
			}
			f.Close()
		}
	})
	b.Run("journal", func(b *testing.B) {
		for b.Loop() {
			recoverOnce(b, dir, records, snapshot)
		}
	})
}

func recoverOnce(b *testing.B, dir string, records, snapshot int) {
	j, err := Open(disk.OS, dir, Options{HistoryBytes: -1})
	if err != nil {
		b.Fatal(err)
	}
	c := &counter{}
	if _, err := j.Recover(c); err != nil {
		b.Fatal(err)
	}
	if c.records != records || c.bytes != records*100+snapshot {
		b.Fatalf("got %d records, %d bytes", c.records, c.bytes)
	}
	if err := j.Close(); err != nil {
		b.Fatal(err)
	}
}

package file

import (
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkSave has as its floor the plain write and sync of the same bytes.
func BenchmarkSave(b *testing.B) {
	for _, size := range []struct {
		name  string
		bytes int
	}{{"4kB", 4 << 10}, {"10MB", 10 << 20}} {
		text := random(size.bytes)
		b.Run(size.name+"/floor", func(b *testing.B) {
			p := newPlace(b)
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				f, err := os.Create(filepath.Join(p.dir, "f"))
				if err != nil {
					b.Fatal(err)
				}
				if _, err := f.Write(text); err != nil {
					b.Fatal(err)
				}
				if err := f.Sync(); err != nil {
					b.Fatal(err)
				}
				f.Close()
			}
		})
		for _, way := range ways {
			b.Run(size.name+"/"+way.name, func(b *testing.B) {
				p := newPlace(b)
				way.make(b, p, text)
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					mustSave(b, p, p.path, text, text, way.how)
				}
			})
		}
	}
}

package vt

import (
	"testing"

	"apex/core/cell"
	"apex/term/vt/corpus"
)

// BenchmarkWrite reads output in pieces as large as a pty gives.
func BenchmarkWrite(b *testing.B) {
	for _, k := range corpus.Kinds() {
		b.Run(k.Name, func(b *testing.B) {
			p := k.Make(4 << 20)
			s := New(corpus.Cols, corpus.Rows, Options{})
			b.SetBytes(int64(len(p)))
			b.ReportAllocs()
			for b.Loop() {
				for rest := p; len(rest) > 0; {
					n := min(len(rest), 32<<10)
					s.Write(rest[:n])
					rest = rest[n:]
				}
			}
		})
	}
}

func BenchmarkRows(b *testing.B) {
	s := New(200, 50, Options{})
	s.Write(corpus.SGR(64 << 10))
	var runs []cell.Run
	b.ReportAllocs()
	for b.Loop() {
		for y := range s.rows {
			runs = s.Row(y, runs[:0])
		}
	}
}

func BenchmarkSnapshot(b *testing.B) {
	s := New(200, 50, Options{})
	s.Write(corpus.SGR(1 << 20))
	var p []byte
	b.ReportAllocs()
	for b.Loop() {
		p = s.AppendScreen(p[:0])
	}
}

func BenchmarkResize(b *testing.B) {
	s := New(200, 50, Options{})
	s.Write(corpus.Plain(4 << 20))
	b.ReportAllocs()
	for b.Loop() {
		s.Resize(80, 24)
		s.Resize(200, 50)
	}
}

func BenchmarkFind(b *testing.B) {
	s := New(80, 24, Options{})
	s.Write(corpus.Plain(4 << 20))
	b.ReportAllocs()
	for b.Loop() {
		s.Find(func(uint64, string) []int { return nil }, 0, false)
	}
}

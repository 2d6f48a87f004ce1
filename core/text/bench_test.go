package text

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

const benchBytes = 10 << 20

var benchTexts = []struct{ name, line, key string }{
	{"ascii", "the quick brown fox jumps over the lazy dog, again and again\n", "x"},
	{"cjk", "天地玄黄宇宙洪荒日月盈昃辰宿列张 mixed\n", "你"},
}

func eachText(b *testing.B, f func(b *testing.B, flat []byte, key string)) {
	for _, c := range benchTexts {
		flat := []byte(strings.Repeat(c.line, benchBytes/len(c.line)))
		b.Run(c.name, func(b *testing.B) { f(b, flat, c.key) })
	}
}

func BenchmarkNew(b *testing.B) {
	eachText(b, func(b *testing.B, flat []byte, _ string) {
		b.SetBytes(int64(len(flat)))
		b.ReportAllocs()
		for b.Loop() {
			New(flat)
		}
	})
}

func BenchmarkTyping(b *testing.B) {
	eachText(b, func(b *testing.B, flat []byte, key string) {
		x := New(flat)
		d := x.Edit()
		q := d.Runes() / 2
		for i := 0; b.Loop(); i++ {
			if i%100_000 == 0 {
				d, q = x.Edit(), x.Runes()/2
			}
			d.Replace(q, q, key)
			q++
		}
	})
}

func BenchmarkErase(b *testing.B) {
	eachText(b, func(b *testing.B, flat []byte, _ string) {
		x := New(flat)
		d := x.Edit()
		for b.Loop() {
			q := d.Runes()
			if q == 0 {
				d, q = x.Edit(), x.Runes()
			}
			d.Replace(q-1, q, "")
		}
	})
}

func BenchmarkPaste(b *testing.B) {
	x := New([]byte(strings.Repeat(benchTexts[0].line, benchBytes/60)))
	s := strings.Repeat(benchTexts[0].line, 1<<20/60)
	b.SetBytes(int64(len(s)))
	for b.Loop() {
		x.Replace(x.Runes()/2, x.Runes()/2, s)
	}
}

func BenchmarkRandomInsert(b *testing.B) {
	eachText(b, func(b *testing.B, flat []byte, key string) {
		d := New(flat).Edit()
		rng := rand.New(rand.NewPCG(1, 2))
		b.ReportAllocs()
		for b.Loop() {
			q := rng.IntN(d.Runes())
			d.Replace(q, q, key)
		}
	})
}

func BenchmarkSnapshotEvery(b *testing.B) {
	for _, every := range []int{1, 64} {
		b.Run(fmt.Sprint(every), func(b *testing.B) {
			d := New([]byte(strings.Repeat(benchTexts[0].line, benchBytes/60))).Edit()
			rng := rand.New(rand.NewPCG(1, 2))
			for i := 0; b.Loop(); i++ {
				q := rng.IntN(d.Runes())
				d.Replace(q, q, "x")
				if i%every == 0 {
					d.Text()
				}
			}
		})
	}
}

func BenchmarkOneEditDraft(b *testing.B) {
	eachText(b, func(b *testing.B, flat []byte, key string) {
		x := New(flat)
		q := x.Runes() / 2
		b.ReportAllocs()
		for b.Loop() {
			x = x.Replace(q, q, key)
			q++
		}
	})
}

func BenchmarkLookup(b *testing.B) {
	eachText(b, func(b *testing.B, flat []byte, _ string) {
		x := New(flat)
		rng := rand.New(rand.NewPCG(1, 2))
		for name, f := range map[string]func(){
			"ByteOffset": func() { x.ByteOffset(rng.IntN(x.Runes())) },
			"RuneOffset": func() { x.RuneOffset(rng.IntN(x.Bytes())) },
			"LineStart":  func() { x.LineStart(rng.IntN(x.Newlines())) },
			"LineOf":     func() { x.LineOf(rng.IntN(x.Runes())) },
		} {
			b.Run(name, func(b *testing.B) {
				for b.Loop() {
					f()
				}
			})
		}
	})
}

func BenchmarkIterate(b *testing.B) {
	eachText(b, func(b *testing.B, flat []byte, _ string) {
		x := New(flat)
		dst := make([]byte, 0, x.Bytes())
		b.Run("append", func(b *testing.B) {
			b.SetBytes(int64(len(flat)))
			for b.Loop() {
				dst = x.AppendTo(dst[:0])
			}
		})
		b.Run("runes", func(b *testing.B) {
			b.SetBytes(int64(len(flat)))
			for b.Loop() {
				r := x.Reader(0)
				for {
					if _, _, err := r.ReadRune(); err != nil {
						break
					}
				}
			}
		})
	})
}

func BenchmarkMemory(b *testing.B) {
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	eachText(b, func(b *testing.B, flat []byte, key string) {
		for b.Loop() {
			h := heap()
			d := New(flat).Edit()
			b.ReportMetric(float64(heap()-h)/float64(d.Bytes()), "new-ratio")
			rng := rand.New(rand.NewPCG(1, 2))
			for range 100_000 {
				q := rng.IntN(d.Runes())
				d.Replace(q, q, key)
			}
			b.ReportMetric(float64(heap()-h)/float64(d.Bytes()), "edited-ratio")
			runtime.KeepAlive(d)
		}
	})
}

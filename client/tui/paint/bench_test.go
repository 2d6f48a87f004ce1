package paint

import (
	"testing"

	"apex/core/cell"
)

func benchGrid() *cell.Grid {
	g := cell.NewGrid(200, 60, nil)
	fillText(g, 1)
	return g
}

func report(b *testing.B, bytes int) {
	b.ReportMetric(float64(bytes)/float64(b.N), "bytes/frame")
}

func BenchmarkOneCell(b *testing.B) {
	g := benchGrid()
	p := NewPainter(TrueColour, Caps{Sync: true})
	p.Frame(nil, g, Cursor{10, 30, true, 0})
	var buf []byte
	total, i := 0, 0
	for b.Loop() {
		g.Set(10+i%100, 30, cell.New(rune('a'+i%26), cell.Style{}))
		i++
		buf = p.Frame(buf[:0], g, Cursor{10 + i%100, 30, true, 0})
		total += len(buf)
	}
	report(b, total)
}

func BenchmarkFullChange(b *testing.B) {
	even, odd := benchGrid(), cell.NewGrid(200, 60, nil)
	odd.Copy(even)
	for y := range 60 {
		for x := range 200 {
			c := odd.At(x, y)
			odd.Set(x, y, cell.New(c.Rune()^1, c.Style()))
		}
	}
	p := NewPainter(TrueColour, Caps{Sync: true})
	var buf []byte
	total, i := 0, 0
	for b.Loop() {
		g := even
		if i%2 == 1 {
			g = odd
		}
		i++
		buf = p.Frame(buf[:0], g, Cursor{10, 30, true, 0})
		total += len(buf)
	}
	report(b, total)
}

func BenchmarkScrollByOne(b *testing.B) {
	grids := []*cell.Grid{cell.NewGrid(200, 60, nil), nil}
	fillText(grids[0], 1000)
	grids[1] = cell.NewGrid(200, 60, grids[0].Clusters())
	fillText(grids[1], 1001)
	p := NewPainter(TrueColour, Caps{Sync: true})
	var buf []byte
	total, i := 0, 0
	for b.Loop() {
		buf = p.Frame(buf[:0], grids[i%2], Cursor{10, 30, true, 0})
		i++
		total += len(buf)
	}
	report(b, total)
}

func BenchmarkWidth(b *testing.B) {
	const line = "func (p *Painter) use(c cell.Cell) { // größer 世界 👩‍🚀 }"
	b.SetBytes(int64(len(line)))
	for b.Loop() {
		Width(line)
	}
}

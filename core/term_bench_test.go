package core

import (
	"fmt"
	"slices"
	"testing"

	"apex/core/cell"
)

// colourful is a row as a compiler's or a shell's: 20 runs of changing colours.
func colourful(n, cols int) *TermRow {
	var runs []cell.Run
	for x := 0; x < cols; x += cols / 20 {
		runs = append(runs, cell.Run{Kind: cell.Narrow, Text: fmt.Sprintf("%-*d", cols/20, n+x),
			Style: cell.Style{Fg: cell.Palette(uint8(x))}})
	}
	return NewTermRow(runs, false)
}

// BenchmarkTermScroll is what one line of output costs from state to state: the difference, its
// bytes, its chain value, and a follower that reads and applies it.
func BenchmarkTermScroll(b *testing.B) {
	leader := NewShardState([16]byte{1}, SessionID{2}, testTerm.Shard())
	t := plainTerm(200, 50, 0)
	for y := range t.Grid {
		t.Grid[y] = colourful(y, t.Cols)
	}
	publish := func(was, next *Term) []byte {
		batch := Batch{Shard: leader.Shard, First: leader.Mark.Seq + 1, Ops: TermDiff(was, next)}
		s := &Sealed{Batch: batch, Bytes: batch.Append(nil)}
		var err error
		if leader, err = leader.Apply(s); err != nil {
			b.Fatal(err)
		}
		return s.Bytes
	}
	publish(nil, t)
	follower := leader
	size := 0
	for n := 0; b.Loop(); n++ {
		next := *t
		next.Base++
		next.Grid = append(slices.Clone(t.Grid[1:]), colourful(n, t.Cols))
		bytes := publish(t, &next)
		size += len(bytes)
		s, err := Open(bytes)
		if err != nil {
			b.Fatal(err)
		}
		if follower, err = follower.Apply(s); err != nil {
			b.Fatal(err)
		}
		t = &next
	}
	b.ReportMetric(float64(size)/float64(b.N), "frame-bytes")
}

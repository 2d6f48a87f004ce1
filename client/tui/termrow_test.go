package tui

import (
	"slices"
	"strings"
	"testing"

	"apex/core"
	"apex/core/cell"

	"pgregory.net/rapid"
)

// drawRuns makes a line of runs of every kind.
func drawRuns(t *rapid.T) []cell.Run {
	texts := map[cell.RunKind][]string{
		cell.Narrow: {"a", "bc", "de  f", "é"}, cell.Wide: {"世", "世界"},
		cell.NarrowCluster: {"e\u0301"}, cell.WideCluster: {"👩\u200d🚀"},
	}
	var runs []cell.Run
	for range rapid.IntRange(0, 12).Draw(t, "runs") {
		kind := rapid.SampledFrom([]cell.RunKind{cell.Narrow, cell.Wide, cell.NarrowCluster,
			cell.WideCluster}).Draw(t, "kind")
		text := rapid.SampledFrom(texts[kind]).Draw(t, "text")
		colour := cell.Palette(rapid.Uint8Range(0, 2).Draw(t, "colour"))
		runs = append(runs, cell.Run{Text: text, Kind: kind, Style: cell.Style{Fg: colour}})
	}
	return runs
}

// TestWrapRuns: the rows of a line are the line, none is wider than the width unless a wide
// grapheme has to be, each begins where the one before ended, and none but the last has room for
// what comes.
func TestWrapRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs, width := drawRuns(t), rapid.IntRange(1, 9).Draw(t, "width")
		var text strings.Builder
		col := 0
		rows := wrapRuns(runs, width)
		for i, r := range rows {
			text.WriteString(cell.RowText(r.runs))
			if r.col != col || r.cells != cell.RowCells(r.runs) {
				t.Fatalf("row %d at %d with %d cells, want %d and %d", i, r.col, r.cells, col,
					cell.RowCells(r.runs))
			}
			if r.cells > width && !(width == 1 && r.cells == 2) {
				t.Fatalf("row %d has %d cells in %d", i, r.cells, width)
			}
			if i+1 < len(rows) {
				if next := rows[i+1].runs; r.cells+next[0].Kind.Width() <= width {
					t.Fatalf("row %d has %d cells of %d, and %q is in the next", i, r.cells, width,
						next[0].Text)
				}
			}
			col += r.cells
		}
		if text.String() != cell.RowText(runs) || col != cell.RowCells(runs) {
			t.Fatalf("got %q, want %q", text.String(), cell.RowText(runs))
		}
	})
}

// TestSliceRuns: two parts of a line are the line, and a part has the cells that were asked for, as
// far as graphemes are whole.
func TestSliceRuns(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := drawRuns(t)
		all := cell.RowCells(runs)
		at := rapid.IntRange(0, all+2).Draw(t, "at")
		at = leadOf(runs, at)
		before, after := sliceRuns(runs, 0, at), sliceRuns(runs, at, all)
		if got := cell.RowText(before) + cell.RowText(after); got != cell.RowText(runs) {
			t.Fatalf("at %d: %q and %q, want %q", at, cell.RowText(before), cell.RowText(after),
				cell.RowText(runs))
		}
		if n := cell.RowCells(before); n != min(at, all) {
			t.Fatalf("before %d: %d cells", at, n)
		}
	})
}

// TestTermTextPlaces: runes and cells of a line lead to each other.
func TestTermTextPlaces(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		runs := drawRuns(t)
		l := newTermText(runs)
		for x := range cell.RowCells(runs) + 1 {
			q := l.rune(x)
			if col := l.col(q); col != leadOf(runs, x) {
				t.Fatalf("cell %d: rune %d, which is at %d, want %d", x, q, col, leadOf(runs, x))
			}
		}
		if n := l.text.Runes(); l.rune(cell.RowCells(runs)+5) != n {
			t.Fatalf("behind the end: got %d, want %d", l.rune(cell.RowCells(runs)+5), n)
		}
	})
}

// TestGridSpots: rows that are wrapped are parts of one line, blanks at their ends included.
func TestGridSpots(t *testing.T) {
	row := func(s string, kind cell.RunKind, wrapped bool) *core.TermRow {
		return core.NewTermRow([]cell.Run{{Text: s, Kind: kind}}, wrapped)
	}
	term := &core.Term{Cols: 5, Rows: 5, Base: 7, BaseCol: 5, Grid: []*core.TermRow{
		row("abcd", cell.Narrow, true), row("世", cell.Wide, true), row("x", cell.Narrow, false),
		row("y", cell.Narrow, false), core.NewTermRow(nil, false)}}
	want := []termSpot{{7, 5}, {7, 9}, {7, 14}, {8, 0}, {9, 0}}
	if got := gridSpots(nil, term); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	term.Modes = core.TermAltScreen
	want = []termSpot{{0, 0}, {0, 4}, {0, 9}, {1, 0}, {2, 0}}
	if got := gridSpots(nil, term); !slices.Equal(got, want) {
		t.Errorf("alternate: got %v, want %v", got, want)
	}
}

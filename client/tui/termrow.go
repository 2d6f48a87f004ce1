package tui

import (
	"strings"
	"unicode/utf8"

	"apex/core"
	"apex/core/cell"
)

// sliceRuns returns the part of runs from one cell to another. Of a wide grapheme that begins
// before from nothing is in it, one that begins before to is in it whole.
func sliceRuns(runs []cell.Run, from, to int) []cell.Run {
	var out []cell.Run
	x := 0
	for i := range runs {
		if x >= to {
			break
		}
		r := runs[i]
		n := r.Cells()
		if x+n > from {
			if !r.Kind.Cluster() {
				w := r.Kind.Width()
				first := max((from-x+w-1)/w, 0)
				last := min((to-x+w-1)/w, n/w)
				r.Text = runesOf(r.Text, first, last)
			} else if x < from {
				r.Text = ""
			}
			if r.Text != "" {
				out = append(out, r)
			}
		}
		x += n
	}
	return out
}

// runesOf returns runes from first up to last of s.
func runesOf(s string, first, last int) string {
	if first >= last {
		return ""
	}
	if len(s) == utf8.RuneCountInString(s) {
		return s[first:last]
	}
	from := byteOf(s, first)
	return s[from : from+byteOf(s[from:], last-first)]
}

// byteOf returns where rune n of s begins, at most its end.
func byteOf(s string, n int) int {
	for i := range s {
		if n == 0 {
			return i
		}
		n--
	}
	return len(s)
}

// lineRow is one row of a logical line that is wrapped: a part of its runs, and the cells of the
// line before it.
type lineRow struct {
	runs       []cell.Run
	col, cells int
}

// wrapRuns breaks a line into rows of a width, one at least.
func wrapRuns(runs []cell.Run, width int) []lineRow {
	var rows []lineRow
	col := 0
	for _, r := range cell.Wrap(runs, max(width, 1)) {
		row := lineRow{r, col, cell.RowCells(r)}
		rows = append(rows, row)
		col += row.cells
	}
	return rows
}

// gridSpots appends where in the text each row of a grid begins.
func gridSpots(spots []termSpot, t *core.Term) []termSpot {
	at := termSpot{t.Base, t.BaseCol}
	if t.Modes&core.TermAltScreen != 0 {
		at = termSpot{}
	}
	for y, r := range t.Grid {
		spots = append(spots, at)
		if r.Wrapped {
			at.col += wrappedCells(t, y)
		} else {
			at = termSpot{line: at.line + 1}
		}
	}
	return spots
}

// wrappedCells is how many cells a row that is wrapped adds to its line: all, blanks at its end
// included, but for one that was left because the wide grapheme that came had no room there.
func wrappedCells(t *core.Term, y int) int {
	if n := t.Grid[y].Cells(); n < t.Cols && y+1 < len(t.Grid) {
		if next := t.Grid[y+1].Runs; len(next) > 0 && next[0].Kind.Width() == 2 {
			return max(t.Cols-1, n)
		}
	}
	return t.Cols
}

// lineEnd returns the number of the line after the last that a terminal shows.
func lineEnd(spots []termSpot) uint64 {
	if len(spots) == 0 {
		return 0
	}
	return spots[len(spots)-1].line + 1
}

// blankRun is n blanks.
func blankRun(n int) cell.Run { return cell.Run{Text: strings.Repeat(" ", n), Kind: cell.Narrow} }

package vt

import (
	"strings"

	"apex/core/cell"
)

// HistoryFirst is the number of the oldest line that is kept.
func (s *Screen) HistoryFirst() uint64 { return s.history.first }

// HistoryEnd is the number after the last line that is wholly in the history: the number of the
// line that the first row of the main screen belongs to. Lines before it don't change, and it
// falls only by Resize.
func (s *Screen) HistoryEnd() uint64 { return s.history.closedEnd() }

// End is the number after the last line of the main screen.
func (s *Screen) End() uint64 {
	n := s.HistoryEnd()
	for _, r := range s.main.rows {
		if !r.wrapped {
			n++
		}
	}
	return n
}

// RowLine returns the line that row y of the main screen belongs to, and the cells of that line
// before it.
func (s *Screen) RowLine(y int) (line uint64, col int) {
	s.eachMainRow(func(_ *row, l uint64, c int) bool {
		line, col = l, c
		y--
		return y >= 0
	})
	return line, col
}

// eachMainRow calls f with each row of the main screen, its line, and the cells of the line before
// it, until f returns false.
func (s *Screen) eachMainRow(f func(r *row, line uint64, col int) bool) {
	line, col := s.HistoryEnd(), 0
	if s.history.open {
		col = s.history.openCells
	}
	for _, r := range s.main.rows {
		if !f(r, line, col) {
			return
		}
		if r.wrapped {
			col += r.width()
		} else {
			line, col = line+1, 0
		}
	}
}

// Line returns logical line n, of the history or of the main screen, without the blanks at its
// end. It is false for a line that is not kept or not there yet.
func (s *Screen) Line(n uint64) ([]cell.Run, bool) {
	h := &s.history
	if n < h.first || n >= s.End() {
		return nil, false
	}
	var runs []cell.Run
	if n < h.end() {
		runs = unpackRuns(nil, h.bytesOf(n))
	}
	if n < s.HistoryEnd() {
		return runs, true
	}
	head := len(runs)
	runs = s.tables.appendRuns(runs, s.screenCells(n), false)
	if head > 0 && head < len(runs) && joins(runs[head-1], runs[head]) {
		runs[head-1].Text += runs[head].Text
		runs = append(runs[:head], runs[head+1:]...)
	}
	return runs, true
}

// screenCells returns the part of line n that is on the main screen.
func (s *Screen) screenCells(n uint64) []glyph {
	var cells []glyph
	s.eachMainRow(func(r *row, line uint64, _ int) bool {
		if line == n {
			cells = append(cells, r.line()...)
		}
		return line <= n
	})
	return cells
}

// LineText returns the text of logical line n, and false where Line does.
func (s *Screen) LineText(n uint64) (string, bool) {
	h := &s.history
	if n < h.first || n >= s.End() {
		return "", false
	}
	var b []byte
	if n < h.end() {
		b = packedText(b, h.bytesOf(n))
	}
	if n >= s.HistoryEnd() {
		for _, g := range s.screenCells(n) {
			b = s.tables.appendText(b, g)
		}
	}
	return string(b), true
}

// Match is where Find found something: a line and two byte offsets in its text.
type Match struct {
	Line       uint64
	Start, End int
}

// Find searches the lines from on, or backwards from it, for the first in which match finds
// something; match is given a line's number and its text and returns two offsets, or nil, as
// regexp.Regexp.FindStringIndex does. A match never spans lines.
func (s *Screen) Find(match func(uint64, string) []int, from uint64, backwards bool) (Match, bool) {
	first, end := s.history.first, s.End()
	if first == end || !backwards && from >= end || backwards && from < first {
		return Match{}, false
	}
	n := min(max(from, first), end-1)
	for {
		text, _ := s.LineText(n)
		if at := match(n, text); at != nil {
			return Match{n, at[0], at[1]}, true
		}
		if backwards && n == first || !backwards && n == end-1 {
			return Match{}, false
		}
		if backwards {
			n--
		} else {
			n++
		}
	}
}

func cutByte(s string, b byte) (before, after string, found bool) {
	if i := strings.IndexByte(s, b); i >= 0 {
		return s[:i], s[i+1:], true
	}
	return s, "", false
}

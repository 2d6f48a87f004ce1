package term

import (
	"regexp"
	"unicode/utf8"

	"apex/core/cell"
)

// Lines is a part of what a terminal has printed: logical lines, of the history and the main
// screen.
type Lines struct {
	First, End uint64 // of all lines that there are
	From       uint64 // the number of the first of Lines
	Lines      [][]cell.Run
}

// Lines returns the lines from, up to to, as far as they are there, and at most as many bytes of
// text, but one line at least.
func (t *Terminal) Lines(from, to uint64, maxBytes int) Lines {
	t.mu.Lock()
	defer t.mu.Unlock()
	s := t.screen
	out := Lines{First: s.HistoryFirst(), End: t.end()}
	out.From = min(max(from, out.First), out.End)
	bytes := 0
	for n := out.From; n < min(to, out.End); n++ {
		line, ok := s.Line(n)
		if !ok {
			break
		}
		for _, r := range line {
			bytes += len(r.Text) + len(r.Link)
		}
		if bytes > maxBytes && len(out.Lines) > 0 {
			break
		}
		out.Lines = append(out.Lines, line)
	}
	return out
}

// end is the number after the last line that has something: what is printed from now on is there
// or below.
func (t *Terminal) end() uint64 {
	s := t.screen
	end := s.End()
	for end > s.HistoryEnd() {
		if text, _ := s.LineText(end - 1); text != "" {
			break
		}
		end--
	}
	return end
}

// Match is where Find found something, in cells of a line.
type Match struct {
	Line          uint64
	Column, Cells int
}

// Find searches the lines from a place on, for what begins there or behind it; backwards, for the
// last that begins before it.
func (t *Terminal) Find(re *regexp.Regexp, line uint64, col int, backwards bool) (Match, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	s, end := t.screen, t.end()
	m, ok := s.Find(func(n uint64, text string) (found []int) {
		if n >= end {
			return nil
		}
		var runs []cell.Run
		if n == line {
			runs, _ = s.Line(n)
		}
		for _, at := range re.FindAllStringIndex(text, -1) {
			if n == line && backwards != (column(runs, at[0]) < col) {
				continue
			}
			if found = at; !backwards {
				break
			}
		}
		return found
	}, line, backwards)
	if !ok {
		return Match{}, false
	}
	runs, _ := s.Line(m.Line)
	c := column(runs, m.Start)
	return Match{m.Line, c, column(runs, m.End) - c}, true
}

// column is how many cells the first bytes of a line's text fill.
func column(runs []cell.Run, bytes int) int {
	cells := 0
	for _, r := range runs {
		if bytes >= len(r.Text) {
			bytes -= len(r.Text)
			cells += r.Cells()
			continue
		}
		if !r.Kind.Cluster() {
			cells += r.Kind.Width() * utf8.RuneCountInString(r.Text[:max(bytes, 0)])
		}
		break
	}
	return cells
}

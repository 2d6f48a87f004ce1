package term

import (
	"regexp"

	"apex/core/cell"
	"apex/term/vt"
)

func (t *Terminal) rowText(y int) string { return cell.RowText(t.screen.Row(y, nil)) }

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
	out := Lines{First: s.HistoryFirst(), End: s.End()}
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

// Find searches the lines from one on, or backwards from it.
func (t *Terminal) Find(re *regexp.Regexp, from uint64, backwards bool) (vt.Match, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.Find(re.FindStringIndex, from, backwards)
}

// Marks returns the marks of a shell that are still there.
func (t *Terminal) Marks() []vt.Mark {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.screen.Marks()
}

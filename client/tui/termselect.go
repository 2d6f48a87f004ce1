package tui

import (
	"context"
	"fmt"
	"strings"

	"apex/core"
	"apex/core/cell"
	"apex/core/text"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// termSel is a part of a terminal's text: from one place up to another, either first. It is empty
// if they are the same.
type termSel struct{ anchor, head termSpot }

func (s termSel) empty() bool { return s.anchor == s.head }

// ordered returns the two ends, the first of them first.
func (s termSel) ordered() (from, to termSpot) {
	if s.head.less(s.anchor) {
		return s.head, s.anchor
	}
	return s.anchor, s.head
}

// in returns which cells of a row are in the selection. The row begins at a place and has n cells,
// of which the line's end may be one.
func (s termSel) in(row termSpot, n int) span {
	if s.empty() {
		return span{}
	}
	from, to := s.ordered()
	if to.line < row.line || from.line > row.line {
		return span{}
	}
	out := span{0, n}
	if from.line == row.line {
		out.from = max(from.col-row.col, 0)
	}
	if to.line == row.line {
		out.to = min(to.col-row.col, n)
	}
	if out.from >= out.to {
		return span{}
	}
	return out
}

// spotAt returns the place in the text of a cell of the screen, and the cell's place within its
// row's text at most. Beside and below the text it is the nearest.
func (p *termPane) spotAt(x, y int) termSpot {
	i := min(max(y-p.area.Y, 0), len(p.rows)-1)
	for i > 0 && p.rows[i].grid == nil && p.rows[i].hist == nil {
		i--
	}
	if i < 0 {
		return termSpot{}
	}
	r := &p.rows[i]
	if r.grid == nil && r.hist == nil {
		return r.at
	}
	col := max(x-p.area.X+r.skip, 0)
	s := r.at
	s.col += min(leadOf(r.runs(), col), max(r.cells(p.t)-1, 0))
	return s
}

// leadOf returns col, or where it is the second cell of a wide grapheme, the one before.
func leadOf(runs []cell.Run, col int) int {
	x := 0
	for i := range runs {
		n := runs[i].Cells()
		if col < x+n {
			if runs[i].Kind.Width() == 2 {
				return col - (col-x)%2
			}
			return col
		}
		x += n
	}
	return col
}

// lineRuns returns a logical line as it stands; false where it is not here.
func (p *termPane) lineRuns(n uint64) ([]cell.Run, bool) {
	var runs []cell.Run
	if !p.alt() && (n < p.t.Base || n == p.t.Base && p.t.BaseCol > 0) {
		l := p.lines.lines[n]
		switch {
		case l == nil || !l.whole && (n < p.t.Base || l.open != p.t.BaseCol):
			return nil, false
		case l.whole:
			return l.runs, true
		}
		runs = sliceRuns(l.runs, 0, l.open)
	}
	for y, r := range p.t.Grid {
		if p.spots[y].line != n {
			continue
		}
		runs = append(runs, r.Runs...)
		if fill := wrappedCells(p.t, y) - r.Cells(); r.Wrapped && fill > 0 {
			runs = append(runs, blankRun(fill))
		}
	}
	return runs, true
}

// joinLines makes one text of the lines of a selection, the first and the last cut.
func joinLines(from, to termSpot, line func(uint64) []cell.Run) string {
	var b strings.Builder
	for n := from.line; n <= to.line; n++ {
		runs := line(n)
		if n == to.line {
			runs = sliceRuns(runs, 0, to.col)
		}
		if n == from.line {
			runs = sliceRuns(runs, from.col, cell.RowCells(runs))
		}
		s := cell.RowText(runs)
		if n < to.line {
			s = strings.TrimRight(s, " ") + "\n"
		}
		b.WriteString(s)
	}
	return b.String()
}

// wholeLine is behind the last cell of every line.
const wholeLine = 1 << 30

// textOf returns the text of a selection; false if some of it is not here.
func (p *termPane) textOf(s termSel) (string, bool) {
	from, to := s.ordered()
	if !p.alt() {
		from.line = max(from.line, p.t.First)
	}
	if end := lineEnd(p.spots); to.line >= end && end > 0 {
		to = termSpot{end - 1, wholeLine}
	}
	lines := map[uint64][]cell.Run{}
	for n := from.line; n <= to.line; n++ {
		runs, ok := p.lineRuns(n)
		if !ok {
			return "", false
		}
		lines[n] = runs
	}
	return joinLines(from, to, func(n uint64) []cell.Run { return lines[n] }), true
}

// withText calls then with the text of a selection, when all of it is here.
func (m *Model) withText(p *termPane, s termSel, then func(*Model, string) tea.Cmd) tea.Cmd {
	if p.t == nil {
		return nil
	}
	if text, ok := p.textOf(s); ok {
		return then(m, text)
	}
	from, to := s.ordered()
	session, label, id := m.session, m.label(), p.id
	return call(func(ctx context.Context) (string, error) {
		return readText(ctx, session, label, id, from, to)
	}, func(m *Model, text string, err error) tea.Cmd {
		if err != nil {
			m.fail(err)
			return nil
		}
		return then(m, text)
	})
}

// readText reads a part of a terminal's text.
func readText(
	ctx context.Context, s Session, label string, id core.TermID, from, to termSpot,
) (string, error) {
	lines := map[uint64][]cell.Run{}
	bytes := 0
	for n := from.line; n <= to.line; {
		got, err := reply[*proto.TermText](ctx, s, &proto.TermRead{Session: label,
			Term: id.String(), From: n, To: to.line + 1, Runs: true})
		if err != nil {
			return "", err
		}
		for i := range got.Lines {
			runs := got.Lines[i].Runs
			lines[got.From+uint64(i)] = runs
			bytes += len(cell.RowText(runs))
		}
		if bytes > core.MaxSnarfBytes {
			return "", core.Errorf(core.CodeTooLarge, "a selection of more than %d bytes",
				core.MaxSnarfBytes)
		}
		if !got.More || got.Next <= n {
			break
		}
		n = got.Next
	}
	return joinLines(from, to, func(n uint64) []cell.Run { return lines[n] }), nil
}

// copyTerm puts the selection in the session's snarf buffer and the terminal's clipboard.
func (m *Model) copyTerm(p *termPane) tea.Cmd {
	if p.sel.empty() {
		m.say("Nothing is selected.")
		return nil
	}
	return m.withText(p, p.sel, (*Model).snarf)
}

// snarf keeps a text for pasting, in the session if this client leads it.
func (m *Model) snarf(s string) tea.Cmd {
	if m.leadsAll(core.LayoutShard) && len(s) <= core.MaxSnarfBytes {
		var b core.Bundle
		b.Add(core.LayoutShard, core.Of(&core.Snarf{Text: s}))
		if m.commit(b) {
			m.ownSnarf = ""
		}
	} else {
		m.ownSnarf = s
	}
	if m.message.text == "" {
		m.say(fmt.Sprintf("Copied %d characters.", text.FromString(s).Runes()))
	}
	m.clipboard(s)
	return nil
}

// wholeTerm selects all that is kept.
func (p *termPane) wholeTerm() {
	first := termSpot{}
	if !p.alt() {
		first.line = p.t.First
	}
	p.sel = termSel{first, termSpot{line: lineEnd(p.spots)}}
}

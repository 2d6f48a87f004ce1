package tui

import (
	"context"

	"apex/core"
	"apex/core/cell"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

const (
	// termPageLines is how many lines of a terminal's history are asked for at once: more than a
	// screen of them, and no more than a slow link brings in a moment.
	termPageLines = 128
	// termKeepLines and termKeepBytes bound the lines that are kept: what was scrolled through.
	termKeepLines = 8 << 10
	termKeepBytes = 8 << 20
)

// termLine is a line of a terminal's history.
type termLine struct {
	runs  []cell.Run
	whole bool // it has left the screen; else only the cells before open are known to stay
	open  int
	width int // that rows are for
	rows  []lineRow
}

// wrapped returns the line's rows in a width. Of one that goes on on the screen these are those
// before it.
func (l *termLine) wrapped(width int) []lineRow {
	if l.width != width || l.rows == nil {
		l.width = width
		runs := l.runs
		if !l.whole {
			runs = sliceRuns(runs, 0, l.open)
		}
		l.rows = wrapRuns(runs, width)
	}
	return l.rows
}

// termLines are the lines of a terminal's history that are here. They belong to one size of the
// terminal, for at another lines may come back to the screen and change.
type termLines struct {
	lines      map[uint64]*termLine
	bytes      int
	epoch      int // rises when all that is here or on its way is void
	generation uint64
	cols, rows int
	base       uint64
	asking     bool // a request is on its way
	wanted     bool // lines are missing that were to be shown
	want       uint64
}

// follow takes in a newer state of the terminal.
func (c *termLines) follow(t *core.Term) {
	if c.lines == nil || t.Generation != c.generation || t.Cols != c.cols || t.Rows != c.rows ||
		t.Base < c.base {
		c.drop()
		c.generation, c.cols, c.rows = t.Generation, t.Cols, t.Rows
	}
	c.base = t.Base
}

// drop forgets all lines, and those that are on their way.
func (c *termLines) drop() {
	c.lines, c.bytes = map[uint64]*termLine{}, 0
	c.epoch++
}

// line returns line n of t as far as it is in the history: nil if it has to be asked for first.
func (c *termLines) line(t *core.Term, n uint64) *termLine {
	l := c.lines[n]
	if l != nil && (l.whole || n == t.Base && l.open == t.BaseCol) {
		return l
	}
	if !c.wanted {
		c.wanted, c.want = true, n
	}
	return nil
}

// put keeps lines that were asked for when the terminal was as t.
func (c *termLines) put(t *core.Term, from uint64, lines []proto.TermLine) {
	for i := range lines {
		n := from + uint64(i)
		l := &termLine{runs: lines[i].Runs, whole: n < t.Base}
		if n > t.Base || n == t.Base && t.BaseCol == 0 {
			break
		}
		if !l.whole {
			l.open = t.BaseCol
		}
		if old := c.lines[n]; old != nil {
			c.bytes -= old.bytes()
		}
		c.lines[n] = l
		c.bytes += l.bytes()
	}
}

func (l *termLine) bytes() int {
	n := 0
	for i := range l.runs {
		n += len(l.runs[i].Text) + len(l.runs[i].Link) + 64 // what a run takes itself
	}
	return n
}

// trim forgets lines that are far from the one that is looked at, if there are too many.
func (c *termLines) trim(at uint64) {
	if len(c.lines) <= termKeepLines && c.bytes <= termKeepBytes {
		return
	}
	const near = termPageLines * 2
	for n, l := range c.lines {
		if n+near < at || n > at+near {
			c.bytes -= l.bytes()
			delete(c.lines, n)
		}
	}
}

// fetchLines asks for the lines that drawing found to be missing.
func (m *Model) fetchLines(p *termPane) tea.Cmd {
	c := &p.lines
	if !c.wanted || c.asking || p.t == nil || !m.session.State().Connected {
		return nil
	}
	c.wanted = false
	c.asking = true
	t, epoch, want := p.t, c.epoch, c.want
	from := t.First
	if want >= from+termPageLines/2 {
		from = want - termPageLines/2
	}
	req := &proto.TermRead{Session: m.label(), Term: p.id.String(), From: from,
		To: from + termPageLines, Runs: true}
	s, view := m.session, p.view
	return call(func(ctx context.Context) (*proto.TermText, error) {
		return reply[*proto.TermText](ctx, s, req)
	}, func(m *Model, text *proto.TermText, err error) tea.Cmd {
		c.asking = false
		switch {
		case m.terms.panes[view] != p || c.epoch != epoch:
			return nil
		case err != nil:
			p.owed = 0
			m.fail(err)
			return nil
		}
		c.put(t, text.From, text.Lines)
		m.pay(p)
		c.trim(p.at.line)
		return nil
	})
}

// reply makes a request that is answered by an R.
func reply[R proto.Reply](ctx context.Context, s Session, req proto.Request) (R, error) {
	var none R
	got, err := s.Call(ctx, req)
	if err != nil {
		return none, err
	}
	if r, ok := got.(R); ok {
		return r, nil
	}
	return none, core.Errorf(core.CodeInternal, "reply %T to %T", got, req)
}

package tui

import (
	"apex/core"
	"apex/core/cell"
)

// change is one edit between what a pane shows and what it is to show: runes [b0, b1) of the older
// text became [t0, t1) of the newer one.
type change struct{ b0, b1, t0, t1 int }

// change returns what happened to the text that the pane shows, if that is one edit at the caret and
// nothing else about the pane is another: then the rows above the edit, and those below it that begin
// where they began, needn't be drawn.
func (p *pane) change() (c change, ok bool) {
	have, want := p.have, p.want
	if !p.ok || !want.body || len(p.rows) == 0 || want.buffer.Version <= have.buffer.Version {
		return c, false
	}
	have.buffer, have.q0, have.q1, have.head = want.buffer, want.q0, want.q1, want.head
	if have != want || p.numbersOf(p.have.buffer) != p.numbersOf(want.buffer) {
		return c, false
	}
	if c, ok = edited(p.have.buffer, want.buffer); !ok {
		return c, false
	}
	return c, c.b0 <= p.have.q0 && p.have.q1 <= c.b1 && c.t0 <= want.q0 && want.q1 <= c.t1 &&
		p.rows[0].q0 < c.b0 && c.b0 <= p.rows[len(p.rows)-1].q1
}

// edited returns the one edit between two values of a buffer.
func edited(from, to *core.Buffer) (c change, ok bool) {
	d, ok := to.Since(from.Version)
	if !ok {
		return c, false
	}
	spans := d.Spans(func(t0, t1 int) string {
		c.t0, c.t1 = t0, t1
		return ""
	})
	if len(spans) != 1 {
		return c, false
	}
	c.b0, c.b1 = spans[0].Q0, spans[0].Q1
	return c, true
}

// drawChange draws the rows that an edit changed. The row before the edit's is among them: a glyph at
// the beginning of a row may go up, or become part of the last one there.
func (p *pane) drawChange(v cell.View, r *rows, l look, c change) {
	first := 0
	for first < len(p.rows)-1 && p.rows[first].q1 <= c.b0 {
		first++
	}
	runes, lines := c.t1-c.t0-(c.b1-c.b0), 0
	p.drawRows(v, r, l, max(first-1, 0), func(y int, next row) bool {
		if y >= len(p.rows) || next.q0 <= max(c.t1, p.want.head) || next.q0 != p.rows[y].q0+runes {
			return false
		}
		lines = next.line - p.rows[y].line
		for i := y; i < len(p.rows); i++ {
			p.rows[i].q0 += runes
			p.rows[i].q1 += runes
			p.rows[i].line += lines
		}
		return true
	})
}

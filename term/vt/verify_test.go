package vt

import (
	"fmt"
)

// verify checks what must hold between any two calls.
func (s *Screen) verify() error {
	c := s.cur
	switch {
	case c.x < 0 || c.x >= s.cols || c.y < 0 || c.y >= s.rows:
		return fmt.Errorf("cursor %d,%d outside of %dx%d", c.x, c.y, s.cols, s.rows)
	case c.pending && c.x != s.cols-1:
		return fmt.Errorf("a wrap is pending in column %d of %d", c.x, s.cols)
	case s.top < 0 || s.bottom >= s.rows || s.top > s.bottom:
		return fmt.Errorf("region %d to %d of %d rows", s.top, s.bottom, s.rows)
	case s.top == s.bottom && s.rows > 1:
		return fmt.Errorf("a region of the one row %d", s.top)
	case len(s.tabs) != s.cols:
		return fmt.Errorf("%d tabs for %d columns", len(s.tabs), s.cols)
	}
	for _, g := range s.grids() {
		if g.rows == nil && g == &s.alt {
			continue
		}
		if len(g.rows) != s.rows {
			return fmt.Errorf("%d rows, want %d", len(g.rows), s.rows)
		}
		if g.rows[s.rows-1].wrapped {
			return fmt.Errorf("the last row is wrapped")
		}
		for y, r := range g.rows {
			if err := s.verifyRow(r); err != nil {
				return fmt.Errorf("row %d: %w", y, err)
			}
		}
	}
	return s.verifyHistory()
}

func (s *Screen) verifyRow(r *row) error {
	if len(r.cells) != s.cols {
		return fmt.Errorf("%d cells, want %d", len(r.cells), s.cols)
	}
	for x, g := range r.cells {
		switch {
		case x >= r.used && g != 0:
			return fmt.Errorf("cell %d is %x, but only %d are used", x, g, r.used)
		case int(g.look()) >= len(s.tables.looks):
			return fmt.Errorf("cell %d has look %d of %d", x, g.look(), len(s.tables.looks))
		case g&glyphCluster != 0 && int(g&glyphText) >= len(s.tables.texts):
			return fmt.Errorf("cell %d has cluster %d of %d", x, g&glyphText, len(s.tables.texts))
		case g.isLead() && s.cols > 1 && (x+1 == s.cols || !r.cells[x+1].isTail()):
			return fmt.Errorf("cell %d is a lead without a tail", x)
		case g.isTail() && (x == 0 || !r.cells[x-1].isLead()):
			return fmt.Errorf("cell %d is a tail without a lead", x)
		case g&glyphPad != 0 && (x != s.cols-1 || g&glyphText != 0):
			return fmt.Errorf("cell %d of %d is a pad", x, s.cols)
		}
	}
	width := 0
	for _, run := range s.tables.appendRuns(nil, r.cells, s.cols == 1) {
		if run.Text == "" {
			return fmt.Errorf("an empty run")
		}
		width += run.Cells()
	}
	if width != s.cols {
		return fmt.Errorf("runs are %d cells wide, want %d", width, s.cols)
	}
	return nil
}

func (s *Screen) verifyHistory() error {
	h := &s.history
	if h.open && h.count() == 0 {
		return fmt.Errorf("an open line and no lines")
	}
	if whole := int(h.closedEnd() - h.first); whole > h.lines || h.bytes > h.max && whole > 0 {
		return fmt.Errorf("history of %d lines and %d bytes, want at most %d and %d",
			whole, h.bytes, h.lines, h.max)
	}
	bytes := 0
	for n := h.first; n < h.end(); n++ {
		bytes += len(h.bytesOf(n)) + lineOverhead
		if _, err := s.tables.unpack(nil, h.bytesOf(n), 1<<31-1); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	if bytes != h.bytes {
		return fmt.Errorf("history counts %d bytes, has %d", h.bytes, bytes)
	}
	line := h.first
	for _, m := range h.marks {
		if m.Line < line || m.Line >= h.end() {
			return fmt.Errorf("mark %+v after line %d of %d", m, line, h.end())
		}
		line = m.Line
	}
	return nil
}

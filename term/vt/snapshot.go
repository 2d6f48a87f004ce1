package vt

import (
	"fmt"

	"apex/core/cell"
)

// snapshotVersion is the first byte of a snapshot. It changes with the form of what follows, and
// with the form of packed lines.
const snapshotVersion = 1

const (
	// savedTextMax bounds short strings that only the owner sets.
	savedTextMax = 1 << 10
	// openLineMax bounds the packed part of a line that is still on the screen: a line's cells at
	// the most that one can take without a link, and links up to linkLineMax.
	openLineMax = (LineMaxCells+ColsMax)*(cell.ClusterMaxBytes+24) + linkLineMax + ColsMax*LinkMaxBytes
)

// AppendScreen appends a snapshot of everything but the lines of the history to dst. Restore makes
// a screen of it that can't be told from this one, except that every row counts as changed, whether
// it answers, and that a synchronized update has no start. The same screen always gives the
// same bytes.
func (s *Screen) AppendScreen(dst []byte) []byte {
	c := coder{b: append(dst, snapshotVersion)}
	o := s.opts
	c.options(&o)
	cols, rows := s.cols, s.rows
	c.size(&cols, &rows)
	c.screen(s)
	return c.b
}

// AppendLine appends line n, from HistoryFirst to HistoryEnd, in its packed form to dst. See the
// package comment.
func (s *Screen) AppendLine(dst []byte, n uint64) []byte {
	return append(dst, s.history.bytesOf(n)...)
}

// Restore returns the screen of which screen is a snapshot. lines returns what AppendLine gave for
// a line, or false when that is not there any more; it is asked from the newest to the oldest, and
// the history begins after the first that is missing. What it returns must stay as it is until
// Restore returns. Bytes that are damaged are an error, or another screen, but never more.
func Restore(screen []byte, lines func(n uint64) ([]byte, bool)) (*Screen, error) {
	if len(screen) == 0 || screen[0] != snapshotVersion {
		return nil, fmt.Errorf("snapshot of a screen: version: got %.1x, want %02x", screen,
			snapshotVersion)
	}
	c := coder{b: screen[1:], reading: true}
	var o Options
	var cols, rows int
	c.options(&o)
	c.size(&cols, &rows)
	// A row takes 5 bytes or more: what is too short for its rows isn't worth their memory.
	if c.bad || checkSize(cols, rows) != nil || len(c.b) < 5*rows {
		return nil, errSnapshot
	}
	s := New(cols, rows, o)
	s.opts = o
	s.history.limit(o)
	c.screen(s)
	if c.bad || len(c.b) > 0 {
		return nil, errSnapshot
	}
	if err := s.restoreHistory(lines); err != nil {
		return nil, err
	}
	s.setPen(s.cur.pen)
	return s, nil
}

func (c *coder) options(o *Options) {
	num(c, &o.HistoryLines, 1<<31-1)
	num(c, &o.HistoryBytes, 1<<40)
	c.text(&o.Name, savedTextMax)
	c.require(o.Name == printable(o.Name) && o.Name != "")
	c.boolean(&o.ClipboardReads)
}

func (c *coder) size(cols, rows *int) {
	num(c, cols, ColsMax)
	num(c, rows, RowsMax)
}

// screen is all of s but its size, its options and the lines of its history.
func (c *coder) screen(s *Screen) {
	names := newGlyphNames()
	c.grid(s, &s.main, names)
	onAlt, hasAlt := s.g == &s.alt, s.alt.rows != nil
	c.boolean(&hasAlt)
	c.boolean(&onAlt)
	c.require(hasAlt || !onAlt)
	if c.reading && hasAlt && !c.bad {
		s.alt = newGrid(s.cols, s.rows, s.gen)
	}
	c.grid(s, &s.alt, names)
	if c.reading && onAlt {
		s.g = &s.alt
	}
	c.cursor(s, &s.cur)
	num(c, &s.top, s.rows-1)
	num(c, &s.bottom, s.rows-1)
	c.require(s.top < s.bottom || s.rows == 1)
	c.tabs(s.tabs)
	c.modes(&s.modes)
	c.modes(&s.savedModes)
	c.lastPrinted(&s.last, &s.tables, names)
	c.parser(&s.parser)
	c.told(s)
	c.history(&s.history)
}

func (c *coder) grid(s *Screen, g *grid, names *glyphNames) {
	c.cursor(s, &g.saved)
	list(c, &g.kitty, kittyMax, func(p *uint8) { num(c, p, kittyMask) })
	for _, r := range g.rows {
		if c.bad {
			return
		}
		c.boolean(&r.wrapped)
		num(c, &r.part, 1<<31-1)
		list(c, &r.marks, MarksMax, func(m *rowMark) {
			num(c, &m.seq, 1<<64-1)
			c.markKind(&m.kind)
			signed(c, &m.status, statusMax)
			num(c, &m.x, s.cols-1)
		})
		c.glyphs(&s.tables, r, names)
	}
	c.require(len(g.rows) == 0 || !g.rows[len(g.rows)-1].wrapped)
}

func (c *coder) markKind(p *MarkKind) {
	num(c, p, OutputEnd)
	c.require(*p >= PromptStart)
}

func (c *coder) cursor(s *Screen, p *cursor) {
	num(c, &p.x, s.cols-1)
	num(c, &p.y, s.rows-1)
	c.boolean(&p.pending)
	c.require(!p.pending || p.x == s.cols-1)
	c.boolean(&p.origin)
	c.look(&s.tables, &p.pen)
	for i := range p.charsets {
		num(c, &p.charsets[i], 0x7F)
		c.require(p.charsets[i] == 'B' || p.charsets[i] == '0' || p.charsets[i] == 'A')
	}
	num(c, &p.gl, 3)
	num(c, &p.single, 3)
}

func (c *coder) tabs(tabs []bool) {
	for i := range tabs {
		c.boolean(&tabs[i])
	}
}

func (c *coder) modes(m *modes) {
	num(c, &m.on, modesEnd-1)
	num(c, &m.mouse, MouseMotion)
	num(c, &m.mouseForm, MouseSGRPixels)
	num(c, &m.cursorStyle, cursorStyleMax)
	num(c, &m.modifyKeys, modifyKeysMax)
}

func (c *coder) lastPrinted(l *lastPrinted, t *tables, names *glyphNames) {
	names.what(c, t, &l.what)
	c.require(l.what&(glyphTail|glyphPad) == 0)
	num(c, &l.class, prepend)
	c.boolean(&l.fresh)
}

func (c *coder) parser(p *parser) {
	num(c, &p.state, inStringEscape)
	num(c, &p.count, paramsMax+1)
	for i := range p.list() {
		num(c, &p.params[i], paramMax)
	}
	num(c, &p.sub, 1<<32-1)
	num(c, &p.prefix, '?')
	num(c, &p.inters, len(p.inter)+1)
	for i := range p.inter {
		num(c, &p.inter[i], '/')
	}
	part := p.utf8[:p.utf8Len]
	c.raw(&part, len(p.utf8)-1)
	p.utf8Len = copy(p.utf8[:], part)
	if p.utf8Len > 0 {
		_, n := decode(p.utf8[:p.utf8Len])
		c.require(p.utf8[0] >= 0x80 && n == 0 && p.state == ground)
	}
	c.require(p.count > 0 || p.state != csiHead && p.state != csiParams)
	num(c, &p.kind, otherString)
	c.raw(&p.str, clipboardStringMax)
	c.boolean(&p.overlong)
}

// told is what the program and the owner have told.
func (c *coder) told(s *Screen) {
	c.text(&s.title, TitleMaxBytes)
	list(c, &s.titles, titlesMax, func(p *string) { c.text(p, TitleMaxBytes) })
	c.text(&s.host, hostMaxBytes)
	c.text(&s.dir, DirectoryMaxBytes)
	num(c, &s.progress.State, ProgressPaused)
	num(c, &s.progress.Percent, 100)
	num(c, &s.bells, 1<<64-1)
	num(c, &s.marksSeen, 1<<64-1)
	c.colours(&s.colours)
	c.colours(&s.overrides)
	num(c, &s.overridden, 1<<64-1)
	num(c, &s.cellW, 1<<31-1)
	num(c, &s.cellH, 1<<31-1)
	list(c, &s.events, EventsMax, func(e *Event) {
		num(c, &e.Kind, Notified)
		c.text(&e.Selection, selectionMax)
		c.text(&e.Title, NoticeMaxBytes)
		c.text(&e.Text, ClipboardMaxBytes)
	})
	c.raw(&s.replies, repliesMax)
}

func (c *coder) colours(p *Colours) {
	c.colour(&p.Fg)
	c.colour(&p.Bg)
	c.colour(&p.Cursor)
	for i := range p.Palette {
		c.colour(&p.Palette[i])
	}
}

// history is what of the history is not whole lines. What is read waits in saved for the lines.
func (c *coder) history(h *history) {
	num(c, &h.first, 1<<63)
	whole := int(h.closedEnd() - h.first)
	num(c, &whole, 1<<31-1)
	list(c, &h.marks, MarksMax, func(m *Mark) {
		num(c, &m.Seq, 1<<64-1)
		c.markKind(&m.Kind)
		num(c, &m.Line, 1<<64-1)
		num(c, &m.Col, 1<<31-1)
		signed(c, &m.Status, statusMax)
	})
	open := h.open
	c.boolean(&open)
	var head []byte
	if open && !c.reading {
		head = h.bytesOf(h.end() - 1)
	}
	c.raw(&head, openLineMax)
	if c.reading {
		h.saved = savedHistory{whole: whole, open: open, head: head}
	}
}

// savedHistory is what Restore knows of a history before it has the lines.
type savedHistory struct {
	whole int
	open  bool
	head  []byte
}

// restoreHistory puts the lines of a snapshot into the history.
func (s *Screen) restoreHistory(lines func(n uint64) ([]byte, bool)) error {
	h := &s.history
	saved, marks := h.saved, h.marks
	h.saved, h.marks = savedHistory{}, nil
	end := h.first + uint64(saved.whole)
	var kept [][]byte // newest first
	for n := end; n > h.first && len(kept) < h.lines; n-- {
		b, ok := lines(n - 1)
		if !ok {
			break
		}
		kept = append(kept, b)
	}
	h.first = end - uint64(len(kept))
	for i := range kept {
		line := kept[len(kept)-1-i]
		if _, _, err := scanPacked(line); err != nil {
			return fmt.Errorf("line %d: %w", h.first+uint64(i), err)
		}
		h.begin()
		h.grow(line)
	}
	if saved.open {
		h.begin()
		h.grow(saved.head)
		var err error
		if h.openCells, h.openLook, err = scanPacked(saved.head); err != nil {
			return fmt.Errorf("line %d: %w", h.end()-1, err)
		}
		h.open = true
	}
	for _, m := range marks {
		if n := len(h.marks); m.Line >= h.end() || n > 0 && m.Line < h.marks[n-1].Line {
			return errSnapshot
		}
		if m.Line >= h.first {
			h.marks = append(h.marks, m)
		}
	}
	h.trim()
	return nil
}

// scanPacked checks a packed line and returns the number of its cells and its last look.
func scanPacked(b []byte) (cells int, last packedLook, err error) {
	r := segmentReader{b: b, untrusted: true}
	for {
		more, err := r.next()
		if !more {
			return cells, r.look, err
		}
		cells += cell.Run{Kind: r.kind, Text: string(r.text)}.Cells()
	}
}

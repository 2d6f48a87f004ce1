package vt

import (
	"unicode/utf8"

	"apex/core/cell"
)

// lastPrinted is the grapheme before the cursor, as far as the next rune may join it.
type lastPrinted struct {
	what  uint32 // for REP; 0 when there is nothing to repeat
	class class  // of its last rune
	// fresh says that nothing but printing happened since. Only extending runes join otherwise.
	fresh bool
}

// printASCII writes bytes from 0x20 to 0x7E.
func (s *Screen) printASCII(p []byte) {
	if s.special() || s.last.class == prepend && s.last.fresh {
		for _, b := range p {
			s.printRune(rune(b))
		}
		return
	}
	c := &s.cur
	for rest := p; len(rest) > 0; {
		if c.pending {
			rest = s.wrapOrStay(rest)
		}
		r := s.g.rows[c.y]
		n := min(len(rest), s.cols-c.x)
		if c.x < r.used {
			r.split(c.x)
			r.split(c.x + n)
		}
		cells, id := r.cells[c.x:c.x+n], glyph(s.penID)<<lookShift
		for i, b := range rest[:n] {
			cells[i] = glyph(b) | id
		}
		r.gen = s.gen
		c.x += n
		r.used = max(r.used, c.x)
		if c.x == s.cols {
			c.x, c.pending, r.wrapped = s.cols-1, true, false
		}
		rest = rest[n:]
	}
	s.last = lastPrinted{what: uint32(p[len(p)-1]), fresh: true}
}

// special reports whether characters need more than to be put where the cursor is.
func (s *Screen) special() bool {
	return s.cur.charsets[s.cur.gl] != 'B' || s.cur.single != 0 || s.modes.has(modeInsert)
}

// wrapOrStay goes to the next row. Without autowrap it stays in the last column instead, where of
// what is left only the last character will be seen.
func (s *Screen) wrapOrStay(rest []byte) []byte {
	s.cur.pending = false
	if s.modes.has(modeAutowrap) {
		s.wrap()
		return rest
	}
	return rest[len(rest)-1:]
}

// wrap moves the cursor to the start of the next row, which continues the line.
func (s *Screen) wrap() {
	c := &s.cur
	r := s.g.rows[c.y]
	c.x, c.pending = 0, false
	if c.y != s.bottom && c.y == s.rows-1 {
		return // below the region, nothing scrolls
	}
	part := r.part + s.cols
	if part >= LineMaxCells {
		part = 0
	}
	r.wrapped, r.gen = part > 0, s.gen
	if c.y == s.bottom {
		s.scrollUp(s.top, s.bottom, 1, true)
	} else {
		c.y++
	}
	s.g.rows[c.y].part = part
}

func (s *Screen) printRune(r rune) {
	if s.special() {
		r = s.translate(r)
	}
	width, k := s.classes.of(r)
	if width == 0 || k != simple || s.last.class == prepend {
		if s.join(r, k) || width == 0 {
			return
		}
	}
	s.put(uint32(r), width)
	s.last = lastPrinted{what: uint32(r), class: k, fresh: true}
	if width == 2 {
		s.last.what |= glyphLead
	}
}

// put writes a grapheme at the cursor.
func (s *Screen) put(what uint32, width int) {
	c := &s.cur
	if c.pending {
		c.pending = false
		if s.modes.has(modeAutowrap) {
			s.wrap()
		}
	}
	if width == 2 && s.cols > 1 && c.x == s.cols-1 {
		s.makeRoom()
	}
	r := s.g.rows[c.y]
	n := min(width, s.cols)
	if s.modes.has(modeInsert) {
		s.insertCells(n)
	}
	r.split(c.x)
	r.split(c.x + n)
	r.cells[c.x] = makeGlyph(what, s.penID)
	if width == 2 {
		r.cells[c.x] |= glyphLead
		if n == 2 {
			r.cells[c.x+1] = makeGlyph(glyphTail, s.penID)
		}
	}
	r.gen = s.gen
	c.x += n
	r.used = max(r.used, c.x)
	if c.x == s.cols {
		c.x, c.pending, r.wrapped = s.cols-1, true, false
	}
}

// makeRoom moves the cursor from the last column to where a wide grapheme fits.
func (s *Screen) makeRoom() {
	c := &s.cur
	if !s.modes.has(modeAutowrap) {
		c.x--
		return
	}
	r := s.g.rows[c.y]
	r.split(c.x)
	r.cells[c.x] = makeGlyph(glyphPad, s.eraseID)
	r.used = s.cols
	s.wrap()
}

// emojiStyle is the variation selector that makes pictures of narrow characters: the only rune that
// makes a cluster wider than its first one.
const emojiStyle = 0xFE0F

// join adds r to the grapheme before the cursor, if it belongs to it.
func (s *Screen) join(r rune, k class) bool {
	c := &s.cur
	extends := k == extending || k == joiner
	if !extends && !(s.last.fresh && mayJoin(s.last.class, k)) {
		return false
	}
	x := c.x - 1
	if c.pending {
		x = c.x
	}
	if x < 0 {
		return false
	}
	row := s.g.rows[c.y]
	if row.cells[x].isTail() {
		x--
	}
	if s.tables.full() {
		s.compact()
	}
	g := row.cells[x] &^ glyphPad
	text := s.tables.appendText(s.joined[:0], g)
	n := len(text)
	text = utf8.AppendRune(text, r)
	s.joined = text
	if !extends && !joined(string(text[:n]), string(text[n:])) {
		return false
	}
	s.last.class, s.last.fresh = k, true
	if len(text) > cell.ClusterMaxBytes {
		return true
	}
	what := s.tables.textID(text)
	row.cells[x] = makeGlyph(what, g.look()) | g&glyphLead
	row.gen = s.gen
	row.used = max(row.used, x+1)
	s.last.what = what
	if g.isLead() || r == emojiStyle && clusterWidth(text) == 2 && s.widen(x, what) {
		s.last.what |= glyphLead
	}
	return true
}

// widen makes the grapheme at x, just before the cursor, two columns wide if there is a way.
func (s *Screen) widen(x int, what uint32) bool {
	c := &s.cur
	row := s.g.rows[c.y]
	switch {
	case x+1 < s.cols:
		row.split(x + 2)
		row.cells[x] |= glyphLead
		row.cells[x+1] = makeGlyph(glyphTail, row.cells[x].look())
		row.used = max(row.used, x+2)
		c.x = x + 2
		if c.x == s.cols {
			c.x, c.pending, row.wrapped = s.cols-1, true, false
		}
	case s.cols > 1 && s.modes.has(modeAutowrap):
		c.pending = false
		row.cells[x] = row.cells[x].blank()
		s.put(what, 2)
	default:
		return false
	}
	return true
}

// repeat writes the last grapheme again, n times.
func (s *Screen) repeat(n int) {
	if s.last.what == 0 {
		return
	}
	width := 1
	if s.last.what&glyphLead != 0 {
		width = 2
	}
	for range min(n, s.cols*s.rows) {
		s.put(s.last.what&^glyphLead, width)
	}
	s.last.fresh = true
}

// translate maps r through the character set in use.
func (s *Screen) translate(r rune) rune {
	c := &s.cur
	set := c.charsets[c.gl]
	if c.single != 0 {
		set = c.charsets[c.single]
		c.single = 0
	}
	switch {
	case set == '0' && r >= '_' && r <= '~':
		return decGraphics[r-'_']
	case set == 'A' && r == '#':
		return '£'
	}
	return r
}

// decGraphics is DEC's special graphics set, from 0x5F on.
var decGraphics = [...]rune{' ', '◆', '▒', '␉', '␌', '␍', '␊', '°', '±', '␤', '␋', '┘', '┐', '┌', '└',
	'┼', '⎺', '⎻', '─', '⎼', '⎽', '├', '┤', '┴', '┬', '│', '≤', '≥', 'π', '≠', '£', '·'}

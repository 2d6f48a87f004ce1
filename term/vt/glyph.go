package vt

import (
	"unicode/utf8"

	"apex/core/cell"
)

// glyph is one position of the grid: what it shows in the low half, the index of its look in the
// high half. The zero glyph is a position that nothing was written to, in the default look; it
// shows like a space but is not kept at the end of a line.
type glyph uint64

const (
	glyphText    = 1<<21 - 1 // a rune, or the index of a cluster
	glyphCluster = 1 << 28
	glyphPad     = 1 << 29 // the last column, left free by a wide grapheme that went to the next row
	glyphLead    = 1 << 30 // followed by a tail, except in a row of one column
	glyphTail    = 1 << 31
	glyphWhat    = 1<<32 - 1
	lookShift    = 32
)

func makeGlyph(what, look uint32) glyph { return glyph(what) | glyph(look)<<lookShift }

func (g glyph) what() uint32  { return uint32(g) }
func (g glyph) look() uint32  { return uint32(g >> lookShift) }
func (g glyph) blank() glyph  { return g &^ glyphWhat }
func (g glyph) isTail() bool  { return g&glyphTail != 0 }
func (g glyph) isLead() bool  { return g&glyphLead != 0 }
func (g glyph) skipped() bool { return g&(glyphTail|glyphPad) != 0 }

// look is how a glyph is drawn. Screens hold each distinct look once.
type look struct {
	fg, bg, under cell.Colour
	attr          cell.Attr
	link          uint32
}

func (l look) style() cell.Style { return cell.Style{Fg: l.fg, Bg: l.bg, Attr: l.attr} }

// erased is the look of what is erased while l is the pen: only the background colour stays.
func (l look) erased() look { return look{bg: l.bg} }

// tables hold what glyphs refer to by index: looks, clusters of several runes, and links. They only
// grow; when they have grown past their limits, compact renumbers what is still on the screen.
type tables struct {
	looks     []look
	lookIndex map[look]uint32
	lookCache [lookCacheSize]uint32 // indices of recent looks by hash, 0 where there is none

	texts     []string
	textIndex map[string]uint32

	links     []string
	linkIndex map[string]uint32

	limit int // entries in any table that make compact worth its cost
}

const (
	lookCacheSize = 256
	// tableMin is the number of entries below which a table is left alone.
	tableMin = 1 << 13
)

func newTables() tables {
	return tables{
		looks:     []look{{}},
		lookIndex: map[look]uint32{{}: 0},
		textIndex: map[string]uint32{},
		links:     []string{""},
		linkIndex: map[string]uint32{"": 0},
		limit:     tableMin,
	}
}

// full reports whether a table has grown past its limit.
func (t *tables) full() bool {
	return len(t.looks) > t.limit || len(t.texts) > t.limit || len(t.links) > t.limit
}

func (t *tables) lookID(l look) uint32 {
	h := uint32(l.fg)*0x9E3779B1 ^ uint32(l.bg)*0x85EBCA6B ^ uint32(l.attr)*0xC2B2AE35 ^
		uint32(l.under)*0x27D4EB2F ^ l.link*0x165667B1
	slot := &t.lookCache[(h^h>>15)>>3%lookCacheSize]
	if t.looks[*slot] == l {
		return *slot
	}
	id, ok := t.lookIndex[l]
	if !ok {
		id = uint32(len(t.looks))
		t.looks = append(t.looks, l)
		t.lookIndex[l] = id
	}
	*slot = id
	return id
}

// textID returns the what of a cell that shows text, which is one grapheme.
func (t *tables) textID(text []byte) uint32 {
	if r, n := utf8.DecodeRune(text); n == len(text) {
		return uint32(r)
	}
	if id, ok := t.textIndex[string(text)]; ok {
		return id | glyphCluster
	}
	id := uint32(len(t.texts))
	t.texts = append(t.texts, string(text))
	t.textIndex[t.texts[id]] = id
	return id | glyphCluster
}

func (t *tables) linkID(uri string) uint32 {
	if id, ok := t.linkIndex[uri]; ok {
		return id
	}
	id := uint32(len(t.links))
	t.links = append(t.links, uri)
	t.linkIndex[uri] = id
	return id
}

// appendText appends what g shows: a space for a blank, nothing for a tail.
func (t *tables) appendText(b []byte, g glyph) []byte {
	switch v := g & glyphText; {
	case g.skipped():
		return b
	case g&glyphCluster != 0:
		return append(b, t.texts[v]...)
	case v == 0:
		return append(b, ' ')
	default:
		return utf8.AppendRune(b, rune(v))
	}
}

// compact drops from the tables what no row and no pen refers to.
func (s *Screen) compact() {
	old := s.tables
	s.tables = newTables()
	t := &s.tables
	looks := make([]uint32, len(old.looks)) // new index + 1
	move := func(l look) look {
		l.link = t.linkID(old.links[l.link])
		return l
	}
	for _, g := range s.grids() {
		for _, r := range g.rows {
			for x, c := range r.cells[:r.used] {
				id := c.look()
				if looks[id] == 0 {
					looks[id] = t.lookID(move(old.looks[id])) + 1
				}
				what := c.what()
				if what&glyphCluster != 0 {
					what = what&^(glyphCluster|glyphText) | t.textID([]byte(old.texts[what&glyphText]))
				}
				r.cells[x] = makeGlyph(what, looks[id]-1)
			}
		}
		g.saved.pen = move(g.saved.pen)
	}
	if w := s.last.what; w&glyphCluster != 0 {
		s.last.what = w&^(glyphCluster|glyphText) | t.textID([]byte(old.texts[w&glyphText]))
	}
	s.setPen(move(s.cur.pen))
	t.limit = max(tableMin, 2*max(len(t.looks), len(t.texts), len(t.links)))
}

package vt

import (
	"encoding/binary"
	"errors"
	"unicode/utf8"

	"apex/core/cell"
)

// coder appends values to b, or reads them from it: what is saved is described once, so that
// writing and reading can't differ. Reading checks every value against its limit; after the first
// that is out of bounds everything reads as zero.
type coder struct {
	b       []byte
	reading bool
	bad     bool
}

var errSnapshot = errors.New("snapshot of a screen: malformed")

type integer interface {
	~int | ~int64 | ~uint8 | ~uint16 | ~uint32 | ~uint64
}

// num is a number from 0 to limit.
func num[T integer](c *coder, p *T, limit T) {
	if !c.reading {
		c.b = binary.AppendUvarint(c.b, uint64(*p))
		return
	}
	v, n := binary.Uvarint(c.b)
	if c.bad || n <= 0 || v > uint64(limit) {
		c.bad, *p = true, 0
		return
	}
	c.b = c.b[n:]
	*p = T(v)
}

// signed is a number from -1 to limit.
func signed(c *coder, p *int, limit int) {
	v := *p + 1
	num(c, &v, limit+1)
	*p = v - 1
}

func (c *coder) boolean(p *bool) {
	v := 0
	if *p {
		v = 1
	}
	num(c, &v, 1)
	*p = v == 1
}

// require fails the reading when a value is not as it must be.
func (c *coder) require(ok bool) {
	if c.reading && !ok {
		c.bad = true
	}
}

// raw is bytes, at most limit; what is read is a copy.
func (c *coder) raw(p *[]byte, limit int) {
	n := len(*p)
	num(c, &n, limit)
	if !c.reading {
		c.b = append(c.b, *p...)
		return
	}
	if n > len(c.b) {
		c.bad, n = true, 0
	}
	*p = append([]byte(nil), c.b[:n]...)
	c.b = c.b[n:]
}

// text is a string, at most limit bytes long.
func (c *coder) text(p *string, limit int) {
	b := []byte(*p)
	c.raw(&b, limit)
	*p = string(b)
}

// list is a length, at most limit, and as many values. Each takes a byte or more, so that a length
// is never more than what is there.
func list[T any](c *coder, p *[]T, limit int, each func(*T)) {
	n := len(*p)
	num(c, &n, limit)
	if c.reading {
		if n > len(c.b) {
			c.bad, n = true, 0
		}
		*p = nil
		if n > 0 {
			*p = make([]T, n)
		}
	}
	for i := range *p {
		if c.bad {
			return
		}
		each(&(*p)[i])
	}
}

func (c *coder) colour(p *cell.Colour) {
	num(c, p, 1<<32-1)
	c.require(validColour(*p))
}

func (c *coder) look(t *tables, p *look) {
	c.colour(&p.fg)
	c.colour(&p.bg)
	c.colour(&p.under)
	num(c, &p.attr, cell.AttrMask)
	link := ""
	if !c.reading {
		link = t.links[p.link]
	}
	c.text(&link, LinkMaxBytes)
	if c.reading && !c.bad {
		p.link = t.linkID(link)
	}
}

// glyphs is the cells of a row up to the last that is used. Looks and clusters are numbered in the
// order in which they first come; c's names keep the numbers.
func (c *coder) glyphs(t *tables, r *row, names *glyphNames) {
	num(c, &r.used, len(r.cells))
	for x := 0; x < r.used && !c.bad; {
		n := 1
		if !c.reading {
			for x+n < r.used && r.cells[x+n].look() == r.cells[x].look() {
				n++
			}
		}
		num(c, &n, r.used-x)
		c.require(n > 0)
		id := r.cells[x].look()
		names.look(c, t, &id)
		for i := x; i < x+n && !c.bad; i++ {
			what := r.cells[i].what()
			names.what(c, t, &what)
			r.cells[i] = makeGlyph(what, id)
		}
		x += n
	}
	c.require(r.whole())
}

// whole reports whether leads and tails are in pairs, and pads where they may be.
func (r *row) whole() bool {
	last := len(r.cells) - 1
	for x, g := range r.cells {
		switch {
		case g.isLead() && last > 0 && (x == last || !r.cells[x+1].isTail()),
			g.isTail() && (x == 0 || !r.cells[x-1].isLead()),
			g&glyphPad != 0 && x != last:
			return false
		}
	}
	return true
}

// glyphNames numbers the looks and clusters of a snapshot.
type glyphNames struct {
	looks, texts map[uint32]uint32 // writing: table index to number
	lookIDs      []uint32          // reading: number to table index
	textIDs      []uint32
}

func newGlyphNames() *glyphNames {
	return &glyphNames{looks: map[uint32]uint32{}, texts: map[uint32]uint32{}}
}

// look is 0 and a look that is new, or 1 + its number.
func (n *glyphNames) look(c *coder, t *tables, id *uint32) {
	name, known := n.looks[*id]
	if !known && !c.reading {
		n.looks[*id] = uint32(len(n.looks) + 1)
	}
	num(c, &name, uint32(len(n.lookIDs)))
	if c.reading && name > 0 {
		*id = n.lookIDs[name-1]
		return
	}
	if name > 0 {
		return
	}
	var l look
	if !c.reading {
		l = t.looks[*id]
	}
	c.look(t, &l)
	if c.reading && !c.bad {
		*id = t.lookID(l)
		n.lookIDs = append(n.lookIDs, *id)
	}
}

// The kinds of cells: the text of the first two kinds follows, above the kind and whether the
// cell is a lead.
const (
	cellRune = iota
	cellCluster
	cellTail
	cellPad
	cellShift    = 3
	cellLead     = 4
	cellKindMask = 3
)

func (n *glyphNames) what(c *coder, t *tables, what *uint32) {
	v, kind := *what&glyphText, uint32(cellRune)
	switch w := *what; {
	case w&glyphTail != 0:
		v, kind = 0, cellTail
	case w&glyphPad != 0:
		v, kind = 0, cellPad
	case w&glyphCluster != 0:
		v, kind = n.texts[v], cellCluster
	}
	if *what&glyphLead != 0 {
		kind |= cellLead
	}
	code := v<<cellShift | kind
	num(c, &code, 1<<32-1)
	if c.bad {
		return
	}
	if code&cellKindMask == cellCluster && code>>cellShift == 0 {
		n.newText(c, t, what)
		code |= uint32(len(n.texts)+len(n.textIDs)) << cellShift
	}
	if c.reading {
		*what = n.fromCode(c, code)
	}
}

// newText is a cluster that comes for the first time.
func (n *glyphNames) newText(c *coder, t *tables, what *uint32) {
	text := ""
	if !c.reading {
		text = t.texts[*what&glyphText]
		n.texts[*what&glyphText] = uint32(len(n.texts) + 1)
	}
	c.text(&text, cell.ClusterMaxBytes)
	c.require(validCluster(text))
	if c.reading && !c.bad {
		n.textIDs = append(n.textIDs, t.textID([]byte(text))&glyphText)
	}
}

func (n *glyphNames) fromCode(c *coder, code uint32) uint32 {
	lead := uint32(0)
	if code&cellLead != 0 {
		lead = glyphLead
	}
	v := code >> cellShift
	switch code & cellKindMask {
	case cellRune:
		c.require(v == 0 && lead == 0 || validRune(rune(v)))
		return v | lead
	case cellCluster:
		if v == 0 || int(v) > len(n.textIDs) {
			c.bad = true
			return 0
		}
		return n.textIDs[v-1] | glyphCluster | lead
	}
	c.require(v == 0 && lead == 0)
	if code&cellKindMask == cellTail {
		return glyphTail
	}
	return glyphPad
}

func validRune(r rune) bool { return r >= ' ' && (r < 0x7F || r >= 0xA0) && utf8.ValidRune(r) }

func validCluster(s string) bool {
	if !utf8.ValidString(s) || utf8.RuneCountInString(s) < 2 {
		return false
	}
	for _, r := range s {
		if !validRune(r) {
			return false
		}
	}
	return true
}

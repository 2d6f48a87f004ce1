package vt

import (
	"encoding/binary"
	"errors"
	"slices"
	"unicode/utf8"

	"apex/core/cell"
)

// Lines leave the grid packed, see the package comment for the form: segments of text that look
// alike. A segment says how it looks only when that differs from the segment before it.

const (
	segStyled = 4 // in a segment's head, above the kind
	segShift  = 3

	hasFg    = 1
	hasBg    = 2
	hasUnder = 4
	hasAttr  = 8
	hasLink  = 16
)

// packedLook is a look that means the same in every screen.
type packedLook struct {
	fg, bg, under cell.Colour
	attr          cell.Attr
	link          string
}

func (l packedLook) style() cell.Style { return cell.Style{Fg: l.fg, Bg: l.bg, Attr: l.attr} }

func (t *tables) packedLook(id uint32) packedLook {
	l := &t.looks[id]
	return packedLook{l.fg, l.bg, l.under, l.attr, t.links[l.link]}
}

// pack appends cells to b. last is the look of the segment before them, and then of theirs.
func (t *tables) pack(b []byte, cells []glyph, last *packedLook, links bool) []byte {
	id := ^uint32(0)
	for i := 0; i < len(cells); {
		g := cells[i]
		if g.skipped() {
			i++
			continue
		}
		kind := kindOf(g)
		j, n := t.segment(cells, i, kind)
		head := uint64(n)<<segShift | uint64(kind-cell.Narrow)
		if g.look() == id {
			b = binary.AppendUvarint(b, head)
		} else {
			id = g.look()
			l := t.packedLook(id)
			if !links {
				l.link = ""
			}
			if l == *last {
				b = binary.AppendUvarint(b, head)
			} else {
				b = binary.AppendUvarint(b, head|segStyled)
				b = appendLook(b, l)
				*last = l
			}
		}
		b = t.packText(b, cells[i:j], n)
		i = j
	}
	return b
}

// segment returns the end of the segment that starts at i, and the bytes of its text.
func (t *tables) segment(cells []glyph, i int, kind cell.RunKind) (end, bytes int) {
	g := cells[i]
	if g&glyphCluster != 0 {
		return i + 1, len(t.texts[g&glyphText])
	}
	want := g &^ glyphText
	from := i
	for i < len(cells) && cells[i]&^0x7F == want {
		i++
	}
	bytes = i - from
	for ; i < len(cells); i++ {
		c := cells[i]
		if c&^glyphText != want {
			if kind == cell.Wide && c.isTail() {
				continue
			}
			break
		}
		if r := rune(c & glyphText); r < utf8.RuneSelf {
			bytes++
		} else {
			bytes += utf8.RuneLen(r)
		}
	}
	return i, bytes
}

// packText appends the text of a segment, which has so many bytes.
func (t *tables) packText(b []byte, cells []glyph, bytes int) []byte {
	if bytes == len(cells) && cells[0]&(glyphCluster|glyphLead) == 0 { // ASCII
		at := len(b)
		b = slices.Grow(b, bytes)[:at+bytes]
		for i, g := range cells {
			c := byte(g)
			if c == 0 {
				c = ' '
			}
			b[at+i] = c
		}
		return b
	}
	for _, g := range cells {
		if v := g & (glyphWhat); v < utf8.RuneSelf && v > 0 {
			b = append(b, byte(v))
		} else {
			b = t.appendText(b, g)
		}
	}
	return b
}

func appendLook(b []byte, l packedLook) []byte {
	at := len(b)
	b = append(b, 0)
	field := func(flag byte, v uint64) {
		if v != 0 {
			b[at] |= flag
			b = binary.AppendUvarint(b, v)
		}
	}
	field(hasFg, uint64(l.fg))
	field(hasBg, uint64(l.bg))
	field(hasUnder, uint64(l.under))
	field(hasAttr, uint64(l.attr))
	if l.link != "" {
		field(hasLink, uint64(len(l.link)))
		b = append(b, l.link...)
	}
	return b
}

// segmentReader reads what pack wrote.
type segmentReader struct {
	b []byte
	// untrusted text is checked too, in all but its width: it may come from a damaged disk.
	untrusted bool

	look packedLook
	kind cell.RunKind
	text []byte
}

var errPacked = errors.New("packed line: malformed")

// next reads a segment. It returns false at the end, and an error with it where there is one.
func (r *segmentReader) next() (bool, error) {
	if len(r.b) == 0 {
		return false, nil
	}
	head, ok := r.uint()
	if !ok {
		return false, errPacked
	}
	r.kind = cell.Narrow + cell.RunKind(head&(segStyled-1))
	if head&segStyled != 0 && !r.readLook() {
		return false, errPacked
	}
	n := head >> segShift
	if n == 0 || n > uint64(len(r.b)) {
		return false, errPacked
	}
	r.text, r.b = r.b[:n], r.b[n:]
	if r.untrusted && !r.textValid() {
		return false, errPacked
	}
	return true, nil
}

func (r *segmentReader) textValid() bool {
	if r.kind == cell.NarrowCluster || r.kind == cell.WideCluster {
		return len(r.text) <= cell.ClusterMaxBytes && validCluster(string(r.text))
	}
	for _, v := range string(r.text) {
		if !validRune(v) {
			return false
		}
	}
	return utf8.Valid(r.text)
}

func (r *segmentReader) uint() (uint64, bool) {
	v, n := binary.Uvarint(r.b)
	if n <= 0 {
		return 0, false
	}
	r.b = r.b[n:]
	return v, true
}

func (r *segmentReader) readLook() bool {
	if len(r.b) == 0 {
		return false
	}
	flags, ok := r.b[0], true
	r.b = r.b[1:]
	field := func(flag byte, limit uint64) uint64 {
		if flags&flag == 0 {
			return 0
		}
		v, got := r.uint()
		ok = ok && got && v <= limit
		return v
	}
	colour := func(flag byte) cell.Colour {
		c := cell.Colour(field(flag, 1<<32-1))
		ok = ok && validColour(c)
		return c
	}
	r.look = packedLook{fg: colour(hasFg), bg: colour(hasBg), under: colour(hasUnder)}
	r.look.attr = cell.Attr(field(hasAttr, uint64(cell.AttrMask)))
	n := field(hasLink, LinkMaxBytes)
	if !ok || n > uint64(len(r.b)) {
		return false
	}
	r.look.link, r.b = string(r.b[:n]), r.b[n:]
	return true
}

func validColour(c cell.Colour) bool {
	n, isPalette := c.Palette()
	red, green, blue, isRGB := c.RGB()
	return c == cell.Default || isPalette && c == cell.Palette(n) ||
		isRGB && c == cell.RGB(red, green, blue)
}

// unpack appends the cells of a packed line to cells, every lead with its tail, at most limit.
func (t *tables) unpack(cells []glyph, packed []byte, limit int) ([]glyph, error) {
	r := segmentReader{b: packed}
	for {
		more, err := r.next()
		if !more {
			return cells, err
		}
		l := r.look
		id := t.lookID(look{l.fg, l.bg, l.under, l.attr, t.linkID(l.link)})
		switch r.kind {
		case cell.NarrowCluster:
			cells = append(cells, makeGlyph(t.textID(r.text), id))
		case cell.WideCluster:
			cells = append(cells, makeGlyph(t.textID(r.text)|glyphLead, id), makeGlyph(glyphTail, id))
		default:
			cells = appendRunes(cells, r.text, r.kind, id)
		}
		if len(cells) > limit {
			return nil, errPacked
		}
	}
}

func appendRunes(cells []glyph, text []byte, kind cell.RunKind, id uint32) []glyph {
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		if kind == cell.Wide {
			cells = append(cells, makeGlyph(uint32(r)|glyphLead, id), makeGlyph(glyphTail, id))
		} else {
			cells = append(cells, makeGlyph(uint32(r), id))
		}
	}
	return cells
}

// unpackRuns appends the runs of a packed line to dst. Segments that look alike become one run.
func unpackRuns(dst []cell.Run, packed []byte) []cell.Run {
	text := make([]byte, 0, len(packed))
	first := len(dst)
	var ends []int
	r := segmentReader{b: packed}
	for more, _ := r.next(); more; more, _ = r.next() {
		text = append(text, r.text...)
		run := cell.Run{Kind: r.kind, Style: r.look.style(), Under: r.look.under, Link: r.look.link}
		if n := len(dst); n > first && joins(dst[n-1], run) {
			ends[n-1-first] = len(text)
			continue
		}
		dst = append(dst, run)
		ends = append(ends, len(text))
	}
	all, from := string(text), 0
	for i, end := range ends {
		dst[first+i].Text = all[from:end]
		from = end
	}
	return dst
}

// joins reports whether b's text can go into a's run.
func joins(a, b cell.Run) bool {
	return a.Kind == b.Kind && (a.Kind == cell.Narrow || a.Kind == cell.Wide) &&
		a.Style == b.Style && a.Under == b.Under && a.Link == b.Link
}

// packedText appends the text of a packed line to b.
func packedText(b, packed []byte) []byte {
	r := segmentReader{b: packed}
	for more, _ := r.next(); more; more, _ = r.next() {
		b = append(b, r.text...)
	}
	return b
}

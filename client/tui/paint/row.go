package paint

import (
	"unicode/utf8"

	"apex/core/cell"
)

const (
	// eraseMin is from how many cells that would become blank an erase to the end of the line, with
	// the rendition that it needs, is worth its bytes.
	eraseMin = 5
	// bridgeMax is up to how many unchanged cells are written again rather than jumped over.
	bridgeMax = 3
	// astral is where the planes begin in which terminals of different ages disagree.
	astral = 0x10000
)

// paintChanged paints the rows of next that differ from what is shown. settled says that next knows
// which those can be.
func (p *Painter) paintChanged(next *cell.Grid, settled bool) {
	n := 0
	for y := range p.height {
		p.changed[y] = (!settled || next.Touched(y)) && !sameCells(p.row(y), next.Row(y))
		if p.changed[y] {
			n++
		}
	}
	if n >= scrollMinRows {
		p.scroll(next)
	} else {
		p.forgetHashes()
	}
	for y := range p.height {
		if p.changed[y] {
			p.paintRow(y, p.row(y), next.Row(y))
			copy(p.row(y), next.Row(y))
		}
	}
}

// sameCells compares two rows of one length, a block at a time because the compiler makes one
// comparison of memory of that.
func sameCells(a, b []cell.Cell) bool {
	const block = 32
	for len(a) >= block && len(b) >= block {
		if *(*[block]cell.Cell)(a) != *(*[block]cell.Cell)(b) {
			return false
		}
		a, b = a[block:], b[block:]
	}
	for i := range a {
		if a[i] != b[i] {
			return false
		}
	}
	return true
}

// paintRow paints row y, where was is shown; a nil was means that anything may be.
func (p *Painter) paintRow(y int, was, next []cell.Cell) {
	if p.hasDoubtful(was) || p.hasDoubtful(next) {
		was = nil
	}
	end, erase := p.tailOf(was, next)
	for x := 0; x < end; {
		if was != nil && was[x] == next[x] {
			x++
			continue
		}
		// A tail is never the first cell that differs: its lead would differ too.
		p.reach(x, y, next)
		for first := true; x < end && (first || was == nil || was[x] != next[x]); first = false {
			p.put(next[x])
			x += max(next[x].Width(), 1)
		}
	}
	if erase {
		p.moveTo(end, y)
		p.use(cell.Cell{})
		p.body = append(p.body, "\x1b[K"...)
	}
}

// tailOf returns up to which column next must be painted, and whether the rest is to be erased.
func (p *Painter) tailOf(was, next []cell.Cell) (end int, erase bool) {
	end = len(next)
	for end > 0 && next[end-1] == (cell.Cell{}) {
		end--
	}
	if was == nil {
		return end, end < len(next)
	}
	last := len(was)
	for last > end && was[last-1] == (cell.Cell{}) {
		last--
	}
	if last-end >= eraseMin {
		return end, true
	}
	return last, false
}

// reach brings the cursor to x, y, by writing the cells between again when they are few and alike.
func (p *Painter) reach(x, y int, next []cell.Cell) {
	if p.y == y && p.x >= 0 && p.x < x && x-p.x <= bridgeMax {
		alike := true
		for _, c := range next[p.x:x] {
			r := c.Rune()
			alike = alike && c.Width() == 1 && r < utf8.RuneSelf && p.pen.known && p.pen.cell.SameStyle(c)
		}
		if alike {
			for p.x < x {
				p.put(next[p.x])
			}
			return
		}
	}
	p.moveTo(x, y)
}

// put writes c where the cursor is. The cursor's position is unknown after the last column, and
// after a grapheme that the terminal may see otherwise.
func (p *Painter) put(c cell.Cell) {
	p.use(c)
	width := max(c.Width(), 1)
	if r := c.Rune(); r >= ' ' && r < 0x7F && width == 1 && len(p.last) == 0 {
		p.body = append(p.body, byte(r))
		p.advance(width)
		return
	}
	p.text = p.appendText(p.text[:0], c, width)
	if p.joins(p.text) {
		p.body = appendPosition(p.body, p.x, p.y)
		p.last = p.last[:0]
	}
	if p.doubtful(c) {
		p.putDoubtful(width)
		return
	}
	p.body = append(p.body, p.text...)
	p.last = p.last[:0]
	if r, _ := utf8.DecodeLastRune(p.text); !plain(r) {
		p.last = append(p.last, p.text...)
	}
	p.advance(width)
}

func (p *Painter) advance(width int) {
	p.x += width
	if p.x >= p.width {
		p.x = -1
	}
}

// putDoubtful writes the text that put has made. It writes blanks first, because the terminal may
// think that the text takes fewer cells.
func (p *Painter) putDoubtful(width int) {
	x, y := p.x, p.y
	for range width {
		p.body = append(p.body, ' ')
	}
	p.advance(width)
	p.moveTo(x, y)
	p.body = append(p.body, p.text...)
	p.x, p.last = -1, p.last[:0]
	if x+width < p.width {
		p.moveTo(x+width, y)
	}
}

// doubtful reports whether the terminal may disagree about the cells that c takes.
func (p *Painter) doubtful(c cell.Cell) bool {
	if _, ok := c.Cluster(); ok {
		return !p.caps.Clusters
	}
	return c.Wide() && c.Rune() >= astral && !p.caps.Emoji
}

func (p *Painter) hasDoubtful(row []cell.Cell) bool {
	if p.caps.Clusters && p.caps.Emoji {
		return false
	}
	for _, c := range row {
		if p.doubtful(c) {
			return true
		}
	}
	return false
}

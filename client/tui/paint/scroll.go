package paint

import (
	"math/bits"
	"strconv"

	"apex/core/cell"
)

const (
	// scrollMinRows is from how many changed rows a scroll is looked for.
	scrollMinRows = 4
	// scrollMinGain is how many rows a scroll must spare to be worth its uncertainty.
	scrollMinGain = 3
)

// shift is a scroll of the band of rows top to bottom, both in it, by rows upwards, or downwards
// when negative.
type shift struct{ top, bottom, rows int }

// scroll moves a band of full rows when that spares painting them, and brings what is known about
// the screen up to date. Bands that are not as wide as the screen are left alone: few terminals can
// scroll them.
func (p *Painter) scroll(next *cell.Grid) {
	first, last := p.span()
	for y := first; y <= last; y++ {
		if !p.hashed[y] {
			p.was[y] = hashRow(p.row(y))
		}
		p.want[y] = hashRow(next.Row(y))
	}
	s, gain := p.bestShift(first, last)
	for y := first; y <= last; y++ { // what the rows will show when this frame is done
		p.was[y], p.hashed[y] = p.want[y], true
	}
	if gain < scrollMinGain {
		return
	}
	p.appendShift(s)
	p.shiftCells(s)
	for y := s.top; y <= s.bottom; y++ {
		p.changed[y] = !sameCells(p.row(y), next.Row(y))
	}
}

// forgetHashes drops those of the rows that change.
func (p *Painter) forgetHashes() {
	for y, changed := range p.changed {
		p.hashed[y] = p.hashed[y] && !changed
	}
}

// span returns the first and the last changed row. There must be one.
func (p *Painter) span() (first, last int) {
	for !p.changed[first] {
		first++
	}
	last = p.height - 1
	for !p.changed[last] {
		last--
	}
	return first, last
}

// hashRow mixes the cells in two lanes, so that the multiplications overlap.
func hashRow(row []cell.Cell) uint64 {
	const odd = 0x9E3779B97F4A7C15
	even, other := uint64(len(row)), uint64(odd)
	for len(row) >= 2 {
		even = mix(even, row[0]) * odd
		other = mix(other, row[1]) * odd
		row = row[2:]
	}
	for _, c := range row {
		even = mix(even, c) * odd
	}
	return even ^ bits.RotateLeft64(other, 31)
}

func mix(h uint64, c cell.Cell) uint64 {
	text, fg, bg := c.Bits()
	return bits.RotateLeft64(h, 23) ^ uint64(text) ^ uint64(fg)<<20 ^ uint64(bg)<<38
}

// bestShift looks for the run of rows that stand elsewhere on the screen and spare the most
// painting. The hashes may collide; then rows are painted that need not have been.
func (p *Painter) bestShift(first, last int) (best shift, gain int) {
	for d := first - last; d <= last-first; d++ {
		if d == 0 {
			continue
		}
		from, to := max(first, first-d), min(last, last-d)
		for y := from; y <= to; y++ {
			if !p.changed[y] || p.want[y] != p.was[y+d] {
				continue
			}
			run, spared := y, 0
			for ; run <= to && p.want[run] == p.was[run+d]; run++ {
				if p.changed[run] {
					spared++
				}
			}
			s := shift{min(y, y+d), max(run-1, run-1+d), d}
			if g := spared - p.spoiled(s, y, run); g > gain {
				best, gain = s, g
			}
			y = run - 1
		}
	}
	return best, gain
}

// spoiled counts the rows of the band outside of from to end that were right and won't be.
func (p *Painter) spoiled(s shift, from, end int) int {
	n := 0
	for y := s.top; y <= s.bottom; y++ {
		if (y < from || y >= end) && !p.changed[y] {
			n++
		}
	}
	return n
}

// appendShift scrolls the terminal by deleting or inserting lines at the top of the band, which
// even consoles know that can't scroll by a count.
func (p *Painter) appendShift(s shift) {
	p.use(cell.Cell{}) // new lines get the background of the rendition
	p.body = append(p.body, "\x1b["...)
	p.body = strconv.AppendInt(p.body, int64(s.top)+1, 10)
	p.body = append(p.body, ';')
	p.body = strconv.AppendInt(p.body, int64(s.bottom)+1, 10)
	p.body = append(p.body, 'r')
	p.body = appendPosition(p.body, 0, s.top)
	if s.rows > 0 {
		p.body = appendCSI(p.body, s.rows, 'M')
	} else {
		p.body = appendCSI(p.body, -s.rows, 'L')
	}
	p.body = append(p.body, "\x1b[r"...)
	p.x = -1 // home by the book; not everywhere
}

func (p *Painter) shiftCells(s shift) {
	band := p.cells[s.top*p.width : (s.bottom+1)*p.width]
	n := s.rows * p.width
	if n > 0 {
		copy(band, band[n:])
		clear(band[len(band)-n:])
		return
	}
	copy(band[-n:], band[:len(band)+n])
	clear(band[:-n])
}

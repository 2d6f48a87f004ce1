package tui

import (
	"strconv"
	"unicode/utf8"

	"apex/client/tui/input"
	"apex/core"
	"apex/core/cell"
)

// pane is a text on the screen: a body, a tag, or the top row.
type pane struct {
	view core.View
	want paneState // what it is to show
	have paneState // what it shows, when drawn
	ok   bool      // it was drawn, and nothing was drawn over it

	rows  []row // as drawn, from the top
	flow  flow
	text  cell.Rect // the cells of flow's rows; the caret may stand right of them
	caret spot      // where it was drawn; row below 0 if it is out of sight
}

// spot is a cell of a pane.
type spot struct{ row, cell int }

// paneState is everything that decides what a pane looks like. It is compared, so that a pane which
// would look the same is not drawn again.
type paneState struct {
	buffer   *core.Buffer // an immutable value
	q0, q1   int          // the dot
	head     int          // the caret, at q0 or q1
	origin   int
	left     int
	area     cell.Rect
	settings core.Settings
	body     bool // has a scroll bar, wraps
	focus    bool
	sweep    sweep // by B2 or B3
	flags    tagFlags
	theme    *Theme
}

// tagFlags are what a tag tells beside its text.
type tagFlags struct {
	dirty, stale, loading bool
	held                  int // keys that wait for the lease
	pending               int // of them, or on their way: what is handed to the tool that leads
	working               bool
	unsaved               bool   // a Put was refused
	missing               bool   // the file is gone
	term                  string // how a terminal's program stands
}

const (
	// numbersMinCells is the least width of line numbers: three digits and a blank.
	numbersMinCells = 4
	// textMinCells is the least width that line numbers leave for the text.
	textMinCells = 12
)

// set lays the pane out for a state: where its text goes, and how it flows.
func (p *pane) set(s paneState) {
	p.want = s
	p.text = s.area
	if s.body {
		p.text.X, p.text.W = p.text.X+1, p.text.W-1 // scroll bar
		if n := p.numberCells(); n > 0 {
			p.text.X, p.text.W = p.text.X+n, p.text.W-n
		}
	}
	p.text.W = max(p.text.W-1, 1) // the caret's column
	p.flow = flow{t: s.buffer.Text, width: p.text.W, tab: max(s.settings.TabWidth, 1),
		wrap: s.body && !s.settings.NoWrap, left: s.left}
}

// numberCells is the width of the line numbers, 0 for none.
func (p *pane) numberCells() int { return p.numbersOf(p.want.buffer) }

func (p *pane) numbersOf(b *core.Buffer) int {
	s := &p.want
	if !s.settings.LineNumbers {
		return 0
	}
	n := numbersMinCells
	for lines := b.Text.Newlines() + 1; lines >= 1000; lines /= 10 {
		n++
	}
	if s.area.W-1-n < textMinCells {
		return 0
	}
	return n
}

// draw draws the pane in the grid unless it shows its state already.
func (p *pane) draw(g *cell.Grid, r *rows) {
	if p.ok && p.have == p.want {
		return
	}
	c, small := p.change()
	p.have, p.ok = p.want, true
	wide := p.text
	wide.W++
	v, l := g.View(wide), p.look()
	if small {
		p.drawChange(v, r, l, c)
	} else {
		p.drawRows(v, r, l, 0, nil)
	}
	if p.want.body {
		p.drawNumbers(g)
		p.drawBar(g)
	}
}

// look returns the styles of the pane's text.
func (p *pane) look() look {
	t := p.want.theme
	l := look{t.Text, t.Selected, t.Escape, t.Execute}
	if p.want.sweep.button == input.B3 {
		l.sweep = t.Look
	}
	if p.want.focus {
		l.selected = t.Select
	}
	if !p.want.body {
		l.text = t.Top
		if _, ok := p.view.Window(); ok {
			l.text = t.tag(p.want.focus)
		}
		l.escape = l.text
	}
	return l
}

// tag is the style of a window's tag.
func (t *Theme) tag(focus bool) cell.Style {
	if focus {
		return t.TagFocus
	}
	return t.Tag
}

// look is the styles of a text.
type look struct{ text, selected, escape, sweep cell.Style }

// drawRows draws the text from row y on, and notes which rows it drew and where the caret is. The
// rows above stay as they are. Where stop says so of the row that is to be drawn next, it and those
// below it stay too.
func (p *pane) drawRows(v cell.View, r *rows, l look, y int, stop func(y int, next row) bool) {
	s := &p.want
	p.caret = spot{-1, 0}
	runes := s.buffer.Text.Runes()
	width, height := v.Size()
	from := min(s.origin, runes)
	if y > 0 {
		from = p.rows[y].q0
	}
	r.start(&p.flow, from)
	for ; y < height; y++ {
		if stop != nil && stop(y, r.row) {
			return
		}
		p.drawLine(v, y, r, l)
		if y < len(p.rows) {
			p.rows[y] = r.row
		} else {
			p.rows = append(p.rows, r.row)
		}
		if p.caret.row < 0 && s.head == runes && r.row.holds(runes, runes) && !r.row.cut {
			p.caret = spot{y, r.x}
		}
		if !r.down() {
			p.rows = p.rows[:y+1]
			v.Fill(cell.Rect{Y: y + 1, W: width, H: height - y - 1}, cell.New(' ', l.text))
			return
		}
	}
	p.rows = p.rows[:height]
}

// drawLine draws a row, the blanks behind it, and marks where something is out of sight.
func (p *pane) drawLine(v cell.View, y int, r *rows, l look) {
	t := p.want.theme
	width, _ := v.Size()
	x := p.drawRow(v, y, r, l)
	v.Fill(cell.Rect{X: x, Y: y, W: width - x, H: 1}, cell.New(' ', l.text))
	mark := cell.Style{Fg: t.Number.Fg, Bg: l.text.Bg, Attr: l.text.Attr}
	if r.row.cut {
		v.Set(width-1, y, cell.New(t.Glyphs.CutRight, mark))
	}
	if p.flow.left > 0 && r.row.q1 > r.row.q0+1 {
		v.Set(0, y, cell.New(t.Glyphs.CutLeft, mark))
	}
}

// drawRow draws the glyphs of a row and returns the cell after the last.
func (p *pane) drawRow(v cell.View, y int, r *rows, l look) int {
	s := &p.want
	for r.next() {
		g := &r.g
		style := l.text
		in := g.q < s.q1 && g.q+g.n > s.q0
		if in {
			style = l.selected
		}
		if g.q < s.sweep.q1 && g.q >= s.sweep.q0 {
			in, style = true, l.sweep
		}
		x := r.at()
		if s.head >= g.q && s.head < g.q+g.n && x >= 0 {
			p.caret = spot{y, x}
		}
		switch g.kind {
		case glyphPlain:
			drawPlain(v, x, y, g, style)
		case glyphNewline:
			if in && x >= 0 {
				v.Set(x, y, cell.New(' ', style))
				return x + 1
			}
		case glyphTab:
			v.Fill(cell.Rect{X: x, Y: y, W: g.width, H: 1}, cell.New(' ', style))
		case glyphEscape:
			if !in {
				style = l.escape
			}
			for i, c := range g.shown() {
				v.Set(x+i, y, cell.New(rune(c), style))
			}
		}
	}
	return max(r.x, 0)
}

// drawPlain puts a grapheme at x, y.
func drawPlain(v cell.View, x, y int, g *glyph, style cell.Style) {
	r, n := rune(g.text[0]), 1
	if r >= utf8.RuneSelf || len(g.text) > 1 {
		r, n = utf8.DecodeRune(g.text)
	}
	switch {
	case n < len(g.text):
		v.SetText(x, y, string(g.text), g.width, style)
	case g.width > 1:
		v.Set(x, y, cell.NewWide(r, style))
	default:
		v.Set(x, y, cell.New(r, style))
	}
}

// drawNumbers draws the line numbers beside the rows.
func (p *pane) drawNumbers(g *cell.Grid) {
	n := p.numberCells()
	if n == 0 {
		return
	}
	a, t := p.want.area, p.want.theme
	v := g.View(cell.Rect{X: a.X + 1, Y: a.Y, W: n, H: a.H})
	v.Fill(v.Bounds(), cell.New(' ', t.Number))
	var digits [20]byte
	for y, row := range p.rows {
		if !row.first {
			continue
		}
		b := strconv.AppendInt(digits[:0], int64(row.line)+1, 10)
		for i, c := range b {
			v.Set(n-1-len(b)+i, y, cell.New(rune(c), t.Number))
		}
	}
}

// drawBar draws the scroll bar: its thumb is to the bar as what is shown is to the text.
func (p *pane) drawBar(g *cell.Grid) {
	a, t := p.want.area, p.want.theme
	top, bottom := p.thumb()
	for y := range a.H {
		c := cell.New(t.Glyphs.Track, t.Track)
		if y >= top && y < bottom {
			c = cell.New(t.Glyphs.Thumb, t.Thumb)
		}
		g.Set(a.X, a.Y+y, c)
	}
}

// thumb returns the rows of the scroll bar that the thumb takes.
func (p *pane) thumb() (top, bottom int) {
	h, runes := p.want.area.H, p.want.buffer.Text.Runes()
	if runes == 0 || len(p.rows) == 0 {
		return 0, h
	}
	q0, q1 := p.rows[0].q0, p.rows[len(p.rows)-1].q1
	top = min(q0*h/runes, h-1)
	bottom = max((q1*h+runes-1)/runes, top+1)
	return top, min(bottom, h)
}

// runeAt returns the place in the text of a cell of the screen: the nearest, if it is beside or
// below the text.
func (p *pane) runeAt(r *rows, x, y int) int {
	if len(p.rows) == 0 {
		return 0
	}
	i := min(max(y-p.text.Y, 0), len(p.rows)-1)
	if y-p.text.Y >= len(p.rows) {
		return p.want.buffer.Text.Runes()
	}
	return p.flow.runeIn(r, p.rows[i].q0, max(x-p.text.X, 0))
}

// shows reports whether a caret at q would be in sight if origin were the first rune in view.
func (p *pane) shows(r *rows, origin, q int) bool {
	if q < origin {
		return false
	}
	runes := p.flow.t.Runes()
	r.start(&p.flow, min(origin, runes))
	for range p.text.H {
		for r.next() {
		}
		if r.row.holds(q, runes) {
			return true
		}
		if r.row.q0 > q || !r.down() {
			return false
		}
	}
	return false
}

// reveal returns the origin at which a caret at q is in sight: origin itself if it is there, else
// one that scrolls by as few rows as bring it in, or if it is far away, that puts it a third down.
func (p *pane) reveal(r *rows, origin, q int) int {
	runes := p.flow.t.Runes()
	origin, q = min(origin, runes), min(q, runes)
	if p.shows(r, origin, q) {
		return p.flow.rowAt(r, origin).q0
	}
	if q < origin {
		if near := p.flow.up(r, origin, p.text.H/2); q >= near {
			return p.flow.rowAt(r, q).q0
		}
		return p.flow.up(r, q, p.text.H/3)
	}
	least := p.flow.up(r, q, p.text.H-1)
	if p.shows(r, origin, p.flow.up(r, q, p.text.H/2)) {
		return least
	}
	return p.flow.up(r, q, p.text.H/3)
}

// revealLeft returns the cells to scroll to the left so that a caret at q is in sight in a text
// that doesn't wrap.
func (p *pane) revealLeft(r *rows, q int) int {
	if p.flow.wrap {
		return 0
	}
	f := p.flow
	x := f.cell(r, q)
	if f.left == 0 && x >= 0 && x <= f.width || f.left > 0 && x > 0 && x < f.width {
		return f.left // cell 0 has a mark if something is out of sight there
	}
	begun := f.t.LineStart(f.t.LineOf(q))
	f.left = 0
	if q-begun <= exactCells {
		f.width = exactCells
		if x := f.cell(r, q); x <= p.flow.width {
			return 0
		} else if x <= exactCells {
			return max(x-p.flow.width*2/3, 0)
		}
	}
	return max(q-begun-p.flow.width/3, exactCells+1)
}

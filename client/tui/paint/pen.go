package paint

import (
	"strconv"

	"apex/core/cell"
)

// pen is the graphic rendition that the terminal has, as far as is known.
type pen struct {
	cell  cell.Cell  // as it was asked for, to find quickly that nothing changes
	style cell.Style // as it was sent, in the colours of the profile
	known bool
}

// use makes the terminal draw in c's style.
func (p *Painter) use(c cell.Cell) {
	if p.pen.known && p.pen.cell.SameStyle(c) {
		return
	}
	s := p.profile.fit(c.Style())
	if !p.pen.known || s != p.pen.style {
		p.body = p.appendSGR(p.body, s)
	}
	p.pen = pen{c, s, true}
}

// appendSGR appends the shorter way to the style to: from the present one, or from none.
func (p *Painter) appendSGR(buf []byte, to cell.Style) []byte {
	if to == (cell.Style{}) {
		return append(buf, "\x1b[m"...)
	}
	from := p.pen.style
	if p.pen.known && !less(from, to) {
		return p.appendChange(append(buf, "\x1b["...), from, to)
	}
	start := len(buf)
	var fresh [64]byte
	reset := p.appendChange(append(fresh[:0], "\x1b[0;"...), cell.Style{}, to)
	if p.pen.known {
		buf = p.appendChange(append(buf, "\x1b["...), from, to)
		if len(buf)-start <= len(reset) {
			return buf
		}
	}
	return append(buf[:start], reset...)
}

// less reports whether anything of from is off in to. Otherwise a reset never pays.
func less(from, to cell.Style) bool {
	return from.Attr&^to.Attr != 0 || from.Fg != cell.Default && to.Fg == cell.Default ||
		from.Bg != cell.Default && to.Bg == cell.Default
}

// attrCodes are SGR's codes to turn an attribute on and off. Bold and dim go off together.
var attrCodes = [...]struct {
	bit     cell.Attr
	on, off string
}{
	{cell.Bold, "1;", ""}, {cell.Dim, "2;", ""}, {cell.Italic, "3;", "23;"}, {cell.Blink, "5;", "25;"},
	{cell.Reverse, "7;", "27;"}, {cell.Hidden, "8;", "28;"}, {cell.Strike, "9;", "29;"},
}

// appendChange appends the parameters that lead from one style to another, which differ, and ends
// the sequence.
func (p *Painter) appendChange(buf []byte, from, to cell.Style) []byte {
	if from.Attr != to.Attr {
		buf = p.appendAttrs(buf, from.Attr, to.Attr)
	}
	if from.Fg != to.Fg {
		buf = appendColour(buf, to.Fg, 30)
	}
	if from.Bg != to.Bg {
		buf = appendColour(buf, to.Bg, 40)
	}
	buf[len(buf)-1] = 'm'
	return buf
}

func (p *Painter) appendAttrs(buf []byte, was, to cell.Attr) []byte {
	const weight = cell.Bold | cell.Dim
	if was&^to&weight != 0 {
		buf = append(buf, "22;"...)
		was &^= weight
	}
	for _, a := range attrCodes {
		switch {
		case to&a.bit != 0 && was&a.bit == 0:
			buf = append(buf, a.on...)
		case to&a.bit == 0 && was&a.bit != 0:
			buf = append(buf, a.off...)
		}
	}
	if u := to.Underline(); u != was.Underline() {
		buf = p.appendUnderline(buf, u)
	}
	return buf
}

func (p *Painter) appendUnderline(buf []byte, u cell.Underline) []byte {
	switch {
	case u == cell.NoUnderline:
		return append(buf, "24;"...)
	case u == cell.SingleUnderline || !p.caps.Underlines:
		return append(buf, "4;"...)
	}
	return append(buf, '4', ':', '0'+byte(u), ';')
}

// appendColour appends the parameters for c; base is 30 for the foreground, 40 for the background.
func appendColour(buf []byte, c cell.Colour, base int64) []byte {
	if n, ok := c.Palette(); ok {
		switch {
		case n < 8:
			buf = strconv.AppendInt(buf, base+int64(n), 10)
		case n < 16:
			buf = strconv.AppendInt(buf, base+60+int64(n)-8, 10)
		default:
			buf = append(strconv.AppendInt(buf, base+8, 10), ";5;"...)
			buf = strconv.AppendInt(buf, int64(n), 10)
		}
		return append(buf, ';')
	}
	r, g, b, ok := c.RGB()
	if !ok {
		return append(strconv.AppendInt(buf, base+9, 10), ';')
	}
	buf = append(strconv.AppendInt(buf, base+8, 10), ";2;"...)
	for _, v := range [...]uint8{r, g, b} {
		buf = append(strconv.AppendInt(buf, int64(v), 10), ';')
	}
	return buf
}

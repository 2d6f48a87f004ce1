package vt

import "apex/core/cell"

// sgr sets the pen.
func (s *Screen) sgr() {
	pr := &s.parser
	l := s.cur.pen
	v := pr.list()
	for i := 0; i < len(v); {
		n := 1 // the parameter and its parts
		for i+n < len(v) && pr.sub&(1<<(i+n)) != 0 {
			n++
		}
		switch {
		case v[i] == 38 || v[i] == 48 || v[i] == 58:
			i += l.extendedColour(v[i:], n)
			continue
		case v[i] == 4 && n > 1:
			if v[i+1] <= uint16(cell.DashedUnderline) {
				l.attr = l.attr.WithUnderline(cell.Underline(v[i+1]))
			}
		case n == 1:
			l.set(v[i])
		}
		i += n
	}
	s.setPen(l)
}

// set applies a parameter that stands alone.
func (l *look) set(v uint16) {
	switch {
	case v == 0:
		*l = look{link: l.link}
	case v <= 9:
		l.attr |= attrOf[v]
		if v == 4 {
			l.attr = l.attr.WithUnderline(cell.SingleUnderline)
		}
	case v == 21:
		l.attr = l.attr.WithUnderline(cell.DoubleUnderline)
	case v == 22:
		l.attr &^= cell.Bold | cell.Dim
	case v == 24:
		l.attr = l.attr.WithUnderline(cell.NoUnderline)
	case v == 25:
		l.attr &^= cell.Blink
	case v >= 23 && v <= 29:
		l.attr &^= attrOf[v-20]
	case v >= 30 && v <= 37:
		l.fg = cell.Palette(uint8(v - 30))
	case v == 39:
		l.fg = cell.Default
	case v >= 40 && v <= 47:
		l.bg = cell.Palette(uint8(v - 40))
	case v == 49:
		l.bg = cell.Default
	case v == 59:
		l.under = cell.Default
	case v >= 90 && v <= 97:
		l.fg = cell.Palette(uint8(v - 90 + 8))
	case v >= 100 && v <= 107:
		l.bg = cell.Palette(uint8(v - 100 + 8))
	}
}

// attrOf are the attributes of parameters 1 to 9. The underline is none of these bits.
var attrOf = [10]cell.Attr{1: cell.Bold, 2: cell.Dim, 3: cell.Italic, 5: cell.Blink, 6: cell.Blink,
	7: cell.Reverse, 8: cell.Hidden, 9: cell.Strike}

// extendedColour applies 38, 48 or 58, of which v begins with n parts, and returns how many
// parameters it took. The forms are 38;5;n 38;2;r;g;b 38:5:n 38:2:r:g:b and 38:2:space:r:g:b.
func (l *look) extendedColour(v []uint16, n int) int {
	parts, taken := v[1:n], n
	if n == 1 {
		parts = v[1:]
		switch {
		case len(parts) > 0 && parts[0] == 5:
			taken = 3
		case len(parts) > 0 && parts[0] == 2:
			taken = 5
		default:
			return min(2, len(v))
		}
		taken = min(taken, len(v))
		parts = v[1:taken]
	}
	var c cell.Colour
	switch {
	case len(parts) >= 2 && parts[0] == 5 && parts[1] < 256:
		c = cell.Palette(uint8(parts[1]))
	case len(parts) >= 4 && parts[0] == 2:
		rgb := parts[1:4]
		if n > 1 && len(parts) >= 5 {
			rgb = parts[2:5]
		}
		if max(rgb[0], rgb[1], rgb[2]) > 255 {
			return taken
		}
		c = cell.RGB(uint8(rgb[0]), uint8(rgb[1]), uint8(rgb[2]))
	default:
		return taken
	}
	switch v[0] {
	case 38:
		l.fg = c
	case 48:
		l.bg = c
	case 58:
		l.under = c
	}
	return taken
}

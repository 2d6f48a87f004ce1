package vt

import (
	"strings"

	"apex/core/cell"
)

func kindOf(g glyph) cell.RunKind {
	switch {
	case g&glyphCluster == 0 && !g.isLead():
		return cell.Narrow
	case g&glyphCluster == 0:
		return cell.Wide
	case !g.isLead():
		return cell.NarrowCluster
	}
	return cell.WideCluster
}

// appendRuns appends the runs of cells. When squash is set, in a screen of one column, a grapheme
// that is wide is shown as one U+FFFD.
func (t *tables) appendRuns(dst []cell.Run, cells []glyph, squash bool) []cell.Run {
	if len(cells) == 0 {
		return dst
	}
	text := make([]byte, 0, len(cells)+len(cells)/8)
	first := len(dst)
	ends := make([]int, 0, 32)
	for i := 0; i < len(cells); {
		g := cells[i]
		if g&glyphPad != 0 {
			g &^= glyphPad
		}
		if squash && g.isLead() {
			g = makeGlyph(0xFFFD, g.look())
		}
		kind := kindOf(g)
		text = t.appendText(text, g)
		i++
		if kind == cell.Narrow || kind == cell.Wide {
			text, i = t.extend(text, cells, i, g, kind, squash)
		} else if kind == cell.WideCluster && i < len(cells) && cells[i].isTail() {
			i++
		}
		l := t.looks[g.look()]
		dst = append(dst, cell.Run{Kind: kind, Style: l.style(), Under: l.under,
			Link: t.links[l.link]})
		ends = append(ends, len(text))
	}
	all, from := string(text), 0
	for i, end := range ends {
		dst[first+i].Text = all[from:end]
		from = end
	}
	return dst
}

// extend appends the text of the cells from i on that belong to the run that g began.
func (t *tables) extend(text []byte, cells []glyph, i int, g glyph, kind cell.RunKind,
	squash bool) ([]byte, int) {
	for ; i < len(cells); i++ {
		c := cells[i]
		if c.isTail() && kind == cell.Wide {
			continue
		}
		if c.look() != g.look() || squash && c.isLead() || kindOf(c) != kind || c.isTail() {
			break
		}
		text = t.appendText(text, c&^glyphPad)
	}
	return text, i
}

// printable returns s without anything but printable ASCII.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return -1
		}
		return r
	}, s)
}

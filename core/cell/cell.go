package cell

import "unicode/utf8"

// Cell is one position of a screen: a rune or a cluster, its width, and its style. The zero value
// is a blank in the default style. A space and the zero rune are the same cell, so equality of
// cells is equality of what is seen.
type Cell struct {
	text uint32 // rune or cluster index in bits 0-22, cluster mark in 23, kind in 24-25
	fg   uint32 // Colour in bits 0-25, attributes 0-5 in 26-31
	bg   uint32 // Colour in bits 0-25, attributes 6-9 in 26-29
}

const (
	textValue   = 1<<23 - 1
	textCluster = 1 << 23
	kindLead    = 1 << 24
	kindTail    = 2 << 24
	kindMask    = 3 << 24

	attrShift   = 26
	attrLowBits = 6
	attrLow     = 1<<attrLowBits - 1
)

// New returns a cell one column wide that shows r. A rune that is not a Unicode scalar value shows
// as U+FFFD; control characters are kept, and it is for whoever paints not to send them.
func New(r rune, s Style) Cell { return build(textOf(r), s) }

// NewWide returns the lead cell of a rune that is two columns wide.
func NewWide(r rune, s Style) Cell { return build(textOf(r)|kindLead, s) }

func textOf(r rune) uint32 {
	if r == ' ' {
		return 0
	}
	if !utf8.ValidRune(r) {
		return uint32(utf8.RuneError)
	}
	return uint32(r)
}

func build(text uint32, s Style) Cell {
	a := uint32(s.Attr & AttrMask)
	return Cell{
		text: text,
		fg:   uint32(s.Fg&colourMask) | a<<attrShift,
		bg:   uint32(s.Bg&colourMask) | a>>attrLowBits<<attrShift,
	}
}

// Rune returns the rune that c shows: a space for a blank or a tail, and U+FFFD for a cluster,
// whose text Clusters.Text has.
func (c Cell) Rune() rune {
	switch {
	case c.text&textCluster != 0:
		return utf8.RuneError
	case c.text&textValue == 0:
		return ' '
	}
	return rune(c.text & textValue)
}

// Cluster returns the index of c's cluster in its table, and whether c holds one.
func (c Cell) Cluster() (index int, ok bool) {
	return int(c.text & textValue), c.text&textCluster != 0
}

// Wide reports whether c is the first of the two cells of a wide grapheme.
func (c Cell) Wide() bool { return c.text&kindMask == kindLead }

// Tail reports whether c is the second of the two cells of a wide grapheme.
func (c Cell) Tail() bool { return c.text&kindMask == kindTail }

// Width is the number of columns that c's text takes: 2 for a lead, 0 for a tail, else 1.
func (c Cell) Width() int {
	switch c.text & kindMask {
	case kindLead:
		return 2
	case kindTail:
		return 0
	}
	return 1
}

// Style returns how c looks.
func (c Cell) Style() Style {
	return Style{
		Fg:   Colour(c.fg & colourMask),
		Bg:   Colour(c.bg & colourMask),
		Attr: Attr(c.fg>>attrShift | c.bg>>attrShift<<attrLowBits),
	}
}

// WithStyle returns c with its text and width, looking like s.
func (c Cell) WithStyle(s Style) Cell { return build(c.text, s) }

// SameStyle reports whether c and d look alike apart from their text. It is cheaper than comparing
// two Styles.
func (c Cell) SameStyle(d Cell) bool { return c.fg == d.fg && c.bg == d.bg }

// Bits returns everything that c is, for hashing: two cells are equal when their bits are.
func (c Cell) Bits() (text, fg, bg uint32) { return c.text, c.fg, c.bg }

// tail returns the second half of the lead c.
func (c Cell) tail() Cell { return Cell{text: kindTail, fg: c.fg, bg: c.bg} }

// blank returns a space that looks like c.
func (c Cell) blank() Cell { return Cell{fg: c.fg, bg: c.bg} }

package vt

import (
	"github.com/clipperhouse/displaywidth"
	"github.com/clipperhouse/uax29/v2/graphemes"
)

// class says how a rune joins others to a grapheme cluster. It decides the common cases; the
// others are left to the segmentation of the whole cluster.
type class uint8

const (
	simple    class = iota // joins nothing but what a prepend goes before
	extending              // joins whatever is before it
	joiner                 // U+200D: extending, and a pictograph after it joins
	picture                // joins after a joiner
	conjunct               // joins after something extending, in scripts that have conjuncts
	regional               // joins another one
	hangul                 // joins other hangul
	prepend                // what follows joins it
)

const (
	classShift = 2
	widthMask  = 1<<classShift - 1
	classMask  = 7
	classKnown = 0x80
)

// classes is a cache of width and class by rune, filled as runes come. Asking the tables for each
// rune each time would cost more than everything else that is done with it.
type classes struct {
	blocks [cachedRunes >> 8]*[256]uint8
}

// cachedRunes are the runes that a cache is kept for: the two planes that text is made of.
const cachedRunes = 0x20000

func (c *classes) of(r rune) (width int, k class) {
	if r >= cachedRunes {
		v := classify(r)
		return int(v & widthMask), class(v >> classShift & classMask)
	}
	b := c.blocks[r>>8]
	if b == nil {
		b = new([256]uint8)
		c.blocks[r>>8] = b
	}
	v := b[r&0xFF]
	if v == 0 {
		v = classify(r)
		b[r&0xFF] = v
	}
	return int(v & widthMask), class(v >> classShift & classMask)
}

func classify(r rune) uint8 {
	switch {
	case r < ' ' || r >= 0x7F && r < 0xA0:
		return classKnown
	case r >= cachedRunes && r < 0x3FFFE:
		return classKnown | 2 // ideographs
	}
	width := displaywidth.Rune(r)
	if r == 0xAD {
		width = 1 // a soft hyphen shows in a terminal
	}
	return classKnown | uint8(classOf(r))<<classShift | uint8(min(width, 2))
}

func classOf(r rune) class {
	const (
		heart, virama, ka = "\u2764", "\u094D", "\u0915"
		zwj               = "\u200D"
		leading, trailing = "\u1100", "\u11A8"
	)
	t := string(r)
	switch {
	case r >= 0x1F1E6 && r <= 0x1F1FF:
		return regional
	case t == zwj:
		return joiner
	case joined("a", t):
		return extending
	case joined(t, "a"):
		return prepend
	case joined(heart+zwj, t):
		return picture
	case joined(ka+virama, t):
		return conjunct
	case joined(leading, t) || joined(t, trailing) || joined("\uAC01", t):
		return hangul
	}
	return simple
}

// joined reports whether a, which is one cluster, and b are one.
func joined(a, b string) bool {
	g := graphemes.FromString(a + b)
	return g.Next() && g.End() == len(a)+len(b)
}

// mayJoin reports whether a rune of class k can belong to the cluster that ends in one of class
// last. When it can, the segmentation of both together decides.
func mayJoin(last, k class) bool {
	switch {
	case last == prepend:
		return true
	case k == extending || k == joiner:
		return true
	case k == picture:
		return last == joiner
	case k == conjunct:
		return last == extending || last == joiner
	case k == regional || k == hangul:
		return last == k
	}
	return false
}

func clusterWidth(text []byte) int { return min(displaywidth.Bytes(text), 2) }

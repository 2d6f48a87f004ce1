package text

import "unicode/utf8"

// cursor is the leaf in which a draft last edited, with the way to it, so that typing neither
// descends nor counts runes again.
type cursor struct {
	leaf   *node // nil: nowhere
	depth  int   // of path
	path   [maxDepth]step
	before sum  // what lies before the leaf
	in     sum  // the leaf
	owned  bool // the draft owns the leaf and the nodes of path

	// Rune q of the leaf begins at its byte b.
	q, b int

	next following
}

// nearRunes is how far walking over runes takes less time than counting them from the start of the
// leaf.
const nearRunes = 16

// step is one inner node of the way and the child taken.
type step struct {
	n   *node
	kid int
}

// following is what comes after the leaf.
type following uint8

const (
	followingUnknown following = iota
	followingStart             // the start of a rune, or the end of the text
	followingContinuation
)

// seek moves to the leaf that holds rune q0, unless it is there, and tells whether runes q0 to q1
// are in the leaf. A place at the border of two leaves is in both.
func (c *cursor) seek(t tree, q0, q1 int) bool {
	if c.leaf != nil && q0 >= c.before.runes && q1 <= c.before.runes+c.in.runes {
		return true
	}
	if t.root == nil {
		return false
	}
	c.before, c.depth = sum{}, 0
	n, in := t.root, t.sum
	for n.height > 0 {
		i, skipped := n.childAtRune(q0 - c.before.runes)
		c.path[c.depth] = step{n, i}
		c.depth++
		c.before = c.before.plus(skipped)
		n, in = n.kids[i], n.sums[i]
	}
	c.leaf, c.in, c.owned = n, in, false
	c.q, c.b, c.next = 0, 0, followingUnknown
	return q1 <= c.before.runes+c.in.runes
}

// byteAt gives the byte of the leaf at which its rune q begins, and remembers it.
func (c *cursor) byteAt(q int) int {
	switch {
	case q >= c.q && q-c.q <= nearRunes:
		c.b = forward(c.leaf.b, c.b, q-c.q)
	case q < c.q && c.q-q <= nearRunes:
		c.b = backward(c.leaf.b, c.b, c.q-q)
	default:
		c.b = byteOfRune(c.leaf.b, c.in, q)
	}
	c.q = q
	return c.b
}

// runeStartsAt tells whether a rune that could not continue an unfinished encoding starts at byte b
// of the leaf; the end of the text is as good. Edits in the leaf don't change what follows it.
func (c *cursor) runeStartsAt(t tree, b int) bool {
	if b < len(c.leaf.b) {
		return utf8.RuneStart(c.leaf.b[b])
	}
	if c.next == followingUnknown {
		c.next = followingStart
		if end := c.before.bytes + c.in.bytes; end < t.sum.bytes {
			leaf, before := t.leafAtByte(end)
			if !utf8.RuneStart(leaf[end-before.bytes]) {
				c.next = followingContinuation
			}
		}
	}
	return c.next == followingStart
}

// grow adds delta to the sums of the leaf along the way.
func (c *cursor) grow(delta sum) {
	c.in = c.in.plus(delta)
	for i := range c.path[:c.depth] {
		s := &c.path[i].n.sums[c.path[i].kid]
		*s = s.plus(delta)
	}
}

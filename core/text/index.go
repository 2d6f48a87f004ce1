package text

import (
	"bytes"
	"fmt"
)

// ByteOffset gives the byte at which rune q begins; q may be the length of the text. It panics if
// q is outside the text.
func (t Text) ByteOffset(q int) int {
	t.checkRange(q, q)
	if t.root == nil || q == t.sum.runes {
		return t.sum.bytes
	}
	_, before, i := t.leafAtRune(q)
	return before.bytes + i
}

// RuneOffset gives the rune that holds byte b; b may be the length of the text in bytes. It panics
// if b is outside the text.
func (t Text) RuneOffset(b int) int {
	if b < 0 || b > t.sum.bytes {
		panic(fmt.Sprintf("text: byte offset %d of a text of %d bytes", b, t.sum.bytes))
	}
	if b == t.sum.bytes {
		return t.sum.runes
	}
	n, in, before := t.descend(b)
	return before.runes + runeOfByte(n.b, in, floor(n.b, b-before.bytes))
}

// LineStart gives the rune offset of the first rune of line n, counted from 0. It panics unless n
// is 0 to Newlines().
func (t Text) LineStart(n int) int {
	if n < 0 || n > t.sum.lines {
		panic(fmt.Sprintf("text: line %d of a text of %d newlines", n, t.sum.lines))
	}
	if n == 0 {
		return 0
	}
	x, in, before := t.root, t.sum, sum{}
	for x.height > 0 {
		i, skipped := x.childAtLine(n - before.lines)
		x, in, before = x.kids[i], x.sums[i], before.plus(skipped)
	}
	end := 0
	for range n - before.lines {
		end += bytes.IndexByte(x.b[end:], '\n') + 1
	}
	return before.runes + runeOfByte(x.b, in, end)
}

// LineOf gives the line, counted from 0, that holds rune offset q; q may be the length of the text.
// It panics if q is outside the text.
func (t Text) LineOf(q int) int {
	t.checkRange(q, q)
	if t.root == nil {
		return 0
	}
	leaf, before, i := t.leafAtRune(q)
	return before.lines + bytes.Count(leaf[:i], newline)
}

// leafAtByte gives the leaf that holds byte b and what lies before it; the last leaf for the end of
// the text. The text isn't empty.
func (t tree) leafAtByte(b int) (leaf []byte, before sum) {
	n, _, before := t.descend(b)
	return n.b, before
}

// descend is leafAtByte with the leaf's own sum.
func (t tree) descend(b int) (leaf *node, in, before sum) {
	leaf, in = t.root, t.sum
	for leaf.height > 0 {
		i, skipped := leaf.childAtByte(b - before.bytes)
		leaf, in, before = leaf.kids[i], leaf.sums[i], before.plus(skipped)
	}
	return leaf, in, before
}

// leafAtRune gives the leaf that holds rune q, what lies before it, and the byte of the leaf at
// which the rune begins; the end of the last leaf for the end of the text. The text isn't empty.
func (t tree) leafAtRune(q int) (leaf []byte, before sum, i int) {
	n, in := t.root, t.sum
	for n.height > 0 {
		i, skipped := n.childAtRune(q - before.runes)
		n, in, before = n.kids[i], n.sums[i], before.plus(skipped)
	}
	return n.b, before, byteOfRune(n.b, in, q-before.runes)
}

// byteRange gives the bytes of runes q0 to q1.
func (t Text) byteRange(q0, q1 int) (b0, b1 int) {
	t.checkRange(q0, q1)
	b0 = t.ByteOffset(q0)
	if q1 == q0 {
		return b0, b0
	}
	return b0, t.ByteOffset(q1)
}

package text

import (
	"bytes"
	"unicode/utf8"
)

// Draft is a text being edited. It edits in place the nodes that it owns, which are those made
// since the last call of Text, and remembers the leaf of the last edit. The zero Draft is an empty
// text. A Draft belongs to one goroutine; the Texts that it gives don't.
type Draft struct {
	tree
	own *token // held by nobody else; nil until the first edit after Text
	cur cursor
}

// Edit gives a draft that begins with t.
func (t Text) Edit() *Draft { return &Draft{tree: t.tree} }

// Text gives the text as it is now. It takes constant time: the draft only gives up the ownership
// of its nodes, and may go on.
func (d *Draft) Text() Text {
	d.own = nil
	d.cur.owned = false
	return Text{d.tree}
}

// Bytes is the length in bytes.
func (d *Draft) Bytes() int { return d.sum.bytes }

// Runes is the length in runes.
func (d *Draft) Runes() int { return d.sum.runes }

// Newlines is the number of '\n'.
func (d *Draft) Newlines() int { return d.sum.lines }

// Substring gives runes q0 to q1. It panics if they aren't a range of the text.
func (d *Draft) Substring(q0, q1 int) string { return Text{d.tree}.Substring(q0, q1) }

// Slice gives a copy of runes q0 to q1; the draft keeps owning its nodes. It panics if they aren't
// a range of the text.
func (d *Draft) Slice(q0, q1 int) Text { return New(Text{d.tree}.AppendRange(nil, q0, q1)) }

// Replace replaces runes q0 to q1 by s and gives the number of runes by which the text grew. That
// is the length of s less q1-q0, except where s completes, or its absence joins, encodings that
// were broken. It panics if q0 to q1 aren't a range of the text.
func (d *Draft) Replace(q0, q1 int, s string) int {
	d.checkRange(q0, q1)
	if q0 == q1 && s == "" {
		return 0
	}
	old := d.sum.runes
	if !d.replaceInLeaf(q0, q1, s) {
		d.replaceAcross(q0, q1, s)
	}
	return d.sum.runes - old
}

// replaceInLeaf makes an edit that changes one leaf only and tells whether it is one: it must leave
// the leaf with a legal size and be followed, as must what is before it, by the start of a rune, so
// that nothing joins at its borders.
func (d *Draft) replaceInLeaf(q0, q1 int, s string) bool {
	c := &d.cur
	if !c.seek(d.tree, q0, q1) {
		return false
	}
	b0 := c.byteAt(q0 - c.before.runes)
	b1 := b0
	if q1 > q0 {
		b1 = c.byteAt(q1 - c.before.runes)
	}
	size := len(c.leaf.b) - (b1 - b0) + len(s)
	if size > maxLeaf || size == 0 || size < minLeaf && c.depth > 0 {
		return false
	}
	if s != "" && !utf8.RuneStart(s[0]) || !c.runeStartsAt(d.tree, b1) {
		return false
	}
	in := sum{1, 1, 0}
	if len(s) != 1 || s[0] == '\n' {
		in = count([]byte(s))
	}
	out := sum{b1 - b0, q1 - q0, 0}
	if b1 > b0 {
		out.lines = bytes.Count(c.leaf.b[b0:b1], newline)
	}
	d.ownPath()
	c.leaf.b = splice(c.leaf.b, b0, b1, s)
	d.sum = d.sum.plus(in).minus(out)
	c.grow(in.minus(out))
	c.q, c.b = q0-c.before.runes+in.runes, b0+len(s)
	return true
}

// replaceAcross makes any edit, by cutting the tree and joining the parts.
func (d *Draft) replaceAcross(q0, q1 int, s string) {
	b0, b1 := Text{d.tree}.byteRange(q0, q1)
	if d.own == nil {
		d.own = &token{}
	}
	d.tree = replace(d.own, d.tree, b0, b1, s)
	d.cur.leaf = nil
}

// ownPath makes the leaf of the cursor and all nodes above it writable.
func (d *Draft) ownPath() {
	c := &d.cur
	if c.owned {
		return
	}
	if d.own == nil {
		d.own = &token{}
	}
	d.root = d.root.writable(d.own)
	n := d.root
	for i := range c.path[:c.depth] {
		c.path[i].n = n
		k := c.path[i].kid
		n.kids[k] = n.kids[k].writable(d.own)
		n = n.kids[k]
	}
	c.leaf, c.owned = n, true
}

// splice replaces bytes i to j of b, which the caller owns, by s.
func splice(b []byte, i, j int, s string) []byte {
	size := len(b) - (j - i) + len(s)
	if size > cap(b) {
		grown := make([]byte, size, min(size+leafRoom, maxLeaf))
		copy(grown, b[:i])
		copy(grown[i+len(s):], b[j:])
		copy(grown[i:], s)
		return grown
	}
	tail := b[j:]
	b = b[:size]
	copy(b[i+len(s):], tail)
	copy(b[i:], s)
	return b
}

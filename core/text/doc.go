// Package text holds the text of a buffer: a persistent B-tree of bytes, indexed by runes and by
// lines.
//
// A [Text] is an immutable value. An edit makes a new Text that shares all but the edited path with
// the old one, so keeping a snapshot costs nothing and a Text may be read from many goroutines.
// A [Draft] is the transient for many edits in a row: it edits in place the nodes that only it can
// see, and [Draft.Text] gives a snapshot by dropping that ownership. A Draft belongs to one
// goroutine.
//
// # Bytes and runes
//
// Bytes are kept exactly: NUL, CR LF, byte order marks and bytes that are no UTF-8. Offsets are in
// runes unless a name says bytes. A rune is what utf8.DecodeRune gives: a byte that is no part of a
// valid encoding is one rune of one byte. The end of an edit is where that matters: the text
// "\xe4\xbd" is two runes, and appending "\xa0" makes it one, "你". Offsets given to an edit refer
// to the text before it, and the length of the text changes by what [Draft.Replace] returns, which
// is not always the rune count of the inserted string.
//
// A line ends with '\n' and is counted from 0. The text after the last '\n' is a line too, perhaps
// an empty one.
//
// # Shape
//
// Leaves hold up to maxLeaf bytes, inner nodes up to maxKids children with their sums beside the
// pointers, so a descent touches one node a level. These hold for every Text and are checked by
// [Text.Verify]:
//
//  1. All leaves are at one depth. No leaf is empty.
//  2. A leaf that isn't the root has at least minLeaf bytes, and an inner node that isn't the root
//     at least minKids children; an inner root has at least two.
//  3. A parent's sums are the bytes, runes and newlines of its children.
//  4. No rune crosses a leaf's border. Whether an encoding is valid depends on no bytes outside it
//     and two never overlap, so rune counts of leaves may be added if, and only if, this holds.
//     Edits keep it by moving an unfinished encoding before the edit, and continuation bytes after
//     it, into the inserted text (see border.go).
//  5. A node whose owner isn't the draft that is editing is never written.
//
// The package uses only the standard library, starts no goroutine and holds no lock. It panics,
// with numbers, on an offset outside the text: that is a caller's bug, and clamping would hide it.
package text

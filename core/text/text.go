package text

import (
	"fmt"
	"unicode/utf8"
)

// Text is an immutable text. The zero value is the empty text.
type Text struct{ tree }

// New makes a text of a copy of b.
func New(b []byte) Text { return Text{build(b)} }

// FromString makes a text of s.
func FromString(s string) Text { return New([]byte(s)) }

// Bytes is the length in bytes.
func (t Text) Bytes() int { return t.sum.bytes }

// Runes is the length in runes.
func (t Text) Runes() int { return t.sum.runes }

// Newlines is the number of '\n'. The text has one line more.
func (t Text) Newlines() int { return t.sum.lines }

// Replace gives the text with runes q0 to q1 replaced by s. It panics if they aren't a range of
// the text.
func (t Text) Replace(q0, q1 int, s string) Text {
	d := Draft{tree: t.tree}
	d.Replace(q0, q1, s)
	return d.Text()
}

// Slice gives runes q0 to q1 as a text that shares the nodes of t. It panics if they aren't a range
// of the text.
func (t Text) Slice(q0, q1 int) Text {
	b0, b1 := t.byteRange(q0, q1)
	left, _ := split(nil, t.tree, b1)
	_, mid := split(nil, left, b0)
	return Text{mid}
}

// Concat gives t followed by u. Their bytes may form new runes at the border, as in Replace.
func (t Text) Concat(u Text) Text {
	var edge [8]byte
	before := t.appendBytes(edge[:0], max(0, t.sum.bytes-3), t.sum.bytes)
	before = before[len(before)-unfinished(before):]
	after := u.appendBytes(edge[4:4], 0, min(3, u.sum.bytes))
	after = after[:continuing(after)]
	if len(before) == 0 || len(after) == 0 {
		return Text{join(nil, t.tree, u.tree)}
	}
	left, _ := split(nil, t.tree, t.sum.bytes-len(before))
	_, right := split(nil, u.tree, len(after))
	mid := build(append(append([]byte(nil), before...), after...))
	return Text{join(nil, join(nil, left, mid), right)}
}

// RuneAt decodes the rune at offset q as utf8.DecodeRune does: RuneError and 0 at the end of the
// text, RuneError and 1 for a byte that is no UTF-8. It panics if q is outside the text.
func (t Text) RuneAt(q int) (r rune, size int) {
	t.checkRange(q, q)
	if t.root == nil {
		return utf8.RuneError, 0
	}
	b, _, i := t.leafAtRune(q)
	return utf8.DecodeRune(b[i:])
}

// String gives the whole text.
func (t Text) String() string { return t.Substring(0, t.sum.runes) }

// AppendTo appends the whole text to dst.
func (t Text) AppendTo(dst []byte) []byte { return t.appendBytes(dst, 0, t.sum.bytes) }

// AppendRange appends runes q0 to q1 to dst. It panics if they aren't a range of the text.
func (t Text) AppendRange(dst []byte, q0, q1 int) []byte {
	b0, b1 := t.byteRange(q0, q1)
	return t.appendBytes(dst, b0, b1)
}

// Substring gives runes q0 to q1. It panics if they aren't a range of the text.
func (t Text) Substring(q0, q1 int) string {
	b0, b1 := t.byteRange(q0, q1)
	return t.substringBytes(b0, b1)
}

// Equal tells whether t and u hold the same bytes. Parts that they share are not compared.
func (t Text) Equal(u Text) bool {
	if t.sum != u.sum {
		return false
	}
	if t.root == u.root {
		return true
	}
	for b := 0; b < t.sum.bytes; {
		x, xs := t.leafAtByte(b)
		y, ys := u.leafAtByte(b)
		x, y = x[b-xs.bytes:], y[b-ys.bytes:]
		n := min(len(x), len(y))
		if string(x[:n]) != string(y[:n]) {
			return false
		}
		b += n
	}
	return true
}

// checkRange panics unless q0 to q1 are a range of the text.
func (t tree) checkRange(q0, q1 int) {
	if q0 < 0 || q1 < q0 || q1 > t.sum.runes {
		panic(fmt.Sprintf("text: rune range [%d,%d) of a text of %d runes", q0, q1, t.sum.runes))
	}
}

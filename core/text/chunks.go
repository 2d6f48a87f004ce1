package text

import (
	"fmt"
	"iter"
	"strings"
)

// Chunks gives the text in order, in pieces that end at rune borders: where leaves lie one behind
// the other in memory, as they do after New and in a Builder, many are one piece. A piece must not
// be modified.
func (t Text) Chunks() iter.Seq[[]byte] { return t.ChunksRange(0, t.sum.bytes) }

// ChunksRange gives bytes b0 to b1 in order. A piece must not be modified. It panics if they aren't
// a range of the text.
func (t Text) ChunksRange(b0, b1 int) iter.Seq[[]byte] {
	if b0 < 0 || b1 < b0 || b1 > t.sum.bytes {
		panic(fmt.Sprintf("text: byte range [%d,%d) of a text of %d bytes", b0, b1, t.sum.bytes))
	}
	return func(yield func([]byte) bool) {
		if b0 == b1 {
			return
		}
		var run []byte
		whole := walk(t.root, b0, b1, func(b []byte) bool {
			if n := len(run); adjoins(run, b) {
				run = run[:n+len(b)]
				return true
			}
			done := run
			run = b
			return len(done) == 0 || yield(done[:len(done):len(done)])
		})
		if whole {
			yield(run[:len(run):len(run)])
		}
	}
}

// adjoins tells whether b lies right behind a in the same allocation.
func adjoins(a, b []byte) bool {
	n := len(a)
	return n > 0 && cap(a)-n >= len(b) && &a[:n+1][n] == &b[0]
}

// walk yields bytes b0 to b1 of n, of which there are some.
func walk(n *node, b0, b1 int, yield func([]byte) bool) bool {
	if n.height == 0 {
		return yield(n.b[b0:b1])
	}
	i, before := n.childAtByte(b0)
	for at := before.bytes; i < len(n.kids) && at < b1; i++ {
		size := n.sums[i].bytes
		if !walk(n.kids[i], max(0, b0-at), min(size, b1-at), yield) {
			return false
		}
		at += size
	}
	return true
}

// appendBytes appends bytes b0 to b1 to dst.
func (t Text) appendBytes(dst []byte, b0, b1 int) []byte {
	if b0 == b1 {
		return dst
	}
	if n := len(dst) + b1 - b0; n > cap(dst) {
		dst = append(make([]byte, 0, n), dst...)
	}
	walk(t.root, b0, b1, func(b []byte) bool {
		dst = append(dst, b...)
		return true
	})
	return dst
}

func (t Text) substringBytes(b0, b1 int) string {
	var s strings.Builder
	s.Grow(b1 - b0)
	for b := range t.ChunksRange(b0, b1) {
		s.Write(b)
	}
	return s.String()
}

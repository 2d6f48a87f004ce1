package text

import (
	"bytes"
	"regexp"
	"unicode/utf8"
)

// Find gives the rune offsets of the leftmost match of p in runes q0 to q1 and of its submatches,
// as regexp.Regexp.FindSubmatchIndex does, nil if there is none. Assertions at q0 see what is
// before it, those at q1 take it for the end of the text. It panics if q0 to q1 aren't a range of
// the text.
func (t Text) Find(p *Pattern, q0, q1 int) []int {
	b0, b1 := t.byteRange(q0, q1)
	switch {
	case p.literal != "":
		if b0 = t.indexBytes(b0, b1, p.literal); b0 < 0 {
			return nil
		}
		return t.runeOffsets(b0, []int{0, len(p.literal)})
	case p.word != "":
		return t.findInLines(p, b0, b1)
	}
	return t.find(p, b0, b1)
}

// find runs the machines on bytes b0 to b1.
func (t Text) find(p *Pattern, b0, b1 int) []int {
	if b0 = t.skipTo(b0, b1, p.prefix); b0 < 0 {
		return nil
	}
	if b0 == 0 {
		return t.runeOffsets(0, t.run(p.forward, 0, b1))
	}
	leaf, before := t.leafAtByte(b0 - 1)
	b0 = before.bytes + floor(leaf, b0-1-before.bytes)
	loc := t.run(p.forwardAfter, b0, b1)
	if loc == nil {
		return nil
	}
	return t.runeOffsets(b0, loc[2:])
}

// run gives what re finds in bytes b0 to b1, as byte offsets from b0. What is in one leaf needs no
// reader, and the regexp package has faster ways for it.
func (t Text) run(re *regexp.Regexp, b0, b1 int) []int {
	if b1-b0 <= maxLeaf && b0 < b1 {
		leaf, before := t.leafAtByte(b0)
		if b1 <= before.bytes+len(leaf) {
			return re.FindSubmatchIndex(leaf[b0-before.bytes : b1-before.bytes])
		}
	}
	return re.FindReaderSubmatchIndex(t.readerBytes(b0, b1))
}

// FindLast gives the first and last rune offset of the match of p that ends last, but not after
// rune q, and of those the longest; nil if there is none. That is the match of a search backwards
// from q. Assertions see what is really there. It panics if q is outside the text.
func (t Text) FindLast(p *Pattern, q int) []int {
	b := t.ByteOffset(q)
	switch {
	case p.literal != "":
		if b = t.lastIndexBytes(b, p.literal); b < 0 {
			return nil
		}
		return t.runeOffsets(b, []int{0, len(p.literal)})
	case p.word != "":
		return t.findLastInLines(p, b)
	}
	return t.findLast(p, 0, b)
}

// findLast runs the mirrored machines on bytes b0 to b1, from their end.
func (t Text) findLast(p *Pattern, b0, b1 int) []int {
	var loc []int
	if b1 == t.sum.bytes {
		loc = p.backward.FindReaderIndex(t.backReaderBytes(b0, b1))
	} else {
		leaf, before := t.leafAtByte(b1)
		_, size := utf8.DecodeRune(leaf[b1-before.bytes:])
		b1 += size
		if loc = p.backwardAfter.FindReaderSubmatchIndex(t.backReaderBytes(b0, b1)); loc != nil {
			loc = loc[2:4]
		}
	}
	if loc == nil {
		return nil
	}
	return []int{t.RuneOffset(b1 - loc[1]), t.RuneOffset(b1 - loc[0])}
}

// FindRegexp gives the rune offsets of the leftmost match of re in runes q0 to q1 and of its
// submatches, as regexp.Regexp.FindSubmatchIndex does, nil if there is none. It panics if q0 to q1
// aren't a range of the text.
//
// The regexp package can't be told what is before q0: an assertion, such as ^ or \b, tried exactly
// at q0 takes it for the beginning of a text. [Text.Find] doesn't have that flaw.
func (t Text) FindRegexp(re *regexp.Regexp, q0, q1 int) []int {
	b0, b1 := t.byteRange(q0, q1)
	prefix, _ := re.LiteralPrefix()
	if b0 = t.skipTo(b0, b1, prefix); b0 < 0 {
		return nil
	}
	return t.runeOffsets(b0, t.run(re, b0, b1))
}

// skipTo gives the first place in bytes b0 to b1 where a match that begins with prefix could be, -1
// if there is none. A prefix with RuneError also matches bytes that are no UTF-8.
func (t Text) skipTo(b0, b1 int, prefix string) int {
	if prefix == "" || bytes.ContainsRune([]byte(prefix), utf8.RuneError) {
		return b0
	}
	return t.indexBytes(b0, b1, prefix)
}

// runeOffsets turns byte offsets from base into rune offsets of the text, in place.
func (t Text) runeOffsets(base int, loc []int) []int {
	for i, b := range loc {
		if b >= 0 {
			loc[i] = t.RuneOffset(base + b)
		}
	}
	return loc
}

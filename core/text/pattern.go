package text

import (
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// SamSyntax are the flags of the editor's own regular expressions: those of the regexp package, but
// ^ and $ match at lines and a negated class doesn't match '\n', as in sam.
const SamSyntax = syntax.Perl &^ (syntax.OneLine | syntax.ClassNL)

// Pattern is a compiled regular expression that can be searched for in both directions. It is
// immutable.
//
// The regexp package takes the place where it starts for the beginning of the text. So each machine
// comes twice: one to start at the very end of a text, and one that first takes one rune of
// context and has the match in its group 1. The leftmost match of the latter that starts one rune
// early is the leftmost match with every assertion seeing what is really there.
type Pattern struct {
	literal string // what the pattern matches, if that is one string
	prefix  string // what every match begins with

	forward, forwardAfter   *regexp.Regexp
	backward, backwardAfter *regexp.Regexp // of the mirrored expression, to read backwards
}

// CompilePattern compiles expr as read with flags: syntax.Perl for the syntax of the regexp package,
// SamSyntax for the editor's. A forward match is the leftmost one, and of those the longest, or
// else the one that a backtracking search finds first. The error is a *syntax.Error.
func CompilePattern(expr string, flags syntax.Flags, longest bool) (*Pattern, error) {
	tree, err := syntax.Parse(expr, flags)
	if err != nil {
		return nil, err
	}
	p := &Pattern{}
	if tree.Op == syntax.OpLiteral && tree.Flags&syntax.FoldCase == 0 {
		p.literal = string(tree.Rune)
		if strings.ContainsRune(p.literal, utf8.RuneError) {
			p.literal = "" // it matches bytes that are no UTF-8, too
		}
	}
	if p.forward, p.forwardAfter, err = machines(tree.String(), longest); err != nil {
		return nil, err
	}
	p.prefix, _ = p.forward.LiteralPrefix()
	p.backward, p.backwardAfter, err = machines(mirror(tree).String(), true)
	return p, err
}

func machines(expr string, longest bool) (at, after *regexp.Regexp, err error) {
	if at, err = regexp.Compile(expr); err != nil {
		return nil, nil, err
	}
	if after, err = regexp.Compile("(?s:.)(" + expr + ")"); err != nil {
		return nil, nil, err
	}
	if longest {
		at.Longest()
		after.Longest()
	}
	return at, after, nil
}

// mirror gives the expression that matches the runes of every match of re in reverse.
func mirror(re *syntax.Regexp) *syntax.Regexp {
	m := *re
	m.Sub = make([]*syntax.Regexp, len(re.Sub))
	for i, sub := range re.Sub {
		m.Sub[i] = mirror(sub)
	}
	switch re.Op {
	case syntax.OpConcat:
		slices.Reverse(m.Sub)
	case syntax.OpLiteral:
		m.Rune = slices.Clone(re.Rune)
		slices.Reverse(m.Rune)
	case syntax.OpBeginLine:
		m.Op = syntax.OpEndLine
	case syntax.OpEndLine:
		m.Op = syntax.OpBeginLine
	case syntax.OpBeginText:
		m.Op = syntax.OpEndText
	case syntax.OpEndText:
		m.Op = syntax.OpBeginText
		m.Flags &^= syntax.WasDollar
	}
	return &m
}

// Find gives the rune offsets of the leftmost match of p in runes q0 to q1 and of its submatches, as
// regexp.Regexp.FindSubmatchIndex does, nil if there is none. Assertions at q0 see what is before
// it, those at q1 take it for the end of the text. It panics if q0 to q1 aren't a range of the
// text.
func (t Text) Find(p *Pattern, q0, q1 int) []int {
	b0, b1 := t.byteRange(q0, q1)
	if p.literal != "" {
		if b0 = t.indexBytes(b0, b1, p.literal); b0 < 0 {
			return nil
		}
		return t.runeOffsets(b0, []int{0, len(p.literal)})
	}
	if b0 = t.skipTo(b0, b1, p.prefix); b0 < 0 {
		return nil
	}
	if b0 == 0 {
		return t.runeOffsets(0, p.forward.FindReaderSubmatchIndex(t.readerBytes(0, b1)))
	}
	leaf, before := t.leafAtByte(b0 - 1)
	b0 = before.bytes + floor(leaf, b0-1-before.bytes)
	loc := p.forwardAfter.FindReaderSubmatchIndex(t.readerBytes(b0, b1))
	if loc == nil {
		return nil
	}
	return t.runeOffsets(b0, loc[2:])
}

// FindLast gives the first and last rune offset of the match of p that ends last, but not after
// rune q, and of those the longest; nil if there is none. That is the match of a search backwards
// from q. Assertions see what is really there. It panics if q is outside the text.
func (t Text) FindLast(p *Pattern, q int) []int {
	b := t.ByteOffset(q)
	if p.literal != "" {
		if b = t.lastIndexBytes(b, p.literal); b < 0 {
			return nil
		}
		return t.runeOffsets(b, []int{0, len(p.literal)})
	}
	var loc []int
	if q == t.sum.runes {
		loc = p.backward.FindReaderIndex(t.BackReader(q))
	} else {
		_, size := t.RuneAt(q)
		b += size
		if loc = p.backwardAfter.FindReaderSubmatchIndex(t.BackReader(q + 1)); loc != nil {
			loc = loc[2:4]
		}
	}
	if loc == nil {
		return nil
	}
	return []int{t.RuneOffset(b - loc[1]), t.RuneOffset(b - loc[0])}
}

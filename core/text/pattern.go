package text

import (
	"regexp"
	"regexp/syntax"
	"slices"
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
	word    string // what every match contains, if none leaves its line; see word.go

	forward, forwardAfter   *regexp.Regexp
	backward, backwardAfter *regexp.Regexp // of the mirrored expression, to read backwards
}

// CompilePattern compiles expr as read with flags: syntax.Perl for the syntax of the regexp
// package, SamSyntax for the editor's. A forward match is the leftmost one, and of those the
// longest, or else the one that a backtracking search finds first. The error is a *syntax.Error; it
// has the code ErrLarge if the expression, with its repetitions, has more than maxWeight parts.
func CompilePattern(expr string, flags syntax.Flags, longest bool) (*Pattern, error) {
	tree, err := syntax.Parse(expr, flags)
	if err != nil {
		return nil, err
	}
	if weight(tree) > maxWeight {
		return nil, &syntax.Error{Code: syntax.ErrLarge, Expr: expr}
	}
	p := &Pattern{}
	if tree.Op == syntax.OpLiteral {
		p.literal = word(tree)
	}
	if staysInLine(tree) {
		p.word = word(tree)
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

// maxWeight bounds the machines, and with them the time to build them (some 50 ms) and the memory
// that a search takes. The regexp package alone allows a hundred times as much.
const maxWeight = 50_000

// weight estimates the instructions of re.
func weight(re *syntax.Regexp) int {
	n := max(1, len(re.Rune))
	if re.Op == syntax.OpCharClass {
		n = 1
	}
	for _, sub := range re.Sub {
		n += weight(sub)
	}
	if re.Op == syntax.OpRepeat {
		n *= max(1, re.Min, re.Max)
	}
	return n
}

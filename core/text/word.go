package text

import (
	"regexp/syntax"
	"strings"
	"unicode/utf8"
)

// The machines of the regexp package read some 40 MB/s, a search for a string a hundred times as
// much. So a pattern whose matches stay in a line, and all contain some word, is only tried on the
// lines that have the word. Nothing outside its line can make a difference to such a pattern: all
// assertions that it may have take a newline and the end of the text for the same.

// word gives a string that every match of re contains, the longest that is easily seen, or "".
func word(re *syntax.Regexp) string {
	switch re.Op {
	case syntax.OpLiteral:
		s := string(re.Rune)
		if re.Flags&syntax.FoldCase != 0 || strings.ContainsRune(s, utf8.RuneError) {
			return "" // it matches other strings, too; RuneError bytes that are no UTF-8
		}
		return s
	case syntax.OpCapture, syntax.OpPlus:
		return word(re.Sub[0])
	case syntax.OpRepeat:
		if re.Min > 0 {
			return word(re.Sub[0])
		}
	case syntax.OpConcat:
		best := ""
		for _, sub := range re.Sub {
			if w := word(sub); len(w) > len(best) {
				best = w
			}
		}
		return best
	}
	return ""
}

// staysInLine tells whether no match of re has a newline and re doesn't ask for the ends of the
// text.
func staysInLine(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpAnyChar, syntax.OpBeginText, syntax.OpEndText:
		return false
	case syntax.OpLiteral:
		for _, r := range re.Rune {
			if r == '\n' {
				return false
			}
		}
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			if re.Rune[i] <= '\n' && '\n' <= re.Rune[i+1] {
				return false
			}
		}
	}
	for _, sub := range re.Sub {
		if !staysInLine(sub) {
			return false
		}
	}
	return true
}

// findInLines is find, line by line.
func (t Text) findInLines(p *Pattern, b0, b1 int) []int {
	for at := b0; at < b1; {
		i := t.indexBytes(at, b1, p.word)
		if i < 0 {
			break
		}
		start, end := t.lineAround(i, b0, b1)
		if loc := t.find(p, start, end); loc != nil {
			return loc
		}
		at = end
	}
	return nil
}

// findLastInLines is findLast, line by line.
func (t Text) findLastInLines(p *Pattern, b int) []int {
	for at := b; at > 0; {
		i := t.lastIndexBytes(at, p.word)
		if i < 0 {
			break
		}
		start, end := t.lineAround(i, 0, b)
		if loc := t.findLast(p, start, end); loc != nil {
			return loc
		}
		at = start
	}
	return nil
}

// lineAround gives the part of the line of byte b, without its newline, that is in b0 to b1.
func (t Text) lineAround(b, b0, b1 int) (start, end int) {
	start = max(b0, t.lastIndexNeedle(b, newline)+1)
	if end = t.indexNeedle(b, b1, newline); end < 0 {
		end = b1
	}
	return start, end
}

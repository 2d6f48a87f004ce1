package edit

import (
	"strings"
	"unicode"

	"apex/core/addr"
	"apex/core/text"
)

// The pairs that a double click just inside of one takes the inside of, as in acme: brackets, then
// quotes, whose partner is the same mark.
const quotes = "'\"`"

// DoubleClick returns what a double click at rune q selects: just inside a bracket or quote, what
// stands up to its partner; at the beginning or the end of a line, the line with its newline; in a
// word, the word; elsewhere nothing.
func DoubleClick(t text.Text, q int) (int, int) {
	if q0, q1, ok := inside(t, q); ok {
		return q0, q1
	}
	if q0, q1 := runOf(t, q, isWord); q0 < q1 {
		return q0, q1
	}
	if start := LineStart(t, q); q == start || q == LineEnd(t, q) {
		return Line(t, q)
	}
	return q, q
}

// Line returns the line at rune q with its newline: what a third click selects.
func Line(t text.Text, q int) (int, int) {
	n := t.LineOf(q)
	if n == t.Newlines() {
		return t.LineStart(n), t.Runes()
	}
	return t.LineStart(n), t.LineStart(n + 1)
}

// inside returns the range between the bracket or quote beside q and its partner.
func inside(t text.Text, q int) (int, int, bool) {
	if q > 0 {
		c, _ := t.RuneAt(q - 1)
		other, ok := partner(c, openers+quotes, closers+quotes)
		if end, found := matchIf(ok, t, q, c, other, 1); found {
			return q, end - 1, true
		}
	}
	if q < t.Runes() {
		c, _ := t.RuneAt(q)
		other, ok := partner(c, closers+quotes, openers+quotes)
		if start, found := matchIf(ok, t, q, c, other, -1); found {
			return start + 1, q, true
		}
	}
	return 0, 0, false
}

// matchIf looks for a partner; that of a quote is looked for within the line.
func matchIf(ok bool, t text.Text, q int, c, other rune, dir int) (int, bool) {
	if !ok {
		return 0, false
	}
	at, ok := match(t, q, c, other, dir)
	if ok && c == other && t.LineOf(at) != t.LineOf(q) {
		return 0, false
	}
	return at, ok
}

func isWord(r rune) bool { return classOf(r) == word }

// isName reports whether r is part of what acme takes for a command or a file's name: all but
// blanks, control characters and the punctuation of ASCII, of which . - + / : _ belong to names.
func isName(r rune) bool {
	switch {
	case r <= ' ', r >= 0x7f && r <= 0xa0, unicode.IsSpace(r):
		return false
	case r < 0x7f && strings.ContainsRune("!\"#$%&'()*,;<=>?@[\\]^`{|}", r):
		return false
	}
	return true
}

// isCommand reports whether r is part of a word that B2 executes.
func isCommand(r rune) bool { return isName(r) || strings.ContainsRune("<|>", r) }

// runOf returns the longest range around q of runes that fit, on one line.
func runOf(t text.Text, q int, fits func(rune) bool) (int, int) {
	q0, q1 := q, q
	for back := t.BackReader(q); ; q0-- {
		if r, _, err := back.ReadRune(); err != nil || r == '\n' || !fits(r) {
			break
		}
	}
	for ahead := t.Reader(q); ; q1++ {
		if r, _, err := ahead.ReadRune(); err != nil || r == '\n' || !fits(r) {
			break
		}
	}
	return q0, q1
}

// CommandAt returns what B2 executes when it is clicked at q: the dot if the click is in it, else
// the word there.
func CommandAt(t text.Text, q, dot0, dot1 int) (int, int) {
	if dot0 < dot1 && dot0 <= q && q <= dot1 {
		return dot0, dot1
	}
	return runOf(t, q, isCommand)
}

// Ref is what B3 points at: a name with an address in it perhaps, and where it stands.
type Ref struct {
	Name   string // of a file, as it is written; empty if there is only an address
	Addr   string
	Q0, Q1 int // what the two take in the text
}

// Text is the reference's text, for when no file has that name.
func (r Ref) Text(t text.Text) string { return t.Substring(r.Q0, r.Q1) }

// RefAt returns what B3 means when it is clicked at q: the dot if the click is in it, else the
// file name around q with the address that follows it. Whether there is such a file is for the
// caller to find out. The range is empty if there is nothing.
func RefAt(t text.Text, q, dot0, dot1 int) Ref {
	q0, q1 := dot0, dot1
	if dot0 == dot1 || q < dot0 || q > dot1 {
		q0, q1 = runOf(t, q, isName)
		if q0 == q1 {
			return Ref{Q0: q, Q1: q}
		}
		q1 = addrEnd(t, q0, q1)
	}
	s := t.Substring(q0, q1)
	if dot0 == dot1 { // a sentence's end is no part of a name
		trimmed := strings.TrimRight(s, ".:")
		if trimmed != "" {
			q1 -= len(s) - len(trimmed)
			s = trimmed
		}
	}
	r := Ref{Q0: q0, Q1: q1}
	r.Name, r.Addr = addr.SplitFile(s)
	return r
}

// maxAddrRunes bounds how far an address is looked for behind a name.
const maxAddrRunes = 1024

// addrEnd returns where a name with an address ends, if the address goes on beyond the name's
// runes: patterns have blanks, and $ , # stand in addresses only.
func addrEnd(t text.Text, q0, q1 int) int {
	end := min(LineEnd(t, q1), q1+maxAddrRunes)
	s := t.Substring(q0, end)
	n := len(t.Substring(q0, q1))
	best := n
	for i := n; i <= len(s); i++ {
		if i < len(s) && !isAddrEnd(s, i) {
			continue
		}
		if _, a := addr.SplitFile(s[:i]); a != "" {
			best = i
		} else if best > n && !strings.ContainsAny(s[n:i], "/?") {
			break
		}
	}
	return q0 + text.FromString(s[:best]).Runes()
}

// isAddrEnd reports whether an address may end before byte i: behind a pattern, a number or $.
func isAddrEnd(s string, i int) bool {
	c := s[i-1]
	return c == '/' || c == '?' || c == '$' || c >= '0' && c <= '9'
}

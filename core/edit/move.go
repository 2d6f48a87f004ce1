package edit

import (
	"unicode"
	"unicode/utf8"

	"apex/core/text"
)

// Motion returns where the caret goes from rune q. Every Motion stays in the text.
type Motion func(t text.Text, q int) int

// Clusters returns how many bytes the first grapheme cluster of a string takes, which is not
// empty. The tables that it needs are not this package's.
type Clusters func(s string) int

// maxClusterRunes bounds how far a cluster is looked for; longer ones are made to break screens.
const maxClusterRunes = 128

// Left moves to the grapheme cluster before.
func Left(c Clusters) Motion {
	return func(t text.Text, q int) int {
		if q == 0 {
			return 0
		}
		from := max(t.LineStart(t.LineOf(q-1)), q-maxClusterRunes)
		last := from
		for s := t.Substring(from, q); s != ""; {
			n := clusterBytes(c, s)
			last, from = from, from+utf8.RuneCountInString(s[:n])
			s = s[n:]
		}
		return last
	}
}

// Right moves past the grapheme cluster at the caret.
func Right(c Clusters) Motion {
	return func(t text.Text, q int) int {
		s := t.Substring(q, min(q+maxClusterRunes, t.Runes()))
		if s == "" {
			return q
		}
		return q + utf8.RuneCountInString(s[:clusterBytes(c, s)])
	}
}

// clusterBytes takes what c says, if that ends at a rune's border.
func clusterBytes(c Clusters, s string) int {
	n := c(s)
	if n > 0 && n <= len(s) && (n == len(s) || utf8.RuneStart(s[n])) {
		return n
	}
	_, n = utf8.DecodeRuneInString(s)
	return n
}

// class is what a rune is to motions by words.
type class uint8

const (
	blank class = iota
	mark
	word
)

func classOf(r rune) class {
	switch {
	case unicode.IsSpace(r):
		return blank
	case r == '_', unicode.IsLetter(r), unicode.IsDigit(r), unicode.IsMark(r):
		return word
	}
	return mark
}

// WordLeft moves to the beginning of the word, or of the run of other marks, before the caret.
func WordLeft(t text.Text, q int) int {
	r := t.BackReader(q)
	var in class
	for q > 0 {
		c, _, _ := r.ReadRune()
		k := classOf(c)
		if in != blank && k != in {
			break
		}
		in = k
		q--
	}
	return q
}

// WordRight moves past the blanks at the caret and the word, or the run of other marks, after it.
func WordRight(t text.Text, q int) int {
	r := t.Reader(q)
	var in class
	for q < t.Runes() {
		c, _, _ := r.ReadRune()
		k := classOf(c)
		if in != blank && k != in {
			break
		}
		in = k
		q++
	}
	return q
}

// LineStart moves to the beginning of the line.
func LineStart(t text.Text, q int) int { return t.LineStart(t.LineOf(q)) }

// LineEnd moves to the end of the line, before what ends it.
func LineEnd(t text.Text, q int) int {
	line := t.LineOf(q)
	if line == t.Newlines() {
		return t.Runes()
	}
	end := t.LineStart(line+1) - 1
	if end > t.LineStart(line) {
		if r, _ := t.RuneAt(end - 1); r == '\r' && end > q {
			end--
		}
	}
	return end
}

// SmartHome moves to the first rune of the line that is no blank, or from there to the line's
// beginning.
func SmartHome(t text.Text, q int) int {
	start := LineStart(t, q)
	first := start + textIndent(t, start, t.Runes())
	if q == first {
		return start
	}
	return first
}

// textIndent returns how many spaces and tabs there are from rune q on, before rune end.
func textIndent(t text.Text, q, end int) int {
	r := t.Reader(q)
	for n := 0; ; n++ {
		if c, _, err := r.ReadRune(); q+n >= end || err != nil || c != ' ' && c != '\t' {
			return n
		}
	}
}

// maxMatchRunes bounds the search for a bracket's partner, so that a click in a large text that
// has none is answered at once.
const maxMatchRunes = 1 << 20

const (
	openers = "{[(<«"
	closers = "}])>»"
)

// Bracket returns the bracket that belongs to the one at rune q, or to the one before it.
func Bracket(t text.Text, q int) (int, bool) {
	for _, at := range []int{q, q - 1} {
		if at < 0 || at >= t.Runes() {
			continue
		}
		c, _ := t.RuneAt(at)
		if other, ok := partner(c, openers, closers); ok {
			if to, ok := match(t, at+1, c, other, 1); ok {
				return to - 1, true
			}
		}
		if other, ok := partner(c, closers, openers); ok {
			if to, ok := match(t, at, c, other, -1); ok {
				return to, true
			}
		}
	}
	return 0, false
}

// partner returns the rune that stands in to where c stands in from.
func partner(c rune, from, to string) (rune, bool) {
	others := []rune(to)
	for i, r := range []rune(from) {
		if r == c {
			return others[i], true
		}
	}
	return 0, false
}

// match reads from q on in a direction until other has come as often as c, the first c being read
// already, and returns the offset then.
func match(t text.Text, q int, c, other rune, dir int) (int, bool) {
	read := t.Reader(q).ReadRune
	if dir < 0 {
		read = t.BackReader(q).ReadRune
	}
	depth := 1
	for range maxMatchRunes {
		r, _, err := read()
		if err != nil {
			break
		}
		q += dir
		switch r {
		case other:
			if depth--; depth == 0 {
				return q, true
			}
		case c:
			depth++
		}
	}
	return 0, false
}

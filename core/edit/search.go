package edit

import (
	"regexp/syntax"
	"unicode/utf8"

	"apex/core"
	"apex/core/text"
)

// Look returns the next occurrence of s that begins at or after rune q; past the end of the text
// it goes on at the beginning. An empty s occurs nowhere.
func Look(t text.Text, q int, s string) (q0, q1 int, ok bool) {
	f, err := Compile(Search{Text: s})
	if err != nil {
		return 0, 0, false
	}
	return f.Next(t, q)
}

// Search says what to look for.
type Search struct {
	Text       string
	Regexp     bool // Text is a regular expression in which ^ and $ match at lines
	IgnoreCase bool
	Words      bool // only where it neither begins nor ends inside a word
}

// Finder finds what a Search says. It is immutable.
type Finder struct {
	plain   string // what is looked for, if pattern is nil
	runes   int    // its length
	pattern *text.Pattern
	names   []string // the pattern's groups
	words   bool
}

// Compile makes a Finder. Nothing to look for, or a pattern that can't be read, is bad_request.
func Compile(s Search) (*Finder, error) {
	if s.Text == "" {
		return nil, badf("nothing to look for")
	}
	if !s.Regexp && !s.IgnoreCase {
		return &Finder{plain: s.Text, runes: utf8.RuneCountInString(s.Text), words: s.Words}, nil
	}
	flags := text.SamSyntax
	if !s.Regexp {
		flags |= syntax.Literal
	}
	if s.IgnoreCase {
		flags |= syntax.FoldCase
	}
	p, err := text.CompilePattern(s.Text, flags, false)
	if err != nil {
		return nil, badf("pattern: %v", err)
	}
	f := &Finder{pattern: p, words: s.Words}
	if re, err := syntax.Parse(s.Text, flags); err == nil {
		f.names = re.CapNames()
	}
	return f, nil
}

// find returns the first match in runes [q0, q1) and its groups, nil if there is none.
func (f *Finder) find(t text.Text, q0, q1 int) []int {
	for at := q0; at <= q1; {
		var m []int
		if f.pattern != nil {
			m = t.Find(f.pattern, at, q1)
		} else if i := t.Index(at, f.plain); i >= 0 && i+f.runes <= q1 {
			m = []int{i, i + f.runes}
		}
		if m == nil || !f.words || wholeWords(t, m[0], m[1]) {
			return m
		}
		at = m[0] + 1
	}
	return nil
}

// wholeWords reports whether neither end of a match is inside a word.
func wholeWords(t text.Text, q0, q1 int) bool {
	return !(inWord(t, q0) || inWord(t, q1))
}

func inWord(t text.Text, q int) bool {
	if q == 0 || q == t.Runes() {
		return false
	}
	a, _ := t.RuneAt(q - 1)
	b, _ := t.RuneAt(q)
	return isWord(a) && isWord(b)
}

// Next returns the next match that begins at or after rune q; past the end of the text it goes
// on at the beginning. An empty match at q itself doesn't count.
func (f *Finder) Next(t text.Text, q int) (q0, q1 int, ok bool) {
	m := f.find(t, q, t.Runes())
	if m != nil && m[1] == q {
		if m = nil; q < t.Runes() {
			m = f.find(t, q+1, t.Runes())
		}
	}
	if m == nil {
		m = f.find(t, 0, t.Runes())
	}
	if m == nil {
		return 0, 0, false
	}
	return m[0], m[1], true
}

// Previous returns the last match that ends at or before rune q; past the beginning of the text
// it goes on at the end. An empty match at q itself doesn't count.
func (f *Finder) Previous(t text.Text, q int) (q0, q1 int, ok bool) {
	m := f.findLast(t, q)
	if m != nil && m[0] == q {
		if m = nil; q > 0 {
			m = f.findLast(t, q-1)
		}
	}
	if m == nil {
		m = f.findLast(t, t.Runes())
	}
	if m == nil {
		return 0, 0, false
	}
	return m[0], m[1], true
}

func (f *Finder) findLast(t text.Text, q int) []int {
	for {
		var m []int
		if f.pattern != nil {
			m = t.FindLast(f.pattern, q)
		} else if i := t.LastIndex(q, f.plain); i >= 0 {
			m = []int{i, i + f.runes}
		}
		if m == nil || !f.words || wholeWords(t, m[0], m[1]) {
			return m
		}
		if q = m[1] - 1; q < 0 {
			return nil
		}
	}
}

// All calls yield with the matches in runes [q0, q1), which don't overlap, from the first to the
// last, until it returns false. An empty match right behind another match doesn't count.
func (f *Finder) All(t text.Text, q0, q1 int) func(yield func([]int) bool) {
	return func(yield func([]int) bool) {
		last := -1 // where the last match ended
		for at := q0; at <= q1; {
			m := f.find(t, at, q1)
			if m == nil {
				return
			}
			at = m[1]
			if m[0] == m[1] {
				at++
				if m[0] == last {
					continue
				}
			}
			last = m[1]
			if !yield(m) {
				return
			}
		}
	}
}

// Count returns how many matches there are, at most limit.
func (f *Finder) Count(t text.Text, limit int) int {
	n := 0
	for range f.All(t, 0, t.Runes()) {
		if n++; n == limit {
			break
		}
	}
	return n
}

// ReplaceAll returns the bundle that replaces every match in runes [q0, q1) of a view's text, as
// one undo step, and how many there are. All are found in the text as it was. With a pattern, $1
// and ${name} in the replacement are what its groups matched, and $$ is a dollar. A dot that was
// the range is afterwards what has become of it.
func ReplaceAll(
	s core.Session, by core.Author, v core.View, f *Finder, replacement string, q0, q1 int,
) (core.Bundle, int, error) {
	p, err := paneOf(s, v)
	if err != nil {
		return core.Bundle{}, 0, err
	}
	if q0 < 0 || q1 < q0 || q1 > p.Text.Runes() {
		return core.Bundle{}, 0, badf("runes %d,%d in a text of %d", q0, q1, p.Text.Runes())
	}
	with := f.template(replacement)
	var spans []core.Span
	for m := range f.All(p.Text, q0, q1) {
		spans = append(spans, core.Span{Q0: m[0], Q1: m[1], Text: with(p.Text, m)})
	}
	b := core.Bundle{Author: by}
	r := replace(p.Text, p.Version, 0, spans)
	if len(r.ops) > 0 {
		sel := core.Select(v, r.q0, r.q1)
		if p.q0 == q0 && p.q1 == q1 && q0 < q1 {
			sel = core.Select(v, q0, q1+r.text.Runes()-p.Text.Runes())
		}
		b.Add(p.id.Shard(), append(r.ops, sel)...)
	}
	b, err = checked(s, b)
	return b, len(spans), err
}

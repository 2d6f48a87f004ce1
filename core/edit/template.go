package edit

import (
	"regexp"
	"strconv"
	"strings"

	"apex/core/text"
)

// template returns the function that writes a replacement for a match. Without a pattern the
// replacement stands for itself.
func (f *Finder) template(replacement string) func(text.Text, []int) string {
	if f.pattern == nil || f.names == nil || !strings.Contains(replacement, "$") {
		return func(text.Text, []int) string { return replacement }
	}
	parts := f.parts(replacement)
	return func(t text.Text, m []int) string {
		var out strings.Builder
		for _, p := range parts {
			out.WriteString(p.literal)
			if g := 2 * p.group; p.group >= 0 && g+1 < len(m) && m[g] >= 0 {
				out.WriteString(t.Substring(m[g], m[g+1]))
			}
		}
		return out.String()
	}
}

// part is a literal and the group that follows it; -1 is none.
type part struct {
	literal string
	group   int
}

// reference is $$, $1, $name or ${name}, the longest name that there can be.
var reference = regexp.MustCompile(`\$(?:\$|(\w+)|\{(\w+)\})`)

// parts reads a replacement. A name that the pattern does not have stands for nothing, as in the
// regexp package.
func (f *Finder) parts(replacement string) []part {
	var out []part
	at := 0
	for _, m := range reference.FindAllStringSubmatchIndex(replacement, -1) {
		p := part{literal: replacement[at:m[0]], group: -1}
		at = m[1]
		switch {
		case m[2] >= 0:
			p.group = f.group(replacement[m[2]:m[3]])
		case m[4] >= 0:
			p.group = f.group(replacement[m[4]:m[5]])
		default:
			p.literal += "$"
		}
		out = append(out, p)
	}
	return append(out, part{replacement[at:], -1})
}

func (f *Finder) group(name string) int {
	if n, err := strconv.Atoi(name); err == nil {
		return n
	}
	for i, s := range f.names {
		if s == name {
			return i
		}
	}
	return -1
}

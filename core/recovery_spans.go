package core

import (
	"strings"

	"apex/core/text"
)

// piece is a stretch of a text while changes are gone through: runes of the base text, or what was
// put in since.
type piece struct {
	b0, b1 int    // of the base text
	own    string // else what the leader itself put in
	asked  int    // else how many runes a proposal put in
	runes  int    // that it stands for in the text as it is now; 0 once a proposal took it out
}

// ownSpans returns, as replacements in the text before the changes, what they did that was not
// asked by proposals: what proposals put in is left out, and what they took out stays.
func ownSpans(now text.Text, changes []Change, asked map[Group]bool) []Span {
	put := make([]string, len(changes)) // what each change put in
	base := now
	for i := len(changes) - 1; i >= 0; i-- {
		c := &changes[i]
		put[i] = base.Substring(c.Q0, c.Q0+c.NI)
		base = base.Replace(c.Q0, c.Q0+c.NI, c.Deleted)
	}
	pieces := []piece{{b1: base.Runes(), runes: base.Runes()}}
	for i := range changes {
		c := &changes[i]
		if c.Kind != ChangeEdit && asked[c.Target] {
			asked[c.Group] = true // taking back, or bringing back, what was asked
		}
		pieces = change(pieces, c, put[i], asked[c.Group])
	}
	return spansOf(pieces, base)
}

// change applies one change to the pieces.
func change(pieces []piece, c *Change, put string, asked bool) []piece {
	fresh := piece{own: put, runes: c.NI}
	if asked {
		fresh = piece{asked: c.NI, runes: c.NI}
	}
	out := make([]piece, 0, len(pieces)+3)
	placed := c.NI == 0
	q := 0
	for _, p := range pieces {
		if p.runes == 0 {
			out = append(out, p)
			continue
		}
		from := min(max(0, c.Q0-q), p.runes)
		to := min(max(0, c.Q0+c.ND-q), p.runes)
		q += p.runes
		if from > 0 {
			out = append(out, p.part(0, from))
		}
		if from < to && asked && p.asked == 0 {
			gone := p.part(from, to)
			gone.runes = 0
			out = append(out, gone)
		}
		if to < p.runes {
			if !placed {
				out, placed = append(out, fresh), true
			}
			out = append(out, p.part(to, p.runes))
		}
	}
	if !placed {
		out = append(out, fresh)
	}
	return out
}

// part returns runes [i, j) of a piece, at least one.
func (p piece) part(i, j int) piece {
	if i == 0 && j == p.runes {
		return p
	}
	switch {
	case p.own != "":
		p.own = text.New([]byte(p.own)).Substring(i, j)
	case p.asked > 0:
		p.asked = j - i
	default:
		p.b0, p.b1 = p.b0+i, p.b0+j
	}
	p.runes = j - i
	return p
}

// spansOf reads what the leader did off the pieces: what of the base is left, and what its own
// text stands between.
func spansOf(pieces []piece, base text.Text) []Span {
	var out []Span
	var own strings.Builder
	at := 0
	flush := func(next int) {
		if next > at || own.Len() > 0 {
			if s := own.String(); s != base.Substring(at, next) {
				out = append(out, Span{at, next, s})
			}
		}
		own.Reset()
	}
	for _, p := range pieces {
		switch {
		case p.own != "":
			own.WriteString(p.own)
		case p.asked == 0:
			flush(p.b0)
			at = p.b1
		}
	}
	flush(base.Runes())
	return out
}

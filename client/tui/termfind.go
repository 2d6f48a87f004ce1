package tui

import (
	"context"
	"regexp"

	"apex/client/tui/input"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// pattern is the search as a regular expression.
func (s search) pattern() string {
	expr := s.expr
	if !s.regexp {
		expr = regexp.QuoteMeta(expr)
	}
	if s.words {
		expr = `\b(?:` + expr + `)\b`
	}
	if !s.exact && !hasUpper(s.expr) {
		expr = "(?i)" + expr
	}
	return expr
}

// openTermFind asks what to find in a terminal. What is looked for is most often above.
func (m *Model) openTermFind(p *termPane) tea.Cmd {
	if p.t == nil {
		return nil
	}
	f := newPrompt("Find")
	s := m.last
	if word, ok := p.textOf(p.sel); ok && word != "" && len(word) <= searchWordRunes &&
		p.sel.anchor.line == p.sel.head.line {
		s.expr = word
	}
	f.fields[0].offer(s.expr)
	describe := func() { f.tell("Enter: above, Down: below, Esc: done. "+s.options(), false) }
	step := func(m *Model, back bool) tea.Cmd {
		if s.expr = f.value(0); s.expr == "" {
			return nil
		}
		m.last = s
		return m.findTerm(p, s, back, func(note string) { f.tell(note, true) })
	}
	f.changed = func(*Model, *prompt) tea.Cmd {
		s.expr = f.value(0)
		describe()
		return nil
	}
	f.enter = func(m *Model, _ *prompt) tea.Cmd { return step(m, true) }
	f.other = func(m *Model, _ *prompt, k input.Key) (tea.Cmd, bool) {
		switch {
		case s.option(k):
			describe()
			return nil, true
		case k == key("up"), k == key("shift+f3"):
			return step(m, true), true
		case k == key("down"), k == key("f3"):
			return step(m, false), true
		}
		return nil, false
	}
	describe()
	m.push(f)
	return nil
}

// findTermAgain goes to the next match of the last search, or with back to the one before.
func (m *Model) findTermAgain(p *termPane, back bool) tea.Cmd {
	if m.last.expr == "" {
		return m.openTermFind(p)
	}
	return m.findTerm(p, m.last, back, func(note string) { m.warn("%s: %s", m.last.expr, note) })
}

// findTerm looks from the selection on, or from what is in sight, and goes on
// at the other end. tell gets what there is to say.
func (m *Model) findTerm(p *termPane, what search, back bool, tell func(string)) tea.Cmd {
	switch {
	case p.t == nil:
		return nil
	case p.alt():
		tell("a program has the whole screen; its own search finds there")
		return nil
	}
	req := proto.TermFind{Session: m.label(), Term: p.id.String(), Pattern: what.pattern(),
		Backwards: back}
	from, to := p.sel.ordered()
	switch {
	case !p.sel.empty() && back:
		req.From, req.Column = from.line, from.col
	case !p.sel.empty():
		req.From, req.Column = to.line, to.col
	case back && !p.scrolled:
		req.End = true
	case back:
		req.From = p.rows[len(p.rows)-1].at.line + 1
	default:
		req.From = p.spotOf(p.origin()).line
	}
	s := m.session
	return call(func(ctx context.Context) (termFound, error) {
		return findTermText(ctx, s, req)
	}, func(m *Model, r termFound, err error) tea.Cmd {
		switch {
		case m.terms.panes[p.view] != p:
		case err != nil:
			tell(err.Error())
		case !r.Found:
			tell("not found")
		default:
			if r.wrapped {
				tell("went on from the other end")
			}
			at := termSpot{r.Line, r.Column}
			p.sel = termSel{at, termSpot{r.Line, r.Column + r.Cells}}
			m.revealTerm(p, at)
		}
		return nil
	})
}

// termFound is where something was found; wrapped says that it was beyond the other end.
type termFound struct {
	proto.TermFound
	wrapped bool
}

func findTermText(ctx context.Context, s Session, req proto.TermFind) (termFound, error) {
	for wrapped := false; ; wrapped = true {
		got, err := reply[*proto.TermFound](ctx, s, &req)
		if err != nil || got.Found || wrapped {
			if got == nil {
				return termFound{}, err
			}
			return termFound{*got, wrapped}, err
		}
		req.From, req.Column, req.End = 0, 0, req.Backwards
	}
}

// revealTerm scrolls so that a place is in sight: if it is not, a third down.
func (m *Model) revealTerm(p *termPane, s termSpot) {
	for i := range p.rows {
		r := &p.rows[i]
		if (r.grid != nil || r.hist != nil) && r.at.line == s.line && s.col >= r.at.col &&
			s.col < r.at.col+r.cells(p.t) {
			return
		}
	}
	p.scrolled, p.at = true, s
	m.scrollTerm(p, -p.area.H/3)
	if p.area.H < 3 {
		p.show(p.find(s))
	}
}

// lookInTerm goes to the next occurrence of a text in a terminal.
func (m *Model) lookInTerm(p *termPane, s string) tea.Cmd {
	if s == "" {
		m.say("Nothing is selected.")
		return nil
	}
	what := search{expr: s, exact: true}
	return m.findTerm(p, what, false, func(note string) { m.warn("%s: %s", s, note) })
}

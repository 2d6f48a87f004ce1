package tui

import (
	"net/url"
	"strings"

	"apex/core"
	"apex/core/cell"
	"apex/core/edit"
	"apex/core/text"

	tea "charm.land/bubbletea/v2"
)

// termText is a line of a terminal as a text, where places are runes, and in the terminal cells.
type termText struct {
	text  text.Text
	cells []int // before each rune, and before the end
}

func newTermText(runs []cell.Run) termText {
	l := termText{text: text.FromString(cell.RowText(runs))}
	x := 0
	for i := range runs {
		w, cluster := runs[i].Kind.Width(), runs[i].Kind.Cluster()
		for range runs[i].Text {
			l.cells = append(l.cells, x)
			if !cluster {
				x += w
			}
		}
		if cluster {
			x += w
		}
	}
	l.cells = append(l.cells, x)
	return l
}

// rune returns the first rune of what a cell shows, or the end.
func (l *termText) rune(col int) int {
	q := 0
	for i, x := range l.cells {
		if x > col {
			break
		}
		if x > l.cells[q] {
			q = i
		}
	}
	return q
}

// col returns how many cells are before a rune.
func (l *termText) col(q int) int { return l.cells[min(q, len(l.cells)-1)] }

// at returns the line at a place with the rune there, and what of it is selected: nothing if the
// selection is elsewhere or in several lines.
func (p *termPane) textAt(s termSpot) (l termText, q, dot0, dot1 int, ok bool) {
	runs, ok := p.lineRuns(s.line)
	if !ok {
		return l, 0, 0, 0, false
	}
	l = newTermText(runs)
	q = l.rune(s.col)
	dot0, dot1 = q, q
	if from, to := p.sel.ordered(); from.line == s.line && to.line == s.line && !p.sel.empty() {
		dot0, dot1 = l.rune(from.col), l.rune(to.col)
	}
	return l, q, dot0, dot1, true
}

// executeTerm executes what B2 was swept over in a terminal, or the word where it was clicked.
func (m *Model) executeTerm(p *termPane, s termSpot, swept termSel, arg string) tea.Cmd {
	run := func(m *Model, line string) tea.Cmd {
		line = line[:cutAt(line, core.MaxCommandBytes)]
		if arg != "" {
			line += " " + arg
		}
		return m.execIn(p.view, line)
	}
	if !swept.empty() {
		return m.withText(p, swept, run)
	}
	l, q, dot0, dot1, ok := p.textAt(s)
	if !ok {
		return nil
	}
	q0, q1 := edit.CommandAt(l.text, q, dot0, dot1)
	return run(m, l.text.Substring(q0, q1))
}

// lookTerm is B3 over a terminal's text: it goes where a link leads, opens the file that the text
// names, and where there is none, goes to the text's next occurrence.
func (m *Model) lookTerm(p *termPane, s termSpot, swept termSel) tea.Cmd {
	if !swept.empty() {
		return m.withText(p, swept, func(m *Model, found string) tea.Cmd {
			t := text.FromString(found)
			return m.lookText(p, t, 0, 0, t.Runes())
		})
	}
	if link := p.linkAt(s); link != "" {
		return m.followLink(p, link)
	}
	l, q, dot0, dot1, ok := p.textAt(s)
	if !ok {
		return nil
	}
	if dot0 == dot1 || q < dot0 || q > dot1 {
		dot0, dot1 = q, q
	}
	return m.lookText(p, l.text, q, dot0, dot1)
}

// lookText looks for what a place in a text names.
func (m *Model) lookText(p *termPane, t text.Text, q, dot0, dot1 int) tea.Cmd {
	ref := edit.RefAt(t, q, dot0, dot1)
	if ref.Q0 == ref.Q1 {
		m.say("There is nothing here to look for.")
		return nil
	}
	found := ref.Text(t)
	if ref.Name == "" || !m.session.State().Leading {
		return m.lookFor(p.view, found, 0)
	}
	return m.openOrFind(p.view, ref, found)
}

// linkAt returns the address that a cell links to, "" for none.
func (p *termPane) linkAt(s termSpot) string {
	runs, _ := p.lineRuns(s.line)
	x := 0
	for i := range runs {
		if x += runs[i].Cells(); s.col < x {
			return runs[i].Link
		}
	}
	return ""
}

// followLink opens the file that a link leads to. Any other goes to the clipboard: what opens it is
// where the person sits.
func (m *Model) followLink(p *termPane, link string) tea.Cmd {
	if u, err := url.Parse(link); err == nil && u.Scheme == "file" && u.Path != "" {
		name := u.Path
		if u.Fragment != "" {
			name += ":" + strings.TrimPrefix(u.Fragment, "L")
		}
		return m.openFile(name)
	}
	m.clipboard(link)
	m.say("Copied " + link)
	return nil
}

// executeTermDot and lookTermDot do for the keyboard what B2 and B3 do: with the selection.
func (m *Model) executeTermDot(p *termPane) tea.Cmd {
	if p.sel.empty() {
		m.say("Nothing is selected.")
		return nil
	}
	return m.executeTerm(p, p.sel.anchor, p.sel, "")
}

func (m *Model) lookTermDot(p *termPane) tea.Cmd {
	if p.sel.empty() {
		m.say("Nothing is selected.")
		return nil
	}
	return m.lookTerm(p, p.sel.anchor, p.sel)
}

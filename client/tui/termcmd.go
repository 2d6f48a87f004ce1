package tui

import (
	"context"
	"strings"

	"apex/core"
	"apex/core/edit"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// termCommands is what the interface's commands do while a terminal has the focus, where that is
// something of its own.
var termCommands map[string]func(*Model, *termPane) tea.Cmd

func init() {
	on := func(f func(*Model, *termPane)) func(*Model, *termPane) tea.Cmd {
		return func(m *Model, p *termPane) tea.Cmd {
			if p.t != nil {
				f(m, p)
			}
			return nil
		}
	}
	scroll := func(rows func(*termPane) int) func(*Model, *termPane) tea.Cmd {
		return on(func(m *Model, p *termPane) { m.scrollTerm(p, rows(p)) })
	}
	row := func(n int) func(*termPane) int { return func(*termPane) int { return n } }
	termCommands = map[string]func(*Model, *termPane) tea.Cmd{
		"copy":          (*Model).copyTerm,
		"cut":           (*Model).copyTerm,
		"paste":         (*Model).pasteTerm,
		"select-all":    on(func(_ *Model, p *termPane) { p.wholeTerm() }),
		"find":          (*Model).openTermFind,
		"find-next":     func(m *Model, p *termPane) tea.Cmd { return m.findTermAgain(p, false) },
		"find-previous": func(m *Model, p *termPane) tea.Cmd { return m.findTermAgain(p, true) },
		"execute":       (*Model).executeTermDot,
		"look":          (*Model).lookTermDot,
		"page-up":       scroll(func(p *termPane) int { return -p.page() }),
		"page-down":     scroll((*termPane).page),
		"up":            scroll(row(-1)),
		"down":          scroll(row(1)),
		"scroll-up":     scroll(row(-1)),
		"scroll-down":   scroll(row(1)),
		"text-start":    on(func(m *Model, p *termPane) { p.oldest(); p.ahead() }),
		"text-end":      on(func(_ *Model, p *termPane) { p.bottom() }),
	}
	for _, name := range []string{"save", "reload", "rename", "replace", "go-to-line",
		"line-numbers", "wrap", "indent", "tab-width"} {
		termCommands[name] = on(func(m *Model, _ *termPane) { m.say(notForTerm) })
	}
}

const notForTerm = "That is not for a terminal."

// runTerm runs a command while a terminal has the focus; false for one that is the same for all
// windows.
func (m *Model) runTerm(p *termPane, c *command) (tea.Cmd, bool) {
	if f := termCommands[c.name]; f != nil {
		return f(m, p), true
	}
	if c.edits || c.moves {
		m.say(notForTerm)
		return nil, true
	}
	return nil, false
}

// pasteTerm types what was copied into the program.
func (m *Model) pasteTerm(p *termPane) tea.Cmd {
	s := m.ownSnarf
	if l := m.session.Layout(); s == "" && l != nil {
		s = l.Snarf
	}
	switch {
	case m.mayNot():
		m.refuse()
		return nil
	case s == "":
		m.say(nothingToPaste)
		return nil
	}
	m.pasteTo(p, s)
	return nil
}

// typeHeld types what waited for something else into a terminal.
func (m *Model) typeHeld(p *termPane, in heldInput) tea.Cmd {
	switch {
	case m.mayNot():
		m.refuse()
	case in.command != nil:
		cmd, _ := m.runTerm(p, in.command)
		return cmd
	case in.paste:
		m.pasteTo(p, in.text)
	case in.text != "":
		p.bottom()
		p.sel = termSel{}
		m.inputTo(p, proto.TermInput{Kind: proto.InputText, Text: []byte(in.text)})
	}
	return nil
}

// execTerm runs a command line in a terminal's window, its tag included; false for a command that
// is the same there as in other windows.
func (m *Model) execTerm(v core.View, word, args string) (tea.Cmd, bool) {
	p := m.termPane(bodyOf(v))
	if p == nil {
		return nil, false
	}
	switch word {
	case "Cut", "Copy", "Snarf":
		return m.copyTerm(p), true
	case "Paste":
		return m.pasteTerm(p), true
	case "Look":
		if args == "" {
			args, _ = p.selected()
		}
		return m.lookInTerm(p, args), true
	case "Kill":
		if args != "" && args[0] != '-' {
			return nil, false // commands of a name
		}
		return m.askTerm(&proto.TermKill{Session: m.label(), Term: p.id.String(),
			Signal: strings.TrimPrefix(args, "-")}), true
	case "Clear":
		p.bottom()
		return m.askTerm(&proto.TermClear{Session: m.label(), Term: p.id.String()}), true
	case "Del":
		if w, _ := v.Window(); m.keepsTerms(w, "Del", w) {
			return nil, true
		}
	case "Undo", "Redo", "Get", "Put", "Goto", "Tab", "Numbers", "Wrap", "Indent":
		m.say(word + " is not for a terminal.")
		return nil, true
	}
	return nil, false
}

// selected returns what is selected, if it is here.
func (p *termPane) selected() (string, bool) {
	if p.t == nil || p.sel.empty() {
		return "", false
	}
	return p.textOf(p.sel)
}

// keepsTerms reports whether a command that would close windows leaves them open: while a program
// runs in one it does, and says how to close it. To ask again is to insist.
func (m *Model) keepsTerms(asked core.WindowID, word string, going ...core.WindowID) bool {
	var running []string
	for _, w := range going {
		t := m.termIn(w.Body())
		if t != nil && t.Window == w && !t.Exit.Done {
			running = append(running, t.Command)
		}
	}
	if len(running) == 0 || m.terms.ending == asked {
		m.terms.ending = 0
		return false
	}
	m.terms.ending = asked
	m.warn("%s still runs: %s once more ends it and closes.", strings.Join(running, ", "), word)
	return true
}

// keepsColumn is keepsTerms for the column that a view is in.
func (m *Model) keepsColumn(v core.View) bool {
	l := m.session.Layout()
	if l == nil || len(l.Columns) < 2 {
		return false
	}
	var going []core.WindowID
	for _, s := range l.Columns[edit.ActiveColumn(&l.Arrange, v)].Slots {
		going = append(going, s.Window)
	}
	return len(going) > 0 && m.keepsTerms(going[0], "Delcol", going...)
}

// askTerm makes a request about a terminal that has nothing to tell.
func (m *Model) askTerm(req proto.Request) tea.Cmd {
	if m.mayNot() {
		m.refuse()
		return nil
	}
	s := m.session
	return call(func(ctx context.Context) (proto.Reply, error) { return s.Call(ctx, req) },
		func(m *Model, _ proto.Reply, err error) tea.Cmd {
			m.fail(err)
			return nil
		})
}

// newTerm makes a terminal in the directory of a view, with the shell or a command.
func (m *Model) newTerm(v core.View, args string) tea.Cmd {
	if m.mayNot() {
		m.refuse()
		return nil
	}
	req := &proto.TermNew{Session: m.label(), Dir: m.directory(v), Argv: argv(args), Focus: true,
		Author: proto.Author{Actor: m.session.Actor().Actor}}
	named := edit.Dir(m.session, v)
	req.Cols, req.Rows = m.roomFor(v)
	s := m.session
	return call(func(ctx context.Context) (proto.Reply, error) {
		r, err := s.Call(ctx, req)
		if core.CodeOf(err) == core.CodeNotFound && req.Dir != named {
			req.Dir = named // what a program says of its directory may be of another host
			r, err = s.Call(ctx, req)
		}
		return r, err
	}, func(m *Model, _ proto.Reply, err error) tea.Cmd {
		m.fail(err)
		return nil
	})
}

// shellMarks are the characters that mean something to a shell.
const shellMarks = "\"'\\`$|&;<>()*?[]{}~#\n"

// argv splits a command line as a shell would; one that says more than words is a shell's to run.
func argv(line string) []string {
	if strings.ContainsAny(line, shellMarks) {
		return []string{"/bin/sh", "-c", line}
	}
	return strings.Fields(line)
}

// roomFor guesses the size of a new window beside a view's: half of the column's rows.
func (m *Model) roomFor(v core.View) (cols, rows int) {
	w, ok := v.Window()
	if !ok {
		return 0, 0
	}
	at, ok := m.placing.window(w)
	if !ok || at.tag.W < 2 {
		return 0, 0
	}
	rows = max((at.body.H+1)/2-1, 1)
	return min(at.tag.W-1, core.TermColsMax), min(rows, core.TermRowsMax)
}

package tui

import (
	"context"
	"strings"

	"apex/core"
	"apex/core/edit"

	tea "charm.land/bubbletea/v2"
)

// exec runs a command line in the text with the focus, as if B2 had executed it there.
func (m *Model) exec(line string) tea.Cmd { return m.execIn(m.focused(), line) }

// execIn runs a command line in a view.
func (m *Model) execIn(v core.View, line string) tea.Cmd {
	line = strings.TrimSpace(line)
	word, args, _ := strings.Cut(line, " ")
	if word == "" {
		return nil
	}
	if cmd, ok := m.execTerm(v, word, strings.TrimSpace(args)); ok {
		return cmd
	}
	c, ok := edit.Lookup(word)
	switch {
	case word == "Newterm":
		return m.newTerm(v, strings.TrimSpace(args))
	case word == "Delcol" && m.keepsColumn(v):
		return nil
	case ok && c.Kind == edit.CommandScreen:
		return m.screenCommand(word, strings.TrimSpace(args))
	case word == "Look":
		return m.lookCommand(v, strings.TrimSpace(args))
	case m.waits(v):
		m.hold(heldInput{view: v, line: line})
		return nil
	case !m.session.State().Leading:
		m.refuse()
		return nil
	}
	b, err := edit.Run(m.session, m.session, m.session.Actor(), v, line)
	if err != nil {
		m.failed(word, err)
		return nil
	}
	typing := m.focused()
	if s, ok := snarfed(&b); ok {
		m.clipboard(s)
	}
	if m.commit(b) {
		m.caret.show, m.caret.front, m.caret.goal = true, false, -1
		m.stay(typing)
	}
	return nil
}

// stay gives the focus back to the text that had it, if a command moved it to a column's tag: who
// made or closed a column wants to go on typing, and not into a tag.
func (m *Model) stay(typing core.View) {
	l := m.session.Layout()
	if l.Focus.Kind == core.ViewColumn && typing.Kind == core.ViewBody && m.bufferID(typing) != 0 {
		m.setFocus(typing)
	}
}

// failed tells why a command was refused, and what can be done about it.
func (m *Model) failed(word string, err error) {
	switch unsaved := core.CodeOf(err) == core.CodeUnsaved; {
	case unsaved && word == "Del":
		m.warn("%v; %s saves, and Delete instead of Del closes without", err, keyOf("save"))
	case unsaved && word == "Delcol":
		m.warn("%v; %s saves a file, and Putall every one", err, keyOf("save"))
	default:
		m.fail(err)
	}
}

// closeWindow closes the window with the focus, or where a column has it, the one in it that had it
// last.
func (m *Model) closeWindow() tea.Cmd {
	v := m.focused()
	l := m.session.Layout()
	if _, ok := m.focusWindow(); ok || l == nil {
		return m.exec("Del")
	}
	if w, ok := m.worked.Window(); ok {
		if c, _, ok := l.Window(w); ok && core.ColumnView(l.Columns[c].Tag) == v {
			return m.execIn(m.worked, "Del")
		}
	}
	m.say("No window has the focus: click in the one to close, or go there by " +
		keyOf("window-down") + ". Delcol closes the column.")
	return nil
}

// snarfed returns what a bundle puts in the snarf buffer.
func snarfed(b *core.Bundle) (string, bool) {
	for _, p := range b.Parts {
		for i := range p.Ops {
			if s, ok := p.Ops[i].Body.(*core.Snarf); ok {
				return s.Text, true
			}
		}
	}
	return "", false
}

// screenCommand does what only the interface can do.
func (m *Model) screenCommand(word, args string) tea.Cmd {
	switch word {
	case "Detach":
		return m.detach()
	case "End":
		m.openEnd()
	case "Take":
		return m.takeOver()
	case "Help":
		m.openHelp()
	default:
		m.say(word + " is not for here.")
	}
	return nil
}

// complain puts a message for the person in the +Errors window of the view's directory.
func (m *Model) complain(v core.View, text string) tea.Cmd {
	if !m.session.State().Leading {
		m.warn("%s", text)
		return nil
	}
	return m.ask(edit.Errors(m.directory(v), text), nil)
}

// ask makes a change: at once if this client leads what it needs, else by asking who does. then
// gets the result; without it a failure is shown.
func (m *Model) ask(a core.Ask, then func(*Model, core.Result) tea.Cmd) tea.Cmd {
	if then == nil {
		then = func(m *Model, r core.Result) tea.Cmd {
			if r.Err != nil {
				m.fail(r.Err)
			}
			return nil
		}
	}
	if m.session.Leads(a.Target()) {
		p := core.Proposal{Author: m.session.Actor(), Ask: a}
		b, res := edit.Evaluate(m.session, m.session, &p)
		if res.Err == nil || res.Err.Code != core.CodeNotLeader {
			if res.Err == nil && !m.commit(b) {
				return nil
			}
			return then(m, res)
		}
	}
	s := m.session
	return call(func(ctx context.Context) (core.Result, error) { return s.Propose(ctx, a) },
		func(m *Model, r core.Result, err error) tea.Cmd {
			if err != nil {
				r = core.Failed(err)
			}
			return then(m, r)
		})
}

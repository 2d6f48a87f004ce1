package tui

import (
	"fmt"
	"strings"

	"apex/client/tui/paint"
	"apex/core"
	"apex/core/edit"
	"apex/core/text"

	tea "charm.land/bubbletea/v2"
)

// clusters tells edit how long graphemes are.
func clusters(s string) int {
	n, _ := paint.First(s)
	return n
}

var (
	leftOf  = edit.Left(clusters)
	rightOf = edit.Right(clusters)
)

// do commits what a verb of package edit made of a key.
func (m *Model) do(b core.Bundle, err error) {
	if err != nil {
		m.fail(err)
		return
	}
	if m.commitAll([]core.Bundle{b}) {
		m.caret = caret{view: m.focused(), goal: -1, show: true}
	}
}

func (m *Model) by() core.Author { return m.session.Actor() }

func (m *Model) typeText(s string) {
	m.do(edit.Type(m.desk(), m.by(), m.focused(), s))
}

// pasteText puts a text in the place of the selection, as one undo step.
func (m *Model) pasteText(s string) {
	if !strings.Contains(s, "\n") {
		s = strings.ReplaceAll(s, "\r", "\n") // terminals send a line end as the key that makes one
	}
	bundles, err := edit.Paste(m.desk(), m.by(), m.focused(), s)
	if err != nil {
		m.fail(err)
		return
	}
	if !m.commitAll(bundles) {
		return
	}
	m.caret = caret{view: m.focused(), goal: -1, show: true}
}

// erase deletes the selection, or where there is none, as far as a motion goes.
func (m *Model) erase(to edit.Motion) {
	m.do(edit.Erase(m.desk(), m.by(), m.focused(), to))
}

func (m *Model) eraseLines() { m.do(edit.EraseLines(m.desk(), m.by(), m.focused())) }

func (m *Model) undo(redo bool) {
	m.do(edit.Undo(m.desk(), m.by(), m.focused(), redo))
}

// tab types a tab, or moves the selected lines in.
func (m *Model) tab() {
	v := m.focused()
	b := m.buffer(v)
	if b == nil {
		return
	}
	if s := m.seen(v, b); b.Text.LineOf(s.Q0) != b.Text.LineOf(max(s.Q1-1, s.Q0)) {
		m.indentLines(false)
		return
	}
	m.typeText("\t")
}

func (m *Model) indentLines(out bool) {
	m.do(edit.Indent(m.desk(), m.by(), m.focused(), out))
}

// selected returns the text that is selected.
func (m *Model) selected() string {
	v := m.focused()
	if p := m.termPane(v); p != nil {
		s, _ := p.selected()
		return s
	}
	b := m.buffer(v)
	if b == nil {
		return ""
	}
	s := m.seen(v, b)
	return b.Text.Substring(s.Q0, s.Q1)
}

// copy puts the selection in the session's snarf buffer and the terminal's clipboard. Who does not
// lead the session keeps it here.
func (m *Model) copy() tea.Cmd {
	s := m.selected()
	if s == "" {
		m.say("Nothing is selected.")
		return nil
	}
	if !m.leadsAll(core.LayoutShard) || !m.leads(m.focused()) {
		m.ownSnarf = s
	} else if b, err := edit.Snarf(m.session, m.by(), m.focused()); err != nil {
		m.fail(err)
	} else {
		m.commit(b)
	}
	if m.message.text == "" {
		m.say(fmt.Sprintf("Copied %d characters.", text.FromString(s).Runes()))
	}
	m.clipboard(s)
	return nil
}

func (m *Model) leadsAll(shards ...core.Shard) bool {
	for _, s := range shards {
		if !m.session.Leads(s) {
			return false
		}
	}
	return true
}

// cut copies the selection and deletes it.
func (m *Model) cut() tea.Cmd {
	s := m.selected()
	if s == "" {
		m.say("Nothing is selected.")
		return nil
	}
	m.do(edit.Cut(m.desk(), m.by(), m.focused()))
	m.clipboard(s)
	return nil
}

const nothingToPaste = "Nothing to paste here. The terminal's own key pastes from outside, " +
	"often Ctrl-Shift-V."

// paste puts the snarf buffer in the place of the selection. What was copied while another led the
// session is newer than the snarf buffer.
func (m *Model) paste() tea.Cmd {
	if m.ownSnarf != "" {
		m.pasteText(m.ownSnarf)
		return nil
	}
	if l := m.session.Layout(); l == nil || l.Snarf == "" {
		m.say(nothingToPaste)
		return nil
	}
	m.do(edit.PasteSnarf(m.desk(), m.by(), m.focused()))
	if b := m.buffer(m.focused()); b != nil { // typing goes on behind it
		s := m.seen(m.focused(), b)
		m.dot(m.focused(), s.Q1, s.Q1)
	}
	return nil
}

func (m *Model) selectAll() {
	v := m.focused()
	if b := m.buffer(v); b != nil {
		m.dot(v, 0, b.Text.Runes())
		m.caret.show = false
	}
}

// expandSelect returns what two or three clicks at q select.
func (m *Model) expandSelect(v core.View, q, clicks int) (q0, q1 int) {
	b := m.buffer(v)
	if b == nil {
		return q, q
	}
	if clicks == 2 {
		return edit.DoubleClick(b.Text, q)
	}
	return edit.Line(b.Text, q)
}

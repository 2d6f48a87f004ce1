package tui

import (
	"fmt"
	"strings"

	"apex/core"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// termTold is what of a terminal was told already.
type termTold struct {
	bells, clips uint64
	ended        bool
}

// termChanged notices what a terminal wants a person to know: its bell, its end, and what its
// program copied.
func (m *Model) termChanged(id core.TermID) {
	t := m.term(id)
	if t == nil {
		delete(m.terms.told, id)
		return
	}
	was, known := m.terms.told[id]
	m.terms.told[id] = termTold{t.Bells, t.Clips, t.Exit.Done}
	if !known {
		return
	}
	if t.Bells > was.bells {
		m.terms.ring = true
		m.termNews(t.Window, "rang")
	}
	if t.Exit.Done && !was.ended {
		m.termNews(t.Window, "ended")
	}
	if l := m.session.Layout(); t.Clips > was.clips && l != nil && m.session.State().Leading {
		m.clipboard(l.Snarf)
	}
}

// termNews keeps what happened in a window for the top row, until the window gets the focus.
func (m *Model) termNews(w core.WindowID, what string) {
	if now, ok := m.focusWindow(); ok && now == w || m.session.Window(w) == nil {
		return
	}
	m.terms.news[w] = what
}

// termStatus says in a few words what happened in terminals elsewhere.
func (m *Model) termStatus() string {
	if w, ok := m.focusWindow(); ok {
		delete(m.terms.news, w)
	}
	out := ""
	for w, what := range m.terms.news {
		if m.session.Window(w) == nil {
			delete(m.terms.news, w)
			continue
		}
		name := m.windowName(w)
		name = name[strings.LastIndexByte(name, '/')+1:]
		out = name + " " + what
	}
	if n := len(m.terms.news); n > 1 {
		return fmt.Sprintf("%d terminals rang or ended", n)
	}
	return out
}

// termFrame does what follows from a frame: sizes, the bell, and which program has the focus.
func (m *Model) termFrame() {
	m.fitTerms()
	m.fail(m.screen.SetMotion(m.wantsMotion()))
	if m.terms.ring {
		m.terms.ring = false
		m.fail(m.screen.Tell("\a"))
	}
	m.tellFocus()
}

// wantsMotion reports whether a program in sight wants all motion of the mouse.
func (m *Model) wantsMotion() bool {
	if !m.session.State().Leading {
		return false
	}
	for i := range m.placing.columns {
		for _, w := range m.placing.columns[i].windows {
			t := m.termIn(w.id.Body())
			if t != nil && !t.Exit.Done && t.Modes.Mouse() == core.MouseMotion && !w.body.Empty() {
				return true
			}
		}
	}
	return false
}

// tellFocus tells programs that want to know it that they got the focus, or lost it.
func (m *Model) tellFocus() {
	var now core.TermID
	if !m.terms.blur {
		now = m.termID(m.focused())
	}
	was := m.terms.within
	if now == was || !m.session.State().Leading {
		return
	}
	m.terms.within = now
	for _, f := range []struct {
		id core.TermID
		in bool
	}{{was, false}, {now, true}} {
		t := m.term(f.id)
		if f.id == 0 || t == nil || t.Exit.Done || t.Modes&core.TermFocus == 0 {
			continue
		}
		m.queueInput(f.id, proto.TermInput{Kind: proto.InputFocus, In: f.in})
	}
}

// hostFocus notices that the host terminal got the focus, or lost it.
func (m *Model) hostFocus(msg tea.Msg) {
	switch msg.(type) {
	case tea.FocusMsg:
		m.terms.blur = false
	case tea.BlurMsg:
		m.terms.blur = true
	}
}

// termWords says for a terminal's tag how its program stands.
func termWords(t *core.Term) string {
	var words []string
	switch x := t.Exit; {
	case x.Done && x.Signal != "":
		words = append(words, "killed by "+x.Signal)
	case x.Done && x.Reason != "":
		words = append(words, x.Reason)
	case x.Done:
		words = append(words, fmt.Sprintf("exited %d", x.Code))
	default:
		words = append(words, progressWords(t.Progress)...)
	}
	return strings.Join(words, " ")
}

func progressWords(p core.Progress) []string {
	switch p.State {
	case core.ProgressSet:
		return []string{fmt.Sprintf("%d%%", p.Percent)}
	case core.ProgressError:
		return []string{"failing"}
	case core.ProgressBusy:
		return []string{"busy"}
	case core.ProgressPaused:
		return []string{fmt.Sprintf("paused at %d%%", p.Percent)}
	}
	return nil
}

// termWhere says where the terminal with the focus is scrolled to.
func (m *Model) termWhere(p *termPane) string {
	switch {
	case p.t == nil:
		return ""
	case p.scrolled:
		return fmt.Sprintf("%d lines back", p.t.Base-min(p.at.line, p.t.Base))
	}
	return ""
}

// terminals says which keys are the interface's in a terminal.
func (h *help) terminals(prefix string) {
	h.lines = append(h.lines, helpLine{text: "In a terminal", key: heading},
		helpLine{prefix, "then any key of this page does what it says here, and these do too:"})
	for _, k := range termKeys.prefixed {
		h.lines = append(h.lines, helpLine{prefix + " " + k.show(), commandNamed(k.command).title})
	}
	h.lines = append(h.lines, helpLine{prefix + " " + prefix, "goes to the program, as do these:"})
	for _, k := range termKeys.plain {
		h.lines = append(h.lines,
			helpLine{k.show(), commandNamed(k.command).title + ", without " + prefix})
	}
	h.lines = append(h.lines,
		helpLine{"Esc, End", "where it is scrolled back: to the program again"},
		helpLine{"Shift and the mouse", "for the interface, where the program takes the mouse"},
		helpLine{"Everything else", "goes to the program"})
}

// show is the key's name for people: one that types a letter is that letter.
func (k *termKey) show() string {
	if len(k.key) == 1 {
		return k.key
	}
	return showKey(k.key)
}

// termHints are the keys that the last row shows while a terminal has the focus.
func (m *Model) termHints(p *termPane) []hint {
	prefix := m.prefixName()
	if m.terms.prefix {
		return []hint{{keyOf("palette"), "commands"}, {"c", "copy"}, {"v", "paste"}, {"/", "find"},
			{keyOf("terminal"), "new terminal"}, {keyOf("tag"), "tag"}, {keyOf("close"), "close"},
			{"q", "detach"}, {prefix, "is the program's"}}
	}
	if p.t != nil && p.t.Exit.Done {
		return []hint{{prefix + " " + keyOf("close"), "closes the window: its program has ended"},
			{prefix + " " + keyOf("palette"), "commands"}}
	}
	if p.scrolled {
		return []hint{{"Esc", "back to the program"}, {"Shift-PgUp", "scroll"},
			{prefix + " /", "find"}, {prefix + " c", "copy"}}
	}
	return []hint{{prefix, "before apex's keys"}, {prefix + " " + keyOf("palette"), "commands"},
		{"Alt-arrows", "windows"}, {"Shift-PgUp", "scroll"}, {keyOf("help"), "help"}}
}

// meetTerms takes the terminals that are there at the beginning for known.
func (m *Model) meetTerms() {
	l := m.session.Layout()
	if l == nil {
		return
	}
	for _, c := range l.Columns {
		for _, s := range c.Slots {
			if id := m.termID(s.Window.Body()); id != 0 {
				m.termChanged(id)
			}
		}
	}
}

// termFlags tells in a tag how a terminal stands.
func (m *Model) termFlags(f *tagFlags, w *placedWindow, win *core.Window) {
	t := m.term(win.Term)
	if t == nil {
		f.loading = true
		return
	}
	f.term = termWords(t)
	if !w.body.Empty() && (t.Cols > w.body.W-1 || t.Rows > w.body.H) && !m.session.State().Leading {
		f.term += fmt.Sprintf(" %dx%d", t.Cols, t.Rows)
	}
	f.term = strings.TrimSpace(f.term)
}

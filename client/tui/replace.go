package tui

import (
	"fmt"

	"apex/client/tui/input"
	"apex/core"
	"apex/core/edit"

	tea "charm.land/bubbletea/v2"
)

// replacing is the prompt for find and replace.
type replacing struct {
	*prompt
	view   core.View
	q0, q1 int // the selection when it was opened
	within bool
	s      search
	ready  bool // the second field was gone to, or what Enter does there was told
}

// openReplace asks what to replace by what. Where lines are selected, it is within them.
func (m *Model) openReplace() {
	v := m.searchable()
	b := m.buffer(v)
	if b == nil {
		return
	}
	at := m.seen(v, b)
	r := &replacing{prompt: newPrompt("Replace", "with"), view: v, q0: at.Q0, q1: at.Q1, s: m.last}
	r.within = b.Text.LineOf(at.Q0) != b.Text.LineOf(at.Q1)
	r.s.expr = m.selectedWord()
	r.fields[0].offer(r.s.expr)
	if r.s.expr != "" {
		r.at = 1
	}
	r.enter = func(m *Model, _ *prompt) tea.Cmd { return r.take(m) }
	r.changed = func(*Model, *prompt) tea.Cmd {
		r.describe()
		return nil
	}
	r.other = r.otherKey
	r.describe()
	m.push(r.prompt)
}

// describe tells what Enter does in the field with the caret.
func (r *replacing) describe() {
	if r.at == 0 {
		r.ready = true
		r.tell("Enter: to what replaces it, F3: find. "+r.s.options(), false)
		return
	}
	what, where := "all", "everywhere"
	if r.value(1) == "" {
		what = "deletes all"
	}
	if r.within {
		where = "in the selection"
	}
	r.tell(fmt.Sprintf("Enter: %s %s (Alt-S), F3: one. %s", what, where, r.s.options()), false)
}

// take is Enter: from what to look for it goes to what replaces it, and there it replaces. Nothing
// is deleted by who was never in that field, or was put there and only pressed Enter.
func (r *replacing) take(m *Model) tea.Cmd {
	switch {
	case r.at == 0:
		r.at = 1
		r.describe()
	case !r.ready && r.value(1) == "":
		r.ready = true
		r.tell("Enter again deletes every match", false)
	default:
		return r.all(m)
	}
	return nil
}

func (r *replacing) otherKey(m *Model, _ *prompt, k input.Key) (tea.Cmd, bool) {
	switch {
	case k == key("alt+s"):
		r.within = !r.within && r.q0 < r.q1
	case r.s.option(k):
	case k == key("f3"):
		return r.one(m), true
	default:
		return nil, false
	}
	r.describe()
	return nil, true
}

// finder compiles the first field. An error is told in the prompt.
func (r *replacing) finder(m *Model) (*edit.Finder, bool) {
	r.s.expr = r.value(0)
	f, err := r.s.compile()
	if err != nil {
		r.tell(err.Error(), true)
		return nil, false
	}
	m.last = r.s
	if !m.canEdit(r.view) {
		r.tell("this text can't be changed here now", true)
		return nil, false
	}
	return f, true
}

// all replaces every match, as one undo step.
func (r *replacing) all(m *Model) tea.Cmd {
	f, ok := r.finder(m)
	if !ok {
		return nil
	}
	q0, q1 := 0, m.buffer(r.view).Text.Runes()
	if r.within {
		q0, q1 = min(r.q0, q1), min(r.q1, q1)
	}
	b, n, err := edit.ReplaceAll(m.session, m.by(), r.view, f, r.value(1), q0, q1)
	if err != nil {
		r.tell(err.Error(), true)
		return nil
	}
	if n == 0 {
		r.tell("not found", true)
		return nil
	}
	m.pop()
	m.do(b, nil)
	if m.message.text == "" {
		m.say(fmt.Sprintf("Replaced %d. %s takes all of it back.", n, keyOf("undo")))
	}
	return nil
}

// one replaces the match that is selected, and goes to the next.
func (r *replacing) one(m *Model) tea.Cmd {
	f, ok := r.finder(m)
	if !ok {
		return nil
	}
	at := m.seen(r.view, m.buffer(r.view))
	q0, q1, ok := f.Next(m.buffer(r.view).Text, at.Q0)
	if ok && q0 == at.Q0 && q1 == at.Q1 && r.at == 1 { // else what replaces it was not said yet
		b, _, err := edit.ReplaceAll(m.session, m.by(), r.view, f, r.value(1), q0, q1)
		if err != nil {
			r.tell(err.Error(), true)
			return nil
		}
		m.do(b, nil)
		at = m.seen(r.view, m.buffer(r.view))
	}
	return m.find(r.view, f, at.Q1, false, func(m *Model, next found) {
		if !next.ok {
			r.tell("no more", true)
			return
		}
		m.dot(r.view, next.q0, next.q1)
	})
}

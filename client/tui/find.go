package tui

import (
	"context"
	"fmt"
	"unicode"

	"apex/client/tui/input"
	"apex/core"
	"apex/core/edit"
	"apex/core/text"

	tea "charm.land/bubbletea/v2"
)

// search is what to look for, and how.
type search struct {
	expr   string
	regexp bool // expr is a regular expression, else the text itself
	exact  bool // capitals count; they do anyway if expr has any
	words  bool // whole words only
}

// compile makes the finder of a search.
func (s search) compile() (*edit.Finder, error) {
	return edit.Compile(edit.Search{Text: s.expr, Regexp: s.regexp, Words: s.words,
		IgnoreCase: !s.exact && !hasUpper(s.expr)})
}

func hasUpper(s string) bool {
	for _, r := range s {
		if unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

// options says how a search is made, and with which keys that changes.
func (s search) options() string {
	kind, caps, words := "plain", "any case", "parts of words"
	if s.regexp {
		kind = "regexp"
	}
	if s.exact || hasUpper(s.expr) {
		caps = "exact case"
	}
	if s.words {
		words = "whole words"
	}
	return fmt.Sprintf("Alt-R %s, Alt-C %s, Alt-W %s", kind, caps, words)
}

// option deals with the keys that change how a search is made.
func (s *search) option(k input.Key) bool {
	switch k {
	case key("alt+r"):
		s.regexp = !s.regexp
	case key("alt+c"):
		s.exact = !s.exact
	case key("alt+w"):
		s.words = !s.words
	default:
		return false
	}
	return true
}

// found is the result of a search.
type found struct {
	q0, q1      int
	wrapped, ok bool // wrapped: it went on at the other end of the text
}

func findIn(t text.Text, f *edit.Finder, q int, back bool) (r found) {
	if back {
		r.q0, r.q1, r.ok = f.Previous(t, q)
		r.wrapped = r.q1 > q
		return r
	}
	r.q0, r.q1, r.ok = f.Next(t, q)
	r.wrapped = r.q0 < q
	return r
}

// searchNowBytes is up to what size a text is searched at once. A larger one is searched beside the
// loop, so that no key waits for it.
const searchNowBytes = 256 << 10

// find looks in a view's text and calls then with the result, unless the text has changed since.
func (m *Model) find(
	v core.View, f *edit.Finder, q int, back bool, then func(*Model, found),
) tea.Cmd {
	b := m.buffer(v)
	if b == nil {
		return nil
	}
	t := b.Text
	q = min(q, t.Runes())
	if t.Bytes() <= searchNowBytes {
		then(m, findIn(t, f, q, back))
		return nil
	}
	return call(func(context.Context) (found, error) { return findIn(t, f, q, back), nil },
		func(m *Model, r found, _ error) tea.Cmd {
			if now := m.buffer(v); now != nil && now.Version == b.Version {
				then(m, r)
			}
			return nil
		})
}

// finding is the Find prompt.
type finding struct {
	*prompt
	view  core.View
	start core.ViewState // to come back to
	from  int            // where the match in sight began to be looked for
	s     search
	found bool // there is a match in sight
	kept  bool // it was taken, by Enter or by going on from it: Esc stays there
}

// openFind asks what to find, and shows the first match while it is typed.
func (m *Model) openFind() {
	v := m.searchable()
	b := m.buffer(v)
	if b == nil {
		return
	}
	f := &finding{prompt: newPrompt("Find"), view: v, start: m.seen(v, b), s: m.last}
	f.from = f.start.Q0
	f.s.expr = m.selectedWord()
	f.fields[0].offer(f.s.expr)
	f.changed = func(m *Model, _ *prompt) tea.Cmd {
		f.found, f.kept = false, false
		return f.step(m, f.from, false)
	}
	f.enter = func(m *Model, _ *prompt) tea.Cmd { return f.take(m) }
	f.other = f.otherKey
	f.cancel = func(m *Model) {
		switch {
		case m.buffer(v) == nil:
		case f.kept:
			m.say(keyOf("find-next") + ": the next, " + keyOf("find-previous") + ": the one before")
		default:
			m.dot(v, f.start.Q0, f.start.Q1)
		}
	}
	f.describe()
	m.push(f.prompt)
}

// describe tells what keys do here.
func (f *finding) describe() {
	note := f.s.options()
	if f.kept {
		note = "Enter: next, Esc: done. " + note
	}
	f.tell(note, false)
}

// take is Enter: the match in sight is the one that was meant; once it is, the next. The prompt
// stays, so that one Enter too many never gets into the text.
func (f *finding) take(m *Model) tea.Cmd {
	b := m.buffer(f.view)
	if b == nil || f.value(0) == "" {
		m.pop()
		return nil
	}
	if f.found && !f.kept {
		f.kept = true
		f.describe()
		return nil
	}
	return f.next(m, m.seen(f.view, b).Q1, false)
}

// next goes on from q, and stays where it comes to.
func (f *finding) next(m *Model, q int, back bool) tea.Cmd {
	f.kept = true
	return f.step(m, q, back)
}

// step looks from q on.
func (f *finding) step(m *Model, q int, back bool) tea.Cmd {
	f.s.expr = f.value(0)
	f.describe()
	if f.s.expr == "" {
		m.dot(f.view, f.start.Q0, f.start.Q1)
		return nil
	}
	finder, err := f.s.compile()
	if err != nil {
		f.tell(err.Error(), true)
		return nil
	}
	m.last = f.s
	return m.find(f.view, finder, q, back, func(m *Model, r found) {
		switch {
		case !r.ok:
			f.found, f.kept = false, false
			f.tell("not found", true)
			return
		case r.wrapped:
			f.tell("went on from the other end", false)
		}
		f.from, f.found = r.q0, true
		m.dot(f.view, r.q0, r.q1)
	})
}

func (f *finding) otherKey(m *Model, _ *prompt, k input.Key) (tea.Cmd, bool) {
	b := m.buffer(f.view)
	if b == nil {
		return nil, false
	}
	at := m.seen(f.view, b)
	switch {
	case f.s.option(k):
		return f.step(m, f.from, false), true
	case k == key("f3"), k == key("down"), k == key("ctrl+f"):
		return f.next(m, at.Q1, false), true
	case k == key("shift+f3"), k == key("up"):
		return f.next(m, at.Q0, true), true
	}
	return nil, false
}

// searchWordRunes is up to how much selected text is taken for what to look for.
const searchWordRunes = 100

// selectedWord is the selection, if it looks like something to look for.
func (m *Model) selectedWord() string {
	v := m.focused()
	b := m.buffer(v)
	if b == nil {
		return ""
	}
	s := m.seen(v, b)
	if s.Q1-s.Q0 > searchWordRunes || b.Text.LineOf(s.Q0) != b.Text.LineOf(s.Q1) {
		return ""
	}
	return b.Text.Substring(s.Q0, s.Q1)
}

// searchable is the view that a search is made in: the text with the focus, or the body under the
// tag with the focus.
func (m *Model) searchable() core.View { return bodyOf(m.focused()) }

// findAgain goes to the next match of the last search, or with back to the one before.
func (m *Model) findAgain(back bool) tea.Cmd {
	finder, err := m.last.compile()
	v := m.searchable()
	b := m.buffer(v)
	switch {
	case err != nil:
		m.openFind()
		return nil
	case b == nil:
		return nil
	}
	q := m.seen(v, b).Q1
	if back {
		q = m.seen(v, b).Q0
	}
	return m.find(v, finder, q, back, func(m *Model, r found) {
		switch {
		case !r.ok:
			m.warn("%s: not found", m.last.expr)
			return
		case r.wrapped:
			m.say("Went on from the other end.")
		}
		m.dot(v, r.q0, r.q1)
	})
}

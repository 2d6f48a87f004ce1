package tui

import (
	"apex/client/tui/input"
	"apex/core"
)

// terms is what this client knows of the windows on terminals.
type terms struct {
	panes     map[core.View]*termPane // by the body's view
	before    input.Key               // the prefix: the next key is the interface's
	prefix    bool                    // the last key was the prefix
	unseen    bool                    // the key went to a program, and nothing here shows that
	blur      bool                    // the host terminal has not the focus
	within    core.TermID             // whose program was told that it has the focus
	inputs    termInputs
	sizes     map[core.TermID]*termSize
	told      map[core.TermID]termTold
	news      map[core.WindowID]string // what happened in windows that have not had the focus since
	ring      bool                     // the host terminal is to ring
	grab      termGrab
	rowsDrawn int           // so far
	ending    core.WindowID // that Del was asked to close although its program runs
}

func newTerms() terms {
	return terms{panes: map[core.View]*termPane{}, sizes: map[core.TermID]*termSize{},
		told: map[core.TermID]termTold{}, news: map[core.WindowID]string{}}
}

// forget makes the next frame draw every terminal anew.
func (s *terms) forget() {
	for _, p := range s.panes {
		p.forget()
	}
}

// clear lets go of what belongs to views that are gone.
func (s *terms) clear(gone func(core.View) bool) {
	for v := range s.panes {
		if gone(v) {
			delete(s.panes, v)
		}
	}
}

// termID returns the terminal that a view's window shows, 0 for none: tags are texts as any other.
func (m *Model) termID(v core.View) core.TermID {
	id, ok := v.Window()
	if !ok || v.Kind != core.ViewBody {
		return 0
	}
	if w := m.session.Window(id); w != nil {
		return w.Term
	}
	return 0
}

// term returns a terminal as it is; nil if it is not known, or is still to be made.
func (m *Model) term(id core.TermID) *core.Term {
	if t := m.session.Term(id); t != nil && t.Cols > 0 {
		return t
	}
	return nil
}

// termIn returns the terminal that a view shows, nil if it shows none or it is not known yet.
func (m *Model) termIn(v core.View) *core.Term {
	if id := m.termID(v); id != 0 {
		return m.term(id)
	}
	return nil
}

// termPane returns the pane of a view that shows a terminal, nil if it shows none.
func (m *Model) termPane(v core.View) *termPane {
	id := m.termID(v)
	if id == 0 {
		return nil
	}
	p := m.terms.panes[v]
	if p == nil || p.id != id {
		p = &termPane{view: v, id: id}
		m.terms.panes[v] = p
	}
	p.set(m.term(id))
	return p
}

// termFocus returns the pane that has the focus, nil if that is a text.
func (m *Model) termFocus() *termPane { return m.termPane(m.focused()) }

// termSpot is a cell of a terminal's text: a logical line, and how many cells of it are before. On
// the alternate screen, which has no lines, they are counted from its top.
type termSpot struct {
	line uint64
	col  int
}

func (a termSpot) less(b termSpot) bool {
	return a.line < b.line || a.line == b.line && a.col < b.col
}

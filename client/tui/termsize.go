package tui

import (
	"context"
	"time"

	"apex/core"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// termSize is what size a terminal was asked to take.
type termSize struct {
	asked size // last
	was   size // when it was asked
	busy  bool
}

type size struct{ cols, rows int }

// sizeAgain is when a terminal that could not be reached is asked again. Nobody is told: the daemon
// tries it every second too.
const sizeAgain = time.Second

// fitTerms gives the terminals in sight the sizes that this interface has for them, if it leads:
// nobody else has a say. One request for each terminal is on its way at a time.
func (m *Model) fitTerms() {
	st := m.session.State()
	if !st.Leading || !st.Connected {
		clear(m.terms.sizes) // another may have given them other sizes
		return
	}
	done := map[core.TermID]bool{}
	for _, own := range []bool{true, false} {
		for i := range m.placing.columns {
			for _, w := range m.placing.columns[i].windows {
				id := m.termID(w.id.Body())
				t := m.term(id)
				if id == 0 || t == nil || done[id] || w.body.H < 1 || w.body.W < 2 ||
					own != (t.Window == w.id) {
					continue
				}
				done[id] = true
				m.fitTerm(id, t, size{w.body.W - 1, w.body.H})
			}
		}
	}
}

// fitTerm asks for a size. One that was refused is asked for again when something has changed.
func (m *Model) fitTerm(id core.TermID, t *core.Term, want size) {
	want = size{min(want.cols, core.TermColsMax), min(want.rows, core.TermRowsMax)}
	is := size{t.Cols, t.Rows}
	s := m.terms.sizes[id]
	if s == nil {
		s = &termSize{asked: is}
		m.terms.sizes[id] = s
	}
	if t.Exit.Done || want == is || s.busy || s.asked == want && s.was == is {
		return
	}
	s.asked, s.was, s.busy = want, is, true
	req := &proto.TermResize{Session: m.label(), Term: id.String(),
		Cols: want.cols, Rows: want.rows}
	session := m.session
	m.later = append(m.later, call(func(ctx context.Context) (proto.Reply, error) {
		return session.Call(ctx, req)
	}, func(m *Model, _ proto.Reply, err error) tea.Cmd {
		s.busy = false
		switch core.CodeOf(err) {
		case "", core.CodeNotFound:
		case core.CodeUnavailable: // it is being started, or its holder stands still
			return m.after(sizeAgain, func(*Model) tea.Cmd {
				*s = termSize{}
				return nil
			})
		default:
			m.fail(err)
		}
		return nil
	}))
}

package sim

import (
	"fmt"
	"maps"
	"slices"

	"apex/core"
	"apex/core/cell"
)

// maxTerms bounds the terminals of a run: two are told apart, and one may go.
const maxTerms = 3

// terms are the terminals as their programs left them, which outlive the daemon.
type terms struct {
	generation uint64 // how often the daemon came back
	shown      map[core.TermID]*core.Term
}

// ids returns the terminals in order.
func (t *terms) ids() []core.TermID { return slices.Sorted(maps.Keys(t.shown)) }

// NewTerm makes a terminal, with the process that runs in it.
func (w *World) NewTerm(cols, rows int) core.TermID {
	id, proc := core.TermID(w.Auth.NewID()), core.ProcID(w.Auth.NewID())
	b := core.Bundle{New: []core.Shard{id.Shard()}}
	b.Add(core.MetaShard, core.Of(&core.ProcStart{Proc: proc, Term: id, Command: "sh", Holder: "sim",
		Started: w.Now}))
	ready, err := w.Auth.CommitLocal(w.Now, b)
	if err != nil {
		w.failf("the daemon makes a terminal: %v", err)
		return 0
	}
	w.do(ready)
	if w.terms.shown == nil {
		w.terms.shown = map[core.TermID]*core.Term{}
	}
	t := &core.Term{Command: "sh", Cols: cols, Rows: rows}
	for range rows {
		t.Grid = append(t.Grid, core.NewTermRow(nil, false))
	}
	w.SetTerm(id, t)
	return id
}

// Term returns a terminal as its program left it.
func (w *World) Term(id core.TermID) *core.Term { return w.terms.shown[id] }

// SetTerm publishes what a terminal's program did.
func (w *World) SetTerm(id core.TermID, t *core.Term) {
	n := *t
	n.Generation = w.terms.generation
	w.terms.shown[id] = &n
	if w.Auth == nil {
		return
	}
	ready, err := w.Auth.SetTerm(w.Now, id, &n)
	if err != nil {
		w.failf("terminal %v is not published: %v", id, err)
		return
	}
	w.Count.Terms++
	w.do(ready)
}

// DelTerm ends a terminal.
func (w *World) DelTerm(id core.TermID) {
	delete(w.terms.shown, id)
	b := core.Bundle{Del: []core.Shard{id.Shard()}}
	if p, ok := procOf(w.Auth.Meta(), id); ok && !p.Done {
		b.Add(core.MetaShard, core.Of(&core.ProcExit{Proc: p.Proc, Signal: "HUP", Ended: w.Now}))
	}
	ready, err := w.Auth.CommitLocal(w.Now, b)
	if err != nil {
		w.failf("terminal %v is not deleted: %v", id, err)
		return
	}
	w.do(ready)
}

func procOf(m *core.Meta, id core.TermID) (core.Proc, bool) {
	for _, p := range m.Procs {
		if p.Term == id {
			return p, true
		}
	}
	return core.Proc{}, false
}

// AdoptTerm lets a daemon that came back find a terminal again. It returns false if there is none
// that it has not found yet.
func (w *World) AdoptTerm() bool {
	m := w.Auth.Meta()
	for _, id := range w.terms.ids() { // a crash took its beginning back
		if !m.Has(id.Shard()) {
			delete(w.terms.shown, id)
		}
	}
	for _, s := range m.Shards {
		if _, ok := w.Auth.State(s); ok || s.Kind != core.KindTerm {
			continue
		}
		w.Count.Adopted++
		if t := w.terms.shown[core.TermID(s.ID)]; t != nil {
			w.SetTerm(core.TermID(s.ID), t)
		} else { // it ended, and a crash took that back
			w.DelTerm(core.TermID(s.ID))
		}
		return true
	}
	return false
}

func (r *run) adoptTerms() {
	for r.Err == nil && r.AdoptTerm() {
	}
}

// workTerm lets a terminal's program write something, or makes or ends a terminal.
func (r *run) workTerm() {
	if r.AdoptTerm() {
		return
	}
	ids := r.terms.ids()
	switch {
	case len(ids) == 0 || len(ids) < maxTerms && r.oneIn(20):
		r.NewTerm(2+r.rand.IntN(10), 1+r.rand.IntN(4))
	case r.oneIn(40):
		r.DelTerm(ids[r.rand.IntN(len(ids))])
	default:
		id := ids[r.rand.IntN(len(ids))]
		r.SetTerm(id, r.write(r.terms.shown[id]))
	}
}

// write returns a state after some output.
func (r *run) write(was *core.Term) *core.Term {
	n := *was
	if r.oneIn(12) {
		n.Cols, n.Rows = 2+r.rand.IntN(10), 1+r.rand.IntN(4)
		n.Grid, n.Cursor = make([]*core.TermRow, n.Rows), core.Cursor{}
		for y := range n.Grid {
			n.Grid[y] = core.NewTermRow(nil, false)
		}
	}
	up := r.rand.IntN(2)
	n.Grid = append(slices.Clone(n.Grid[up:]), n.Grid[:up]...)
	n.Base += uint64(up)
	y := n.Rows - 1
	if r.oneIn(3) {
		y = r.rand.IntN(n.Rows)
	}
	text := fmt.Sprint(r.rand.IntN(100))
	n.Grid[y] = core.NewTermRow([]cell.Run{{Kind: cell.Narrow, Text: text}}, false)
	n.Cursor.X, n.Cursor.Y = min(len(text), n.Cols-1), y
	switch r.rand.IntN(8) {
	case 0:
		n.Bells++
	case 1:
		n.Title = text
	case 2:
		n.Marks = append(slices.Clone(n.Marks[len(n.Marks)/4:]), core.PromptMark{Kind: core.MarkPrompt,
			Line: n.Base, Status: core.StatusUnknown})
	}
	return &n
}

// merged puts a snapshot of a terminal in the place of what waits of it, as a connection's queue
// does.
func (w *World) merged(l *link, m core.Msg) bool {
	d, ok := m.(*core.Deliver)
	if !ok || w.Merge == nil || len(d.Batches) == 0 || d.Batches[0].Shard.Kind.Journaled() {
		return false
	}
	s := d.Batches[0].Shard
	for i, x := range l.down {
		if !tells(x, s) {
			continue
		}
		if !w.Merge() {
			return false
		}
		st, _ := w.Auth.State(s)
		l.down[i] = w.wire(&core.Snapshot{State: st})
		rest := slices.DeleteFunc(l.down[i+1:], func(x core.Msg) bool { return tells(x, s) })
		l.down = l.down[:i+1+len(rest)]
		w.Count.Merges++
		return true
	}
	return false
}

// tells reports whether a message is a terminal's snapshot or a change of it.
func tells(m core.Msg, s core.Shard) bool {
	switch m := m.(type) {
	case *core.Snapshot:
		return m.State.Shard == s
	case *core.Deliver:
		return len(m.Batches) > 0 && m.Batches[0].Shard == s
	}
	return false
}

// settledTerms: what the daemon has of terminals is what their programs did last, and it has no
// other.
func (r *run) settledTerms() error {
	n := 0
	for _, s := range r.Auth.Meta().Shards {
		if s.Kind != core.KindTerm {
			continue
		}
		n++
		got, want := r.Auth.Term(core.TermID(s.ID)), r.terms.shown[core.TermID(s.ID)]
		if got == nil || want == nil || string(got.Append(nil)) != string(want.Append(nil)) {
			return fmt.Errorf("terminal %v: the daemon has %v, its program left %v", s, got, want)
		}
	}
	if n != len(r.terms.shown) {
		return fmt.Errorf("%d terminals, want %d", n, len(r.terms.shown))
	}
	return nil
}

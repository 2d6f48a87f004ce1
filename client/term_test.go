package client

import (
	"testing"

	"apex/core"
	"apex/core/cell"
)

// newTerm makes a terminal and a window on it, as the daemon that leads, and shows a text in it.
func (d *fakeDaemon) newTerm(name string) core.TermID {
	d.t.Helper()
	d.mu.Lock()
	id := core.TermID(d.a.NewID())
	ready, err := d.a.CommitLocal(2, core.Bundle{New: []core.Shard{id.Shard()}})
	if err != nil {
		d.t.Error(err)
	}
	d.do(ready)
	d.mu.Unlock()
	d.step(&core.Local{Proposal: core.Proposal{Author: core.Author{Actor: "term"},
		Ask: &core.AskWindow{Name: name, Kind: core.BufferScratch, Term: id}}})
	return id
}

func (d *fakeDaemon) show(id core.TermID, text string) {
	d.t.Helper()
	d.mu.Lock()
	defer d.mu.Unlock()
	row := core.NewTermRow([]cell.Run{{Kind: cell.Narrow, Text: text}}, false)
	ready, err := d.a.SetTerm(3, id, &core.Term{Cols: 20, Rows: 1, Grid: []*core.TermRow{row}})
	if err != nil {
		d.t.Error(err)
	}
	d.do(ready)
}

// shows reports whether a session has a terminal that shows a text.
func shows(s *Session, id core.TermID, text string) func() bool {
	return func() bool {
		t := s.Term(id)
		return t != nil && cell.RowText(t.Grid[0].Runs) == text
	}
}

// A UI and one that watches follow the terminals of windows, also those that have nothing to show
// yet; they come without waiting for the disk, and again after a cut.
func TestTerms(t *testing.T) {
	for _, kind := range []core.AttachKind{core.AttachUI, core.AttachObserver} {
		d := newFake(t)
		id := d.newTerm("/src/-sh")
		opts := human(d)
		opts.Kind = kind
		s := attach(t, opts)
		until(t, s, "follows it", func() bool { return s.replica.Wants(id.Shard()) })
		if s.Term(id) != nil {
			t.Errorf("%v: there is something to show before there is", kind)
		}
		for _, text := range []string{"one", "two"} {
			d.hold(true)
			d.show(id, text)
			until(t, s, "shows it before the disk has anything", shows(s, id, text))
			d.hold(false)
			d.cutAll()
			until(t, s, "loses the link", func() bool { return !s.State().Connected })
			d.show(id, text+" more")
			until(t, s, "shows it after it came back", shows(s, id, text+" more"))
		}
		if err := s.Detach(); err != nil {
			t.Errorf("%v: %v", kind, err)
		}
	}
}

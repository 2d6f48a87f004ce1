package core_test

import (
	"strings"
	"testing"

	"apex/core"
	"apex/core/cell"
	"apex/core/edit"
)

// termSession is a session with one terminal that has no state, and a UI that follows it.
func termSession(t *testing.T) (*core.Authority, *core.Replica, core.TermID) {
	t.Helper()
	a, _, err := core.NewSession(core.Identity{Session: core.SessionID{1}}, "s", "/", 1, edit.Evaluate,
		edit.FirstBundle)
	if err != nil {
		t.Fatal(err)
	}
	id := core.TermID(a.NewID())
	if _, err := a.CommitLocal(2, core.Bundle{New: []core.Shard{id.Shard()}}); err != nil {
		t.Fatal(err)
	}
	r := core.NewReplica(core.Hello{Kind: core.AttachUI, Actor: "human:ann"}, edit.Evaluate)
	exchange(t, a, r, a.Step(3, &core.Received{Conn: 1, Msg: r.Hello()}))
	upTo(t, a, r, r.Follow(id.Shard()).Send)
	return a, r, id
}

// exchange gives a replica what a step sent it, and the daemon what it answers.
func exchange(t *testing.T, a *core.Authority, r *core.Replica, ready core.Ready) (got []core.Msg) {
	t.Helper()
	for _, s := range append(ready.SendNow, ready.AfterStore.Send...) {
		got = append(got, s.Msg)
		if w, ok := s.Msg.(*core.Welcome); ok {
			upTo(t, a, r, r.Welcomed(w).Send)
		} else {
			upTo(t, a, r, r.Receive(s.Msg).Send)
		}
	}
	return got
}

func upTo(t *testing.T, a *core.Authority, r *core.Replica, msgs []core.Msg) {
	t.Helper()
	for _, m := range msgs {
		exchange(t, a, r, a.Step(4, &core.Received{Conn: 1, Msg: m}))
	}
}

// largeTerm has so much in each row that no batch holds the grid.
func largeTerm(text string) *core.Term {
	t := &core.Term{Command: "sh", Cols: core.TermColsMax, Rows: core.TermRowsMax}
	runs := make([]cell.Run, t.Cols)
	for x := range runs {
		style := cell.Style{Fg: cell.RGB(uint8(x), 1, 2)}
		runs[x] = cell.Run{Kind: cell.Narrow, Text: text, Style: style}
	}
	for range t.Rows {
		t.Grid = append(t.Grid, core.NewTermRow(runs, false))
	}
	return t
}

func agree(t *testing.T, a *core.Authority, r *core.Replica, id core.TermID) core.Mark {
	t.Helper()
	want, _ := a.State(id.Shard())
	got, ok := r.State(id.Shard())
	if !ok || !r.Knows(id.Shard()) || got.Mark != want.Mark || got.Hash() != want.Hash() {
		t.Fatalf("the replica has %v, the daemon %v", &got, &want)
	}
	return got.Mark
}

// A state is told by a batch, or whole where no batch holds the change, or it begins anew; none of
// it is stored, and the numbers go on without a hole.
func TestSetTerm(t *testing.T) {
	a, r, id := termSession(t)
	if r.Term(id) != nil || a.Term(id) != nil {
		t.Fatal("a terminal without a state has one")
	}
	small := &core.Term{Command: "sh", Cols: 2, Rows: 1,
		Grid: []*core.TermRow{core.NewTermRow(nil, false)}}
	rung := *small
	rung.Bells = 1
	moved := rung
	moved.Dir = "/elsewhere"
	later := moved
	later.Generation = 1
	var last core.Mark
	for _, step := range []struct {
		name              string
		state             *core.Term
		deliver, snapshot bool
		seq               core.Seq
	}{
		{"the first state", small, false, true, 1},
		{"the same again", small, false, false, 1},
		{"a bell", &rung, true, false, 2},
		{"another size, too large", largeTerm("x"), false, true, 3},
		{"back, by a batch", &rung, true, false, 5},
		{"what never changes", &moved, false, true, 6},
		{"another generation", &later, false, true, 1},
	} {
		ready, err := a.SetTerm(5, id, step.state)
		if err != nil || ready.Store != nil || len(ready.AfterStore.Send) > 0 {
			t.Fatalf("%s: %v, stored %v, after the disk %v", step.name, err, ready.Store,
				ready.AfterStore.Send)
		}
		var delivered, snapshot bool
		for _, m := range exchange(t, a, r, ready) {
			switch m.(type) {
			case *core.Deliver:
				delivered = true
			case *core.Snapshot:
				snapshot = true
			}
		}
		mark := agree(t, a, r, id)
		if delivered != step.deliver || snapshot != step.snapshot {
			t.Errorf("%s: delivered %v, snapshot %v", step.name, delivered, snapshot)
		}
		if mark.Seq != step.seq || (mark == last) == (delivered || snapshot) {
			t.Errorf("%s: at %v after %v, want %d", step.name, mark, last, step.seq)
		}
		last = mark
	}
}

// What is no state is refused, and followers are told nothing.
func TestSetTermRefuses(t *testing.T) {
	a, r, id := termSession(t)
	good := &core.Term{Cols: 2, Rows: 1, Grid: []*core.TermRow{core.NewTermRow(nil, false)}}
	wide := core.NewTermRow([]cell.Run{{Kind: cell.Narrow, Text: "abc"}}, false)
	change := func(f func(*core.Term)) *core.Term {
		n := *good
		f(&n)
		return &n
	}
	for _, begun := range []bool{false, true} {
		if begun {
			ready, err := a.SetTerm(5, id, good)
			if err != nil {
				t.Fatal(err)
			}
			exchange(t, a, r, ready)
		}
		for name, bad := range map[string]*core.Term{
			"a row too wide": change(func(n *core.Term) { n.Grid = []*core.TermRow{wide} }),
			"a title":        change(func(n *core.Term) { n.Title = strings.Repeat("x", 1<<20) }),
			"a row too few":  change(func(n *core.Term) { n.Rows = 2 }),
			"a row missing":  change(func(n *core.Term) { n.Grid = make([]*core.TermRow, 1) }),
			"nothing":        {},
			"the cursor":     change(func(n *core.Term) { n.Cursor.X = 2 }),
			"the size": change(func(n *core.Term) {
				n.Cols, n.Dir = core.TermColsMax+1, "/elsewhere"
			}),
		} {
			ready, err := a.SetTerm(6, id, bad)
			if err == nil || len(ready.SendNow) > 0 {
				t.Errorf("%s, begun %v: got %v, sent %v", name, begun, err, ready.SendNow)
			}
		}
		if begun {
			agree(t, a, r, id)
		}
	}
	if _, err := a.SetTerm(6, id+1, good); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("no such terminal: got %v", err)
	}
}

// Terminals are the daemon's to make and to end, whoever leads the layout.
func TestTermsAreTheDaemons(t *testing.T) {
	a, r, id := termSession(t)
	upTo(t, a, r, r.Follow(core.LayoutShard).Send)
	upTo(t, a, r, r.Take(core.LayoutShard).Send)
	if !r.Leads(core.LayoutShard) {
		t.Fatal("the layout is not led")
	}
	mine := core.Shard{Kind: core.KindTerm, ID: core.MakeID(r.Attachment(), 500)}
	for name, m := range map[string]*core.Append{
		"make":   {New: []core.Shard{mine}},
		"delete": {Del: []core.Shard{id.Shard()}},
	} {
		refused := false
		for _, s := range a.Step(7, &core.Received{Conn: 1, Msg: m}).SendNow {
			x, ok := s.Msg.(*core.Refused)
			refused = ok && x.Err.Code == core.CodeDenied || refused
		}
		if meta := a.Meta(); !refused || meta.Has(mine) || !meta.Has(id.Shard()) {
			t.Errorf("%s: refused %v, has %v and %v", name, refused, meta.Has(mine),
				meta.Has(id.Shard()))
		}
	}
	ready, err := a.CommitLocal(8, core.Bundle{Del: []core.Shard{id.Shard()}})
	if err != nil || a.Meta().Has(id.Shard()) {
		t.Fatalf("the daemon ends it: %v", err)
	}
	exchange(t, a, r, ready)
	if r.Wants(id.Shard()) {
		t.Error("a terminal that is gone is followed")
	}
}

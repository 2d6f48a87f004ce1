package edit

import (
	"apex/core"
	"apex/core/addr"
)

// runUndo takes a step back or brings one back, and selects what came or where it went.
func runUndo(x *execution) error {
	p, err := x.body()
	if err != nil {
		return err
	}
	if x.args != "" && x.args != "all" {
		return badf("%s %s: want all or nothing", x.command.Name, x.args)
	}
	ops, err := undoOps(&p, x.author, x.command.Name == "Redo", x.args == "all")
	if err == nil {
		x.Add(p.id.Shard(), ops...)
	}
	return err
}

// undoOps is an undo or redo of a pane's text with the selection that shows it.
func undoOps(p *pane, by core.Author, redo, all bool) ([]core.Op, error) {
	u, err := p.PlanUndo(by.Actor, redo, all)
	if err != nil {
		return nil, err
	}
	// The last edit is where the eye should be, and the hull of the others beside it.
	d := p.Text.Edit()
	q0, q1 := -1, -1
	for _, s := range u.Edits {
		grown := d.Replace(s.Q0, s.Q1, s.Text)
		end := max(s.Q0, s.Q1+grown)
		if q0 < 0 {
			q0, q1 = s.Q0, end
			continue
		}
		if q1 >= s.Q1 {
			q1 += grown
		}
		q0, q1 = min(q0, s.Q0), max(q1, end)
	}
	n := d.Runes()
	q0, q1 = min(q0, n), min(max(q0, q1), n)
	return []core.Op{core.Of(u), core.Select(p.view, q0, q1)}, nil
}

func runCut(x *execution) error {
	p, err := x.body()
	if err != nil {
		return err
	}
	return x.cut(&p)
}

func runSnarf(x *execution) error {
	p, err := x.body()
	if err != nil {
		return err
	}
	return x.snarf(&p)
}

func runPaste(x *execution) error {
	p, err := x.body()
	if err != nil {
		return err
	}
	l, err := layout(x.Session)
	if err != nil {
		return err
	}
	x.put(&p, l.Snarf)
	return nil
}

// snarf keeps the pane's selection for Paste; an empty one keeps what is there.
func (e *evaluation) snarf(p *pane) error {
	if p.q0 == p.q1 {
		return nil
	}
	n := p.Text.ByteOffset(p.q1) - p.Text.ByteOffset(p.q0)
	if n > core.MaxSnarfBytes {
		return core.Errorf(core.CodeTooLarge, "a selection of %d bytes, at most %d can be copied",
			n, core.MaxSnarfBytes)
	}
	e.Add(core.LayoutShard, core.Of(&core.Snarf{Text: p.Text.Substring(p.q0, p.q1)}))
	return nil
}

// cut keeps the pane's selection for Paste and takes it away.
func (e *evaluation) cut(p *pane) error {
	if err := e.snarf(p); err != nil || p.q0 == p.q1 {
		return err
	}
	r := replace(p.Text, p.Version, 0, []core.Span{{Q0: p.q0, Q1: p.q1}})
	e.Add(p.id.Shard(), r.ops...)
	e.Add(p.id.Shard(), core.Select(p.view, r.q0, r.q0))
	return nil
}

// put replaces the pane's selection by a text and selects it.
func (e *evaluation) put(p *pane, s string) {
	r := replace(p.Text, p.Version, 0, []core.Span{{Q0: p.q0, Q1: p.q1, Text: s}})
	if len(r.ops) > 0 {
		e.Add(p.id.Shard(), r.ops...)
		e.Add(p.id.Shard(), core.Select(p.view, r.q0, r.q1))
	}
}

// runLook selects the next occurrence.
func runLook(x *execution) error {
	p, err := x.body()
	if err != nil {
		return err
	}
	want := x.args
	if want == "" {
		want = p.Text.Substring(p.q0, p.q1)
	}
	q0, q1, ok := Look(p.Text, p.q1, want)
	if !ok {
		return core.Errorf(core.CodeNotFound, "%s: not found", quoteName(want))
	}
	x.goTo(&p, q0, q1)
	return nil
}

// runGoto selects what an address means.
func runGoto(x *execution) error {
	p, err := x.body()
	if err != nil {
		return err
	}
	a, err := addr.Parse(x.args)
	if err != nil {
		return badf("Goto: %v", err)
	}
	r, err := a.Eval(p.Text, addr.Range{Q0: p.q0, Q1: p.q1})
	if err != nil {
		return core.Errorf(core.CodeNotFound, "Goto: %v", err)
	}
	x.goTo(&p, r.Q0, r.Q1)
	return nil
}

// goTo selects runes [q0, q1) and scrolls them into sight.
func (e *evaluation) goTo(p *pane, q0, q1 int) {
	v, _ := p.View(p.view)
	if v.Q0 != q0 || v.Q1 != q1 {
		e.Add(p.id.Shard(), core.Select(p.view, q0, q1))
	}
	if at := ShowAt(p.Buffer, v.Origin, q0); at != v.Origin {
		e.Add(p.id.Shard(), core.Origin(p.view, at))
	}
}

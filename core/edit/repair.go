package edit

import (
	"slices"

	"apex/core"
)

// Repair returns what makes the shards that are led here agree with each other again: references
// across shards may dangle after a takeover or a crash between two of them. Who takes the lease of
// the layout runs it, and who takes a buffer's: windows that are gone leave the layout, those that
// have no place get one, and buffers get the views that windows have on them and lose the others.
func Repair(s core.Session, author core.Author) core.Bundle {
	e := &evaluation{Session: s, author: author}
	e.Author = author
	l, m := s.Layout(), s.Meta()
	if l == nil || m == nil {
		return e.Bundle
	}
	if s.Leads(core.LayoutShard) {
		e.repairLayout(l, m)
	}
	for _, sh := range m.Shards {
		if sh.Kind == core.KindBuffer && s.Leads(sh) {
			e.repairViews(core.BufferID(sh.ID), l, m)
		}
	}
	return e.Bundle
}

func (e *evaluation) repairLayout(l *core.Layout, m *core.Meta) {
	arr := l.Arrange.Clone()
	changed := false
	for _, id := range windows(&l.Arrange) {
		if !m.Has(id.Shard()) {
			Remove(&arr, id)
			changed = true
		}
	}
	for _, sh := range m.Shards {
		id := core.WindowID(sh.ID)
		if sh.Kind != core.KindWindow || e.Window(id) == nil || e.Window(id).Body == 0 {
			continue
		}
		if _, _, ok := arr.Window(id); !ok && len(arr.Columns) > 0 {
			PlaceLast(&arr, id)
			changed = true
		}
	}
	if changed {
		e.Add(core.LayoutShard, core.Of(&arr))
	}
	if w, ok := l.Focus.Window(); ok && !m.Has(w.Shard()) {
		e.Add(core.LayoutShard, core.Of(&core.Focus{View: core.TopView}))
	}
}

// repairViews gives a buffer the views that the layout shows it in.
func (e *evaluation) repairViews(id core.BufferID, l *core.Layout, m *core.Meta) {
	b := e.Buffer(id)
	if b == nil || b.Kind == core.BufferInvalid {
		return
	}
	want := e.viewsOf(id, l, m)
	for _, v := range want {
		if _, ok := b.View(v); !ok {
			e.Add(id.Shard(), core.Of(&core.ViewAdd{View: v}))
		}
	}
	for _, v := range b.Views() {
		// A window that is not known here yet is none of ours to judge.
		w, ok := v.View.Window()
		if ok && !m.Has(w.Shard()) && !slices.Contains(want, v.View) {
			e.Add(id.Shard(), core.Of(&core.ViewDel{View: v.View}))
		}
	}
}

func (e *evaluation) viewsOf(id core.BufferID, l *core.Layout, m *core.Meta) []core.View {
	var out []core.View
	if l.Top == id {
		out = append(out, core.TopView)
	}
	for _, c := range l.Columns {
		if c.Tag == id {
			out = append(out, core.ColumnView(id))
		}
	}
	for _, sh := range m.Shards {
		w := core.WindowID(sh.ID)
		if sh.Kind != core.KindWindow || e.Window(w) == nil || e.Window(w).Deleted {
			continue
		}
		if e.Window(w).Tag == id {
			out = append(out, w.Tag())
		}
		if e.Window(w).Body == id {
			out = append(out, w.Body())
		}
	}
	return out
}

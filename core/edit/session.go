package edit

import (
	"slices"
	"strings"
	"unicode/utf8"

	"apex/core"
)

// FirstBundle is what a new session begins with: a top row and two columns, no window. The layout's
// shard is there already; who commits it leads that too.
func FirstBundle(ids core.Minter) core.Bundle {
	var b core.Bundle
	top := core.BufferID(ids.NewID())
	end := utf8.RuneCountInString(TopRowText)
	b.New = append(b.New, top.Shard())
	b.Add(top.Shard(),
		core.Of(&core.BufferNew{Kind: core.BufferTag, Text: TopRowText}),
		core.Of(&core.ViewAdd{View: core.TopView, Q0: end, Q1: end}))
	arr := core.Arrange{Top: top}
	for range 2 {
		tag := core.BufferID(ids.NewID())
		b.New = append(b.New, tag.Shard())
		b.Add(tag.Shard(), columnTag(tag)...)
		NewColumn(&arr, tag)
	}
	b.Add(core.LayoutShard, core.Of(&arr),
		core.Of(&core.Focus{View: core.ColumnView(arr.Columns[0].Tag)}))
	return b
}

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

// Errors returns the proposal that appends a message to the directory's +Errors window.
func Errors(dir, message string) *core.AskWindow {
	if !strings.HasSuffix(message, "\n") {
		message += "\n"
	}
	return &core.AskWindow{Name: inDir(dir, "+Errors"), Kind: core.BufferScratch, Text: message,
		Reuse: true, Append: true}
}

// BufferOf returns the buffer that a view shows.
func BufferOf(s core.Session, v core.View) (core.BufferID, error) {
	switch v.Kind {
	case core.ViewBody, core.ViewTag:
		id, _ := v.Window()
		w, err := window(s, id)
		if err != nil {
			return 0, err
		}
		if v.Kind == core.ViewTag {
			return w.Tag, nil
		}
		return w.Body, nil
	case core.ViewColumn:
		return core.BufferID(v.ID), nil
	case core.ViewTop:
		l, err := layout(s)
		if err != nil {
			return 0, err
		}
		return l.Top, nil
	}
	return 0, badf("view %v shows nothing", v)
}

// pane is a text under a view, as keys and commands work on it.
type pane struct {
	view core.View
	id   core.BufferID
	*core.Buffer
	q0, q1 int // the dot
}

// paneOf returns a text that may be changed, with the dot that a view has on it.
func paneOf(s core.Session, v core.View) (pane, error) {
	id, err := BufferOf(s, v)
	if err != nil {
		return pane{}, err
	}
	b, err := editable(s, id)
	if err != nil {
		return pane{}, err
	}
	st, ok := b.View(v)
	if !ok {
		return pane{}, core.Errorf(core.CodeUnavailable, "buffer %v has no view %v yet", id, v)
	}
	return pane{v, id, b, st.Q0, st.Q1}, nil
}

// settings returns how the pane's window shows its text.
func (p *pane) settings(s core.Session) core.Settings {
	if id, ok := p.view.Window(); ok && s.Window(id) != nil {
		return s.Window(id).Settings
	}
	return core.Settings{TabWidth: core.DefaultTabWidth, NoIndent: true}
}

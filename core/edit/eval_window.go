package edit

import (
	"slices"
	"unicode/utf8"

	"apex/core"
	"apex/core/text"
)

// window evaluates AskWindow.
func (e *evaluation) window(a *core.AskWindow) (core.Result, error) {
	l, err := layout(e.Session)
	if err != nil {
		return core.Result{}, err
	}
	if len(a.Name) > core.MaxNameBytes {
		return core.Result{}, badf("name of %d bytes, at most %d", len(a.Name), core.MaxNameBytes)
	}
	if a.Reuse {
		if id, ok := e.find(l, a); ok {
			return e.reuse(l, id, a)
		}
	}
	made := created{kind: a.Kind, name: a.Name, text: a.Text, body: a.Body, q0: a.Select.Q0,
		q1: a.Select.Q1, term: a.Term}
	if a.Append && a.Body == 0 {
		made.q0 = utf8.RuneCountInString(a.Text)
		made.q1 = made.q0
	}
	id, err := e.create(l, made)
	if err != nil {
		return core.Result{}, err
	}
	if a.Focus {
		e.Add(core.LayoutShard, core.Of(&core.Focus{View: id.Body()}))
	}
	return core.Result{Window: id}, nil
}

// find returns the window that a repeated AskWindow means: on the same body, or of that name. Text
// is appended only where it can be at once; else another window takes it.
func (e *evaluation) find(l *core.Layout, a *core.AskWindow) (core.WindowID, bool) {
	for _, id := range windows(&l.Arrange) {
		w := e.Window(id)
		if w == nil {
			continue
		}
		if a.Body != 0 && w.Body == a.Body {
			return id, true
		}
		if a.Append && !e.Leads(w.Body.Shard()) {
			continue
		}
		if b := e.Buffer(w.Body); a.Body == 0 && b != nil && b.Name == a.Name {
			return id, true
		}
	}
	return 0, false
}

// reuse shows a window again, with another text if it is scratch.
func (e *evaluation) reuse(
	l *core.Layout, id core.WindowID, a *core.AskWindow,
) (core.Result, error) {
	res := core.Result{Window: id}
	body := e.Window(id).Body
	b, err := buffer(e.Session, body)
	if err != nil && a.Body == 0 {
		return core.Result{}, err
	}
	if a.Body == 0 && b.Kind == core.BufferScratch && !b.Loading {
		from := 0
		if a.Append {
			from = b.Text.Runes()
		}
		r := replace(b.Text, b.Version, 0, []core.Span{{Q0: from, Q1: b.Text.Runes(),
			Text: a.Text}})
		e.Add(body.Shard(), r.ops...)
		if v, ok := b.View(id.Body()); ok && len(r.ops) > 0 && follows(a, v, from) {
			end := r.text.Runes()
			e.Add(body.Shard(), core.Select(id.Body(), end, end))
			if at := endAt(r.text, v.Origin); at != v.Origin {
				e.Add(body.Shard(), core.Origin(id.Body(), at))
			}
		}
		res.Version = r.version(b.Version)
	}
	e.bring(l, id, a.Focus)
	return res, nil
}

// follows reports whether a view goes with a text that is set or grows from a rune on: who has gone
// back in it to read or select is left there.
func follows(a *core.AskWindow, v core.ViewState, from int) bool {
	return !a.Append || v.Q0 >= from
}

// endAt returns the origin that shows the end of a text: origin itself if the end is a few lines
// below it.
func endAt(t text.Text, origin int) int {
	last := t.Newlines()
	if origin <= t.Runes() && last < t.LineOf(origin)+showLines {
		return origin
	}
	return t.LineStart(max(0, last-showLines+showAbove))
}

// bring makes a window visible, and with focus gives it the focus.
func (e *evaluation) bring(l *core.Layout, id core.WindowID, focus bool) {
	arr := l.Arrange.Clone()
	if Reveal(&arr, id) {
		e.Add(core.LayoutShard, core.Of(&arr))
	}
	if focus && l.Focus != id.Body() {
		e.Add(core.LayoutShard, core.Of(&core.Focus{View: id.Body()}))
	}
}

// show evaluates AskShow.
func (e *evaluation) show(a *core.AskShow) (core.Result, error) {
	l, err := layout(e.Session)
	if err != nil {
		return core.Result{}, err
	}
	if _, _, ok := l.Arrange.Window(a.Window); !ok {
		return core.Result{}, core.Errorf(core.CodeNotFound, "no window %v", a.Window)
	}
	e.bring(l, a.Window, true)
	return core.Result{Window: a.Window}, nil
}

// setSnarf evaluates AskSnarf.
func (e *evaluation) setSnarf(a *core.AskSnarf) (core.Result, error) {
	if len(a.Text) > core.MaxSnarfBytes {
		return core.Result{}, core.Errorf(core.CodeTooLarge, "snarf of %d bytes, at most %d",
			len(a.Text), core.MaxSnarfBytes)
	}
	e.Add(core.LayoutShard, core.Of(&core.Snarf{Text: a.Text}))
	return core.Result{}, nil
}

// remove evaluates AskDelete.
func (e *evaluation) remove(a *core.AskDelete) (core.Result, error) {
	l, err := layout(e.Session)
	if err != nil {
		return core.Result{}, err
	}
	w, err := window(e.Session, a.Window)
	if err != nil {
		return core.Result{}, err
	}
	if !a.Force {
		if err := e.saved(a.Window, nil); err != nil {
			return core.Result{}, err
		}
	}
	if err := e.known(l); err != nil {
		return core.Result{}, err
	}
	arr := l.Arrange.Clone()
	column, _, inLayout := arr.Window(a.Window)
	next := Remove(&arr, a.Window)
	if inLayout {
		e.Add(core.LayoutShard, core.Of(&arr))
	}
	if f, ok := l.Focus.Window(); ok && f == a.Window {
		to := core.TopView
		switch {
		case next != 0:
			to = next.Body()
		case inLayout:
			to = core.ColumnView(arr.Columns[column].Tag)
		}
		e.Add(core.LayoutShard, core.Of(&core.Focus{View: to}))
	}
	e.drop(a.Window, w, nil)
	return core.Result{Window: a.Window}, nil
}

// known refuses if a window of the layout is not known here: it may show any body.
func (e *evaluation) known(l *core.Layout) error {
	for _, id := range windows(&l.Arrange) {
		if e.Window(id) == nil && e.Meta().Has(id.Shard()) {
			return core.Errorf(core.CodeUnavailable, "window %v is not known here yet", id)
		}
	}
	return nil
}

// drop deletes a window's shards: itself, its tag, and its body unless another window that is not
// going too shows it.
func (e *evaluation) drop(id core.WindowID, w *core.Window, going []core.WindowID) {
	e.Del = append(e.Del, id.Shard(), w.Tag.Shard())
	if !onlyWindow(e.Session, id, w, going) {
		if b := e.Buffer(w.Body); b != nil && e.Leads(w.Body.Shard()) {
			if _, ok := b.View(id.Body()); ok {
				e.Add(w.Body.Shard(), core.Of(&core.ViewDel{View: id.Body()}))
			}
		}
		return
	}
	if !slices.Contains(e.Del, w.Body.Shard()) {
		e.Del = append(e.Del, w.Body.Shard())
	}
}

// saved refuses if a window is the last on a body with unsaved text.
func (e *evaluation) saved(id core.WindowID, going []core.WindowID) error {
	w, err := window(e.Session, id)
	if err != nil {
		return err
	}
	b, err := buffer(e.Session, w.Body)
	if err != nil {
		return err
	}
	switch {
	case !b.Unkept() || !onlyWindow(e.Session, id, w, going):
		return nil
	case b.Missing && !b.Dirty():
		return core.Errorf(core.CodeUnsaved, "%s: the file is gone, and only the window has its text",
			nameOf(b, w.Body))
	}
	return core.Errorf(core.CodeUnsaved, "%s: unsaved changes", nameOf(b, w.Body))
}

// onlyWindow reports whether no window but id, and those that are going, shows w's body.
func onlyWindow(s core.Session, id core.WindowID, w *core.Window, going []core.WindowID) bool {
	for _, other := range windowsOn(s, w.Body) {
		if other != id && !slices.Contains(going, other) {
			return false
		}
	}
	return true
}

// windowsOn returns the windows in the layout that show a body.
func windowsOn(s core.Session, body core.BufferID) []core.WindowID {
	l := s.Layout()
	if l == nil {
		return nil
	}
	return slices.DeleteFunc(windows(&l.Arrange), func(id core.WindowID) bool {
		w := s.Window(id)
		return w == nil || w.Body != body || w.Deleted
	})
}

// status evaluates AskStatus.
func (e *evaluation) status(a *core.AskStatus) (core.Result, error) {
	if a.Window == 0 {
		st := core.LayoutStatus(a.Status)
		e.Add(core.LayoutShard, core.Of(&st))
		return core.Result{}, nil
	}
	if _, err := window(e.Session, a.Window); err != nil {
		return core.Result{}, err
	}
	st := a.Status
	e.Add(a.Window.Shard(), core.Of(&st))
	return core.Result{Window: a.Window}, nil
}

func nameOf(b *core.Buffer, id core.BufferID) string {
	if b.Name != "" {
		return b.Name
	}
	return id.String()
}

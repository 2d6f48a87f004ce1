package edit

import (
	"slices"
	"strconv"
	"strings"

	"apex/core"
)

// runNew makes an empty window; with names it is the daemon that opens the files.
func runNew(x *execution) error {
	if x.args != "" {
		return x.effect()
	}
	l, err := layout(x.Session)
	if err != nil {
		return err
	}
	c := created{kind: core.BufferFile}
	if x.view.Kind != core.ViewTop {
		c.in = x.view
	}
	id, err := x.create(l, c)
	if err == nil {
		x.Add(core.LayoutShard, core.Of(&core.Focus{View: id.Body()}))
	}
	return err
}

func runDel(x *execution) error    { return x.close(false) }
func runDelete(x *execution) error { return x.close(true) }

func (x *execution) close(force bool) error {
	id, _, err := x.in()
	if err == nil {
		_, err = x.remove(&core.AskDelete{Window: id, Force: force})
	}
	return err
}

// runZerox makes another window on the same body, with the same dot and settings.
func runZerox(x *execution) error {
	id, w, err := x.in()
	if err != nil {
		return err
	}
	p, err := x.body()
	if err != nil {
		return err
	}
	l, err := layout(x.Session)
	if err != nil {
		return err
	}
	second, err := x.create(l, created{body: w.Body, q0: p.q0, q1: p.q1, term: w.Term,
		like: w.Settings, in: id.Body()})
	if err == nil {
		x.Add(core.LayoutShard, core.Of(&core.Focus{View: second.Body()}))
	}
	return err
}

func runNewcol(x *execution) error {
	l, err := layout(x.Session)
	if err != nil {
		return err
	}
	if len(l.Columns) >= core.MaxColumns {
		return core.Errorf(core.CodeTooLarge, "%d columns, at most %d", len(l.Columns),
			core.MaxColumns)
	}
	arr := l.Arrange.Clone()
	tag := x.addColumn(&arr)
	x.Add(core.LayoutShard, core.Of(&arr), core.Of(&core.Focus{View: core.ColumnView(tag)}))
	return nil
}

// runDelcol closes a column, if all that is in it may be closed.
func runDelcol(x *execution) error {
	arr, i, err := x.column()
	if err != nil {
		return err
	}
	if len(arr.Columns) == 1 {
		return badf("Delcol: the last column stays")
	}
	if err := x.known(x.Layout()); err != nil {
		return err
	}
	var going []core.WindowID
	for _, s := range arr.Columns[i].Slots {
		going = append(going, s.Window)
	}
	for _, id := range going {
		if err := x.saved(id, going); err != nil {
			return err
		}
	}
	for _, id := range going {
		x.drop(id, x.Window(id), going)
	}
	x.Bundle.Del = append(x.Bundle.Del, arr.Columns[i].Tag.Shard())
	focus, inColumn := x.Layout().Focus, ActiveColumn(&arr, x.Layout().Focus) == i
	RemoveColumn(&arr, i)
	x.Add(core.LayoutShard, core.Of(&arr))
	if inColumn && focus != core.TopView {
		x.Add(core.LayoutShard, core.Of(&core.Focus{View: firstView(&arr.Columns[max(0, i-1)])}))
	}
	return nil
}

// firstView is where the focus goes in a column.
func firstView(c *core.Column) core.View {
	for _, s := range c.Slots {
		if s.Show != core.ShowHidden {
			return s.Window.Body()
		}
	}
	return core.ColumnView(c.Tag)
}

// runSort orders the windows of a column by name; each keeps its share.
func runSort(x *execution) error {
	arr, i, err := x.column()
	if err != nil {
		return err
	}
	name := func(s core.Slot) string {
		w := x.Window(s.Window)
		if w == nil || x.Buffer(w.Body) == nil {
			return ""
		}
		return x.Buffer(w.Body).Name
	}
	slots := arr.Columns[i].Slots
	before := slices.Clone(slots)
	slices.SortStableFunc(slots, func(a, b core.Slot) int {
		return strings.Compare(name(a),
			name(b))
	})
	if !slices.Equal(slots, before) {
		x.Add(core.LayoutShard, core.Of(&arr))
	}
	return nil
}

func runTab(x *execution) error {
	id, w, err := x.in()
	if err != nil {
		return err
	}
	n, err := strconv.Atoi(x.args)
	if err != nil || n < 1 || n > core.MaxTabWidth {
		return badf("Tab %s: want a number from 1 to %d", x.args, core.MaxTabWidth)
	}
	set := w.Settings
	set.TabWidth = n
	x.change(id, w, set)
	return nil
}

// runSetting turns a setting of the window on or off; without a word, over.
func runSetting(x *execution) error {
	id, w, err := x.in()
	if err != nil {
		return err
	}
	set := w.Settings
	flag, negated := &set.LineNumbers, false
	switch x.command.Name {
	case "Wrap":
		flag, negated = &set.NoWrap, true
	case "Indent":
		flag, negated = &set.NoIndent, true
	}
	switch x.args {
	case "":
		*flag = !*flag
	case "on":
		*flag = !negated
	case "off":
		*flag = negated
	default:
		return badf("%s %s: want on or off", x.command.Name, x.args)
	}
	x.change(id, w, set)
	return nil
}

func (x *execution) change(id core.WindowID, w *core.Window, set core.Settings) {
	if set != w.Settings {
		x.Add(id.Shard(), core.Of(&set))
	}
}

// runFile records a Put, Get or Merge: the daemon does it once the entry is durable. The name in the tag
// counts from here on.
func runFile(x *execution) error {
	id, w, err := x.in()
	if err != nil {
		return err
	}
	if x.command.Name == "Merge" && x.args != "" {
		return badf("Merge %s: it takes no words: it is the window's own file that is merged", x.args)
	}
	tag := x.Buffer(w.Tag)
	if tag != nil {
		join(&x.Bundle, renameTo(x.Session, id, tag.Text.String()))
	}
	b, err := editable(x.Session, w.Body)
	if err != nil {
		return err
	}
	named := b.Name != "" || len(x.Parts) > 0
	if !named && len(strings.Fields(strings.ReplaceAll(x.args, "-f", ""))) == 0 {
		return badf("%s: the window has no name", x.command.Name)
	}
	x.record(id, w, x.line)
	return nil
}

// runPutall records itself in a window on each file with unsaved changes, where it means Put: so it
// is known afterwards which outcomes are its own.
func runPutall(x *execution) error {
	if _, err := layout(x.Session); err != nil {
		return err
	}
	for _, id := range Unsaved(x.Session) {
		x.record(id, x.Window(id), "Putall")
	}
	return nil
}

// Unsaved returns a window on each file with unsaved changes that has a name, in the layout's
// order.
func Unsaved(s core.Session) []core.WindowID {
	l := s.Layout()
	if l == nil {
		return nil
	}
	var out []core.WindowID
	var seen []core.BufferID
	for _, id := range windows(&l.Arrange) {
		w := s.Window(id)
		if w == nil || slices.Contains(seen, w.Body) {
			continue
		}
		b := s.Buffer(w.Body)
		if b == nil || b.Loading || b.Name == "" || !b.Dirty() {
			continue
		}
		seen = append(seen, w.Body)
		out = append(out, id)
	}
	return out
}

// record appends the Exec of an effect to a window.
func (x *execution) record(id core.WindowID, w *core.Window, line string) {
	ex := core.Exec{Command: line, Buffer: w.Body}
	if b := x.Buffer(w.Body); b != nil {
		ex.Version = b.Version
		if v, ok := b.View(id.Body()); ok {
			ex.Q0, ex.Q1 = v.Q0, v.Q1
		}
	}
	x.Add(id.Shard(), core.Of(&ex))
}

// effect records the command line where it was executed.
func (x *execution) effect() error {
	if id, ok := x.view.Window(); ok {
		w, err := window(x.Session, id)
		if err == nil {
			x.record(id, w, x.line)
		}
		return err
	}
	x.Add(core.LayoutShard, core.Of(&core.LayoutExec{View: x.view, Command: x.line}))
	return nil
}

package edit

import (
	"path"
	"unicode/utf8"

	"apex/core"
)

// created says what a new window shows: a buffer that is there, or a new one.
type created struct {
	body   core.BufferID // 0 for a new buffer
	kind   core.BufferKind
	name   string
	text   string
	q0, q1 int // the first dot
	term   core.TermID
	like   core.Settings
	in     core.View // where it was asked for, if its Kind is set; else the focus counts
}

// create adds a new window with its tag, its body if it has none yet, and its place.
func (e *evaluation) create(l *core.Layout, c created) (core.WindowID, error) {
	id := core.WindowID(e.newID())
	tag := core.BufferID(e.newID())
	old, err := e.body(&c, id)
	if err != nil {
		return 0, err
	}
	e.New = append(e.New, id.Shard(), tag.Shard())
	if old == nil {
		e.New = append(e.New, c.body.Shard())
	}
	tagText := TagText(c.name, c.kind)
	if c.term != 0 {
		tagText = TermTagText(c.name)
	}
	end := utf8.RuneCountInString(tagText)
	e.Add(tag.Shard(),
		core.Of(&core.BufferNew{Kind: core.BufferTag, Text: tagText}),
		core.Of(&core.ViewAdd{View: id.Tag(), Q0: end, Q1: end}))
	e.Add(id.Shard(), core.Of(&core.WindowNew{Tag: tag, Body: c.body, Term: c.term}))
	if c.like != (core.Settings{}) {
		e.Add(id.Shard(), core.Of(&c.like))
	}
	e.place(l, id, &c)
	return id, nil
}

// place gives a new window its place in the column where it was asked for, else of the focus;
// messages go to the last column.
func (e *evaluation) place(l *core.Layout, id core.WindowID, c *created) {
	arr := l.Arrange.Clone()
	if len(arr.Columns) == 0 {
		e.addColumn(&arr)
	}
	focus := l.Focus
	if c.in.Kind != core.ViewInvalid {
		focus = c.in
	}
	near, _ := focus.Window()
	if path.Base(c.name) == "+Errors" {
		PlaceLast(&arr, id)
	} else {
		Place(&arr, id, ActiveColumn(&arr, focus), near, e.lines)
	}
	e.Add(core.LayoutShard, core.Of(&arr))
}

// lines returns how many lines a window's body has, as far as it is known. A terminal uses all the
// rows that it is given.
func (e *evaluation) lines(id core.WindowID) int {
	if w := e.Window(id); w != nil && w.Term == 0 {
		if b := e.Buffer(w.Body); b != nil {
			return b.Text.Newlines() + 1
		}
	}
	return nominalRows
}

// addColumn makes a column with its tag.
func (e *evaluation) addColumn(a *core.Arrange) core.BufferID {
	tag := core.BufferID(e.newID())
	e.New = append(e.New, tag.Shard())
	e.Add(tag.Shard(), columnTag(tag)...)
	NewColumn(a, tag)
	return tag
}

// body readies the buffer that a new window shows. It returns the buffer if there was one; one
// that is led by somebody else gets its view from its leader, by a proposal or Repair.
func (e *evaluation) body(c *created, id core.WindowID) (*core.Buffer, error) {
	if c.body == 0 {
		if c.kind == core.BufferInvalid || c.kind == core.BufferTag || c.kind > core.BufferDir {
			return nil, badf("a window on a new buffer of kind %d", c.kind)
		}
		n := utf8.RuneCountInString(c.text)
		if c.q0 < 0 || c.q1 < c.q0 || c.q1 > n {
			return nil, badf("dot %d,%d in a text of %d runes", c.q0, c.q1, n)
		}
		c.body = core.BufferID(e.newID())
		e.Add(c.body.Shard(), newBuffer(c.kind, c.name, c.text)...)
		e.Add(c.body.Shard(), core.Of(&core.ViewAdd{View: id.Body(), Q0: c.q0, Q1: c.q1}))
		return nil, nil
	}
	b := e.Buffer(c.body)
	if m := e.Meta(); b == nil && !m.Has(c.body.Shard()) {
		return nil, core.Errorf(core.CodeNotFound, "no buffer %v", c.body)
	}
	if b == nil {
		return &core.Buffer{}, nil
	}
	if c.name == "" {
		c.name = b.Name
	}
	c.kind = b.Kind
	if e.Leads(c.body.Shard()) {
		n := b.Text.Runes()
		q0, q1 := min(max(0, c.q0), n), min(max(0, c.q1), n)
		e.Add(c.body.Shard(), core.Of(&core.ViewAdd{View: id.Body(), Q0: q0, Q1: max(q0, q1)}))
	}
	return b, nil
}

// newBuffer returns the ops that make a buffer of a text of any size.
func newBuffer(kind core.BufferKind, name, s string) []core.Op {
	first := core.BufferNew{Kind: kind, Name: name, Text: s}
	if len(s) <= core.LoadMaxBytes {
		return []core.Op{core.Of(&first)}
	}
	first.Text, first.Loading = "", true
	ops := []core.Op{core.Of(&first)}
	for rest := s; rest != ""; {
		n := min(len(rest), core.LoadMaxBytes)
		ops = append(ops, core.Of(&core.Load{Text: rest[:n]}))
		rest = rest[n:]
	}
	return append(ops, core.Of(&core.Loaded{Hash: hashOf(s)}))
}

package core

import (
	"slices"

	"apex/core/codec"
	"apex/core/text"
)

// Buffer is a text with its versions, views, marks and history.
type Buffer struct {
	Kind    BufferKind
	Name    string
	Text    text.Text
	Version Version
	Loading bool // pieces are still arriving; no edits until Loaded

	onDisk
	diskNews

	views []ViewState // ordered by view
	marks []MarkState // ordered by name
	history
}

// ViewState is a view's dot and scroll origin, in runes.
type ViewState struct {
	View   View
	Q0, Q1 int
	Origin int
}

// MarkState is a named position, in runes.
type MarkState struct {
	Name   string
	Q0, Q1 int
}

// Bounds of what hangs on one buffer.
const (
	MaxViews     = 1024
	MaxMarks     = 4096
	MaxTextBytes = 1 << 30 // larger files are refused at open, with the number
)

// Views returns the buffer's views, ordered. The caller does not change it.
func (b *Buffer) Views() []ViewState { return b.views }

// Marks returns the buffer's marks, ordered by name. The caller does not change it.
func (b *Buffer) Marks() []MarkState { return b.marks }

// View returns a view's dot and origin.
func (b *Buffer) View(v View) (ViewState, bool) {
	if i, ok := b.view(v); ok {
		return b.views[i], true
	}
	return ViewState{}, false
}

// WithDot returns the buffer as it would be if a view's dot were elsewhere; b itself where there is no
// such view.
func (b *Buffer) WithDot(v View, q0, q1 int) *Buffer {
	i, ok := b.view(v)
	if !ok {
		return b
	}
	n := *b
	n.views = slices.Clone(b.views)
	n.views[i].Q0, n.views[i].Q1 = q0, q1
	return &n
}

// Mark returns a named position.
func (b *Buffer) Mark(name string) (MarkState, bool) {
	if i, ok := b.mark(name); ok {
		return b.marks[i], true
	}
	return MarkState{}, false
}

func (b *Buffer) view(v View) (int, bool) {
	return slices.BinarySearchFunc(b.views, v, func(s ViewState, v View) int { return s.View.compare(v) })
}

func (b *Buffer) mark(name string) (int, bool) {
	return slices.BinarySearchFunc(b.marks, name, func(m MarkState, n string) int {
		return compareText(m.Name, n)
	})
}

func (v *ViewState) fields(f *codec.Fields) {
	v.View.fields(f)
	codec.Num(f, &v.Q0)
	codec.Num(f, &v.Q1)
	codec.Num(f, &v.Origin)
}

func (m *MarkState) fields(f *codec.Fields) {
	f.String(&m.Name)
	codec.Num(f, &m.Q0)
	codec.Num(f, &m.Q1)
}

func (b *Buffer) fields(f *codec.Fields) {
	codec.Num(f, &b.Kind)
	f.String(&b.Name)
	codec.Num(f, &b.Version)
	f.Bool(&b.Loading)
	b.onDisk.fields(f)
	f.Bool(&b.Stale)
	f.Fixed(b.StaleDisk[:])
	codec.List(f, &b.views, func(f *codec.Fields, v *ViewState) { v.fields(f) })
	codec.List(f, &b.marks, func(f *codec.Fields, m *MarkState) { m.fields(f) })
	codec.Num(f, &b.digest)
	if f.Optional(); f.Reading() || b.Missing || b.Warned || len(b.Apart) > 0 { // older builds had none
		f.Bool(&b.Missing)
		f.Bool(&b.Warned)
		codec.List(f, &b.Apart, func(f *codec.Fields, s *Span) { s.fields(f) })
	}
}

// encode writes the fields, then the text.
func (b *Buffer) encode(e *encoder) {
	e.fields(b.fields)
	e.bytes(b.Text.Bytes(), b.Text.Chunks())
}

func (b *Buffer) encodeHistory(e *encoder) { e.fields(b.history.fields) }

// checkRead refuses positions that the text does not have: a snapshot may be damaged or hostile.
func (b *Buffer) checkRead(c *codec.Cursor) {
	n := b.Text.Runes()
	for _, v := range b.views {
		if v.Q0 > v.Q1 || v.Q1 > n || v.Origin > n {
			c.Fail("view %v at %d,%d,%d in %d runes", v.View, v.Q0, v.Q1, v.Origin, n)
		}
	}
	for _, m := range b.marks {
		if m.Q0 > m.Q1 || m.Q1 > n {
			c.Fail("mark %q at %d,%d in %d runes", m.Name, m.Q0, m.Q1, n)
		}
	}
	if err := b.history.check(b.Version, n); err != nil {
		c.Fail("%v", err)
	}
}

package core

import "apex/core/codec"

// Show says how a window stands in its column.
type Show uint8

// The ways to show a window.
const (
	ShowNormal    Show = iota // with its share of the height
	ShowCollapsed             // the tag only
	ShowMaximised             // all of the column's height; the others are out of sight
	ShowHidden                // in the column's order, but nothing of it drawn
	showEnd
)

// Slot is a window's place in a column.
type Slot struct {
	Window WindowID
	Share  int // of the column's height, relative to the other windows' shares; at least 1
	Show   Show
}

// Column is a column of windows, top to bottom. Its tag's buffer is its identity.
type Column struct {
	Tag    BufferID
	Weight int // of the width, relative to the other columns' weights; at least 1
	Slots  []Slot
}

// Arrange sets the arrangement: which columns there are, and which windows stand in them. It is
// whole each time: the arrangement of a session is small, a change of it is atomic, and there is
// one way to check it. It says what the person arranged, never cells.
type Arrange struct {
	Top     BufferID // the top row's buffer
	Columns []Column
}

// Snarf sets the session's snarf buffer.
type Snarf struct{ Text string }

// Focus records which view typing goes to.
type Focus struct{ View View }

// LayoutExec records a command executed in a column's tag or the top row.
type LayoutExec struct {
	View    View
	Command string
}

// LayoutStatus is how the LayoutExec at sequence number Of ended.
type LayoutStatus struct {
	Of      Seq
	Code    Code
	Message string
}

func (*Arrange) kind() OpKind      { return OpArrange }
func (*Snarf) kind() OpKind        { return OpSnarf }
func (*Focus) kind() OpKind        { return OpFocus }
func (*LayoutExec) kind() OpKind   { return OpLayoutExec }
func (*LayoutStatus) kind() OpKind { return OpLayoutStatus }

func (*Arrange) shardKind() ShardKind      { return KindLayout }
func (*Snarf) shardKind() ShardKind        { return KindLayout }
func (*Focus) shardKind() ShardKind        { return KindLayout }
func (*LayoutExec) shardKind() ShardKind   { return KindLayout }
func (*LayoutStatus) shardKind() ShardKind { return KindLayout }

func (s *Slot) fields(f *codec.Fields) {
	codec.Num(f, &s.Window)
	codec.Num(f, &s.Share)
	codec.Num(f, &s.Show)
}

func (c *Column) fields(f *codec.Fields) {
	codec.Num(f, &c.Tag)
	codec.Num(f, &c.Weight)
	codec.List(f, &c.Slots, func(f *codec.Fields, s *Slot) { s.fields(f) })
}

func (o *Arrange) fields(f *codec.Fields) {
	codec.Num(f, &o.Top)
	codec.List(f, &o.Columns, func(f *codec.Fields, c *Column) { c.fields(f) })
}

func (o *Snarf) fields(f *codec.Fields) { f.String(&o.Text) }
func (o *Focus) fields(f *codec.Fields) { o.View.fields(f) }

func (o *LayoutExec) fields(f *codec.Fields) {
	o.View.fields(f)
	f.String(&o.Command)
}

func (o *LayoutStatus) fields(f *codec.Fields) {
	codec.Num(f, &o.Of)
	f.String((*string)(&o.Code))
	f.String(&o.Message)
}

package core

import "apex/core/codec"

// Bounds of strings in window, layout and meta ops: what a person could read on one screen.
const (
	MaxCommandBytes = 64 << 10
	MaxMessageBytes = 16 << 10
	MaxSnarfBytes   = 8 << 20 // larger cuts stay in the undo history; half a frame
)

// WindowNew is a window's first op.
type WindowNew struct {
	Tag, Body BufferID
	Term      TermID // that it shows; 0: its body
}

// Settings are how a window shows its body.
type Settings struct {
	TabWidth    int  // cells
	LineNumbers bool // shown
	NoWrap      bool // long lines scroll instead of wrapping
	NoIndent    bool // a typed newline doesn't copy the line's indentation
}

// Flag says what a window is for: its owner is a tool's name or empty.
type Flag struct {
	Owner string
	Live  bool // a program stands behind it
	Work  bool // it is busy
}

// Exec records a command that was executed in a window: the entry is durable before its effect
// begins. It names the text that it acts on, since shards have no order among each other.
type Exec struct {
	Command string // the words, as in "Put" or "Look pattern"
	Buffer  BufferID
	Version Version
	Q0, Q1  int // the dot of the body, runes
}

// Status is how the Exec at sequence number Of ended.
type Status struct {
	Of      Seq
	Code    Code   // empty: done
	Message string // for people
}

// WindowDel is a window's last op.
type WindowDel struct{}

func (*WindowNew) kind() OpKind { return OpWindowNew }
func (*Settings) kind() OpKind  { return OpSettings }
func (*Flag) kind() OpKind      { return OpFlag }
func (*Exec) kind() OpKind      { return OpExec }
func (*Status) kind() OpKind    { return OpStatus }
func (*WindowDel) kind() OpKind { return OpWindowDel }

func (*WindowNew) shardKind() ShardKind { return KindWindow }
func (*Settings) shardKind() ShardKind  { return KindWindow }
func (*Flag) shardKind() ShardKind      { return KindWindow }
func (*Exec) shardKind() ShardKind      { return KindWindow }
func (*Status) shardKind() ShardKind    { return KindWindow }
func (*WindowDel) shardKind() ShardKind { return KindWindow }

func (o *WindowNew) fields(f *codec.Fields) {
	codec.Num(f, &o.Tag)
	codec.Num(f, &o.Body)
	lateNum(f, &o.Term)
}

// lateNum describes a number at the end of an array that is left out where it is 0, as older builds
// did.
func lateNum[T codec.Integer](f *codec.Fields, n *T) {
	if f.Optional(); f.Reading() || *n != 0 {
		codec.Num(f, n)
	}
}

func (o *Settings) fields(f *codec.Fields) {
	codec.Num(f, &o.TabWidth)
	f.Bool(&o.LineNumbers)
	f.Bool(&o.NoWrap)
	f.Bool(&o.NoIndent)
}

func (o *Flag) fields(f *codec.Fields) {
	f.String(&o.Owner)
	f.Bool(&o.Live)
	f.Bool(&o.Work)
}

func (o *Exec) fields(f *codec.Fields) {
	f.String(&o.Command)
	codec.Num(f, &o.Buffer)
	codec.Num(f, &o.Version)
	codec.Num(f, &o.Q0)
	codec.Num(f, &o.Q1)
}

func (o *Status) fields(f *codec.Fields) {
	codec.Num(f, &o.Of)
	f.String((*string)(&o.Code))
	f.String(&o.Message)
}

func (o *WindowDel) fields(*codec.Fields) {}

package core

import "apex/core/codec"

// maxStatuses is how many outcomes of commands a window keeps: what a person scrolls back to.
const maxStatuses = 32

// Run is a command that was executed and how it ended.
type Run struct {
	At      Seq // the Exec's entry
	Author  Author
	Exec    Exec
	Done    bool
	Code    Code
	Message string
}

// Window is a window's state: its tag and body buffers, how it shows them, and what was run.
type Window struct {
	Tag, Body BufferID
	Term      TermID // that it shows; 0: its body
	Settings  Settings
	Flag      Flag
	Runs      []Run // oldest first, at most maxStatuses
	Deleted   bool
}

// DefaultTabWidth is the width of a tab in cells until a window's settings say otherwise.
const DefaultTabWidth = 8

// MaxTabWidth bounds a tab in cells: wider ones hide a narrow window's text.
const MaxTabWidth = 32

func (w *Window) apply(b *Batch) (state, error) {
	n := *w
	n.Runs = n.Runs[:len(n.Runs):len(n.Runs)]
	for i := range b.Ops {
		if err := n.applyOp(&b.Ops[i], b.First+Seq(i), b.Author); err != nil {
			return nil, err
		}
	}
	return &n, nil
}

func (w *Window) applyOp(o *Op, at Seq, by Author) error {
	if _, first := o.Body.(*WindowNew); first != (w.Body == 0) || w.Deleted {
		return badf("op %d on a window that is new, made or deleted", o.Kind)
	}
	switch o := o.Body.(type) {
	case *WindowNew:
		if o.Tag == 0 || o.Body == 0 || o.Tag == o.Body {
			return badf("window with tag %v and body %v", o.Tag, o.Body)
		}
		w.Tag, w.Body, w.Term = o.Tag, o.Body, o.Term
		w.Settings.TabWidth = DefaultTabWidth
	case *Settings:
		if o.TabWidth < 1 || o.TabWidth > MaxTabWidth {
			return badf("tab width %d, want 1-%d", o.TabWidth, MaxTabWidth)
		}
		w.Settings = *o
	case *Flag:
		if len(o.Owner) > MaxActorBytes {
			return badf("owner of %d bytes, at most %d", len(o.Owner), MaxActorBytes)
		}
		w.Flag = *o
	case *Exec:
		if len(o.Command) > MaxCommandBytes {
			return badf("command of %d bytes, at most %d", len(o.Command), MaxCommandBytes)
		}
		if len(w.Runs) >= maxStatuses {
			w.Runs = w.Runs[len(w.Runs)-maxStatuses+1:]
		}
		w.Runs = append(w.Runs, Run{At: at, Author: by, Exec: *o})
	case *Status:
		return w.end(o)
	case *WindowDel:
		w.Deleted = true
	}
	return nil
}

// end records an outcome. One whose Exec is no longer kept changes nothing.
func (w *Window) end(o *Status) error {
	if len(o.Message) > MaxMessageBytes {
		return badf("message of %d bytes, at most %d", len(o.Message), MaxMessageBytes)
	}
	for i := range w.Runs {
		if w.Runs[i].At != o.Of {
			continue
		}
		runs := append([]Run(nil), w.Runs...)
		runs[i].Done, runs[i].Code, runs[i].Message = true, o.Code, o.Message
		w.Runs = runs
	}
	return nil
}

func (r *Run) fields(f *codec.Fields) {
	codec.Num(f, &r.At)
	codec.Num(f, &r.Author.Attachment)
	f.String(&r.Author.Actor)
	f.Struct(r.Exec.fields)
	f.Bool(&r.Done)
	f.String((*string)(&r.Code))
	f.String(&r.Message)
}

func (w *Window) fields(f *codec.Fields) {
	codec.Num(f, &w.Tag)
	codec.Num(f, &w.Body)
	f.Struct(w.Settings.fields)
	f.Struct(w.Flag.fields)
	codec.List(f, &w.Runs, func(f *codec.Fields, r *Run) { r.fields(f) })
	f.Bool(&w.Deleted)
	lateNum(f, &w.Term)
}

func (w *Window) encode(e *encoder)      { e.fields(w.fields) }
func (*Window) encodeHistory(e *encoder) {}

func readWindow(c *codec.Cursor) *Window {
	w := &Window{}
	codec.ReadFields(c, w.fields)
	return w
}

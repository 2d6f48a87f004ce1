package core

import (
	"slices"

	"apex/core/codec"
)

// Layout is what the person arranged: the top row, columns in order with the windows in them, the
// snarf buffer, and which view has the focus. Clients work out cells for their own sizes.
type Layout struct {
	Arrange
	Snarf string
	Focus View
}

// Bounds of an arrangement: a person's screen holds far less, and a tool's mistake must not make
// a layout that no client can draw.
const (
	MaxColumns = 64
	MaxSlots   = 4096
	MaxShare   = 1 << 20
)

// Window returns where a window stands.
func (a *Arrange) Window(w WindowID) (column, slot int, ok bool) {
	for c := range a.Columns {
		for s := range a.Columns[c].Slots {
			if a.Columns[c].Slots[s].Window == w {
				return c, s, true
			}
		}
	}
	return 0, 0, false
}

// Clone returns a copy that shares nothing.
func (a *Arrange) Clone() Arrange {
	out := Arrange{Top: a.Top, Columns: slices.Clone(a.Columns)}
	for i := range out.Columns {
		out.Columns[i].Slots = slices.Clone(out.Columns[i].Slots)
	}
	return out
}

func (a *Arrange) check() error {
	if len(a.Columns) > MaxColumns {
		return badf("%d columns, at most %d", len(a.Columns), MaxColumns)
	}
	seen := map[ID]bool{}
	slots := 0
	for _, c := range a.Columns {
		if c.Tag == 0 || seen[ID(c.Tag)] || c.Weight < 1 || c.Weight > MaxShare {
			return badf("column %v of weight %d", c.Tag, c.Weight)
		}
		seen[ID(c.Tag)] = true
		for _, s := range c.Slots {
			if s.Window == 0 || seen[ID(s.Window)] {
				return badf("window %v stands in the layout twice", s.Window)
			}
			if s.Share < 1 || s.Share > MaxShare || s.Show >= showEnd {
				return badf("window %v with share %d, show %d", s.Window, s.Share, s.Show)
			}
			seen[ID(s.Window)] = true
		}
		slots += len(c.Slots)
	}
	if slots > MaxSlots {
		return badf("%d windows, at most %d", slots, MaxSlots)
	}
	return nil
}

func (l *Layout) apply(b *Batch) (state, error) {
	n := *l
	for i := range b.Ops {
		if err := n.applyOp(&b.Ops[i]); err != nil {
			return nil, err
		}
	}
	return &n, nil
}

func (l *Layout) applyOp(o *Op) error {
	switch o := o.Body.(type) {
	case *Arrange:
		if err := o.check(); err != nil {
			return err
		}
		l.Arrange = *o
	case *Snarf:
		if len(o.Text) > MaxSnarfBytes {
			return Errorf(CodeTooLarge, "snarf of %d bytes, at most %d", len(o.Text), MaxSnarfBytes)
		}
		l.Snarf = o.Text
	case *Focus:
		l.Focus = o.View
	case *LayoutExec:
		if len(o.Command) > MaxCommandBytes {
			return badf("command of %d bytes, at most %d", len(o.Command), MaxCommandBytes)
		}
	case *LayoutStatus:
		if len(o.Message) > MaxMessageBytes {
			return badf("message of %d bytes, at most %d", len(o.Message), MaxMessageBytes)
		}
	}
	return nil
}

func (l *Layout) fields(f *codec.Fields) {
	f.Struct(l.Arrange.fields)
	f.String(&l.Snarf)
	l.Focus.fields(f)
}

func (l *Layout) encode(e *encoder)      { e.fields(l.fields) }
func (*Layout) encodeHistory(e *encoder) {}

func readLayout(c *codec.Cursor) *Layout {
	l := &Layout{}
	codec.ReadFields(c, l.fields)
	return l
}

package core

import (
	"bytes"
	"slices"

	"apex/core/codec"
)

func (t *Term) apply(b *Batch) (state, error) {
	n := *t
	n.Grid = slices.Clone(t.Grid)
	for i := range b.Ops {
		if err := n.applyOp(&b.Ops[i]); err != nil {
			return nil, err
		}
	}
	if err := n.check(); err != nil {
		return nil, err
	}
	return &n, nil
}

// applyOp changes t, whose Grid is its own. Rows are checked here, all else when the batch is done.
func (t *Term) applyOp(o *Op) error {
	if _, first := o.Body.(*TermNew); first != (t.Cols == 0) {
		return badf("op %d on a terminal of %d columns", o.Kind, t.Cols)
	}
	switch o := o.Body.(type) {
	case *TermNew:
		t.Window, t.Command, t.Dir, t.Generation = o.Window, o.Command, o.Dir, o.Generation
		return t.resize(o.Cols, o.Rows)
	case *TermResize:
		return t.resize(o.Cols, o.Rows)
	case *TermRows:
		return t.show(o)
	case *TermMarks:
		return t.mark(o)
	case *TermCursor:
		t.Cursor = o.Cursor
	case *TermModes:
		t.Modes = o.Modes
	case *TermTitle:
		t.Title = o.Title
	case *TermCwd:
		t.Cwd = o.Dir
	case *TermProgress:
		t.Progress = o.Progress
	case *TermBell:
		t.Bells = o.Bells
	case *TermClip:
		t.Clips = o.Clips
	case *TermHistory:
		t.First, t.Base, t.BaseCol = o.First, o.Base, o.BaseCol
	case *TermExit:
		t.Exit = o.Exit
	}
	return nil
}

// resize gives the grid another size. It is blank then, and the cursor at its top left.
func (t *Term) resize(cols, rows int) error {
	if err := CheckTermSize(cols, rows); err != nil {
		return err
	}
	t.Cols, t.Rows = cols, rows
	t.Cursor.X, t.Cursor.Y = 0, 0
	t.Grid = make([]*TermRow, rows)
	for y := range t.Grid {
		t.Grid[y] = blankRow
	}
	return nil
}

// show scrolls the grid and replaces rows.
func (t *Term) show(o *TermRows) error {
	if o.Scroll < 0 || o.Scroll > t.Rows {
		return badf("scroll by %d of %d rows", o.Scroll, t.Rows)
	}
	if o.Scroll > 0 {
		copy(t.Grid, t.Grid[o.Scroll:])
		for y := t.Rows - o.Scroll; y < t.Rows; y++ {
			t.Grid[y] = blankRow
		}
	}
	next := 0
	for i := range o.Rows {
		r := &o.Rows[i]
		if r.Y < next || r.Y >= t.Rows {
			return badf("row %d of %d, want one from %d on", r.Y, t.Rows, next)
		}
		if err := r.Row.check(t.Cols); err != nil {
			return err
		}
		t.Grid[r.Y] = r.Row
		next = r.Y + 1
	}
	return nil
}

// mark drops marks at both ends of the list, and appends others.
func (t *Term) mark(o *TermMarks) error {
	kept := len(t.Marks) - o.Drop - o.Cut
	if o.Drop < 0 || o.Cut < 0 || kept < 0 || o.Drop > len(t.Marks) || o.Cut > len(t.Marks) {
		return badf("drop %d and %d of %d marks", o.Drop, o.Cut, len(t.Marks))
	}
	if kept+len(o.Add) > TermMarksMax {
		return badf("%d marks, at most %d", kept+len(o.Add), TermMarksMax)
	}
	t.Marks = slices.Concat(t.Marks[o.Drop:o.Drop+kept], o.Add)
	return nil
}

// CheckTermSize refuses a size that is not 1x1 to TermColsMax x TermRowsMax cells.
func CheckTermSize(cols, rows int) error {
	if cols < 1 || rows < 1 || cols > TermColsMax || rows > TermRowsMax {
		return Errorf(CodeTooLarge, "terminal of %dx%d cells, want 1x1 to %dx%d", cols, rows,
			TermColsMax, TermRowsMax)
	}
	return nil
}

// check checks everything but the rows.
func (t *Term) check() error {
	switch c := t.Cursor; {
	case len(t.Command) > MaxCommandBytes || len(t.Dir) > MaxPathBytes || len(t.Cwd) > MaxPathBytes:
		return badf("command of %d bytes, directories of %d and %d, at most %d and %d",
			len(t.Command), len(t.Dir), len(t.Cwd), MaxCommandBytes, MaxPathBytes)
	case len(t.Title) > TermTitleMaxBytes:
		return badf("title of %d bytes, at most %d", len(t.Title), TermTitleMaxBytes)
	case c.X < 0 || c.Y < 0 || c.X >= t.Cols || c.Y >= t.Rows || c.Shape >= cursorShapeEnd:
		return badf("cursor of shape %d at %d,%d in %dx%d cells", c.Shape, c.X, c.Y, t.Cols, t.Rows)
	case t.Progress.State >= progressEnd || t.Progress.Percent < 0 || t.Progress.Percent > 100:
		return badf("progress %d of %d %%", t.Progress.State, t.Progress.Percent)
	case t.First > t.Base || t.Base > TermLineMax || t.BaseCol < 0:
		return badf("lines from %d, the screen from %d at %d", t.First, t.Base, t.BaseCol)
	}
	if x := t.Exit; x.Code < 0 || len(x.Signal) > TermSignalMax || len(x.Reason) > MaxMessageBytes {
		return badf("exit with %d, a signal of %d bytes and a reason of %d", x.Code, len(x.Signal),
			len(x.Reason))
	}
	return t.checkMarks()
}

func (t *Term) checkMarks() error {
	if len(t.Marks) > TermMarksMax {
		return badf("%d marks, at most %d", len(t.Marks), TermMarksMax)
	}
	for _, m := range t.Marks {
		if m.Kind < MarkPrompt || m.Kind > MarkEnd || m.Line > TermLineMax || m.Col < 0 ||
			m.Status < StatusUnknown {
			return badf("mark %d at line %d, cell %d, with status %d", m.Kind, m.Line, m.Col, m.Status)
		}
	}
	return nil
}

func (t *Term) fields(f *codec.Fields) {
	codec.Num(f, &t.Window)
	f.String(&t.Command)
	f.String(&t.Dir)
	codec.Num(f, &t.Generation)
	codec.Num(f, &t.Cols)
	codec.Num(f, &t.Rows)
	f.Raw(func(b []byte) []byte { return appendGrid(b, t.Grid) },
		func(c *codec.Cursor) { t.Grid = readGrid(c) })
	codec.Num(f, &t.First)
	codec.Num(f, &t.Base)
	codec.Num(f, &t.BaseCol)
	f.Struct(t.Cursor.fields)
	codec.Num(f, &t.Modes)
	f.String(&t.Title)
	f.String(&t.Cwd)
	f.Struct(t.Progress.fields)
	codec.List(f, &t.Marks, func(f *codec.Fields, m *PromptMark) { m.fields(f) })
	codec.Num(f, &t.Bells)
	codec.Num(f, &t.Clips)
	f.Struct(t.Exit.fields)
}

func (t *Term) encode(e *encoder)      { e.fields(t.fields) }
func (*Term) encodeHistory(e *encoder) {}

// Append appends the canonical encoding, as a snapshot of the shard has it.
func (t *Term) Append(b []byte) []byte { return codec.AppendFields(b, t.fields) }

// ReadTerm reads what Append wrote; errors stay in c, also of what no log leads to.
func ReadTerm(c *codec.Cursor) *Term {
	t := &Term{}
	codec.ReadFields(c, t.fields)
	if c.Err() != nil {
		return t
	}
	if err := t.checkRead(); err != nil {
		c.Fail("%v", err)
	}
	return t
}

// checkRead checks what was not made by apply. A terminal without columns was never begun.
func (t *Term) checkRead() error {
	if t.Cols == 0 {
		if none := (&Term{}).Append(nil); !bytes.Equal(t.Append(nil), none) {
			return badf("a terminal of no columns that was begun")
		}
		return nil
	}
	if err := CheckTermSize(t.Cols, t.Rows); err != nil {
		return err
	}
	if err := t.checkGrid(); err != nil {
		return err
	}
	for _, r := range t.Grid {
		if err := r.check(t.Cols); err != nil {
			return err
		}
	}
	return t.check()
}

// checkGrid checks that there is a row for each row.
func (t *Term) checkGrid() error {
	if len(t.Grid) != t.Rows || slices.Contains(t.Grid, nil) {
		return badf("grid of %d rows, want %d", len(t.Grid), t.Rows)
	}
	return nil
}

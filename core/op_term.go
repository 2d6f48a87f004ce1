package core

import "apex/core/codec"

// TermNew is a terminal's first op. The grid is blank, and all else zero.
type TermNew struct {
	Window     WindowID
	Command    string
	Dir        string
	Generation uint64
	Cols, Rows int
}

// TermRows moves the grid up by Scroll rows, which leaves blank ones at its bottom, and then
// replaces rows.
type TermRows struct {
	Scroll int
	Rows   []RowAt // by Y, each once
}

// RowAt is a row and its place, from 0 at the top.
type RowAt struct {
	Y   int
	Row *TermRow
}

// TermCursor sets the cursor.
type TermCursor struct{ Cursor Cursor }

// TermModes sets the modes.
type TermModes struct{ Modes TermMode }

// TermResize gives the grid another size. It is blank then, and the cursor at its top left.
type TermResize struct{ Cols, Rows int }

// TermTitle sets the title.
type TermTitle struct{ Title string }

// TermCwd sets the program's directory.
type TermCwd struct{ Dir string }

// TermMarks drops the first Drop and the last Cut marks, and appends others.
type TermMarks struct {
	Drop, Cut int
	Add       []PromptMark
}

// TermProgress sets the progress.
type TermProgress struct{ Progress Progress }

// TermBell sets how often the terminal has rung.
type TermBell struct{ Bells uint64 }

// TermHistory sets which logical lines are kept, and where the screen begins.
type TermHistory struct {
	First, Base uint64
	BaseCol     int
}

// TermExit says how the program ended, or with Done unset that another one runs.
type TermExit struct{ Exit Exit }

// TermClip sets how often the program has set the clipboard.
type TermClip struct{ Clips uint64 }

func (*TermNew) kind() OpKind      { return OpTermNew }
func (*TermRows) kind() OpKind     { return OpTermRows }
func (*TermCursor) kind() OpKind   { return OpTermCursor }
func (*TermModes) kind() OpKind    { return OpTermModes }
func (*TermResize) kind() OpKind   { return OpTermResize }
func (*TermTitle) kind() OpKind    { return OpTermTitle }
func (*TermCwd) kind() OpKind      { return OpTermCwd }
func (*TermMarks) kind() OpKind    { return OpTermMarks }
func (*TermProgress) kind() OpKind { return OpTermProgress }
func (*TermBell) kind() OpKind     { return OpTermBell }
func (*TermHistory) kind() OpKind  { return OpTermHistory }
func (*TermExit) kind() OpKind     { return OpTermExit }
func (*TermClip) kind() OpKind     { return OpTermClip }

func (*TermNew) shardKind() ShardKind      { return KindTerm }
func (*TermRows) shardKind() ShardKind     { return KindTerm }
func (*TermCursor) shardKind() ShardKind   { return KindTerm }
func (*TermModes) shardKind() ShardKind    { return KindTerm }
func (*TermResize) shardKind() ShardKind   { return KindTerm }
func (*TermTitle) shardKind() ShardKind    { return KindTerm }
func (*TermCwd) shardKind() ShardKind      { return KindTerm }
func (*TermMarks) shardKind() ShardKind    { return KindTerm }
func (*TermProgress) shardKind() ShardKind { return KindTerm }
func (*TermBell) shardKind() ShardKind     { return KindTerm }
func (*TermHistory) shardKind() ShardKind  { return KindTerm }
func (*TermExit) shardKind() ShardKind     { return KindTerm }
func (*TermClip) shardKind() ShardKind     { return KindTerm }

func (o *TermNew) fields(f *codec.Fields) {
	codec.Num(f, &o.Window)
	f.String(&o.Command)
	f.String(&o.Dir)
	codec.Num(f, &o.Generation)
	codec.Num(f, &o.Cols)
	codec.Num(f, &o.Rows)
}

// fields has the rows coded by hand: a flood of output is nothing else.
func (o *TermRows) fields(f *codec.Fields) {
	codec.Num(f, &o.Scroll)
	f.Raw(o.appendRows, o.readRows)
}

func (o *TermRows) appendRows(b []byte) []byte {
	b = codec.AppendArray(b, len(o.Rows))
	for i := range o.Rows {
		b = codec.AppendUint(codec.AppendArray(b, 3), uint64(o.Rows[i].Y))
		b = appendRow(b, o.Rows[i].Row)
	}
	return b
}

func (o *TermRows) readRows(c *codec.Cursor) {
	n := c.Array()
	if n > TermRowsMax {
		c.Fail("%d rows, at most %d", n, TermRowsMax)
	}
	if n == 0 || c.Err() != nil {
		return
	}
	o.Rows = make([]RowAt, n)
	for i := range o.Rows {
		fields := c.ArrayMin(3)
		o.Rows[i] = RowAt{int(c.UintMax(TermRowsMax)), readRow(c)}
		c.SkipN(fields - 3)
	}
}

func (o *TermCursor) fields(f *codec.Fields) { o.Cursor.fields(f) }
func (o *TermModes) fields(f *codec.Fields)  { codec.Num(f, &o.Modes) }

func (o *TermResize) fields(f *codec.Fields) {
	codec.Num(f, &o.Cols)
	codec.Num(f, &o.Rows)
}

func (o *TermTitle) fields(f *codec.Fields) { f.String(&o.Title) }
func (o *TermCwd) fields(f *codec.Fields)   { f.String(&o.Dir) }

func (o *TermMarks) fields(f *codec.Fields) {
	codec.Num(f, &o.Drop)
	codec.Num(f, &o.Cut)
	codec.List(f, &o.Add, func(f *codec.Fields, m *PromptMark) { m.fields(f) })
}

func (o *TermProgress) fields(f *codec.Fields) { o.Progress.fields(f) }
func (o *TermBell) fields(f *codec.Fields)     { codec.Num(f, &o.Bells) }
func (o *TermClip) fields(f *codec.Fields)     { codec.Num(f, &o.Clips) }

func (o *TermHistory) fields(f *codec.Fields) {
	codec.Num(f, &o.First)
	codec.Num(f, &o.Base)
	codec.Num(f, &o.BaseCol)
}

func (o *TermExit) fields(f *codec.Fields) { o.Exit.fields(f) }

func (c *Cursor) fields(f *codec.Fields) {
	codec.Num(f, &c.X)
	codec.Num(f, &c.Y)
	f.Bool(&c.Visible)
	f.Bool(&c.Blink)
	codec.Num(f, &c.Shape)
}

func (p *Progress) fields(f *codec.Fields) {
	codec.Num(f, &p.State)
	codec.Num(f, &p.Percent)
}

// fields has the status one higher than it is: none is 0.
func (m *PromptMark) fields(f *codec.Fields) {
	codec.Num(f, &m.Kind)
	codec.Num(f, &m.Line)
	codec.Num(f, &m.Col)
	status := m.Status + 1
	codec.Num(f, &status)
	m.Status = status - 1
}

func (x *Exit) fields(f *codec.Fields) {
	f.Bool(&x.Done)
	codec.Num(f, &x.Code)
	f.String(&x.Signal)
	f.String(&x.Reason)
}

package core

import (
	"slices"
	"unicode/utf8"

	"apex/core/cell"
	"apex/core/codec"
)

// TermRow is one row of a terminal's grid: an immutable value, shared between states and never
// changed once it is in one. The blanks in the default look at its end are left out.
type TermRow struct {
	Runs    []cell.Run
	Wrapped bool // its line goes on in the next row
}

var blankRow = &TermRow{}

// NewTermRow makes a row of runs, which it keeps. What would take more than TermRowMaxBytes loses
// its links, and then all but the first rune of its clusters: a row of marks piled on marks says no
// more than that.
func NewTermRow(runs []cell.Run, wrapped bool) *TermRow {
	if len(runs) == 0 && !wrapped {
		return blankRow
	}
	r := &TermRow{Runs: runs, Wrapped: wrapped}
	if r.bytes() <= TermRowMaxBytes {
		return r
	}
	r.Runs = slices.Clone(runs)
	for i := range r.Runs {
		r.Runs[i].Link = ""
	}
	if r.bytes() <= TermRowMaxBytes {
		return r
	}
	for i := range r.Runs {
		u := &r.Runs[i]
		_, n := utf8.DecodeRuneInString(u.Text)
		switch u.Kind {
		case cell.NarrowCluster:
			u.Kind, u.Text = cell.Narrow, u.Text[:n]
		case cell.WideCluster:
			u.Kind, u.Text = cell.Wide, u.Text[:n]
		}
	}
	return r
}

// bytes is what the row's texts and links take.
func (r *TermRow) bytes() int {
	n := 0
	for i := range r.Runs {
		n += len(r.Runs[i].Text) + len(r.Runs[i].Link)
	}
	return n
}

// Cells is the number of columns that the row fills, up to its last run.
func (r *TermRow) Cells() int { return cell.RowCells(r.Runs) }

// Equal reports whether two rows show the same by the same runs.
func (r *TermRow) Equal(s *TermRow) bool {
	return r == s || r.Wrapped == s.Wrapped && slices.Equal(r.Runs, s.Runs)
}

// check refuses a row that does not fit a grid of cols columns.
func (r *TermRow) check(cols int) error {
	if len(r.Runs) == 0 {
		return nil
	}
	if n := r.bytes(); n > TermRowMaxBytes {
		return badf("row of %d bytes, at most %d", n, TermRowMaxBytes)
	}
	n := 0
	for i := range r.Runs {
		u := &r.Runs[i]
		if err := checkRun(u); err != nil {
			return err
		}
		n += u.Cells()
	}
	if n > cols {
		return badf("row of %d cells in %d columns", n, cols)
	}
	return nil
}

// checkRun refuses a run that no screen makes.
func checkRun(u *cell.Run) error {
	switch {
	case u.Text == "" || !utf8.ValidString(u.Text):
		return badf("run of %d bytes that are no text", len(u.Text))
	case u.Kind < cell.Narrow || u.Kind > cell.WideCluster:
		return badf("run of kind %d", u.Kind)
	case u.Kind >= cell.NarrowCluster && len(u.Text) > cell.ClusterMaxBytes:
		return badf("cluster of %d bytes, at most %d", len(u.Text), cell.ClusterMaxBytes)
	case !validColour(u.Style.Fg) || !validColour(u.Style.Bg) || !validColour(u.Under):
		return badf("colours %x, %x and %x", u.Style.Fg, u.Style.Bg, u.Under)
	case u.Style.Attr&^cell.AttrMask != 0 || u.Style.Attr.Underline() > cell.DashedUnderline:
		return badf("attributes %x", u.Style.Attr)
	case len(u.Link) > TermLinkMaxBytes:
		return badf("link of %d bytes, at most %d", len(u.Link), TermLinkMaxBytes)
	}
	return nil
}

func validColour(c cell.Colour) bool {
	if _, palette := c.Palette(); palette {
		n, _ := c.Palette()
		return c == cell.Palette(n)
	}
	_, _, _, rgb := c.RGB()
	return c == cell.Default || rgb
}

// runFieldsMax is how many fields a run has: kind, text, foreground, background, attributes, colour
// of the underline, link. Fields at the end that are zero are left out: most text is plain.
const runFieldsMax = 7

// runBytesMin is what the shortest run takes: a frame can't ask for much more memory than it has
// bytes.
const runBytesMin = 4

// appendRun appends a run: an array of its fields.
func appendRun(b []byte, u *cell.Run) []byte {
	n := 2
	switch {
	case u.Link != "":
		n = runFieldsMax
	case u.Under != 0:
		n = 6
	case u.Style.Attr != 0:
		n = 5
	case u.Style.Bg != 0:
		n = 4
	case u.Style.Fg != 0:
		n = 3
	}
	b = codec.AppendUint(codec.AppendArray(b, n), uint64(u.Kind))
	b = codec.AppendBytes(b, u.Text)
	for i, v := range [...]uint64{uint64(u.Style.Fg), uint64(u.Style.Bg), uint64(u.Style.Attr),
		uint64(u.Under)} {
		if i+2 < n {
			b = codec.AppendUint(b, v)
		}
	}
	if n == runFieldsMax {
		b = codec.AppendBytes(b, u.Link)
	}
	return b
}

// AppendRuns appends an array of runs.
func AppendRuns(b []byte, runs []cell.Run) []byte {
	b = codec.AppendArray(b, len(runs))
	for i := range runs {
		b = appendRun(b, &runs[i])
	}
	return b
}

// ReadRuns reads an array of at most most runs, each of which a screen may have made; errors stay
// in c. The texts are one string of their own: a row is kept long after the frame that it came in.
func ReadRuns(c *codec.Cursor, most int) []cell.Run {
	n := c.Array()
	if n > most || n > c.Len()/runBytesMin {
		c.Fail("%d runs in %d bytes, at most %d", n, c.Len(), most)
	}
	if n == 0 || c.Err() != nil {
		return nil
	}
	runs := make([]cell.Run, n)
	all := 0
	for i := range runs {
		readRun(c, &runs[i])
		if i > 0 && runs[i].Link == runs[i-1].Link {
			runs[i].Link = runs[i-1].Link
		}
		all += len(runs[i].Text)
	}
	if c.Err() != nil {
		return nil
	}
	text := make([]byte, 0, all)
	for i := range runs {
		text = append(text, runs[i].Text...)
	}
	kept := string(text)
	for i := range runs {
		n := len(runs[i].Text)
		runs[i].Text, kept = kept[:n], kept[n:]
	}
	return runs
}

// readRun reads a run, whose text aliases c's bytes.
func readRun(c *codec.Cursor, u *cell.Run) {
	n := c.ArrayMin(2)
	u.Kind = cell.RunKind(c.UintMax(uint64(cell.WideCluster)))
	u.Text = alias(c.Bytes())
	if n > 2 {
		u.Style.Fg = cell.Colour(c.UintMax(maxColour))
	}
	if n > 3 {
		u.Style.Bg = cell.Colour(c.UintMax(maxColour))
	}
	if n > 4 {
		u.Style.Attr = cell.Attr(c.UintMax(uint64(cell.AttrMask)))
	}
	if n > 5 {
		u.Under = cell.Colour(c.UintMax(maxColour))
	}
	if n > 6 {
		u.Link = string(c.Bytes())
	}
	c.SkipN(n - runFieldsMax)
	if c.Err() != nil {
		return
	}
	if err := checkRun(u); err != nil {
		c.Fail("%v", err)
	}
}

const maxColour = 1<<32 - 1

// appendRow appends a row's fields: whether it wraps, and its runs.
func appendRow(b []byte, r *TermRow) []byte {
	return AppendRuns(codec.AppendBool(b, r.Wrapped), r.Runs)
}

func readRow(c *codec.Cursor) *TermRow {
	wrapped := c.Bool()
	runs := ReadRuns(c, TermColsMax)
	if len(runs) == 0 && !wrapped {
		return blankRow
	}
	return &TermRow{Runs: runs, Wrapped: wrapped}
}

func appendGrid(b []byte, grid []*TermRow) []byte {
	b = codec.AppendArray(b, len(grid))
	for _, r := range grid {
		b = appendRow(codec.AppendArray(b, 2), r)
	}
	return b
}

func readGrid(c *codec.Cursor) []*TermRow {
	n := c.Array()
	if n > TermRowsMax {
		c.Fail("%d rows, at most %d", n, TermRowsMax)
	}
	if c.Err() != nil {
		return nil
	}
	grid := make([]*TermRow, n)
	for y := range grid {
		fields := c.ArrayMin(2)
		grid[y] = readRow(c)
		c.SkipN(fields - 2)
	}
	return grid
}

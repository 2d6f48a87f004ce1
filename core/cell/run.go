package cell

import "unicode/utf8"

// RunKind says how the text of a Run fills columns. The zero kind is invalid.
type RunKind uint8

const (
	Narrow        RunKind = 1 + iota // each rune is one column
	Wide                             // each rune is two columns
	NarrowCluster                    // all of the text is one grapheme cluster in one column
	WideCluster                      // all of the text is one grapheme cluster in two columns
)

// Width is the number of columns that one rune, or the one cluster, of a run of the kind fills.
func (k RunKind) Width() int {
	if k == Wide || k == WideCluster {
		return 2
	}
	return 1
}

// Cluster reports whether the text of a run of the kind is one grapheme cluster.
func (k RunKind) Cluster() bool { return k == NarrowCluster || k == WideCluster }

// Run is a stretch of a terminal's row that looks alike throughout. It carries its text and not an
// index into a table, so it means the same to whoever it is sent to. Which runes form a cluster
// and how wide they are was decided once, by the screen that made it.
type Run struct {
	Text  string
	Kind  RunKind
	Style Style
	Under Colour // of the underline; Default is the text's own
	Link  string // the URI that the text links to, or ""
}

// Cells is the number of columns that r fills.
func (r Run) Cells() int {
	switch r.Kind {
	case Narrow, Wide:
		return r.Kind.Width() * utf8.RuneCountInString(r.Text)
	case NarrowCluster, WideCluster:
		return r.Kind.Width()
	}
	return 0
}

// RowCells is the number of columns that runs fill.
func RowCells(runs []Run) (n int) {
	for i := range runs {
		n += runs[i].Cells()
	}
	return n
}

// RowText returns the text that runs show.
func RowText(runs []Run) string {
	if len(runs) == 1 {
		return runs[0].Text
	}
	var n int
	for _, r := range runs {
		n += len(r.Text)
	}
	b := make([]byte, 0, n)
	for _, r := range runs {
		b = append(b, r.Text...)
	}
	return string(b)
}

// Wrap cuts a logical line into the rows that it fills on a screen of cols columns, one at least. A
// wide grapheme is never cut: one that has no room at the end of a row goes to the next, and in one
// column it has a row of its own. An empty line is one row without runs.
func Wrap(line []Run, cols int) [][]Run {
	rows := [][]Run{nil}
	x := 0
	for _, r := range line {
		width := r.Kind.Width()
		if r.Kind.Cluster() {
			if x > 0 && x+width > cols {
				rows, x = append(rows, nil), 0
			}
			rows[len(rows)-1] = append(rows[len(rows)-1], r)
			x += width
			continue
		}
		for r.Text != "" {
			room := (cols - x) / width
			if room <= 0 && x > 0 {
				rows, x = append(rows, nil), 0
				continue
			}
			n, runes := prefix(r.Text, max(room, 1))
			piece := r
			piece.Text, r.Text = r.Text[:n], r.Text[n:]
			rows[len(rows)-1] = append(rows[len(rows)-1], piece)
			x += runes * width
		}
	}
	return rows
}

// prefix returns the bytes of the first runes of s, at most n, and how many they are.
func prefix(s string, n int) (bytes, runes int) {
	for i := range s {
		if runes == n {
			return i, runes
		}
		runes++
	}
	return len(s), runes
}

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
	case Narrow:
		return utf8.RuneCountInString(r.Text)
	case Wide:
		return 2 * utf8.RuneCountInString(r.Text)
	case NarrowCluster:
		return 1
	case WideCluster:
		return 2
	}
	return 0
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

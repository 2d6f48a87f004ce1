package cell

import "unicode/utf8"

const (
	// ClusterMaxBytes is the longest text of one cell. Real graphemes stay below 40 bytes; a longer
	// one is a pile of combining marks, and showing the first of them is enough.
	ClusterMaxBytes = 128
	// ClustersMax is the number of clusters in a table. A screenful has at most as many as it has
	// cells; the rest is room for what was shown before, so that tables are seldom reset.
	ClustersMax = 1 << 18
)

// Clusters is a table of grapheme clusters of more than one rune. Cells hold indices into it. It
// only grows until Reset. The zero value is an empty table.
type Clusters struct {
	index      map[string]uint32
	text       []string
	generation uint64
}

// Cell returns the cell for a grapheme that is width columns wide, 1 or 2. A grapheme of one rune
// doesn't touch the table. One that is too long is cut to ClusterMaxBytes; when the table is full
// the first rune is shown alone.
func (t *Clusters) Cell(grapheme string, width int, s Style) Cell {
	r, n := utf8.DecodeRuneInString(grapheme)
	text := uint32(0)
	switch {
	case n == 0:
	case n == len(grapheme):
		text = textOf(r)
	default:
		text = t.intern(grapheme, r)
	}
	if width >= 2 {
		text |= kindLead
	}
	return build(text, s)
}

func (t *Clusters) intern(g string, first rune) uint32 {
	g = cut(g)
	if i, ok := t.index[g]; ok {
		return i | textCluster
	}
	if len(t.text) >= ClustersMax {
		return textOf(first)
	}
	if t.index == nil {
		t.index = make(map[string]uint32)
	}
	i := uint32(len(t.text))
	g = string(append([]byte(nil), g...)) // not a reference into a large buffer
	t.text = append(t.text, g)
	t.index[g] = i
	return i | textCluster
}

// cut shortens g to ClusterMaxBytes without splitting a rune.
func cut(g string) string {
	if len(g) <= ClusterMaxBytes {
		return g
	}
	n := ClusterMaxBytes
	for n > 0 && !utf8.RuneStart(g[n]) {
		n--
	}
	if n == 0 {
		n = ClusterMaxBytes
	}
	return g[:n]
}

// Text returns what c shows as a string. A tail is empty. It panics when c comes from another table
// that was larger.
func (t *Clusters) Text(c Cell) string {
	if c.Tail() {
		return ""
	}
	if i, ok := c.Cluster(); ok {
		return t.text[i]
	}
	return string(c.Rune())
}

// Texts returns the text of every cluster so far, by index. The table never writes to what it has
// returned, so another goroutine may go on reading it while the table grows or is reset.
func (t *Clusters) Texts() []string { return t.text[:len(t.text):len(t.text)] }

// Len returns the number of clusters in the table.
func (t *Clusters) Len() int { return len(t.text) }

// Generation changes with every Reset. Cells with clusters of different generations can't be
// compared.
func (t *Clusters) Generation() uint64 { return t.generation }

// Reset empties the table and begins a new generation. Every cell that holds a cluster of the old
// one must be drawn again before anything reads it.
func (t *Clusters) Reset() {
	t.index, t.text = nil, nil
	t.generation++
}

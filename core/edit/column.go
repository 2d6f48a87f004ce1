package edit

import (
	"slices"
	"unicode/utf8"

	"apex/core"
)

// columnTag returns the ops that make a column's tag.
func columnTag(tag core.BufferID) []core.Op {
	end := utf8.RuneCountInString(ColumnTagText)
	return []core.Op{
		core.Of(&core.BufferNew{Kind: core.BufferTag, Text: ColumnTagText}),
		core.Of(&core.ViewAdd{View: core.ColumnView(tag), Q0: end, Q1: end}),
	}
}

// NewColumn adds a column with a tag to the right of the widest one, which gives it half of its
// width.
func NewColumn(a *core.Arrange, tag core.BufferID) {
	if len(a.Columns) == 0 {
		a.Columns = []core.Column{{Tag: tag, Weight: wholeShare}}
		return
	}
	settleWeights(a)
	widest := 0
	for i, c := range a.Columns {
		if c.Weight > a.Columns[widest].Weight {
			widest = i
		}
	}
	w := &a.Columns[widest]
	half := max(1, w.Weight/2)
	w.Weight = max(1, w.Weight-half)
	a.Columns = slices.Insert(a.Columns, widest+1, core.Column{Tag: tag, Weight: half})
}

// RemoveColumn takes a column and its windows out of the arrangement; the one to its left gets
// its width, or if it was the first, the one to its right.
func RemoveColumn(a *core.Arrange, i int) {
	weight := a.Columns[i].Weight
	a.Columns = slices.Delete(a.Columns, i, i+1)
	if len(a.Columns) > 0 {
		heir := &a.Columns[max(0, i-1)]
		heir.Weight = min(heir.Weight+weight, core.MaxShare)
	}
}

// settleWeights brings the columns' weights back to where they can be divided.
func settleWeights(a *core.Arrange) {
	sum := 0
	for _, c := range a.Columns {
		sum += c.Weight
	}
	if sum == 0 || sum >= minWhole && sum <= maxWhole {
		return
	}
	for i := range a.Columns {
		c := &a.Columns[i]
		c.Weight = min(max(1, c.Weight*wholeShare/sum), core.MaxShare)
	}
}

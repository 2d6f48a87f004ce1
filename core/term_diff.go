package core

import "slices"

// TermDiff returns the ops that lead from one state of a terminal to another: from nil, the ones
// that begin it. Between two sizes the whole grid is sent; between two of one size, the rows that
// are not the same. Which rows moved up shows by their identity: a caller keeps the rows that the
// program did not touch. Window, Command, Dir and Generation of a terminal don't change.
func TermDiff(from, to *Term) []Op {
	var ops []Op
	var at Term // as the ops so far leave it
	switch {
	case from == nil:
		ops = append(ops, Of(&TermNew{to.Window, to.Command, to.Dir, to.Generation, to.Cols, to.Rows}))
		at.Cols, at.Rows = to.Cols, to.Rows
	default:
		at = *from
	}
	if at.Cols != to.Cols || at.Rows != to.Rows {
		ops = append(ops, Of(&TermResize{to.Cols, to.Rows}))
		at.Grid, at.Cursor.X, at.Cursor.Y = nil, 0, 0
	}
	if rows := diffRows(at.Grid, to.Grid); rows != nil {
		ops = append(ops, Of(rows))
	}
	if marks := diffMarks(at.Marks, to.Marks); marks != nil {
		ops = append(ops, Of(marks))
	}
	add := func(changed bool, b Body) {
		if changed {
			ops = append(ops, Of(b))
		}
	}
	add(at.First != to.First || at.Base != to.Base || at.BaseCol != to.BaseCol,
		&TermHistory{to.First, to.Base, to.BaseCol})
	add(at.Cursor != to.Cursor, &TermCursor{to.Cursor})
	add(at.Modes != to.Modes, &TermModes{to.Modes})
	add(at.Title != to.Title, &TermTitle{to.Title})
	add(at.Cwd != to.Cwd, &TermCwd{to.Cwd})
	add(at.Progress != to.Progress, &TermProgress{to.Progress})
	add(at.Bells != to.Bells, &TermBell{to.Bells})
	add(at.Clips != to.Clips, &TermClip{to.Clips})
	add(at.Exit != to.Exit, &TermExit{to.Exit})
	return ops
}

// diffRows returns what makes one grid of another, nil for nothing. An empty from is blank.
func diffRows(from, to []*TermRow) *TermRows {
	o := &TermRows{Scroll: scrolled(from, to)}
	for y, r := range to {
		was := blankRow
		if y+o.Scroll < len(from) {
			was = from[y+o.Scroll]
		}
		if !was.Equal(r) {
			o.Rows = append(o.Rows, RowAt{y, r})
		}
	}
	if o.Scroll == 0 && o.Rows == nil {
		return nil
	}
	return o
}

// scrolled returns by how many rows a grid has moved up: that which the most rows have in common.
// Rows that stand in several places, as blank ones do, say nothing.
func scrolled(from, to []*TermRow) int {
	if len(from) == 0 || len(to) == 0 || from[0] == to[0] && from[0] != blankRow {
		return 0
	}
	const often = -1
	places := make(map[*TermRow]int, len(from))
	for y, r := range from {
		if _, again := places[r]; again {
			y = often
		}
		places[r] = y
	}
	votes := make([]int, len(from))
	best := 0
	for y, r := range to {
		if was, ok := places[r]; ok && was >= y {
			if votes[was-y]++; votes[was-y] > votes[best] {
				best = was - y
			}
		}
	}
	return best
}

// diffMarks returns what makes one list of marks of another, nil for nothing: old ones go at its
// beginning, and new ones come at its end.
func diffMarks(from, to []PromptMark) *TermMarks {
	if slices.Equal(from, to) {
		return nil
	}
	drop := len(from)
	if len(to) > 0 {
		if i := slices.Index(from, to[0]); i >= 0 {
			drop = i
		}
	}
	kept := 0
	for drop+kept < len(from) && kept < len(to) && from[drop+kept] == to[kept] {
		kept++
	}
	return &TermMarks{Drop: drop, Cut: len(from) - drop - kept, Add: to[kept:]}
}

// Package cell is what a terminal and a user interface both draw in: a compact Cell, the Colour and
// Attr that style it, and the Grid that holds a screenful.
//
// A Cell is twelve bytes and comparable, so that two screens can be compared about as fast as
// memory is read. It holds one rune, or the index of a grapheme cluster of several runes in a
// Clusters table that the Grid was given. Cells that hold clusters can be compared only when they
// come from one table in one generation.
//
// A grapheme that is two cells wide is a lead and a tail beside each other. Every method of Grid
// and View keeps that pairing: overwriting one half blanks the other, and a wide grapheme that
// doesn't fit becomes a blank.
//
// Nothing here is safe for concurrent use. There are no package variables, no clock, no goroutine;
// coordinates are cells from 0 at the top left.
package cell

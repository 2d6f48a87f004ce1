// Package paint brings a grid of cells to the host terminal with few bytes and little time.
//
// A Painter is pure: it keeps what the terminal shows and turns the next grid into the bytes that
// change it. It trusts a terminal with what an ECMA-48 terminal of the last thirty years does
// (cursor moves, erase to the end of the line, scroll regions with insert and delete line, SGR)
// and with nothing else until its Caps say so; terminfo is never read.
//
// A Writer owns the terminal's output and its modes: it takes the screen and gives it back, and
// nothing else writes between.
//
// Widths: a grapheme takes the cells that First says. Terminals disagree about graphemes of
// several runes and about newer emoji. Until Caps say that this one agrees, a row that holds such
// a grapheme is painted as a whole when it changes, every position after one is set absolutely,
// and a row is never left with cells that were not written. Automatic wrapping is off while we own
// the screen, so that no disagreement reaches the next row.
//
// What a cell holds is never trusted to be harmless: a control character is painted as U+FFFD.
package paint

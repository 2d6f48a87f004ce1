// Package vt is a terminal without a pty: bytes that a program writes go in, a screen, its history
// and answers come out.
//
// A Screen does nothing by itself. There is no goroutine, lock, clock or randomness here, and
// the same bytes make the same screen. It is not safe for concurrent use: it belongs to whoever
// made it. The order of use is Write, then whatever of Replies, Events, Changes and the values is
// wanted; none of them has to be asked, and what waits to be asked for is bounded.
//
// # Input
//
// Write takes bytes in pieces of any size and never fails: characters and sequences may be cut
// anywhere. Text is UTF-8; what is not is shown as U+FFFD, one for each maximal part of a
// well-formed sequence. C1 controls are ignored. Only BEL and the two-byte ST end a command
// string, and only ST the other strings; CAN and SUB abort any sequence. A sequence with a
// parameter over 65,535 has 65,535 instead, and parameters after the 32nd are ignored. Counts are
// cut to the size of the screen. Strings are kept up to 16 KiB, a clipboard's up to
// ClipboardMaxBytes of text; a longer one is read to its end and ignored.
//
// Graphemes are clusters of runes, as Unicode's annex 29 has them, one or two columns wide; mode
// 2027 is always on. A cluster is at most cell.ClusterMaxBytes long, further runes are dropped. In
// a screen of one column a wide grapheme shows as U+FFFD and is whole again in a wider one. Runes
// without a width that join nothing are dropped; a soft hyphen shows.
//
// It is a VT220 with xterm's, kitty's and FinalTerm's additions. Not there: left and right margins,
// 132 columns, selective erasing, rectangles, graphics, printers and reports of the title, which
// would let a file that is shown type.
//
// # Lines
//
// A logical line is what a program wrote between two line ends; on the screen it is one or more
// rows, of which all but the last are wrapped. Lines are numbered from 0 in the order in which they
// began, and a line keeps its number when it leaves the screen for the history. The main screen's
// rows belong to the lines from HistoryEnd up to End; the first of these may have begun in the
// history. Lines of the history never change. Resize may take lines back to the screen, newest
// first; HistoryEnd is lower then, and those lines may come back changed.
//
// The history keeps the newest Options.HistoryLines lines in at most Options.HistoryBytes, packed:
// about one byte for each ASCII character. The line that goes on on the screen isn't counted until
// it is whole. A line that is LineMaxCells long is ended there and goes on in the next line.
// A line's links are kept as far as its first MiB. Programs clear the history by ED 3; ED 2 and a
// full reset leave it alone.
//
// # Changes
//
// Each row knows when it changed last. Changes tells which rows are not what they were at an
// earlier Point, and how far the whole screen has scrolled since, so that a line feed at the bottom
// changes one row and not all of them.
//
// # Packed lines
//
// A packed line is a sequence of segments, each a uvarint head, a look if the head says so, and
// text in UTF-8:
//
//	head   length of the text << 3 | look follows << 2 | kind of run - 1
//	look   flags: 1 foreground, 2 background, 4 underline colour, 8 attributes, 16 link;
//	       then a uvarint for each that is there, in this order; a link's is its length, and its
//	       bytes follow
//
// What a look doesn't have is default. A segment without a look has that of the segment before it,
// the first one the default look.
package vt

// Package record is what is on disk of a hosted terminal: its screen and its history, so that they
// outlive the daemon.
//
// A record is one file. It begins with a magic number; then come pieces, each of them
//
//	length   4 bytes, big-endian, of what follows the sum
//	sum      4 bytes, CRC32C of it
//	covered  uvarint: how many bytes of the program's output the piece covers
//	first    uvarint: the history's oldest line
//	from     uvarint: the line that lines begins with; what the record had from there on is void
//	count    uvarint, of the lines
//	lines    each a uvarint length and its bytes
//	screen   the rest: all but the history's lines
//
// The newest whole piece says what the terminal was; the lines are those of all the pieces. A piece
// that is cut off or damaged ends the record: what comes before it is good. When the file is longer
// than what it tells it is written anew under another name and renamed.
//
// Save does not wait for the disk: it is for the death of the daemon, whose programs live on, and not
// for that of the machine, with which they die. Sync does.
//
// The package knows nothing of what is in lines and screens. A File belongs to one goroutine at a
// time.
package record

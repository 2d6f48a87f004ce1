// Package journal keeps one session's log on disk: a snapshot, and the records after it. It knows
// nothing of what a snapshot or a record holds, and never decides what damage means to its owner.
//
// # Files
//
// A journal is a directory with one file per generation. A file begins with the snapshot (a begin
// frame; for each part a part frame and chunks of its data; an end frame), then has one frame per
// record. Every frame has length, kind, generation, sequence, format version and CRC32C over all of
// it, see frame.go. Records are numbered from 1 through all generations without a gap. After the
// last record the file may hold zeros, written ahead because overwriting is cheaper to sync than
// growing.
//
// # Rules
//
//  1. Append only queues. One goroutine, the committer, takes what has gathered, writes it, calls
//     fdatasync once and then Options.Durable.
//  2. A write or sync that fails poisons the file: nothing is ever written to it again, and what
//     was not durable waits in memory, within Options.MaxPending, for a fresh generation (Rotate).
//  3. A generation is written under a temporary name, synced, renamed, and the directory synced.
//     Only then is it the current one, so a crash leaves the old one or the new one, whole. If it
//     is not known whether the rename happened, nothing more is written until a later generation
//     stands.
//  4. The directory is synced after every create and rename.
//  5. On recovery, zeros after the last frame are the clean end. Bytes that make no frame with no
//     frame after them are a torn tail: copied aside, cut, reported. (So are bytes in the very last
//     commit with frames of the same commit after them, if they look like a lost sector: see
//     torn.go.)
//  6. Bytes that make no frame with a frame after them are damage. It is reported with its place,
//     what comes after it is still given, the file is never written to again nor deleted, and the
//     journal takes nothing to the disk until its owner begins a new generation. Recovering again
//     before that gives the same. Blocks that the disk can't read are damage too, unless it can't
//     read anything.
//  7. If the snapshot is damaged and an older generation is whole and reaches as far, that is used,
//     with the newest's records after it.
//  8. Old generations are history, up to Options.HistoryBytes; recovery does not read them.
//
// # Goroutines
//
// The committer owns the current file and makes all callbacks; they must not call Flush, Rotate or
// Close. Rotate works on its caller's goroutine and hands the finished file to the committer. The
// queue is bounded in bytes; when it is full Append refuses.
package journal

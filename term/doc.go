// Package term is hosted terminals: a program, its pty, its screen and what is on disk of it, in one
// Terminal each.
//
// The parts are packages of their own and know nothing of each other: holder keeps the program and
// its pty, vt is the screen, input makes bytes of keys, record is the file. A Terminal is the one
// place where they meet. The daemon makes it, gets frames from it, and asks it things.
//
// # Who owns what
//
// A Terminal's screen belongs to whoever holds its turn, a mutex: the goroutine that reads the
// program's output takes it for each piece, and so does every method. Nothing is waited for while
// it is held; Frames are handed over with it held, so that they are in order, and who takes them
// must not wait either, nor call the Terminal.
//
// Two goroutines belong to a Terminal: one reads output, one waits for the program's end. Close
// waits for both.
//
// # When frames are made
//
// The first output after quiet makes a frame at once, and so does the first after input; more of it,
// at most one every frameEvery. A program that marks its updates (mode 2026) is shown whole updates,
// unless one takes longer than syncMax. A frame shares the rows that have not changed with the one
// before.
//
// # What survives the daemon
//
// The ring of the holder has the newest output. A Terminal saves its screen and its history to a
// record every saveEvery while they change, before the output since the last time fills half of
// the ring, and at the end. Resume reads the record, and then the ring from there on: questions in
// output that was answered before are not answered again.
package term

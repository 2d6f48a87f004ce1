// Package edit is the verbs: what people and tools do to a session, as pure functions from what a
// session is to the bundle of ops that changes it.
//
//	Evaluate               a proposal, on the leader's exact current state
//	Run                    a built-in command, in the view where it was executed
//	Type, Paste, Erase     what keys do to the text under a view
//	DoubleClick, RefAt     what a click means
//	Compile, ReplaceAll    finding and replacing
//	Place, Grow, Move      where windows go in the layout
//	FirstBundle, Repair    what a session begins with, and how its shards agree again
//
// One path per verb: keys, mouse, the command line and tools end in the same function, whoever
// leads runs it, and only the bundle travels. Nothing here applies a bundle; a caller that leads
// every shard of it commits it, and one that does not proposes.
//
// The package is pure, like package core: no goroutine, clock, randomness or I/O, and no state
// between calls. Ids come from the caller's Minter. Offsets are runes unless a name says bytes.
// Errors are *core.Error: a caller branches on the code.
package edit

// Package core is the model: a session is a set of shards, each the fold of its log.
//
//	state = fold(apply, log)
//
// It holds the ids, the closed set of ops, batches and their canonical bytes, the state that each
// kind of shard drives, leases and the one admission check, snapshots and hashes, and the two
// halves of the protocol as step functions: Authority, which the daemon runs, and Replica, which a
// client runs.
//
// The package is pure. It has no goroutine, lock, clock, randomness or I/O; times, ids and seeds
// are arguments. Nothing that is encoded ranges over a map. States are immutable values: applying
// a batch returns a new one, so a batch applies whole or not at all, and any older value stays
// good for whoever reads it.
//
// Offsets are runes. A byte that is not part of valid UTF-8 counts as one rune and is kept as it
// is. What leads to a number (a version, a sequence number, an epoch) never falls.
package core

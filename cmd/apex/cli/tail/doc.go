// Package tail follows a session's logs from outside: entries that are on disk, shard by shard in
// order, without a gap and without a duplicate, over restarts of the daemon.
//
// A tail attaches as a tool and follows shards from their present marks, which brings every batch
// once it is durable. For each shard it knows the number that it wants next. Whatever does not
// continue there (entries from before it attached, a new shard, what a slow reader or a lost link
// missed) is read from the daemon's log until it does. What the log no longer has is told as a gap.
//
// The entries of one shard come in their order. Shards have no order among each other; what comes
// live comes in the order in which it was stored.
//
// A Tail belongs to the goroutine that runs it, and starts no other but one that closes the link
// when its context ends.
package tail

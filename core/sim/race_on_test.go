//go:build race

package sim

// sweepShare divides the default sweep: the race detector takes some ten times as long, and finds
// nothing more in one goroutine.
const sweepShare = 10

//go:build !race

package acceptance

// raceEnabled tells whether the race detector watches.
const raceEnabled = false

//go:build !race

package sim

const sweepShare = 1

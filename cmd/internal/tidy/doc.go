// Package tidy holds tests of what correctness hangs on and a compiler does not check: which
// package may import which, what the pure ones must not touch, and that everything is documented.
// It has no code of its own.
package tidy

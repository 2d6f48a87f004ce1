//go:build race

package acceptance

// buildFlags make the binary under test like the test.
var buildFlags = []string{"-race"}

// memoryFactor is how much more memory the program takes then.
const memoryFactor = 10

//go:build !race

package acceptance

// buildFlags make the binary under test like the test.
var buildFlags []string

// memoryFactor is how much more memory the program takes than it should.
const memoryFactor = 1

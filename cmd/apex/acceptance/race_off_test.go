//go:build !race

package acceptance

// buildFlags make the binary under test like the test.
var buildFlags []string

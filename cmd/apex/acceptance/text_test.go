package acceptance

import (
	"fmt"
	"strings"
)

// numbered is a text of numbered lines.
func numbered(lines int) string {
	var b strings.Builder
	for i := range lines {
		fmt.Fprintf(&b, "line %d \n", i+1)
	}
	return b.String()
}

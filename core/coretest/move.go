package coretest

import (
	"fmt"
	"regexp"
	"strings"

	"apex/core"

	"github.com/cockroachdb/datadriven"
)

// chains are left out of what is printed: they change with every text in the session.
var chains = regexp.MustCompile(`(@\d+):[0-9a-f]{6}`)

// move takes messages one way and prints them: up NAME [n=N], down NAME [n=N]; n=0 takes all, and
// prints nothing.
func (e *Env) move(d *datadriven.TestData) (string, error) {
	c := e.client(d)
	next := e.World.NextUp
	if d.Cmd == "down" {
		next = e.World.NextDown
	}
	n := arg(d, "n", 1)
	if n == 0 {
		n = -1
	}
	var out strings.Builder
	for ; n != 0; n-- {
		m := next(c)
		if m == nil {
			break
		}
		if arg(d, "n", 1) != 0 {
			fmt.Fprintln(&out, chains.ReplaceAllString(core.Describe(m), "$1"))
		}
	}
	return out.String(), nil
}

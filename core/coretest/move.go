package coretest

import (
	"fmt"
	"strings"

	"apex/core"

	"github.com/cockroachdb/datadriven"
)

// move takes messages one way and prints them: up NAME [n=N], down NAME [n=N]; n=0 takes all.
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
		fmt.Fprintln(&out, core.Describe(m))
	}
	return out.String(), nil
}

package coretest

import (
	"apex/core"

	"github.com/cockroachdb/datadriven"
)

// pass lets things happen: settle delivers everything and syncs until nothing moves, tick MS lets
// time pass and then settles, unless hold is given.
func (e *Env) pass(d *datadriven.TestData) (string, error) {
	return e.traced(d, func() {
		if d.Cmd == "tick" {
			e.World.Tick(core.Millis(arg(d, "ms", 0)))
		}
		if !d.HasArg("hold") {
			e.World.Settle()
		}
	}), nil
}

package coretest

import "github.com/cockroachdb/datadriven"

// disk handles the daemon's disk and its life:
//
//	sync [n=N]        the next N records become durable; all without n
//	crash [keep=N]    the daemon is killed; of what was not durable, N records survive
//	start             it comes back
//	faildisk          the disk refuses
//	rewrite           a fresh generation is begun
func (e *Env) disk(d *datadriven.TestData) (string, error) {
	w := e.World
	return e.traced(d, func() {
		switch d.Cmd {
		case "sync":
			w.Sync(arg(d, "n", 1<<30))
		case "crash":
			w.Crash(arg(d, "keep", 0))
		case "start":
			w.Start()
		case "faildisk":
			w.FailDisk()
		case "rewrite":
			w.Rewrite()
		}
	}), nil
}

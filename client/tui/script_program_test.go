package tui_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"

	"apex/core"
)

// programs has the daemon start a program (start, with its command line) or tell its end (ended
// id=N), or prints what was recorded to be run in the window with the focus (runs).
func (e *env) programs(t *testing.T, d *datadriven.TestData) (string, error) {
	s := e.session
	var out strings.Builder
	switch d.Cmd {
	case "start":
		for _, line := range strings.Split(d.Input, "\n") {
			id := core.ProcID(core.MakeID(core.Server, uint64(1000+len(s.Meta().Procs))))
			s.Do(core.Author{}, core.MetaShard, core.Of(&core.ProcStart{Proc: id, Command: line,
				Dir: "/home/ann", Holder: id.String(), At: 1}))
			fmt.Fprintln(&out, id)
		}
	case "ended":
		var n int
		d.ScanArgs(t, "id", &n)
		id := core.ProcID(core.MakeID(core.Server, uint64(n)))
		s.Do(core.Author{}, core.MetaShard, core.Of(&core.ProcExit{Proc: id}))
	case "runs":
		w, _ := s.Layout().Focus.Window()
		for _, r := range s.Window(w).Runs {
			x := r.Exec
			fmt.Fprintf(&out, "%q by %s on version %d, %d-%d\n", x.Command, r.Author.Actor, x.Version, x.Q0,
				x.Q1)
		}
		return out.String(), nil
	}
	if e.screen != nil {
		e.screen.Wake()
	}
	return out.String(), nil
}

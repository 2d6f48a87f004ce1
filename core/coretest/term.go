package coretest

import (
	"fmt"
	"strings"

	"apex/core"
	"apex/core/cell"

	"github.com/cockroachdb/datadriven"
)

// term handles terminals, whose programs outlive the daemon:
//
//	term new T [cols=N] [rows=N]
//	term write T text=S           a line at the bottom, above which all moves up
//	term del T
//	term adopt                    a daemon that came back finds them again
//	term show T [of=NAME]         the grid as the daemon, or a client, has it
func (e *Env) term(d *datadriven.TestData) (string, error) {
	w, do := e.World, d.CmdArgs[0].Key
	if do == "adopt" {
		for w.AdoptTerm() {
		}
		return "", nil
	}
	name := d.CmdArgs[1].Key
	id := e.terms[name]
	switch do {
	case "new":
		e.terms[name] = w.NewTerm(arg(d, "cols", 20), arg(d, "rows", 3))
	case "write":
		n := *w.Term(id)
		n.Base++
		n.Grid = append(n.Grid[1:len(n.Grid):len(n.Grid)], core.NewTermRow(
			[]cell.Run{{Kind: cell.Narrow, Text: arg(d, "text", "")}}, false))
		w.SetTerm(id, &n)
	case "del":
		w.DelTerm(id)
	case "show":
		var s core.Session = w.Auth
		if of := arg(d, "of", ""); of != "" {
			s = e.clients[of].R
		}
		return shown(s.Term(id)), nil
	default:
		return "", fmt.Errorf("term: want new, write, del, adopt or show")
	}
	return "", nil
}

// shown prints a terminal: its rows, and the line that the first is.
func shown(t *core.Term) string {
	if t == nil {
		return "not there"
	}
	var rows []string
	for _, r := range t.Grid {
		rows = append(rows, cell.RowText(r.Runs))
	}
	return fmt.Sprintf("from %d: %s", t.Base, strings.Join(rows, "|"))
}

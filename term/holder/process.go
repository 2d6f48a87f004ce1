package holder

import (
	"strings"
	"time"
)

// Process is one that a holder's program started, or the program itself.
type Process struct {
	PID     int
	Parent  int
	Group   int
	Session int
	Started time.Time
	Argv    []string
	Orphan  bool // no longer below the program: it left, or the program has exited
}

// Command is the command line for people to read.
func (p Process) Command() string { return strings.Join(p.Argv, " ") }

// process is what the system says of one.
type process struct {
	pid, parent, group, session int
	terminal                    int    // number of its controlling terminal's device; 0 if none
	start                       uint64 // in the system's own unit; with pid it identifies it
	zombie                      bool
	spared                      bool // a daemon or holder: not the program's, nor what is below
}

// is reports whether two are the same one.
func (p process) is(q process) bool { return p.pid == q.pid && p.start == q.start }

// Names of processes that are spared, as the system lists them.
const (
	holderName = "apex-holder"
	daemonName = "apex-daemon"
)

// below picks those of all processes that a root is an ancestor of, the root not included. It
// passes over those that are spared and what is below them.
func below(all []process, root int) []process {
	children := map[int][]process{}
	for _, p := range all {
		children[p.parent] = append(children[p.parent], p)
	}
	var out []process
	seen := map[int]bool{root: true} // the list is no snapshot: a reused id could make a circle
	for next := []int{root}; len(next) > 0; next = next[1:] {
		for _, p := range children[next[0]] {
			if !seen[p.pid] && !p.spared {
				seen[p.pid] = true
				out = append(out, p)
				next = append(next, p.pid)
			}
		}
	}
	return out
}

// find is the process of an id.
func find(all []process, pid int) (process, bool) {
	for _, p := range all {
		if p.pid == pid {
			return p, true
		}
	}
	return process{}, false
}

func (r processRecord) process() Process {
	return Process{PID: r.PID, Parent: r.Parent, Group: r.Group, Session: r.Session,
		Started: time.Unix(0, r.Started), Argv: textAll(r.Argv), Orphan: r.Orphan}
}

func processesOf(records []processRecord) []Process {
	out := make([]Process, len(records))
	for i, r := range records {
		out[i] = r.process()
	}
	return out
}

package daemon

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"apex/core"
	"apex/term"
	"apex/term/holder"
)

// adopt finds the programs that a daemon before left running, and shows their terminals again. It
// is called once, before anybody is served.
func (s *session) adopt() {
	s.mu.Lock()
	m := s.a.Meta()
	s.mu.Unlock()
	shown := s.shown()
	var tried sync.WaitGroup // so that those that don't answer cost the start one wait
	for _, p := range m.Procs {
		switch {
		case p.Term == 0:
			j := s.adoptedJob(p)
			tried.Go(func() { s.adoptJob(j) })
		case shown[p.Term] == 0:
			s.programs.gate.run(func() { s.adoptLost(p) })
		}
	}
	for id, w := range shown {
		p := core.Proc{ProcStart: core.ProcStart{Term: id, Window: w}, Done: true, Reason: endForgotten}
		if i := slices.IndexFunc(m.Procs, func(p core.Proc) bool { return p.Term == id }); i >= 0 {
			p = m.Procs[i]
		}
		tried.Go(func() { s.adoptTerm(p) })
	}
	tried.Wait()
	for _, shard := range m.Shards {
		if id := core.TermID(shard.ID); shard.Kind == core.KindTerm && shown[id] == 0 {
			s.dropTerm(&hosted{s: s, id: id}, 0)
		}
	}
	s.dropRecords(shown)
	s.sweepJobs()
}

// endForgotten is said of a program that ended long ago: the metalog keeps only so many.
const endForgotten = "it ended; how is not known any more"

// shown returns the terminals that windows show.
func (s *session) shown() map[core.TermID]core.WindowID {
	s.mu.Lock()
	defer s.mu.Unlock()
	out := map[core.TermID]core.WindowID{}
	for _, w := range s.termWindows() {
		if id := s.a.Window(w).Term; s.a.Meta().Has(id.Shard()) {
			out[id] = w
		}
	}
	return out
}

// dropRecords removes the records of terminals that no window shows any more.
func (s *session) dropRecords(shown map[core.TermID]core.WindowID) {
	entries, err := os.ReadDir(s.termsDir())
	if err != nil {
		return // there are none
	}
	for _, e := range entries {
		if id, ok := core.ParseTermID(e.Name()); !ok || shown[id] == 0 {
			os.Remove(filepath.Join(s.termsDir(), e.Name()))
		}
	}
}

// adoptTerm goes on with a terminal.
func (s *session) adoptTerm(p core.Proc) {
	s.d.reach(s.programs.gate, p.Holder, func(ho *holder.Holder) error {
		h := &hosted{s: s, id: p.Term, proc: p.Proc, window: p.Window, command: p.Command,
			argv: strings.Fields(p.Command), dir: p.Dir, started: p.Started,
			generation: uint64(s.d.started), there: make(chan struct{})}
		_, _, h.marks = s.d.shells.Load().Marked(h.argv, nil)
		lost := ho == nil && !p.Done
		switch {
		case lost:
			h.end = core.Exit{Done: true, Reason: holderLost}
		case ho == nil:
			h.end = core.Exit{Done: true, Code: p.Code, Signal: p.Signal, Reason: p.Reason}
		}
		h.t = term.Resume(ho, holder.Exit{Code: h.end.Code, Lost: h.end.Reason != ""},
			h.options(term.Size{Cols: defaultCols, Rows: defaultRows}))
		close(h.there)
		if !s.programs.add(h) {
			h.t.Close()
			return nil // the next daemon finds it
		}
		if lost { // who sees that finds the terminal
			s.procExit(p.Proc, core.ProcExit{Reason: holderLost})
		}
		s.mu.Lock()
		s.sweep() // its window may be gone by now
		s.mu.Unlock()
		return nil
	})
}

// adoptLost ends a terminal's program of a daemon before that nobody sees any more.
func (s *session) adoptLost(p core.Proc) {
	s.d.discard(s.programs.gate, p.Holder, func(reason string) {
		if !p.Done {
			s.procExit(p.Proc, core.ProcExit{Reason: reason})
		}
	})
}

// endEnded ends what sessions that have ended left running: their holders did not answer then, or
// the daemon was killed.
func (d *Daemon) endEnded(names []string) {
	all, err := d.listEnded()
	if err != nil {
		d.log.Warn("what ended sessions left running is not known", "err", err)
	}
	lives := map[core.SessionID]bool{}
	slots, _ := d.reg.all()
	for _, sl := range slots {
		lives[sl.session()] = true
	}
	for _, e := range all {
		if id, ok := parseSessionID(e.id); ok && !lives[id] {
			d.endLeft(id, names)
		}
	}
}

// endLeft ends the programs of a session that has ended, of all holders' names, and returns how many
// there are whose holders did not answer: they are ended as soon as these do, by this daemon or, as
// the session's directory in ended/ tells it, by the next one.
func (d *Daemon) endLeft(id core.SessionID, names []string) int {
	var unreached atomic.Int32
	var tried sync.WaitGroup
	for _, name := range names {
		if strings.HasPrefix(name, holderPrefix(id)) {
			tried.Go(func() {
				if !d.discard(d.left, name, func(string) {}) {
					unreached.Add(1)
				}
			})
		}
	}
	tried.Wait()
	return int(unreached.Load())
}

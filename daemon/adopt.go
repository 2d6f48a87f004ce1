package daemon

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

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
	for _, p := range m.Procs {
		if p.Term == 0 {
			s.adoptJob(p)
			continue
		}
		if _, ok := shown[p.Term]; !ok && !p.Done {
			s.adoptLost(p)
		}
	}
	for id, w := range shown {
		p := core.Proc{ProcStart: core.ProcStart{Term: id, Window: w}, Done: true, Reason: endForgotten}
		if i := slices.IndexFunc(m.Procs, func(p core.Proc) bool { return p.Term == id }); i >= 0 {
			p = m.Procs[i]
		}
		s.adoptTerm(p)
	}
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

// adoptEvery is how often a holder that can't be reached is tried again.
const adoptEvery = time.Second

// adoptTerm goes on with a terminal. Only of a holder that is gone is anything concluded: one that
// does not answer, on a machine that thrashes, is tried again until it does.
func (s *session) adoptTerm(p core.Proc) {
	if s.tryAdopt(p) {
		return
	}
	done, err := s.programs.begin()
	if err != nil {
		return // the next daemon finds it
	}
	go func() {
		defer done()
		for {
			select {
			case <-s.programs.closing:
				return
			case <-time.After(adoptEvery):
			}
			if s.tryAdopt(p) {
				return
			}
		}
	}()
}

// tryAdopt reports whether it is known what became of a terminal's program.
func (s *session) tryAdopt(p core.Proc) bool {
	h := &hosted{s: s, id: p.Term, proc: p.Proc, window: p.Window, command: p.Command,
		argv: strings.Fields(p.Command), dir: p.Dir, started: p.Started, generation: uint64(s.d.started),
		there: make(chan struct{})}
	_, _, h.marks = s.d.shells.Load().Marked(h.argv, nil)
	ctx, cancel := context.WithTimeout(context.Background(), programStart)
	defer cancel()
	ho, err := holder.Adopt(ctx, s.d.holdersDir(), p.Holder)
	switch {
	case err == nil:
	case !p.Done && p.Holder != "" && !errors.Is(err, holder.Gone):
		s.log.Warn("a terminal's holder can't be reached", "term", h.id.String(), "err", err)
		return false
	default:
		ho = nil
		h.end = core.Exit{Done: true, Code: p.Code, Signal: p.Signal, Reason: p.Reason}
		if !p.Done {
			h.end.Reason = holderLost
			s.procExit(p.Proc, core.ProcExit{Reason: holderLost})
		}
	}
	h.t = term.Resume(ho, holder.Exit{Code: h.end.Code, Lost: h.end.Reason != ""},
		h.options(term.Size{Cols: defaultCols, Rows: defaultRows}))
	close(h.there)
	if !s.programs.add(h) {
		h.t.Close()
	}
	return true
}

// endUnreached ends a program whose holder was not reached so far.
func (s *session) endUnreached(p core.Proc) {
	ctx, cancel := context.WithTimeout(context.Background(), programEnd)
	defer cancel()
	ho, err := holder.Adopt(ctx, s.d.holdersDir(), p.Holder)
	if err != nil {
		if !errors.Is(err, holder.Gone) {
			s.log.Error("a program is not ended", "proc", p.Proc.String(), "err", err)
		}
		return
	}
	s.abandon(ho)
}

// adoptLost ends a terminal's program of a daemon before that nobody sees any more.
func (s *session) adoptLost(p core.Proc) {
	ctx, cancel := context.WithTimeout(context.Background(), programStart)
	defer cancel()
	ho, err := holder.Adopt(ctx, s.d.holdersDir(), p.Holder)
	if errors.Is(err, holder.Gone) || ho == nil {
		s.procExit(p.Proc, core.ProcExit{Reason: holderLost})
		return
	}
	s.tasks.Go(func() {
		s.abandon(ho)
		s.procExit(p.Proc, core.ProcExit{Reason: "nothing showed it any more"})
	})
}

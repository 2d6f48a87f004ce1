package daemon

import (
	"context"
	"errors"
	"slices"
	"strings"

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
	kept := map[core.TermID]bool{}
	for _, p := range m.Procs {
		switch {
		case p.Term != 0 && m.Has(p.Term.Shard()) && s.shows(p.Term):
			kept[p.Term] = true
			s.adoptTerm(p)
		case !p.Done:
			s.adoptLost(p)
		}
	}
	for _, shard := range m.Shards {
		if id := core.TermID(shard.ID); shard.Kind == core.KindTerm && !kept[id] {
			s.dropTerm(&hosted{s: s, id: id}, 0)
		}
	}
}

// shows reports whether some window shows a terminal.
func (s *session) shows(id core.TermID) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.ContainsFunc(s.termWindows(), func(w core.WindowID) bool { return s.a.Window(w).Term == id })
}

// adoptTerm goes on with a terminal.
func (s *session) adoptTerm(p core.Proc) {
	h := &hosted{s: s, id: p.Term, proc: p.Proc, window: p.Window, command: p.Command,
		argv: strings.Fields(p.Command), dir: p.Dir, started: p.Started, generation: uint64(s.d.started)}
	ctx, cancel := context.WithTimeout(context.Background(), programStart)
	defer cancel()
	ho, err := holder.Adopt(ctx, s.d.holdersDir(), p.Holder)
	if err != nil {
		ho = nil
	}
	if ho == nil {
		h.end = core.Exit{Done: true, Code: p.Code, Signal: p.Signal, Reason: p.Reason}
		if !p.Done {
			h.end.Reason = holderLost
			s.procExit(p.Proc, core.ProcExit{Reason: holderLost})
		}
	}
	h.t, err = term.Resume(ho, holder.Exit{Code: h.end.Code, Lost: h.end.Reason != ""},
		h.options(term.Size{Cols: defaultCols, Rows: defaultRows}))
	if err != nil {
		s.log.Error("a terminal is lost", "term", h.id.String(), "err", err)
		return
	}
	s.programs.add(h)
}

// adoptLost ends a program of a daemon before that nobody sees any more: its window was deleted,
// or it was a command, whose output had nowhere to go.
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

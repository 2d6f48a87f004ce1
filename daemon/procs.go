package daemon

import (
	"context"
	"slices"
	"strings"
	"sync"

	"apex/core"
	"apex/proto"
	"apex/term/holder"
)

// adoptPrograms finds the programs that a daemon before left running.
func (d *Daemon) adoptPrograms() {
	names, err := holder.List(d.holdersDir())
	if err != nil {
		d.log.Error("what programs left behind is not known", "err", err)
	}
	each(d.reg.sessions(), func(s *session) {
		s.adopt()
		s.adoptStrays(names)
	})
	d.left.run(func() { d.endEnded(names) })
}

// leave lets the programs go, for the next daemon to find.
func (p *programs) leave() {
	p.gate.close()
	p.leaveJobs()
	var wg sync.WaitGroup
	for _, h := range p.all() {
		wg.Go(func() {
			if err := h.t.Close(); err != nil {
				p.s.log.Error("a terminal is not saved", "term", h.id.String(), "err", err)
			}
		})
	}
	wg.Wait()
}

// end ends all programs that the daemon has hold of, and waits until nothing of them runs. endLeft
// ends the others. What terminals showed is kept, for a session that is restored.
func (p *programs) end() {
	p.gate.close()
	var wg sync.WaitGroup
	for _, h := range p.all() {
		wg.Go(h.finish)
	}
	for _, j := range p.allJobs() {
		wg.Go(func() { p.s.endAll(j.ho, j.start.Proc) })
	}
	wg.Wait()
	within(programStart, p.watched.Wait) // for what they wrote last to be shown
	p.leaveJobs()
}

// sweep ends the terminals whose windows are gone. The turn is held; it does not wait.
func (s *session) sweep() {
	m := s.a.Meta()
	p := s.programs
	p.mu.Lock()
	defer p.mu.Unlock()
	for id, h := range p.terms {
		if w := s.a.Window(h.window); h.window == 0 || m.Has(h.window.Shard()) && (w == nil || !w.Deleted) {
			continue
		}
		if p.gate.run(func() {
			h.remove()
			s.dropTerm(h, 0)
		}) {
			delete(p.terms, id)
		}
	}
}

// ps lists the processes of a session, or of all.
func (d *Daemon) ps(r *proto.Ps) (proto.Reply, error) {
	if !r.All {
		return in(d, r.Session, func(s *session) (proto.Reply, error) {
			return &proto.Procs{Procs: s.procs()}, nil
		})
	}
	out := &proto.Procs{}
	for _, s := range d.reg.sessions() {
		out.Procs = append(out.Procs, s.procs()...)
	}
	return out, nil
}

// procs lists the session's processes: those that it started, and what these left behind.
func (s *session) procs() []proto.ProcInfo {
	s.mu.Lock()
	m := s.a.Meta()
	s.mu.Unlock()
	var out []proto.ProcInfo
	for _, p := range m.Procs {
		i := proto.ProcInfo{Session: m.Label, Proc: p.Proc, Window: p.Window, Term: p.Term,
			Command: p.Command, Dir: p.Dir, State: proto.ProcRunning, Started: p.Started}
		if p.Done {
			i.State, i.Code, i.Signal, i.Reason = proto.ProcEnded, p.Code, p.Signal, p.Reason
			if p.Reason != "" {
				i.State = proto.ProcUnknown
			}
		}
		ho := s.programs.holder(p.Proc)
		if ho == nil {
			out = append(out, i)
			continue
		}
		if !p.Done {
			i.PID = ho.Info().PID
		}
		out = append(append(out, i), orphans(m.Label, p.Proc, ho)...)
	}
	for _, j := range s.programs.allJobs() {
		if _, known := m.Proc(j.start.Proc); !known {
			out = append(out, orphans(m.Label, j.start.Proc, j.ho)...)
		}
	}
	return out
}

// orphans lists what a program left behind.
func orphans(label string, by core.ProcID, ho *holder.Holder) (out []proto.ProcInfo) {
	ctx, cancel := context.WithTimeout(context.Background(), programStart)
	defer cancel()
	left, _ := ho.Orphans(ctx)
	for _, x := range left {
		out = append(out, proto.ProcInfo{Session: label, PID: x.PID, Command: x.Command(),
			State: proto.ProcRunning, Started: core.Millis(x.Started.UnixMilli()), Parent: by})
	}
	return out
}

// holder returns a process's holder, nil if it has none any more.
func (p *programs) holder(id core.ProcID) *holder.Holder {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, h := range p.terms {
		if h.proc == id {
			return h.t.Holder()
		}
	}
	if j := p.jobs[id]; j != nil {
		return j.ho
	}
	return nil
}

// killProcs ends processes, or sends them a signal.
func (s *session) killProcs(r *proto.Kill) (proto.Reply, error) {
	if len(r.IDs) == 0 {
		return nil, core.Errorf(core.CodeBadRequest, "no process is named")
	}
	s.programs.haveStarted()
	var found []*holder.Holder
	for _, id := range r.IDs {
		ho, err := s.findProc(id)
		if err != nil {
			return nil, err
		}
		found = append(found, ho)
	}
	for _, ho := range found {
		if err := end(context.Background(), ho, r.Signal); err != nil {
			return nil, err
		}
	}
	return &proto.Done{}, nil
}

// end sends a signal to all of a program's processes; without one it ends them.
func end(ctx context.Context, ho *holder.Holder, name string) error {
	ctx, cancel := context.WithTimeout(ctx, programEnd)
	defer cancel()
	if name == "" {
		left, err := ho.Kill(ctx)
		if len(left) > 0 {
			return core.Errorf(core.CodeUnavailable, "%d processes can't be ended, the first is pid %d",
				len(left), left[0].PID)
		}
		return termError(err)
	}
	sig, err := signalOf(name)
	if err != nil {
		return err
	}
	return termError(ho.Signal(ctx, sig, holder.All))
}

// endAll ends a program and all that it started, for good.
func (s *session) endAll(ho *holder.Holder, p core.ProcID) {
	if err := end(context.Background(), ho, ""); err != nil {
		s.log.Warn("a program is not ended", "proc", p.String(), "err", err)
	}
}

// release lets a holder leave when nothing of its program runs any more. What runs without its
// holder is ended: the next daemon would not find it, and no terminal of it can be looked at.
func (s *session) release(ho *holder.Holder, p core.ProcID) {
	if ho.Exit().Lost {
		s.endAll(ho, p)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), programStart)
	defer cancel()
	if _, err := ho.Release(ctx); err != nil && !ho.Exit().Lost {
		s.log.Debug("a holder is not released", "proc", p.String(), "err", err)
	}
}

// unreached says that a program that runs, as far as is known, can't be reached.
func unreached(what string) error {
	return core.Errorf(core.CodeUnavailable, "%s: the process that keeps it does not answer, or it is "+
		"being started; it is tried every second", what)
}

// findProc finds the running process that a person means: by its id, by its terminal, or by a part
// of its command that no other one has. The id of one that has ended means what it left behind.
func (s *session) findProc(name string) (*holder.Holder, error) {
	s.mu.Lock()
	running := slices.DeleteFunc(slices.Clone(s.a.Meta().Procs), func(p core.Proc) bool { return p.Done })
	s.mu.Unlock()
	id, isProc := core.ParseProcID(name)
	t, isTerm := core.ParseTermID(name)
	var found []core.Proc
	for _, p := range running {
		switch {
		case isProc && p.Proc == id, isTerm && p.Term == t:
			found = []core.Proc{p}
		case !isProc && !isTerm && strings.Contains(p.Command, name):
			found = append(found, p)
		}
	}
	if len(found) > 1 {
		return nil, core.Errorf(core.CodeConflict, "%q may be any of %d processes", name, len(found))
	}
	if len(found) == 1 {
		if ho := s.programs.holder(found[0].Proc); ho != nil {
			return ho, nil
		}
		return nil, unreached(found[0].Proc.String())
	}
	if ho := s.programs.holder(id); isProc && ho != nil && len(orphans("", id, ho)) > 0 {
		return ho, nil
	}
	return nil, core.Errorf(core.CodeNotFound, "no process %q runs", name)
}

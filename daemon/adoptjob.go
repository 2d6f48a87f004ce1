package daemon

import (
	"errors"
	"fmt"
	"strings"
	"sync"

	"apex/core"
	"apex/core/edit"
	"apex/term/holder"
)

// adoptedJob enters a command of a daemon before, or what it left behind: its files are kept.
func (s *session) adoptedJob(p core.Proc) *job {
	j := s.newJob(p.ProcStart)
	if j.done = p.Done; j.done {
		j.start.Replace = false // what it left behind has nothing to replace
		close(j.over)
	}
	s.programs.enter(j)
	return j
}

// adoptJob goes on with a command of a daemon before. One whose holder is gone has an outcome that
// nobody knows.
func (s *session) adoptJob(j *job) {
	p := s.programs
	s.d.reach(p.gate, j.start.Holder, func(ho *holder.Holder) error {
		switch {
		case ho != nil:
			if err := j.open(ho, nil); err != nil {
				return err
			}
			p.mu.Lock()
			j.ho = ho
			p.mu.Unlock()
			j.resume()
			p.watched.Go(j.watch)
		case j.done:
			p.forget(j)
		default:
			s.log.Warn("a command is lost", "proc", j.start.Proc.String())
			p.watched.Go(j.lose)
		}
		return nil
	})
}

// resume finds what was written since a daemon before had taken something in.
func (j *job) resume() {
	from := j.ho.Covered()
	b, err := j.ho.Bytes(from)
	var gap *holder.GapError
	lost := errors.As(err, &gap)
	if lost {
		b, err = j.ho.Bytes(gap.Oldest)
	}
	switch {
	case err != nil:
		j.s.log.Warn("a command's output is not known", "proc", j.start.Proc.String(), "err", err)
		return
	case lost && j.spool != nil:
		j.spool.failed = fmt.Errorf("%d bytes of its output are lost", gap.Oldest-from)
	case lost:
		j.before = fmt.Sprintf("%s: %d bytes of its output are lost here\n", j.name(), gap.Oldest-from)
	}
	begun := j.ho.Answered()
	if lost {
		from, begun = gap.Oldest, 0
	}
	if j.out.ring {
		j.out.resume(from, begun)
	}
	j.had = func() { j.take(from, b) }
}

// adoptStrays takes the holders that the metalog knows nothing of any more: their programs ended
// long ago and left something running, which is listed and ends with the session.
func (s *session) adoptStrays(names []string) {
	s.mu.Lock()
	m, dir := s.a.Meta(), edit.Dir(s.a, core.TopView)
	s.mu.Unlock()
	var tried sync.WaitGroup
	for _, name := range names {
		mine, ok := strings.CutPrefix(name, holderPrefix(s.id))
		id, isProc := core.ParseProcID(mine)
		if _, known := m.Proc(id); !ok || !isProc || known || s.programs.job(id) != nil {
			continue
		}
		j := s.adoptedJob(core.Proc{ProcStart: core.ProcStart{Proc: id, Holder: name, Dir: dir}, Done: true})
		tried.Go(func() { s.adoptJob(j) })
	}
	tried.Wait()
}

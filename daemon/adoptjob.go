package daemon

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"apex/core"
	"apex/core/edit"
	"apex/term/holder"
)

// adoptJob goes on with a command, or with what it left behind. One whose holder is gone has an
// outcome that nobody knows.
func (s *session) adoptJob(p core.Proc) {
	j := s.newJob(p.ProcStart)
	if j.done = p.Done; j.done {
		j.start.Replace = false // what it left behind has nothing to replace
		close(j.over)
	}
	ctx, cancel := context.WithTimeout(context.Background(), programStart)
	defer cancel()
	ho, err := holder.Adopt(ctx, s.d.holdersDir(), p.Holder)
	if err == nil {
		j.ho = ho
		err = j.open(nil)
	}
	switch {
	case err == nil:
		j.resume()
		s.programs.enter(j)
		s.programs.watched.Go(j.watch)
	case !p.Done:
		s.log.Warn("a command is lost", "proc", p.Proc.String(), "err", err)
		if ho != nil {
			s.programs.tasks.Go(func() { s.abandon(ho) })
		}
		s.programs.enter(j)
		s.programs.watched.Go(j.lose)
	}
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
	for _, name := range names {
		mine, ok := strings.CutPrefix(name, holderPrefix(s))
		id, isProc := core.ParseProcID(mine)
		if _, known := m.Proc(id); !ok || !isProc || known || s.programs.holder(id) != nil {
			continue
		}
		s.adoptJob(core.Proc{ProcStart: core.ProcStart{Proc: id, Holder: name, Dir: dir}, Done: true})
	}
}

package daemon

import (
	"context"
	"slices"
	"strings"
	"sync"

	"apex/core"
)

// isKill reports whether a command ends others.
func isKill(command string) bool {
	words := strings.Fields(command)
	return len(words) > 0 && words[0] == "Kill"
}

// goKill ends commands beside everything else: what they wait for must not keep them from it. The
// turn is held; it does not wait.
func (s *session) goKill(e *core.RunExec) {
	done, err := s.programs.begin()
	if err != nil {
		return // the end of the session ends them, or the next start finds that nobody did
	}
	go func() {
		defer done()
		s.runKill(e)
	}()
}

// runKill ends commands: the newest that was started in the window, or all of some names.
func (s *session) runKill(e *core.RunExec) {
	s.programs.haveStarted()
	found := s.killed(e.Window, strings.Fields(e.Exec.Command)[1:])
	if len(found) == 0 {
		s.outcomeOf(e, "", core.Errorf(core.CodeNotFound, "%s: no such command runs", e.Exec.Command))
		return
	}
	var names []string
	failed := make([]error, len(found))
	var wg sync.WaitGroup
	for i, j := range found {
		names = append(names, j.name())
		wg.Go(func() {
			if failed[i] = end(context.Background(), j.ho, ""); failed[i] == nil {
				within(programStart, func() { <-j.over })
			}
		})
	}
	wg.Wait()
	for _, err := range failed {
		if err != nil && core.CodeOf(err) != core.CodeNotFound { // it ended by itself meanwhile
			s.outcomeOf(e, "", err)
			return
		}
	}
	s.outcomeOf(e, "ended "+strings.Join(names, ", "), nil)
}

// killed returns the commands that Kill means. Without a name it is one of the window, or outside
// windows of the session.
func (s *session) killed(w core.WindowID, names []string) []*job {
	running := slices.DeleteFunc(s.programs.allJobs(), func(j *job) bool {
		select {
		case <-j.ho.Exited():
			return true
		default:
			return false
		}
	})
	if len(names) > 0 {
		return slices.DeleteFunc(running, func(j *job) bool { return !slices.Contains(names, j.name()) })
	}
	if w != 0 {
		running = slices.DeleteFunc(running, func(j *job) bool { return j.start.Window != w })
	}
	return running[max(0, len(running)-1):]
}

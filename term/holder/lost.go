package holder

import (
	"context"
	"slices"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// killLost ends what is found of a program whose holder died under this process.
func (h *Holder) killLost(ctx context.Context) ([]Process, error) {
	left, err := killStray(ctx, h.info.PID, func(known []process) ([]process, error) {
		return stray(h.child, known)
	})
	if err == nil && len(left) == 0 {
		unix.Unlink(tracePath(h.dir, h.info.Name))
	}
	return left, err
}

// killStray ends the processes that are found, in the holder's steps. What was found once is one of
// the program's, also when the process that it was below has ended.
func killStray(ctx context.Context, child int,
	find func(known []process) ([]process, error)) ([]Process, error) {
	steps := []struct {
		signal syscall.Signal
		grace  time.Duration
	}{{syscall.SIGHUP, HangUpGrace}, {syscall.SIGTERM, TermGrace}, {syscall.SIGKILL, KillGrace}}
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	var left []process
	for _, step := range steps {
		until := time.Now().Add(step.grace)
		for first := true; first || time.Now().Before(until); first = false {
			var err error
			if left, err = find(left); err != nil || len(left) == 0 {
				return nil, err
			}
			for _, p := range left {
				if first || step.signal == syscall.SIGKILL {
					p.signal(step.signal)
					p.signal(syscall.SIGCONT)
				}
			}
			select {
			case <-ctx.Done():
				return nil, ctx.Err()
			case <-tick.C:
			}
		}
	}
	out := make([]Process, 0, len(left))
	for _, p := range left {
		out = append(out, Process{PID: p.pid, Parent: p.parent, Group: p.group, Session: p.session,
			Started: p.started(), Argv: textAll(p.argv()), Orphan: p.pid != child})
	}
	return out, nil
}

// stray is the living processes of a program's session, those that are known to be the program's, and
// those below all of them. The session's number is the program's until its last process ends; after
// that it may be another's.
func stray(child process, known []process) ([]process, error) {
	all, err := processes()
	if err != nil || child.pid == 0 {
		return nil, err
	}
	session := child.pid
	if now, ok := find(all, child.pid); ok && now.start != child.start {
		session = 0
	}
	seen := map[int]bool{}
	var out []process
	for _, p := range all {
		mine := session != 0 && p.session == session || slices.ContainsFunc(known, p.is)
		if !mine || p.spared {
			continue
		}
		for _, q := range append(below(all, p.pid), p) {
			if !seen[q.pid] {
				seen[q.pid] = true
				out = append(out, q)
			}
		}
	}
	return slices.DeleteFunc(out, func(p process) bool { return p.zombie }), nil
}

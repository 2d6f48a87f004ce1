package holder

import (
	"context"
	"slices"
	"syscall"
	"time"
)

// killLost ends what is found of a program whose holder died, in the holder's steps.
func (h *Holder) killLost(ctx context.Context) ([]Process, error) {
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
			if left = h.stray(); len(left) == 0 {
				return nil, nil
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
			Started: p.started(), Argv: textAll(p.argv()), Orphan: p.pid != h.info.PID})
	}
	return out, nil
}

// stray is the living processes of the program's session and those below them. The session's number
// is the program's until its last process ends; after that it may be another's.
func (h *Holder) stray() []process {
	all, err := processes()
	if err != nil || h.child.pid == 0 {
		return nil
	}
	if now, ok := find(all, h.child.pid); ok && now.start != h.child.start {
		return nil
	}
	seen := map[int]bool{}
	var out []process
	for _, p := range all {
		if p.session != h.child.pid || p.spared {
			continue
		}
		for _, q := range append(below(all, p.pid), p) {
			if !seen[q.pid] {
				seen[q.pid] = true
				out = append(out, q)
			}
		}
	}
	return slices.DeleteFunc(out, func(p process) bool { return p.zombie })
}

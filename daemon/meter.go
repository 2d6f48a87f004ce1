package daemon

import (
	"math"
	"strings"
	"time"

	"golang.org/x/time/rate"

	"apex/core"
	"apex/proto"
)

// Rates of proposals. What a person types into an interface is never metered; see DESIGN section 7 for
// what else is not. One proposal may hold thousands of edits, and takes 0.1 ms of a core, or 1 ms with
// its answer in another process: at these rates one that floods leaves others half of a core.
const (
	// toolRate is of a tool's connection, and of all commands of one actor without an attachment.
	toolRate, toolBurst = 5_000, 10_000
	// agentRate is an agent's: a program that talks to itself is the more likely to run away.
	agentRate, agentBurst = 1_000, 2_000
	// maxMeters bounds the actors of a session that are told apart; those beyond share a meter.
	maxMeters = 1024
	// agentPrefix is what the names of agents begin with.
	agentPrefix = "agent:"
)

// newMeter returns the meter of an actor who is not a person at an interface.
func newMeter(actor string) *rate.Limiter {
	if strings.HasPrefix(actor, agentPrefix) {
		return rate.NewLimiter(agentRate, agentBurst)
	}
	return rate.NewLimiter(toolRate, toolBurst)
}

// spend takes one proposal's worth from a meter, or says when there is one.
func spend(m *rate.Limiter, now time.Time) error {
	r := m.ReserveN(now, 1)
	wait := r.DelayFrom(now)
	if wait == 0 {
		return nil
	}
	r.CancelAt(now)
	after := core.Millis(math.Ceil(float64(wait) / float64(time.Millisecond)))
	return core.Busy(after, "more than %v proposals a second", m.Limit())
}

// meters are those of the actors who make proposals without an attachment.
type meters map[string]*rate.Limiter

// of returns an actor's meter. A full table first forgets those who have been quiet: their meters are
// as good as new.
func (ms *meters) of(actor string, now time.Time) *rate.Limiter {
	if *ms == nil {
		*ms = meters{}
	}
	if m := (*ms)[actor]; m != nil {
		return m
	}
	if len(*ms) >= maxMeters {
		for a, m := range *ms {
			if m.TokensAt(now) >= float64(m.Burst()) {
				delete(*ms, a)
			}
		}
	}
	if len(*ms) >= maxMeters {
		actor = ""
	}
	m := (*ms)[actor]
	if m == nil {
		m = newMeter(actor)
		(*ms)[actor] = m
	}
	return m
}

// meter counts a proposal of an attached client; the turn is held.
func (s *session) meter(c *conn) error {
	if c.meter == nil {
		id, _ := s.a.Attachment(c.id)
		at, ok := s.a.Meta().Attached(id)
		if !ok || at.Kind == core.AttachUI {
			return nil
		}
		c.meter = newMeter(at.Actor)
	}
	return spend(c.meter, time.Now())
}

// meterOf counts a proposal of somebody without an attachment, and takes in that they are there; the
// turn is not held.
func (s *session) meterOf(actor string) error {
	s.mu.Lock()
	defer s.unlock()
	if s.ended {
		return errEnded
	}
	if t := s.clock.now(); s.agents.heard(actor, t) {
		s.rosterDue = true
		s.reapBy(t + presenceTTL)
	}
	t := time.Now()
	return spend(s.meters.of(actor, t), t)
}

// metered counts what a request changes in a session.
func (d *Daemon) metered(label string, by proto.Author, do func(*session) (proto.Reply, error)) (
	proto.Reply, error) {
	return in(d, label, func(s *session) (proto.Reply, error) {
		if err := s.meterOf(d.author(by).Actor); err != nil {
			return nil, err
		}
		return do(s)
	})
}

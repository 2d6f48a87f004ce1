package daemon

import (
	"encoding/hex"
	"slices"
	"strings"

	"github.com/zeebo/blake3"

	"apex/core"
	"apex/proto"
)

// Who is here. Somebody who is attached says so every ten seconds, and is taken off the roster when
// they have not for presenceTTL: their process was stopped, or their link hangs. One whose connection
// was lost is taken off when they have not come back in awayMax, so that a link that drops for a
// moment shows nowhere. An agent that only makes proposals is one peer, whatever its commands'
// connections are, until it has made none for presenceTTL.
const (
	presenceTTL core.Millis = 60_000
	awayMax     core.Millis = 2_000
	// maxAgents bounds the agents that are shown: the oldest make room.
	maxAgents = 256
)

// away is somebody whose connection was lost, as they were then.
type away struct {
	peer  proto.Peer
	until core.Millis
}

// agent is somebody who makes proposals without an attachment.
type agent struct {
	actor string
	since core.Millis
	until core.Millis
}

// agents are ordered by when they were first heard.
type agents []agent

// heard takes in that an actor made a proposal, and reports whether the roster is another one now.
func (as *agents) heard(actor string, now core.Millis) bool {
	if !strings.HasPrefix(actor, agentPrefix) {
		return false
	}
	for i := range *as {
		if a := &(*as)[i]; a.actor == actor {
			a.until = now + presenceTTL
			return false
		}
	}
	*as = append(*as, agent{actor, now, now + presenceTTL})
	if n := len(*as) - maxAgents; n > 0 {
		*as = slices.Delete(*as, 0, n)
	}
	return true
}

// peerID is the id of somebody who only makes proposals: the same in every command, and in no other
// session.
func peerID(s core.SessionID, actor string) string {
	sum := blake3.Sum256(append(append([]byte("apex peer\x00"), s[:]...), actor...))
	return "p" + hex.EncodeToString(sum[:6])
}

// departs takes in that the connection of an attachment was lost, before it is forgotten; the turn is
// held.
func (s *session) departs(c *conn) {
	id, ok := s.a.Attachment(c.id)
	if !ok || c.absent {
		return
	}
	until := s.clock.now() + awayMax
	s.away = append(s.away, away{s.peer(c, id), until})
	s.reapBy(until)
}

// arrives takes in that an attachment has a connection; the turn is held.
func (s *session) arrives(c *conn) {
	id, ok := s.a.Attachment(c.id)
	if !ok {
		return
	}
	s.away = slices.DeleteFunc(s.away, func(a away) bool { return a.peer.Attachment == id })
	c.heard, c.absent = s.clock.now(), false
	s.reapBy(c.heard + presenceTTL)
	s.rosterDue = true
}

// hears takes in that an attached client said something; the turn is held.
func (s *session) hears(c *conn) {
	c.heard = s.clock.now()
	if c.absent {
		s.arrives(c)
	}
}

// reapBy has the reaper look at a time, or before.
func (s *session) reapBy(t core.Millis) {
	if s.reapAt == 0 || t < s.reapAt {
		s.reapAt = t
	}
}

// reap takes those off the roster whose time is up. It is the only place that does. The turn is held.
func (s *session) reap() {
	t := s.clock.now()
	if s.reapAt == 0 || t < s.reapAt {
		return
	}
	s.reapAt = 0
	stays := func(until core.Millis) bool {
		if t >= until {
			s.rosterDue = true
			return false
		}
		s.reapBy(until)
		return true
	}
	s.away = slices.DeleteFunc(s.away, func(a away) bool { return !stays(a.until) })
	s.agents = slices.DeleteFunc(s.agents, func(a agent) bool { return !stays(a.until) })
	for _, c := range s.conns {
		if c.attach == 0 && !c.absent {
			c.absent = !stays(c.heard + presenceTTL)
		}
	}
}

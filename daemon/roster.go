package daemon

import (
	"cmp"
	"fmt"
	"slices"

	"apex/core"
	"apex/proto"
)

// rosterEvery is how often a roster is sent at most, in ms: a thousand clients that arrive at once, or
// a caret that moves with every key, cost a frame each some times a second.
const rosterEvery core.Millis = 100

// sendRoster sends who is here to everybody, if that has changed and was not sent just now; the
// turn is held. A client that does not read has only the newest waiting for it.
func (s *session) sendRoster() {
	if !s.rosterDue || s.ended || s.a == nil {
		return
	}
	t := s.clock.now()
	if t < s.rosterAt {
		return
	}
	s.rosterDue, s.rosterAt = false, t+rosterEvery
	frame, err := proto.Append(nil, &proto.Presence{Peers: s.roster()})
	if err != nil {
		s.log.Error("roster not encoded", "err", err)
		return
	}
	for _, c := range s.conns {
		if c.attach == 0 {
			c.out.put(item{frame: frame, class: newest})
			s.touch(c)
		}
	}
}

// roster is who is here, ordered by attachment, agents that only make proposals last; the turn is
// held. These are shown while a person looks.
func (s *session) roster() []proto.Peer {
	t := s.clock.now()
	var out []proto.Peer
	person := false
	attached := map[string]bool{}
	for _, c := range s.conns {
		if id, ok := s.a.Attachment(c.id); ok && !c.absent {
			out = append(out, s.peer(c, id))
		}
	}
	for _, a := range s.away {
		if _, ok := s.a.Meta().Attached(a.peer.Attachment); ok {
			a.peer.TTL = left(a.until, t)
			out = append(out, a.peer)
		}
	}
	slices.SortFunc(out, func(a, b proto.Peer) int { return cmp.Compare(a.Attachment, b.Attachment) })
	for _, p := range out {
		person = person || p.Kind != core.AttachTool
		attached[p.Actor] = true
	}
	for _, a := range s.agents {
		if person && !attached[a.actor] {
			out = append(out, proto.Peer{ID: peerID(s.id, a.actor), Kind: core.AttachTool, Actor: a.actor,
				Since: a.since, TTL: left(a.until, t)})
		}
	}
	return out
}

// left is what there is left until a time.
func left(until, now core.Millis) core.Millis { return max(until, now) - now }

// peer is an attached client on the roster; the turn is held.
func (s *session) peer(c *conn, id core.AttachmentID) proto.Peer {
	m := s.a.Meta()
	layout, _ := m.Lease(core.LayoutShard)
	at, _ := m.Attached(id)
	return proto.Peer{ID: fmt.Sprintf("a%d", id), Attachment: id, Kind: at.Kind,
		Name: at.Name, Actor: at.Actor, Since: at.Since, TTL: left(c.heard+presenceTTL, s.clock.now()),
		View: proto.View(c.looking.View), Q0: c.looking.Q0, Q1: c.looking.Q1,
		Leads: layout.Holder == id}
}

// here takes in what a client looks at.
func (s *session) here(c *conn, h proto.Here) {
	s.mu.Lock()
	if c.looking.View != h.View {
		s.lookedAt(h.View)
	}
	if c.looking != h {
		c.looking, s.rosterDue = h, true
	}
	s.hears(c)
	s.unlock()
}

package daemon

import (
	"cmp"
	"fmt"
	"slices"

	"apex/core"
	"apex/proto"
)

const (
	// presenceTTL is what a roster promises of a peer: the socket tells when it is gone.
	presenceTTL = 60_000
	// rosterEvery is how often a roster is sent at most, in ms: a thousand clients that arrive at
	// once, or a caret that moves with every key, cost a frame each some times a second.
	rosterEvery core.Millis = 100
)

// sendRoster sends who is here to everybody, if that has changed and was not sent just now; the
// turn is held. A client that does not read has only the newest waiting for it.
func (s *session) sendRoster() {
	if !s.rosterDue || s.ended || s.a == nil {
		return
	}
	t := now()
	if t < s.rosterAt && s.rosterAt <= t+rosterEvery { // unless the clock was set back
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

// roster is who is attached and connected, ordered by attachment; the turn is held.
func (s *session) roster() []proto.Peer {
	m := s.a.Meta()
	layout, _ := m.Lease(core.LayoutShard)
	var out []proto.Peer
	for _, c := range s.conns {
		id, ok := s.a.Attachment(c.id)
		if !ok {
			continue
		}
		at, _ := m.Attached(id)
		out = append(out, proto.Peer{ID: fmt.Sprintf("a%d", id), Attachment: id, Kind: at.Kind,
			Name: at.Name, Actor: at.Actor, Since: at.Since, TTL: presenceTTL,
			View: proto.View(c.looking.View), Q0: c.looking.Q0, Q1: c.looking.Q1,
			Leads: layout.Holder == id})
	}
	slices.SortFunc(out, func(a, b proto.Peer) int { return cmp.Compare(a.Attachment, b.Attachment) })
	return out
}

// here takes in what a client looks at.
func (s *session) here(c *conn, h proto.Here) {
	s.mu.Lock()
	if c.looking.View != h.View {
		s.lookedAt(h.View)
	}
	c.looking = h
	s.rosterDue = true
	s.unlock()
}

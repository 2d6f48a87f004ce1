package daemon

import (
	"apex/core/cell"
	"apex/proto"
	"apex/term/vt"
)

// termColours has terminals answer programs that ask for colours with those of whoever leads.
func (s *session) termColours(r *proto.TermColours) proto.Reply {
	c := vt.Colours{Fg: colour(r.Fg), Bg: colour(r.Bg), Cursor: colour(r.Cursor)}
	p := s.programs
	p.mu.Lock()
	p.seen = c
	p.mu.Unlock()
	for _, h := range p.all() {
		h.t.SetColours(c)
	}
	return &proto.Done{}
}

// colours returns those that a new terminal begins with.
func (p *programs) colours() vt.Colours {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.seen
}

func colour(c proto.Colour) cell.Colour {
	if c == 0 {
		return cell.Default
	}
	return cell.RGB(uint8(c>>16), uint8(c>>8), uint8(c))
}

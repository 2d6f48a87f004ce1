package daemon

import (
	"apex/core"
	"apex/proto"
)

// leases lists the leases that tools have or wait for, or all.
func (s *session) leases(r *proto.LeaseList) (proto.Reply, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ended {
		return nil, errEnded
	}
	m := s.a.Meta()
	out := &proto.Leases{}
	for i := range m.Leases {
		if l := &m.Leases[i]; r.All || len(l.Tenures) > 0 {
			out.Leases = append(out.Leases, s.lease(l))
		}
	}
	return out, nil
}

// lease tells a lease; the turn is held.
func (s *session) lease(l *core.Lease) proto.LeaseInfo {
	info := proto.LeaseInfo{Shard: proto.Shard(l.Shard), Holder: l.Holder, Epoch: l.Epoch,
		Waiting: len(l.Waiting)}
	if at, ok := s.a.Meta().Attached(l.Holder); ok {
		info.Kind, info.Actor, info.Name = at.Kind, at.Actor, at.Name
	}
	if b := s.a.Buffer(core.BufferID(l.Shard.ID)); l.Shard.Kind == core.KindBuffer && b != nil {
		info.Text = b.Name
	}
	info.TTL, _ = l.TTLOf(l.Holder)
	if until, ok := s.a.Until(l.Shard); ok {
		info.Left = left(until, s.clock.now())
	}
	return info
}

// leaseRelease asks the tool that holds a text's lease to give it back.
func (s *session) leaseRelease(r *proto.LeaseRelease) (proto.Reply, error) {
	s.mu.Lock()
	defer s.unlock()
	if s.ended {
		return nil, errEnded
	}
	shard, err := s.leasable(r.Win)
	if err != nil {
		return nil, err
	}
	l, _ := s.a.Meta().Lease(shard)
	switch {
	case !l.ToolHeld():
		return nil, core.Errorf(core.CodeNotFound, "no tool has the lease of %v", shard)
	case r.Epoch != 0 && r.Epoch != l.Epoch:
		return nil, &proto.Error{Code: core.CodeFenced, Details: proto.Details{Epoch: l.Epoch},
			Message: core.Errorf(core.CodeFenced, "the lease of %v is at epoch %d, not %d", shard, l.Epoch,
				r.Epoch).Message}
	}
	s.run(&core.Recall{Shard: shard})
	return &proto.Done{}, nil
}

// leasable finds the shard that a person means by a window, whose body it is, or by a buffer's id; the
// turn is held.
func (s *session) leasable(win string) (core.Shard, error) {
	if id, ok := core.ParseBufferID(win); ok && s.a.Meta().Has(id.Shard()) {
		return id.Shard(), nil
	}
	w, err := resolve(s.a, win, true)
	if err != nil {
		return core.Shard{}, err
	}
	return s.a.Window(w).Body.Shard(), nil
}

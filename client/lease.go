package client

import (
	"context"
	"time"

	"apex/core"
	"apex/proto"
)

// TakeFor asks for leases of buffers for a time, as tools do: while the session is open they are
// renewed, and when the process or its link is gone for longer they go back. An EventLease says when
// one has come, an EventRefused that it does not. A time that no lease has is bad_request.
func (s *Session) TakeFor(ttl time.Duration, shards ...core.Shard) error {
	ms := core.Millis(max(ttl, 0).Milliseconds())
	if err := core.CheckTTL(ms); err != nil {
		return err
	}
	s.do(s.replica.TakeFor(ms, shards...))
	return nil
}

// Lease takes a buffer's lease for a time, and returns when it is here: the buffer is known, and Commit
// may change it. It takes things in as Process does, and does not tell of them. Who waits for the lease
// of another tool waits as long as ctx lets it.
func (s *Session) Lease(ctx context.Context, ttl time.Duration, shard core.Shard) error {
	s.Follow(shard)
	if err := s.TakeFor(ttl, shard); err != nil {
		return err
	}
	for !s.Leads(shard) {
		if err := s.Wait(ctx); err != nil {
			return err
		}
		for _, e := range s.Process() {
			switch {
			case e.Kind == EventRefused && e.Shard == shard, e.Kind == EventEnded:
				return e.Err
			case e.Kind == EventGone && e.Shard == shard:
				return core.Errorf(core.CodeNotFound, "%v is gone", shard)
			case e.Kind == EventChanged && e.Shard == core.MetaShard && !s.awaits(shard):
				s.do(s.replica.TakeFor(core.Millis(ttl.Milliseconds()), shard)) // lost with a link
			}
		}
	}
	return nil
}

// awaits reports whether the metalog says that this client has a lease or waits for it.
func (s *Session) awaits(shard core.Shard) bool {
	l, ok := s.Meta().Lease(shard)
	if !ok {
		return false
	}
	_, ok = l.TTLOf(s.replica.Attachment())
	return ok
}

// renewals works out how often this client has to say that it is there, from what the metalog says of
// its leases.
func (s *Session) renewals() {
	if s.opts.Kind != core.AttachTool {
		return
	}
	var every core.Millis
	for i := range s.Meta().Leases {
		ttl, ok := s.Meta().Leases[i].TTLOf(s.replica.Attachment())
		if p := core.RenewEvery(ttl); ok && (every == 0 || p < every) {
			every = p
		}
	}
	if s.renewEvery.Swap(uint64(every)) != uint64(every) {
		select {
		case s.renewing <- struct{}{}:
		default: // it will look
		}
	}
}

// renewer is the ticker by which a link renews leases.
type renewer struct {
	ticker *time.Ticker
	C      <-chan time.Time // nil while there is nothing to renew
}

// set makes it tick as often as the session's leases want.
func (r *renewer) set(s *Session) {
	r.stop()
	if ms := s.renewEvery.Load(); ms != 0 {
		r.ticker = time.NewTicker(time.Duration(ms) * time.Millisecond)
		r.C = r.ticker.C
	}
}

func (r *renewer) stop() {
	if r.ticker != nil {
		r.ticker.Stop()
	}
	r.ticker, r.C = nil, nil
}

// renew says that this client is there.
func (s *Session) renew(conn *Conn) {
	if b, err := proto.Append(nil, &core.Renew{}); err == nil && s.attached.Load() {
		conn.write(b)
	}
}

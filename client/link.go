package client

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"time"

	"apex/core"
	"apex/proto"
)

const (
	// A lost link is tried again soon, then less often, each time with some jitter: a daemon that
	// restarts has all its clients come back.
	backoffFirst = 20 * time.Millisecond
	backoffMax   = time.Second
	// Through a command a try is a login on another machine, over a network that may be gone for hours.
	viaBackoffFirst = time.Second
	viaBackoffMax   = 30 * time.Second
	// hereEvery is how often a client that is there says so. A presence must live for three times
	// as long.
	hereEvery = 10 * time.Second
	// retryEvery is how often what the daemon refused, because its disk was full or it was busy, is
	// sent again while nothing else happens.
	retryEvery = 2 * time.Second
	// byeTimeout is how long Detach waits until everything is on disk and the daemon has let go.
	byeTimeout = AnswerTimeout
)

// keepLinked makes a link, and another one whenever it is lost, until ctx ends.
func (s *Session) keepLinked(ctx context.Context) {
	first, longest := backoffFirst, backoffMax
	if s.opts.Via != nil {
		first, longest = viaBackoffFirst, viaBackoffMax
	}
	for pause := first; ctx.Err() == nil; {
		conn, err := s.dial(ctx)
		if err == nil {
			err = s.hold(ctx, conn)
		}
		if ctx.Err() != nil {
			return
		}
		if s.fresh.Swap(false) {
			pause = first
		}
		wait := pause/2 + rand.N(pause)
		s.inbox.post(&linkDown{err, time.Now().Add(wait)})
		if core.CodeOf(err) == core.CodeNotFound { // the session was ended: no daemon is started for it
			return
		}
		if s.rest(ctx, wait) {
			pause = first
		} else {
			pause = min(2*pause, longest)
		}
	}
}

// rest waits before the next try, and reports whether Redial ended that.
func (s *Session) rest(ctx context.Context, wait time.Duration) bool {
	t := time.NewTimer(wait)
	defer t.Stop()
	select {
	case <-ctx.Done():
	case <-t.C:
	case <-s.again:
		return true
	}
	return false
}

// Redial tries at once to make a link, if there is none and the next try is waited for. Any goroutine
// may call it.
func (s *Session) Redial() {
	select {
	case s.again <- struct{}{}:
	default:
	}
}

// dial makes a connection. A daemon that said that it is stopping is not started again: somebody
// wants it to be gone, and who starts the next one is waited for.
func (s *Session) dial(ctx context.Context) (*Conn, error) {
	if v := s.opts.Via; v != nil {
		nc, err := v.dial(ctx, s.draining.Load())
		if err != nil {
			return nil, linkError(err)
		}
		conn, err := greet(ctx, nc, s.opts.Daemon.Build, s.inbox)
		if err != nil {
			err = v.explain(err)
		}
		return conn, err
	}
	dial := s.opts.Dial
	if dial == nil {
		d := s.opts.Daemon
		d.NoStart = d.NoStart || s.draining.Load()
		dial = d.Dial
	}
	nc, err := dial(ctx)
	if err != nil {
		return nil, linkError(err)
	}
	return greet(ctx, nc, s.opts.Daemon.Build, s.inbox)
}

// hold hands a link to the owner and to requests until it is lost, and returns why it was.
func (s *Session) hold(ctx context.Context, conn *Conn) error {
	s.setLink(conn)
	s.inbox.post(&linkUp{conn})
	here, retry := time.NewTicker(hereEvery), time.NewTicker(retryEvery)
	defer here.Stop()
	defer retry.Stop()
	var renew renewer
	renew.set(s)
	defer renew.stop()
	for lost := false; !lost; {
		select {
		case <-here.C:
			s.sayHere(conn)
		case <-s.renewing:
			renew.set(s)
		case <-renew.C:
			s.renew(conn)
		case <-retry.C:
			if s.unsynced.Load() {
				s.inbox.post(&retrying{})
			}
		case <-conn.Done():
			lost = true
		case <-ctx.Done():
			conn.fail(net.ErrClosed)
		}
	}
	s.setLink(nil)
	conn.settle() // everything that came in is in the inbox, before the news that it is gone
	if v := s.opts.Via; v != nil && ctx.Err() == nil && errors.Is(conn.Err(), errHungUp) {
		return v.explain(conn.Err())
	}
	return conn.Err()
}

// linkNow returns the link, nil if there is none, and what is closed while there is one.
func (s *Session) linkNow() (conn *Conn, linked <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.link, s.linked
}

func (s *Session) setLink(conn *Conn) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link = conn; conn != nil {
		close(s.linked)
	} else {
		s.linked = make(chan struct{})
	}
}

// Call sends a request over the session's connection, as Conn.Call does; while there is none it
// waits for one, at most AnswerTimeout. Any goroutine may call it.
func (s *Session) Call(ctx context.Context, req proto.Request) (proto.Reply, error) {
	limit := time.NewTimer(AnswerTimeout)
	defer limit.Stop()
	for {
		conn, linked := s.linkNow()
		if conn != nil {
			return conn.Call(ctx, req)
		}
		select {
		case <-linked:
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case <-limit.C:
			return nil, unavailable("the daemon has been gone for %v", AnswerTimeout)
		case <-s.over:
			return nil, unavailable("the session was closed")
		}
	}
}

// Look says what this client looks at: a view, and the dot there in runes. Any goroutine may call
// it.
func (s *Session) Look(v core.View, q0, q1 int) {
	s.mu.Lock()
	moved := s.here.View != v
	s.here = proto.Here{View: v, Q0: q0, Q1: q1}
	conn := s.link
	s.mu.Unlock()
	if moved && conn != nil {
		s.sayHere(conn)
	}
}

// sayHere renews this client's presence.
func (s *Session) sayHere(conn *Conn) {
	if !s.attached.Load() {
		return
	}
	s.mu.Lock()
	here := s.here
	s.mu.Unlock()
	if b, err := proto.Append(nil, &here); err == nil {
		conn.write(b)
	}
}

// Detach ends the attachment: its leases go back at once. It waits until everything that was done
// here is on disk; if that can't be, nothing is ended and the error says how much is missing.
func (s *Session) Detach() error {
	ctx, cancel := context.WithTimeout(context.Background(), byeTimeout)
	defer cancel()
	s.Process() // what has arrived has perhaps woken somebody who no longer takes it in
	for s.replica.Unsynced() > 0 && !s.state.Ended {
		if s.Wait(ctx) != nil {
			return unavailable("%d changes have not reached the disk", s.replica.Unsynced())
		}
		s.Process()
	}
	if conn := s.conn; conn != nil && s.state.Connected {
		s.do(s.replica.Bye())
		for conn.Err() == nil && s.Wait(ctx) == nil {
			s.inbox.take() // there may be no room for what comes before the end
		}
	}
	return s.Close()
}

// Close drops the link and leaves the attachment to the daemon, which ends it after a grace time.
// Whoever waits for something gets an error. Any goroutine may call it.
func (s *Session) Close() error {
	s.closing.Do(func() {
		s.stop()
		s.inbox.close()
		close(s.over)
	})
	s.wait.Wait()
	return nil
}

package client

import (
	"context"
	"time"

	"apex/core"
	"apex/proto"
)

// pingEvery is how often a daemon that is given time for a request is asked whether it lives.
const pingEvery = 2 * time.Second

// patient reports whether a request waits on purpose: for a program, for a disk, for what a person
// is to see. Such a request takes as long as it takes, while the daemon answers others.
func patient(req proto.Request) bool {
	switch req.(type) {
	case *proto.Exec, *proto.Stop, *proto.Open, *proto.SessionEnd, *proto.Upgrade,
		*proto.TermNew, *proto.TermInput, *proto.TermWait, *proto.TermRun, *proto.TermKill, *proto.Kill:
		return true
	}
	return false
}

// Call sends a request and waits for its reply. The error is the daemon's, by code, or
// unavailable: if the connection ended, and then it is not known what became of the request, or if
// the daemon has not answered in AnswerTimeout. Requests that wait on purpose (see patient) have no
// limit but that the daemon answers something else meanwhile.
func (c *Conn) Call(ctx context.Context, req proto.Request) (proto.Reply, error) {
	type answer struct {
		reply proto.Reply
		err   error
	}
	got := make(chan answer, 1)
	id, err := c.start(req, func(m *proto.Return, err error) {
		if err != nil {
			got <- answer{nil, err}
			return
		}
		got <- answer{m.Reply, nil}
	})
	if err != nil {
		return nil, err
	}
	late := make(chan struct{}, 1)
	limit := time.AfterFunc(c.limit(req), func() {
		late <- struct{}{}
		c.in.interrupt()
	})
	defer limit.Stop()
	defer context.AfterFunc(ctx, c.in.interrupt)()
	enough := func() bool { return len(got) > 0 || len(late) > 0 || ctx.Err() != nil }
	for {
		select {
		case a := <-got:
			return a.reply, a.err
		case <-c.in.turn:
			c.attend(enough)
			c.in.turn <- struct{}{}
			continue
		case <-ctx.Done():
			c.forget(id)
			return nil, context.Cause(ctx)
		case <-late:
		}
		if !patient(req) {
			c.forget(id)
			return nil, unavailable("the daemon (pid %d) has not answered for %v",
				c.server.PID, AnswerTimeout)
		}
		if _, err := c.Call(ctx, &proto.Ping{}); err != nil {
			c.forget(id)
			return nil, err
		}
		limit.Reset(pingEvery)
	}
}

// limit is how long a request is waited for before something is done about it.
func (c *Conn) limit(req proto.Request) time.Duration {
	if patient(req) {
		return pingEvery
	}
	return AnswerTimeout
}

// badReply says that a reply is none to its request.
func badReply(req proto.Request, reply proto.Reply) error {
	return core.Errorf(core.CodeInternal, "reply %T to %T", reply, req)
}

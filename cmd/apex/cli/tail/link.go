package tail

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"apex/client"
	"apex/core"
	"apex/proto"
)

// backlogMaxBytes bounds what arrives while an answer is waited for. Past it batches are dropped,
// and read from the log afterwards.
const backlogMaxBytes = 32 << 20

// link is one connection. Its reader is its owner; bye may be called by another goroutine.
type link struct {
	nc     net.Conn
	r      *proto.Reader
	next   uint64 // id of the next call
	queue  []arrived
	queued int // bytes
	// dropped has the shards of which batches were dropped, and how far those went.
	dropped map[core.Shard]core.Seq

	mu sync.Mutex // one message at a time is written
}

// arrived is a message and how long its frame was.
type arrived struct {
	m     proto.Message
	bytes int
}

// dial connects and greets.
func dial(ctx context.Context, d client.Daemon) (*link, error) {
	nc, err := d.Dial(ctx)
	if err != nil {
		return nil, err
	}
	l := &link{nc: nc, r: proto.NewReader(nc), dropped: map[core.Shard]core.Seq{}}
	stop := context.AfterFunc(ctx, func() { nc.Close() })
	nc.SetDeadline(time.Now().Add(client.AnswerTimeout))
	err = l.greet(d.Build)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		err = d.Explain(nc, core.Errorf(core.CodeUnavailable, "no answer in %v", client.AnswerTimeout))
	}
	if err != nil {
		nc.Close()
		return nil, unanswered(err)
	}
	nc.SetDeadline(time.Time{})
	return l, nil
}

func (l *link) greet(build string) error {
	frame, err := l.r.ReadFrame()
	if err != nil {
		return err
	}
	server, err := proto.DecodeServer(frame)
	if err != nil {
		return err
	}
	protocol, err := server.Pick(build)
	if err != nil {
		return err
	}
	return l.send(&proto.Client{Protocol: protocol, Build: build})
}

// unanswered gives an error of a connection that never came to be the code unavailable.
func unanswered(err error) error {
	var coded *core.Error
	if errors.As(err, &coded) {
		return err
	}
	return core.Errorf(core.CodeUnavailable, "the daemon does not answer: %v", err)
}

func (l *link) close() { l.nc.Close() }

// bye ends the attachment and the connection.
func (l *link) bye() {
	l.nc.SetWriteDeadline(time.Now().Add(time.Second))
	_ = l.send(&core.Bye{}) // the daemon notices by itself too, after a grace time
	l.nc.Close()
}

func (l *link) send(m proto.Message) error {
	b, err := proto.Append(nil, m)
	if err != nil {
		return err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if _, err := l.nc.Write(b); err != nil {
		return &lostError{err}
	}
	return nil
}

// receive returns the next message.
func (l *link) receive() (proto.Message, error) {
	if len(l.queue) > 0 {
		a := l.queue[0]
		l.queue[0] = arrived{}
		l.queue, l.queued = l.queue[1:], l.queued-a.bytes
		return a.m, nil
	}
	a, err := l.read()
	return a.m, err
}

// idle reports whether no message is at hand.
func (l *link) idle() bool { return len(l.queue) == 0 && l.r.Buffered() == 0 }

func (l *link) read() (arrived, error) {
	frame, err := l.r.ReadFrame()
	if err != nil {
		return arrived{}, &lostError{err}
	}
	m, err := proto.Decode(proto.FromDaemon, frame)
	if err != nil {
		return arrived{}, err
	}
	if f, ok := m.(*core.Failure); ok {
		return arrived{}, failed(f.Err)
	}
	return arrived{m, len(frame)}, nil
}

// failed is how a link ends that the daemon ended.
func failed(err *core.Error) error {
	if err.Code == core.CodeDraining {
		return &lostError{err}
	}
	return err
}

// call makes a request and waits for its answer; what arrives meanwhile waits too.
func (l *link) call(req proto.Request) (proto.Reply, error) {
	l.next++
	if err := l.send(&proto.Call{ID: l.next, Request: req}); err != nil {
		return nil, err
	}
	for {
		a, err := l.read()
		if err != nil {
			return nil, err
		}
		if r, ok := a.m.(*proto.Return); ok && r.ID == l.next {
			if r.Err != nil {
				return nil, failed(&core.Error{Code: core.CodeOf(r.Err), Message: r.Err.Error()})
			}
			return r.Reply, nil
		}
		l.keep(a)
	}
}

// keep puts what arrived aside.
func (l *link) keep(a arrived) {
	switch m := a.m.(type) {
	case *proto.SnapshotChunk, *proto.Presence, *core.Check:
		return // of no use here
	case *core.Deliver:
		if l.queued+a.bytes > backlogMaxBytes {
			for _, b := range m.Batches {
				l.dropped[b.Shard] = b.Last()
			}
			return
		}
	}
	l.queue = append(l.queue, a)
	l.queued += a.bytes
}

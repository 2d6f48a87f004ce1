package daemon

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/time/rate"

	"apex/core"
	"apex/proto"
)

// Bounds of connections.
const (
	// handshakeTimeout is how long a client may take to say which protocol it speaks.
	handshakeTimeout = 10 * time.Second
	// maxInflight is how many requests of one connection are worked on at a time.
	maxInflight = 64
)

// conn is one client's connection: a reader goroutine, and a writer for what the socket did not
// take at once.
type conn struct {
	id   core.ConnID
	d    *Daemon
	nc   net.Conn
	peer int // its process, 0 if that is not known
	out  *outbox
	log  *slog.Logger

	tty      tty             // that the client is on, if it is an interface; set before it is attached
	alive    context.Context // until the client is gone
	die      context.CancelFunc
	inflight chan struct{} // a slot for each request being worked on
	calls    sync.WaitGroup

	// The session that the connection is attached to. Set once, by the reader.
	session atomic.Pointer[session]
	// attach is the id of the call that a Welcome answers. The session's turn guards it.
	attach uint64
	// looking is what the client says it looks at; the session's turn guards it.
	looking proto.Here
	heard   core.Millis   // when the client last said something; the session's turn guards it
	absent  bool          // it has not for too long; the session's turn guards it
	meter   *rate.Limiter // of its proposals, once it has made one; the session's turn guards it
	touched bool          // to be flushed after the turn; the session's turn guards it
	spreads bool          // it waits for the session's spreader, whose lock guards it
}

func newConn(d *Daemon, id core.ConnID, peer int, nc net.Conn) *conn {
	c := &conn{id: id, d: d, nc: nc, peer: peer, out: newOutbox(nc), log: d.log.With("conn", uint64(id)),
		inflight: make(chan struct{}, maxInflight)}
	c.alive, c.die = context.WithCancel(context.Background())
	return c
}

// serve runs the connection until it ends. Calls that are being worked on are waited for: they are
// the connection's goroutines.
func (c *conn) serve() {
	var writer sync.WaitGroup
	writer.Go(func() { c.out.run(c.drained) })
	err := c.converse()
	c.die()
	if s := c.session.Load(); s != nil {
		s.leave(c)
	}
	c.farewell(err)
	c.calls.Wait()
	writer.Wait()
}

// farewell tells the client what was wrong, if anything was, and closes. It logs one line unless
// the client left of its own accord.
func (c *conn) farewell(err error) {
	if why := c.out.reason(); why != nil {
		err = why
	}
	var coded *core.Error
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, net.ErrClosed):
		c.out.close()
	case errors.As(err, &coded):
		c.log.Warn("connection ended", "code", string(coded.Code), "err", err)
		c.put(&core.Failure{Err: coded}, control)
		c.out.flush()
		c.out.finish()
	default:
		c.log.Info("connection lost", "err", err)
		c.out.close()
	}
}

// converse shakes hands and takes messages until the connection ends.
func (c *conn) converse() error {
	c.put(c.d.hello, control)
	c.out.flush()
	c.nc.SetReadDeadline(time.Now().Add(c.d.opts.Handshake))
	r := proto.NewReader(c.nc)
	first, err := r.ReadFrame()
	if err != nil {
		return err
	}
	hello, err := proto.DecodeClient(first)
	if err != nil {
		return err
	}
	if err := c.d.hello.Check(hello); err != nil {
		return err
	}
	c.nc.SetReadDeadline(time.Time{})
	for {
		frame, err := r.ReadFrame()
		if err != nil {
			return err
		}
		m, err := proto.Decode(proto.FromClient, frame)
		if err != nil {
			return err
		}
		if err := c.take(m); err != nil {
			return err
		}
	}
}

// take deals with one message.
func (c *conn) take(m proto.Message) error {
	switch m := m.(type) {
	case *proto.Call:
		c.call(m)
		return nil
	case *proto.Here:
		if s := c.session.Load(); s != nil {
			s.here(c, *m)
		}
		return nil
	case *proto.Pointer:
		return nil // nobody draws pointers yet; they may always be dropped
	case core.Msg:
		s := c.session.Load()
		if s == nil {
			return core.Errorf(core.CodeNotAttached, "a message of a session before attach")
		}
		s.receive(c, m)
		return nil
	}
	return core.Errorf(core.CodeBadRequest, "message %T is not for a daemon", m)
}

// call answers a request: what may wait, on a goroutine of its own. A client that does not take
// its replies is not read from until it does.
func (c *conn) call(m *proto.Call) {
	room := replySize(m.Request)
	c.out.reserve(room)
	if a, ok := m.Request.(*proto.Attach); ok {
		if err := c.d.attach(c, m.ID, a); err != nil {
			c.reply(m.ID, nil, err)
		}
		c.out.release(room)
		return
	}
	if in, ok := m.Request.(*proto.TermInput); ok {
		c.input(m.ID, in, room)
		return
	}
	work := func() {
		if e, ok := m.Request.(*proto.EnvSet); ok && e.Peer {
			e.Vars = peerEnvironment(c.peer)
		}
		body, err := c.d.dispatch(c.alive, m.Request)
		c.reply(m.ID, body, err)
		c.out.release(room)
	}
	if c.d.quick(m.Request) {
		work()
		return
	}
	c.beside(m.ID, room, func() {
		c.d.freshen(m.Request)
		work()
	})
}

// beside does work on a goroutine of its own, which answers a call and releases room.
func (c *conn) beside(id uint64, room int, work func()) {
	select {
	case c.inflight <- struct{}{}:
	default:
		c.reply(id, nil, core.Errorf(core.CodeBusy,
			"%d requests of this connection are unanswered", maxInflight))
		c.out.release(room)
		return
	}
	c.calls.Go(func() {
		defer func() { <-c.inflight }()
		work()
	})
}

// input types into a terminal, in the order in which a connection's inputs come; the answer waits
// until the terminal has taken it, or the client is gone: a program that never reads keeps nobody.
func (c *conn) input(id uint64, r *proto.TermInput, room int) {
	taken, err := c.d.input(c.alive, r)
	if err != nil || taken == nil {
		c.reply(id, &proto.Done{}, err)
		c.out.release(room)
		return
	}
	c.beside(id, room, func() {
		c.reply(id, &proto.Done{}, taken())
		c.out.release(room)
	})
}

// smallReply is what most replies stay below, in bytes.
const smallReply = 4 << 10

// replySize is about how long the reply to a request may be, in bytes.
func replySize(r proto.Request) int {
	switch r.(type) {
	case *proto.Read, *proto.Log:
		return proto.ReadMaxBytes
	case *proto.Peek:
		return peekMaxTotal
	}
	return smallReply
}

// answered waits until no request is being worked on, and keeps new ones from it.
func (c *conn) answered() {
	for range maxInflight {
		c.inflight <- struct{}{}
	}
}

// reply queues the answer to a call and flushes.
func (c *conn) reply(id uint64, body proto.Reply, err error) {
	c.answer(id, body, err)
	c.out.flush()
}

// answer queues the answer to a call; flush follows.
func (c *conn) answer(id uint64, body proto.Reply, err error) {
	r := &proto.Return{ID: id, Reply: body}
	if err != nil {
		r = proto.Fail(id, err)
	}
	frame, err := proto.Append(nil, r)
	if err != nil {
		frame, _ = proto.Append(nil, proto.Fail(id, err)) // an error always fits
	}
	c.out.put(item{frame: frame, class: reply})
}

// put queues a message for this connection alone; flush follows.
func (c *conn) put(m proto.Message, k class) {
	frame, err := proto.Append(nil, m)
	if err != nil {
		c.log.Error("message not encoded", "err", err)
		return
	}
	c.out.put(item{frame: frame, class: k})
}

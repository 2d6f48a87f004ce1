package client

import (
	"context"
	"errors"
	"net"
	"os"
	"sync"
	"time"

	"apex/core"
	"apex/proto"
	"apex/proto/socket"
)

// AnswerTimeout is how long a daemon has to answer: a request, and the greeting of a connection. A
// command that dials and asks is through, one way or the other, within five seconds.
const AnswerTimeout = 4 * time.Second

// lastWords is how long what a daemon said before it hung up may take to be read.
const lastWords = time.Second

// Conn is a connection to a daemon. Any goroutine may call its methods.
type Conn struct {
	Requests
	nc     net.Conn
	server *proto.Server
	out    *writer
	in     *incoming
	wait   sync.WaitGroup // for the writer's goroutine

	mu    sync.Mutex
	calls map[uint64]func(*proto.Return, error) // each is called once, and doesn't wait
	next  uint64
	err   error // why the connection is of no use any more
	done  chan struct{}
}

// greet does the first frames of a connection and starts its goroutine. build names this program;
// to takes what is neither a reply nor a failure.
func greet(ctx context.Context, nc net.Conn, build string, to sink) (*Conn, error) {
	nc = socket.Of(nc)
	nc.SetDeadline(time.Now().Add(AnswerTimeout))
	stop := context.AfterFunc(ctx, func() { nc.SetDeadline(past) })
	r := proto.NewReader(nc)
	server, err := greeting(nc, r, build)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		nc.Close()
		return nil, greetError(ctx, err)
	}
	nc.SetDeadline(time.Time{})
	c := &Conn{nc: nc, server: server, out: newWriter(nc), in: newIncoming(nc, r, to),
		calls: map[uint64]func(*proto.Return, error){}, done: make(chan struct{})}
	c.Requests = Requests{c.Call}
	c.wait.Go(func() {
		if err := c.out.run(c.done); err != nil {
			c.lost(err)
		}
	})
	return c, nil
}

func greeting(nc net.Conn, r *proto.Reader, build string) (*proto.Server, error) {
	frame, err := r.ReadFrame()
	if err != nil {
		return nil, err
	}
	server, err := proto.DecodeServer(frame)
	if err != nil {
		return nil, err
	}
	protocol, err := server.Pick(build)
	if err != nil {
		return nil, err
	}
	b, err := proto.Append(nil, &proto.Client{Protocol: protocol, Build: build})
	if err != nil {
		return nil, err
	}
	if _, err = nc.Write(b); err != nil {
		return nil, refusal(r, err)
	}
	return server, nil
}

// refusal returns why a daemon hung up in the greeting, if it said so before, else err.
func refusal(r *proto.Reader, err error) error {
	frame, readErr := r.ReadFrame()
	if readErr != nil {
		return err
	}
	if m, _ := proto.Decode(proto.FromDaemon, frame); m != nil {
		if f, ok := m.(*core.Failure); ok {
			return f.Err
		}
	}
	return err
}

func greetError(ctx context.Context, err error) error {
	switch {
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case errors.Is(err, os.ErrDeadlineExceeded):
		return unavailable("the daemon takes the connection and says nothing for %v", AnswerTimeout)
	}
	return linkError(err)
}

// Server returns what the daemon said of itself.
func (c *Conn) Server() *proto.Server { return c.server }

// Done is closed when the connection is known to be of no use any more: while nobody waits for the
// daemon, nobody learns that it is gone.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err returns why the connection ended, nil while it has not.
func (c *Conn) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Close ends the connection. Requests without an answer fail.
func (c *Conn) Close() error {
	c.fail(net.ErrClosed)
	c.settle()
	return nil
}

// settle waits, of a connection that has ended, until nothing more comes in from it.
func (c *Conn) settle() {
	<-c.in.turn
	c.in.turn <- struct{}{} // who takes it now finds that the connection has ended
	c.wait.Wait()
}

// fail ends the connection, for the first reason that it is given.
func (c *Conn) fail(err error) {
	c.mu.Lock()
	if c.err != nil {
		c.mu.Unlock()
		return
	}
	c.err = &LostError{linkError(err)}
	calls := c.calls
	c.calls = nil
	c.mu.Unlock()
	c.nc.Close()
	c.in.interrupt()
	c.out.fail(c.err)
	for _, answer := range calls {
		answer(nil, c.err)
	}
	close(c.done)
}

// attend reads what the daemon sends until enough says so or the connection ends. Who calls it has
// the turn.
func (c *Conn) attend(enough func() bool) {
	for !enough() && c.Err() == nil { // what a connection had left when it ended is of no use
		m, err := c.in.next(enough)
		if err != nil {
			c.fail(err)
			return
		}
		switch m := m.(type) {
		case nil: // interrupted, or it is not whole yet
		case *proto.Return:
			c.answer(m)
		case *core.Failure:
			c.fail(m.Err)
			return
		}
	}
}

func (c *Conn) answer(m *proto.Return) {
	c.mu.Lock()
	answer := c.calls[m.ID]
	delete(c.calls, m.ID)
	c.mu.Unlock()
	switch {
	case answer == nil: // nobody waits for it any more
	case m.Err != nil:
		answer(nil, m.Err)
	default:
		answer(m, nil)
	}
}

// start sends a request. answer is called once, unless the request is forgotten first.
func (c *Conn) start(req proto.Request, answer func(*proto.Return, error)) (id uint64, err error) {
	c.mu.Lock()
	if c.err != nil {
		defer c.mu.Unlock()
		return 0, c.err
	}
	c.next++
	id = c.next
	c.calls[id] = answer
	c.mu.Unlock()
	b, err := proto.Append(nil, &proto.Call{ID: id, Request: req})
	if err != nil {
		c.forget(id)
		return 0, err
	}
	c.write(b) // if it fails, the end of the connection answers
	return id, nil
}

func (c *Conn) forget(id uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.calls, id)
}

// write sends frames. If that can't be, the connection ends.
func (c *Conn) write(b []byte) {
	if err := c.out.write(b); err != nil {
		c.lost(err)
	}
}

// lost ends a connection that can't be written to. A daemon that hung up may have said why: then
// the reader finds that before the end of the stream, and it is given the time.
func (c *Conn) lost(err error) {
	if errors.Is(linkError(err), errHungUp) {
		time.AfterFunc(lastWords, func() { c.fail(err) })
		return
	}
	c.fail(err)
}

// Package daemontest runs daemons in tests: in process, on sockets and state in temporary
// directories.
package daemontest

import (
	"context"
	"errors"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"testing"

	"apex/core"
	"apex/core/edit"
	"apex/daemon"
	"apex/daemon/disk"
	"apex/proto"
)

// Daemon is a daemon that a test runs.
type Daemon struct {
	Socket, State string
	FS            disk.FS // under its journals; nil: the machine's own

	t    testing.TB
	stop context.CancelFunc
	done chan error
}

// Start runs a daemon on fresh directories until the test ends.
func Start(t testing.TB) *Daemon {
	d := &Daemon{State: t.TempDir(), t: t}
	dir, err := os.MkdirTemp("", "apex")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	d.Socket = filepath.Join(dir, "s")
	if err := os.Chmod(d.State, 0o700); err != nil {
		t.Fatal(err)
	}
	d.Run()
	t.Cleanup(d.Stop)
	return d
}

// Run starts the daemon, again after Stop.
func (d *Daemon) Run() {
	d.t.Helper()
	log := slog.New(slog.NewTextHandler(testWriter{d.t}, nil))
	x, err := daemon.New(daemon.Options{State: d.State, Socket: d.Socket, Build: "test", FS: d.FS, Log: log})
	if err != nil {
		d.t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	d.stop, d.done = cancel, make(chan error, 1)
	ready := make(chan struct{})
	go func() { d.done <- x.Run(ctx, func() { close(ready) }) }()
	select {
	case <-ready:
	case err := <-d.done:
		d.t.Fatal(err)
	}
}

// Stop drains the daemon and waits for its end.
func (d *Daemon) Stop() {
	if d.stop == nil {
		return
	}
	d.stop()
	if err := <-d.done; err != nil {
		d.t.Error(err)
	}
	d.stop = nil
}

// testWriter writes log lines to the test's log while it runs.
type testWriter struct{ t testing.TB }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(string(p))
	return len(p), nil
}

// Client is a bare connection: frames in, frames out.
type Client struct {
	Net net.Conn
	R   *proto.Reader

	t    testing.TB
	next uint64
	snap *proto.SnapshotAssembler
	back []proto.Message // arrived while a reply was waited for
}

// Dial connects and shakes hands.
func (d *Daemon) Dial() *Client {
	d.t.Helper()
	nc, err := net.Dial("unix", d.Socket)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { nc.Close() })
	c := &Client{Net: nc, R: proto.NewReader(nc), t: d.t,
		snap: proto.NewSnapshotAssembler(proto.MaxSnapshotBytes)}
	frame, err := c.R.ReadFrame()
	if err != nil {
		d.t.Fatal(err)
	}
	s, err := proto.DecodeServer(frame)
	if err != nil {
		d.t.Fatal(err)
	}
	p, err := s.Pick("test")
	if err != nil {
		d.t.Fatal(err)
	}
	c.Send(&proto.Client{Protocol: p, Build: "test"})
	return c
}

// Send writes one message.
func (c *Client) Send(m proto.Message) {
	c.t.Helper()
	b, err := proto.Append(nil, m)
	if err != nil {
		c.t.Fatal(err)
	}
	if _, err := c.Net.Write(b); err != nil {
		c.t.Fatal(err)
	}
}

// Recv reads one message; snapshots come whole, as *core.Snapshot. After the end of the
// connection it returns nil.
func (c *Client) Recv() proto.Message {
	c.t.Helper()
	if len(c.back) > 0 {
		m := c.back[0]
		c.back = c.back[1:]
		return m
	}
	return c.read()
}

func (c *Client) read() proto.Message {
	c.t.Helper()
	for {
		frame, err := c.R.ReadFrame()
		if err != nil {
			return nil
		}
		m, err := proto.Decode(proto.FromDaemon, frame)
		if err != nil {
			c.t.Fatal(err)
		}
		chunk, ok := m.(*proto.SnapshotChunk)
		if !ok {
			return m
		}
		st, whole, err := c.snap.Add(chunk)
		if err != nil {
			c.t.Fatal(err)
		}
		if whole {
			return &core.Snapshot{State: st}
		}
	}
}

// Call makes a request and waits for its reply; what arrives meanwhile is kept for Recv.
func (c *Client) Call(r proto.Request) (proto.Reply, error) {
	c.t.Helper()
	c.next++
	c.Send(&proto.Call{ID: c.next, Request: r})
	for {
		switch m := c.read().(type) {
		case nil:
			return nil, errors.New("connection closed")
		case *proto.Return:
			if m.ID != c.next {
				c.t.Fatalf("reply to call %d, want %d", m.ID, c.next)
			}
			if m.Err != nil {
				return nil, m.Err
			}
			return m.Reply, nil
		default:
			c.back = append(c.back, m)
		}
	}
}

// Must makes a request that has to succeed.
func Must[R proto.Reply](c *Client, r proto.Request) R {
	c.t.Helper()
	reply, err := c.Call(r)
	if err != nil {
		c.t.Fatalf("%T: %v", r, err)
	}
	out, ok := reply.(R)
	if !ok {
		c.t.Fatalf("%T: reply %T", r, reply)
	}
	return out
}

// Peer is a client with a replica, driven by hand.
type Peer struct {
	*Client
	R *core.Replica
}

// Attach attaches a client of a kind to a session, made if it is missing, and follows everything.
func (d *Daemon) Attach(kind core.AttachKind, label, actor string) *Peer {
	d.t.Helper()
	p := &Peer{R: core.NewReplica(core.Hello{Kind: kind, Name: "test", Actor: actor}, edit.Evaluate)}
	p.Join(d, label)
	return p
}

// Join connects the peer, again after its connection ended, and waits until it knows the session.
func (p *Peer) Join(d *Daemon, label string) {
	d.t.Helper()
	p.Client = d.Dial()
	at := Must[*proto.Attached](p.Client, &proto.Attach{Session: label, Create: true, Hello: *p.R.Hello()})
	p.Do(p.R.Welcomed(&at.Welcome))
	p.Until(func() bool { return p.R.Knows(core.MetaShard) })
	p.Do(p.R.Follow(p.R.Meta().Shards...))
}

// Do sends what a replica's method wants sent, and returns the events.
func (p *Peer) Do(o core.Out) []core.Event {
	p.t.Helper()
	for _, m := range o.Send {
		p.Send(m)
	}
	return o.Events
}

// Until takes messages in until a condition holds. Shards that are made are followed.
func (p *Peer) Until(cond func() bool) {
	p.t.Helper()
	for !cond() {
		m := p.Recv()
		if m == nil {
			p.t.Fatal("the connection ended before the condition held")
		}
		if x, ok := m.(core.Msg); ok {
			p.Do(p.R.Receive(x))
		}
		for _, s := range p.R.Meta().Shards {
			if !p.R.Wants(s) {
				p.Do(p.R.Follow(s))
			}
		}
	}
}

// Lead takes a shard's lease.
func (p *Peer) Lead(s core.Shard) {
	p.t.Helper()
	p.Until(func() bool { return p.R.Knows(s) })
	p.Do(p.R.Take(s))
	p.Until(func() bool { return p.R.Leads(s) })
}

// Commit does what a bundle says, as the leader.
func (p *Peer) Commit(b core.Bundle) {
	p.t.Helper()
	o, err := p.R.Commit(b)
	if err != nil {
		p.t.Fatal(err)
	}
	p.Do(o)
}

package daemontest

import (
	"errors"
	"net"
	"testing"

	"apex/core"
	"apex/proto"
)

// Client is a bare connection: frames in, frames out.
type Client struct {
	Net net.Conn
	In  *proto.Reader
	// Fragile says that a lost connection is no failure of the test.
	Fragile bool

	t    testing.TB
	next uint64
	snap *proto.SnapshotAssembler
	back []proto.Message // arrived while a reply was waited for
}

// Connect connects and says nothing.
func (d *Daemon) Connect() *Client {
	d.t.Helper()
	nc, err := net.Dial("unix", d.Socket)
	if err != nil {
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { nc.Close() })
	return d.Wrap(nc)
}

// Wrap makes a client of a connection.
func (d *Daemon) Wrap(nc net.Conn) *Client {
	return &Client{Net: nc, In: proto.NewReader(nc), t: d.t,
		snap: proto.NewSnapshotAssembler(proto.MaxSnapshotBytes)}
}

// Dial connects and shakes hands.
func (d *Daemon) Dial() *Client {
	d.t.Helper()
	c := d.Connect()
	p, err := c.Greeted().Pick("test")
	if err != nil {
		d.t.Fatal(err)
	}
	c.Send(&proto.Client{Protocol: p, Build: "test"})
	return c
}

// TryDial is Dial for a daemon that may not be there: the client is fragile.
func (d *Daemon) TryDial() (*Client, error) {
	nc, err := net.Dial("unix", d.Socket)
	if err != nil {
		return nil, err
	}
	c := d.Wrap(nc)
	c.Fragile = true
	if _, err := c.In.ReadFrame(); err != nil {
		nc.Close()
		return nil, err
	}
	c.Send(&proto.Client{Protocol: proto.Version, Build: "test"})
	return c, nil
}

// Greeted reads the daemon's first frame.
func (c *Client) Greeted() *proto.Server {
	c.t.Helper()
	frame, err := c.In.ReadFrame()
	if err != nil {
		c.t.Fatal(err)
	}
	s, err := proto.DecodeServer(frame)
	if err != nil {
		c.t.Fatal(err)
	}
	return s
}

// Send writes one message.
func (c *Client) Send(m proto.Message) {
	c.t.Helper()
	b, err := proto.Append(nil, m)
	if err != nil {
		c.t.Fatal(err)
	}
	c.Write(b)
}

// Write writes bytes, whatever they are.
func (c *Client) Write(b []byte) {
	c.t.Helper()
	if _, err := c.Net.Write(b); err != nil && !c.Fragile {
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

// Kept is how many messages arrived while a reply was waited for.
func (c *Client) Kept() int { return len(c.back) }

func (c *Client) read() proto.Message {
	c.t.Helper()
	for {
		frame, err := c.In.ReadFrame()
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

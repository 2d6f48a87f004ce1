package client

import (
	"context"
	"io"
	"net"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"apex/core"
	"apex/core/edit"
	"apex/proto"
)

// fakeDaemon is a core.Authority behind the real wire: what a daemon is, less files and disks. Its
// disk takes records at once, or, while it is held, when it is let go.
type fakeDaemon struct {
	t      testing.TB
	server *proto.Server

	mu      sync.Mutex
	a       *core.Authority
	secret  byte
	next    core.ConnID
	conns   map[core.ConnID]*fakeConn
	held    bool
	waiting []core.After
	records uint64
	dials   int
	cut     int // bytes of the next connection after which it is cut; 0 for never
	mute    bool
	timer   *time.Timer // the authority's next tick
	heres   []proto.Here
	asked   func(proto.Request) (proto.Reply, error)
	wait    sync.WaitGroup
}

type fakeConn struct {
	id     core.ConnID
	nc     net.Conn
	attach uint64 // the call that waits for a welcome
	mu     sync.Mutex
	queue  [][]byte
	more   chan struct{}
}

func newFake(t testing.TB) *fakeDaemon {
	id := core.Identity{Session: core.SessionID{1}, History: [16]byte{2}, Created: 1}
	a, ready, err := core.NewSession(id, "s", "/", 1, edit.Evaluate, edit.FirstBundle)
	if err != nil {
		t.Fatal(err)
	}
	d := &fakeDaemon{t: t, server: proto.NewServer("fake", 7), a: a, conns: map[core.ConnID]*fakeConn{}}
	d.do(ready)
	d.timer = time.AfterFunc(time.Hour, func() { d.step(&core.Tick{}) })
	t.Cleanup(func() {
		d.timer.Stop()
		d.cutAll()
		d.wait.Wait()
	})
	return d
}

// dial returns the client's end of a new connection: a pipe, which time in a bubble knows.
func (d *fakeDaemon) dial(context.Context) (net.Conn, error) {
	ours, theirs := net.Pipe()
	d.serve(ours)
	return theirs, nil
}

// dialSocket returns one end of a socket pair, which writes without waiting.
func (d *fakeDaemon) dialSocket(context.Context) (net.Conn, error) {
	ours, theirs := socketPair(d.t)
	d.serve(ours)
	return theirs, nil
}

func socketPair(t testing.TB) (a, b net.Conn) {
	l, err := net.Listen("unix", t.TempDir()+"/s")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b, err = net.Dial("unix", l.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	if a, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return a, b
}

func (d *fakeDaemon) serve(nc net.Conn) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.next++
	d.dials++
	if d.cut > 0 {
		nc, d.cut = &cutConn{Conn: nc, left: d.cut}, 0
	}
	c := &fakeConn{id: d.next, nc: nc, more: make(chan struct{}, 1)}
	d.conns[c.id] = c
	if d.mute {
		return
	}
	d.wait.Go(c.write)
	c.send(d.server)
	d.wait.Go(func() { d.read(c) })
}

// cutConn is a connection that ends when so many bytes were read.
type cutConn struct {
	net.Conn
	left int
}

func (c *cutConn) Read(p []byte) (int, error) {
	if c.left == 0 {
		c.Close()
		return 0, io.ErrUnexpectedEOF
	}
	n, err := c.Conn.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

func (d *fakeDaemon) read(c *fakeConn) {
	r := proto.NewReader(c.nc)
	if frame, err := r.ReadFrame(); err == nil {
		if first, err := proto.DecodeClient(frame); err != nil || d.server.Check(first) != nil {
			d.t.Errorf("first frame: %+v, %v", first, err)
		}
	}
	for {
		frame, err := r.ReadFrame()
		if err != nil {
			break
		}
		m, err := proto.Decode(proto.FromClient, frame)
		if err != nil {
			d.t.Errorf("from the client: %v", err)
			break
		}
		d.receive(c, m)
	}
	c.close()
	d.step(&core.Closed{Conn: c.id})
	d.mu.Lock()
	delete(d.conns, c.id)
	d.mu.Unlock()
}

func (d *fakeDaemon) receive(c *fakeConn, m proto.Message) {
	switch m := m.(type) {
	case *proto.Call:
		if r, ok := m.Request.(*proto.Attach); ok {
			d.mu.Lock()
			d.secret++
			c.attach = m.ID
			secret := [32]byte{d.secret}
			d.mu.Unlock()
			d.step(&core.Received{Conn: c.id, Msg: &r.Hello, Secret: secret})
			return
		}
		d.mu.Lock()
		asked := d.asked
		d.mu.Unlock()
		if asked == nil {
			asked = func(proto.Request) (proto.Reply, error) { return &proto.Done{}, nil }
		}
		reply, err := asked(m.Request)
		switch {
		case err != nil:
			c.send(proto.Fail(m.ID, err))
		case reply != nil:
			c.send(&proto.Return{ID: m.ID, Reply: reply})
		}
	case *proto.Here:
		d.set(func() { d.heres = append(d.heres, *m) })
	case core.Msg:
		d.step(&core.Received{Conn: c.id, Msg: m})
	}
}

func (d *fakeDaemon) step(in core.Input) {
	d.mu.Lock()
	defer d.mu.Unlock()
	now := core.Millis(time.Now().UnixMilli())
	d.do(d.a.Step(now, in))
	if due, ok := d.a.Deadline(); ok {
		d.timer.Reset(time.Duration(max(due, now)-now) * time.Millisecond)
	}
}

func (d *fakeDaemon) do(r core.Ready) {
	if r.Store != nil {
		d.records++
	}
	d.send(r.SendNow)
	d.waiting = append(d.waiting, r.AfterStore)
	if !d.held {
		d.sync()
	}
}

// sync makes everything durable.
func (d *fakeDaemon) sync() {
	for _, a := range d.waiting {
		d.send(a.Send)
		for _, e := range a.Effects {
			if e, ok := e.(*core.CloseConn); ok && d.conns[e.Conn] != nil {
				d.conns[e.Conn].finish()
			}
		}
	}
	d.waiting = nil
	d.a.Step(0, &core.Stored{All: true})
}

// hold keeps everything that is written from now on from being durable, and with it its answers.
func (d *fakeDaemon) hold(held bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.held = held; !held {
		d.sync()
	}
}

func (d *fakeDaemon) send(sends []core.Send) {
	for _, s := range sends {
		for _, id := range s.To {
			if c := d.conns[id]; c != nil && id != s.Except {
				c.sendMsg(s.Msg)
			}
		}
	}
}

// cutAll ends all connections.
func (d *fakeDaemon) cutAll() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, c := range d.conns {
		c.nc.Close()
	}
}

func (d *fakeDaemon) set(f func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	f()
}

// text returns what the daemon has in a buffer.
func (d *fakeDaemon) text(b core.BufferID) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if buf := d.a.Buffer(b); buf != nil {
		return buf.Text.String()
	}
	return ""
}

// open makes a window on a text, as the daemon that leads, and returns its body.
func (d *fakeDaemon) open(name, text string) core.BufferID {
	d.ask(name, text)
	b := d.find(name)
	if b == 0 {
		d.t.Fatalf("the daemon did not open %s", name)
	}
	return b
}

// ask asks whoever leads for a window on a text.
func (d *fakeDaemon) ask(name, text string) {
	d.step(&core.Local{Proposal: core.Proposal{Author: core.Author{Actor: "disk"},
		Ask: &core.AskWindow{Name: name, Kind: core.BufferFile, Text: text}}})
}

// find returns the body of that name, 0 if there is none.
func (d *fakeDaemon) find(name string) core.BufferID {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, shard := range slices.Backward(d.a.Meta().Shards) {
		b := d.a.Buffer(core.BufferID(shard.ID))
		if shard.Kind == core.KindBuffer && b != nil && b.Name == name {
			return core.BufferID(shard.ID)
		}
	}
	return 0
}

func (c *fakeConn) sendMsg(m core.Msg) {
	switch m := m.(type) {
	case *core.Welcome:
		c.send(&proto.Return{ID: c.attach, Reply: &proto.Attached{Label: "s", Welcome: *m}})
	case *core.Failure:
		c.send(proto.Fail(c.attach, m.Err))
	case *core.Snapshot:
		proto.WriteSnapshot(&m.State, func(frame []byte) error { c.put(frame); return nil })
	default:
		c.send(m)
	}
}

func (c *fakeConn) send(m proto.Message) {
	b, err := proto.Append(nil, m)
	if err != nil {
		panic(err)
	}
	c.put(b)
}

func (c *fakeConn) put(b []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.queue = append(c.queue, b)
	c.signal()
}

func (c *fakeConn) signal() {
	select {
	case c.more <- struct{}{}:
	default:
	}
}

// finish ends the connection after what is queued.
func (c *fakeConn) finish() { c.put(nil) }

func (c *fakeConn) close() {
	c.nc.Close()
	c.finish()
}

func (c *fakeConn) write() {
	for range c.more {
		c.mu.Lock()
		queue := c.queue
		c.queue = nil
		c.mu.Unlock()
		for _, b := range queue {
			if b == nil {
				c.nc.Close()
				return
			}
			if _, err := c.nc.Write(b); err != nil {
				c.nc.Close()
			}
		}
	}
}

var _ syscall.Conn = (*net.UnixConn)(nil)

// attach attaches to a fake daemon until the test ends.
func attach(t testing.TB, opts Options) *Session {
	t.Helper()
	s, err := Attach(context.Background(), opts)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// until takes things in until something is so.
func until(t testing.TB, s *Session, what string, so func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	for !so() {
		if s.Wait(ctx) != nil {
			t.Fatalf("never: %s; state %+v", what, s.State())
		}
		s.Process()
	}
}

// typeText types at the end of a buffer that is led, a rune at a time.
func typeText(t testing.TB, s *Session, b core.BufferID, text string) {
	t.Helper()
	for _, r := range text {
		buf := s.Buffer(b)
		var c core.Bundle
		end := buf.Text.Runes()
		c.Add(b.Shard(), core.Edit(buf.Version, end, end, string(r), core.Group(buf.Version)+1))
		if err := s.Commit(c); err != nil {
			t.Fatalf("typing %q: %v", r, err)
		}
	}
}

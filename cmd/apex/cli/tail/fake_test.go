package tail

import (
	"net"
	"path/filepath"
	"sync"
	"testing"

	"apex/client"
	"apex/core"
	"apex/proto"
)

// fake is a daemon that says exactly what a test wants it to say.
type fake struct {
	t       testing.TB
	l       net.Listener
	session [2]core.SessionID // that the first connection finds, and those after it
	// follow is called when a client follows shards: what the daemon then does live.
	follow func(c *fakeConn, m *core.Follow)

	mu   sync.Mutex
	logs map[core.Shard][]*core.Sealed // what Log answers from, and where heads are
	byes chan bool
}

// fakeConn is one client of it.
type fakeConn struct {
	*fake
	nc    net.Conn
	nth   int // connections before it
	onLog func(*proto.Log)
}

func newFake(t testing.TB) *fake {
	l, err := net.Listen("unix", filepath.Join(t.TempDir(), "s"))
	if err != nil {
		t.Fatal(err)
	}
	f := &fake{t: t, l: l, session: [2]core.SessionID{{1}, {1}},
		logs: map[core.Shard][]*core.Sealed{}, byes: make(chan bool, 8)}
	var wg sync.WaitGroup
	wg.Go(func() {
		for n := 0; ; n++ {
			nc, err := l.Accept()
			if err != nil {
				return
			}
			wg.Go(func() {
				defer nc.Close()
				(&fakeConn{fake: f, nc: nc, nth: n}).serve()
			})
		}
	})
	t.Cleanup(func() {
		l.Close()
		wg.Wait()
	})
	return f
}

func (f *fake) daemon() client.Daemon {
	return client.Daemon{State: f.t.TempDir(), Socket: f.l.Addr().String(), NoStart: true,
		Build: "test"}
}

// add puts a batch of entries on a shard's log and returns it.
func (f *fake) add(s core.Shard, ops ...core.Op) *core.Sealed {
	f.mu.Lock()
	defer f.mu.Unlock()
	first := core.Seq(1)
	if log := f.logs[s]; len(log) > 0 {
		first = log[len(log)-1].Last() + 1
	}
	b := seal(f.t, s, first, ops...)
	f.logs[s] = append(f.logs[s], b)
	return b
}

// forget drops a shard's first batches.
func (f *fake) forget(s core.Shard, n int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.logs[s] = f.logs[s][n:]
}

func seal(t testing.TB, s core.Shard, first core.Seq, ops ...core.Op) *core.Sealed {
	b := core.Batch{Shard: s, Epoch: 1, First: first, Author: core.Author{Actor: "human:ann"},
		Ops: ops}
	sealed, err := core.Open(b.Append(nil))
	if err != nil {
		t.Error(err)
	}
	return sealed
}

func (c *fakeConn) send(messages ...proto.Message) {
	for _, m := range messages {
		b, err := proto.Append(nil, m)
		if err != nil {
			c.t.Error(err)
		}
		c.nc.Write(b)
	}
}

func (c *fakeConn) deliver(b ...*core.Sealed) { c.send(&core.Deliver{Batches: b}) }

func (c *fakeConn) serve() {
	c.send(proto.NewServer("fake", 1))
	r := proto.NewReader(c.nc)
	if _, err := r.ReadFrame(); err != nil {
		return
	}
	for {
		frame, err := r.ReadFrame()
		if err != nil {
			return
		}
		m, err := proto.Decode(proto.FromClient, frame)
		if err != nil {
			c.t.Error(err)
			return
		}
		switch m := m.(type) {
		case *proto.Call:
			c.call(m)
		case *core.Follow:
			c.follow(c, m)
		case *core.Bye:
			c.byes <- true
		}
	}
}

func (c *fakeConn) call(m *proto.Call) {
	switch req := m.Request.(type) {
	case *proto.Attach:
		c.send(&proto.Return{ID: m.ID, Reply: &proto.Attached{Welcome: core.Welcome{
			Attachment: 1, Session: c.session[min(c.nth, 1)], Heads: c.heads()}}})
	case *proto.Log:
		if c.onLog != nil {
			c.onLog(req)
		}
		c.send(&proto.Return{ID: m.ID, Reply: c.log(req)})
	}
}

func (c *fakeConn) heads() []core.Head {
	c.mu.Lock()
	defer c.mu.Unlock()
	var out []core.Head
	for _, s := range []core.Shard{core.MetaShard, core.LayoutShard, body, late} {
		if log := c.logs[s]; len(log) > 0 {
			out = append(out, core.Head{Shard: s, Mark: log[len(log)-1].Mark()})
		}
	}
	return out
}

// The fake gives so much at a time.
const (
	logPage  = 2 // batches
	logBytes = 1 << 20
)

func (c *fakeConn) log(req *proto.Log) *proto.Logged {
	c.mu.Lock()
	defer c.mu.Unlock()
	out := &proto.Logged{}
	size := 0
	for _, b := range c.logs[core.Shard(req.Shard)] {
		out.Last = b.Last()
		switch {
		case b.Last() < req.From:
		case len(out.Batches) == logPage || size > logBytes:
			out.More = true
		default:
			size += len(b.Bytes)
			out.Batches = append(out.Batches, proto.Stored{Batch: b, At: 1})
		}
	}
	return out
}

package daemon_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"apex/client"
	"apex/core"
	"apex/core/edit"
	"apex/daemon/daemontest"
	"apex/proto"
)

// cable is a way to a daemon that can be cut, in the middle of a frame too.
type cable struct {
	d    *daemontest.Daemon
	mu   sync.Mutex
	left int // bytes that still pass outwards; negative: any number
	down bool
	on   []net.Conn
}

func (c *cable) dial(ctx context.Context) (net.Conn, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.down {
		return nil, core.Errorf(core.CodeUnavailable, "the link is down")
	}
	nc, err := (&net.Dialer{}).DialContext(ctx, "unix", c.d.Socket)
	if err != nil {
		return nil, err
	}
	c.on = append(c.on, nc)
	return &cabled{nc, c}, nil
}

// cut lets n more bytes out, and then nothing until mend.
func (c *cable) cut(n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left = n
}

func (c *cable) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.left, c.down = -1, false
}

// pass returns how many of n bytes pass; the first that does not ends all connections.
func (c *cable) pass(n int) int {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.left < 0 || n <= c.left {
		if c.left >= 0 {
			c.left -= n
		}
		return n
	}
	n, c.left, c.down = c.left, 0, true
	return n
}

func (c *cable) end() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, nc := range c.on {
		nc.Close()
	}
	c.on = nil
}

// cabled is a connection over a cable. It is no socket to who uses it, so that each write is seen.
type cabled struct {
	net.Conn
	c *cable
}

func (x *cabled) Write(p []byte) (int, error) {
	n := x.c.pass(len(p))
	m, err := x.Conn.Write(p[:n])
	if err == nil && n < len(p) {
		x.c.end()
		err = net.ErrClosed
	}
	return m, err
}

// person is a client of a person's interface in a test.
type person struct {
	*client.Session
	t testing.TB
}

func newPerson(t testing.TB, actor string, dial func(context.Context) (net.Conn, error)) *person {
	t.Helper()
	s, err := client.Attach(t.Context(), client.Options{Actor: actor, Create: true, Dial: dial})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return &person{s, t}
}

func (p *person) until(what string, ok func() bool) {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.t.Context(), time.Minute)
	defer stop()
	for !ok() {
		if p.Wait(ctx) != nil {
			p.t.Fatalf("never: %s: %+v", what, p.State())
		}
		p.Process()
	}
}

// types types at a view's dot, as keys do.
func (p *person) types(v core.View, text string) {
	p.t.Helper()
	for _, r := range text {
		b, err := edit.Type(p.Session, p.Actor(), v, string(r))
		if err == nil {
			err = p.Commit(b)
		}
		if err != nil {
			p.t.Fatalf("typing %q: %v", r, err)
		}
	}
}

func lines(from, to int) string {
	var b strings.Builder
	for i := from; i < to; i++ {
		fmt.Fprintf(&b, "line %d is typed\n", i)
	}
	return b.String()
}

// The link is cut in the middle of 50 lines, wherever that is in a frame, and 10 more are typed. When
// it is back all 60 are in the daemon's log, and undo walks through all of them.
func TestLinkCutWhileTyping(t *testing.T) {
	for range 5 {
		d := daemontest.Start(t)
		place := open(t, d.Dial(), writeFile(t, "a.txt", "")) // its body is empty
		c := &cable{d: d, left: -1}
		p := newPerson(t, "human:ann", c.dial)
		p.until("leads", func() bool { return p.Leads(place.Buffer.Shard()) })
		v := place.Window.Body()
		p.types(v, lines(0, 25))
		c.cut(rand.IntN(2000))
		p.types(v, lines(25, 50))
		p.until("notices", func() bool { return !p.State().Connected })
		p.types(v, lines(50, 60))
		c.mend()
		p.until("is stored", func() bool { return p.State().Connected && p.State().Unsynced == 0 })
		if got := read(t, d.Dial(), place.Window.String()); got != lines(0, 60) {
			t.Fatalf("the daemon has %d bytes, %q, want %d", len(got), got, len(lines(0, 60)))
		}
		for steps := 0; p.Buffer(place.Buffer).Text.Bytes() > 0; steps++ {
			b, err := edit.Undo(p.Session, p.Actor(), v, false)
			if err == nil {
				err = p.Commit(b)
			}
			if err != nil || steps > 1000 {
				t.Fatalf("after %d steps %q is left: %v", steps, p.Buffer(place.Buffer).Text.String(), err)
			}
		}
		p.until("is stored", func() bool { return p.State().Unsynced == 0 })
		if got := read(t, d.Dial(), place.Window.String()); got != "" {
			t.Errorf("after undo the daemon has %q", got)
		}
	}
}

// Another interface takes over while the link is down, and edits elsewhere, or the very place. What was
// typed meanwhile is in the text, or in +Recovered with its origin.
func TestTakenOverWhileCut(t *testing.T) {
	for _, overlaps := range []bool{false, true} {
		t.Run(fmt.Sprintf("overlaps=%v", overlaps), func(t *testing.T) {
			d := daemontest.Start(t)
			place := open(t, d.Dial(), writeFile(t, "a.txt", "first\nmiddle\nlast\n"))
			c := &cable{d: d, left: -1}
			ann := newPerson(t, "human:ann", c.dial)
			ann.until("leads", func() bool { return ann.Leads(place.Buffer.Shard()) })
			v := place.Window.Body()
			var dot core.Bundle
			dot.Add(place.Buffer.Shard(), core.Select(v, 8, 8)) // within "middle"
			if err := ann.Commit(dot); err != nil {
				t.Fatal(err)
			}
			ann.types(v, "stored\n")
			ann.until("is stored", func() bool { return ann.State().Unsynced == 0 })
			c.cut(0)
			typed := lines(0, 10)
			ann.types(v, typed)
			ann.until("notices", func() bool { return !ann.State().Connected })

			direct := &cable{d: d, left: -1}
			bob := newPerson(t, "human:bob", direct.dial)
			bob.until("leads", func() bool { return bob.Leads(place.Buffer.Shard()) })
			b := bob.Buffer(place.Buffer)
			var change core.Bundle
			q0, q1 := b.Text.Runes(), b.Text.Runes()
			if overlaps {
				q0 = 0
			}
			change.Add(place.Buffer.Shard(), core.Edit(b.Version, q0, q1, "by bob\n", 0))
			if err := bob.Commit(change); err != nil {
				t.Fatal(err)
			}
			bob.until("is stored", func() bool { return bob.State().Unsynced == 0 })
			stop := bob.goes()
			c.mend()
			ann.until("is recovered", func() bool { return ann.State().Connected && ann.State().Unsynced == 0 })
			stop()
			got := read(t, d.Dial(), place.Window.String())
			if !strings.Contains(got, "by bob\n") {
				t.Errorf("bob's change is gone: %q", got)
			}
			if !overlaps {
				if !strings.Contains(got, typed) {
					t.Errorf("what ann typed is not in the text: %q", got)
				}
				return
			}
			kept := read(t, d.Dial(), "+Recovered")
			for _, want := range []string{typed, "by human:ann (attachment 1)", "against version", " UTC, "} {
				if !strings.Contains(kept, want) {
					t.Errorf("+Recovered lacks %q: %q", want, kept)
				}
			}
		})
	}
}

// goes takes things in until it is told to stop.
func (p *person) goes() (stop func()) {
	ctx, cancel := context.WithCancel(p.t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		for p.Wait(ctx) == nil {
			p.Process()
		}
	}()
	return func() {
		cancel()
		<-done
	}
}

// A tool's lease over a link that dies: a person's edits, which went to it, are made by whoever leads
// next, once each.
func TestToolDisappears(t *testing.T) {
	const toolsGone = 6 // each costs the two seconds that a leader is waited for
	d := daemontest.Start(t)
	place := open(t, d.Dial(), writeFile(t, "a.txt", "text\n"))
	direct := &cable{d: d, left: -1}
	ann := newPerson(t, "human:ann", direct.dial)
	ann.until("leads", func() bool { return ann.Leads(place.Buffer.Shard()) })
	for i := range toolsGone {
		c := &cable{d: d, left: -1}
		x, err := client.Attach(t.Context(), client.Options{Kind: core.AttachTool, Actor: "agent:x",
			Dial: c.dial})
		if err != nil {
			t.Fatal(err)
		}
		stop := ann.goes()
		if err := x.Lease(t.Context(), 2*time.Second, place.Buffer.Shard()); err != nil {
			t.Fatal(err)
		}
		stop()
		ann.until("hears of the lease", func() bool { return !ann.Leads(place.Buffer.Shard()) })
		done := false
		b := ann.Buffer(place.Buffer)
		ann.Hand(&core.AskEdit{Buffer: place.Buffer, Base: b.Version, OnConflict: core.ConflictRecover,
			Edits: []core.Span{{Text: fmt.Sprintf("<%d>", i)}}}, func(core.Result) { done = true })
		if i%2 == 0 { // it is asked, or answers, or not
			x.Process()
		}
		x.Close()
		ann.until("is answered", func() bool { return done && ann.State().Unsynced == 0 })
		ann.until("leads again", func() bool { return ann.Leads(place.Buffer.Shard()) })
	}
	got := read(t, d.Dial(), place.Window.String())
	for i := range toolsGone {
		if n := strings.Count(got, fmt.Sprintf("<%d>", i)); n != 1 {
			t.Errorf("edit %d is there %d times: %q", i, n, got)
		}
	}
}

// Somebody who comes back with what is not theirs, or not of this history, is told so by code, and
// nothing of it reaches a log.
func TestBadResume(t *testing.T) {
	d := daemontest.Start(t)
	place := open(t, d.Dial(), writeFile(t, "a.txt", "text\n"))
	ui := d.Attach(core.AttachUI, "", "human:ann")
	ui.Lead(place.Buffer.Shard())
	mine := ui.R.Hello().Resume
	other := d.Attach(core.AttachUI, "other", "human:bob")
	theirs := other.R.Hello().Resume
	try := func(session string, id core.SessionID, c core.Credential) core.Code {
		_, err := d.Dial().Call(&proto.Attach{Session: session, ID: id,
			Hello: core.Hello{Kind: core.AttachUI, Actor: "human:eve", Resume: &c}})
		return core.CodeOf(err)
	}
	id := ui.R.Session()
	for _, c := range []struct {
		name    string
		session string
		id      core.SessionID
		cred    core.Credential
		want    core.Code
	}{
		{"a wrong secret", "", id, core.Credential{ID: mine.ID, Secret: [32]byte{1}}, core.CodeDenied},
		{"no secret", "", id, core.Credential{ID: mine.ID}, core.CodeDenied},
		{"another session's", "", id, *theirs, core.CodeDenied},
		{"an attachment that never was", "", id, core.Credential{ID: 4711, Secret: mine.Secret},
			core.CodeNotAttached},
		{"the daemon's own", "", id, core.Credential{ID: core.Server}, core.CodeNotAttached},
		{"another session of the label", "other", id, *mine, ""}, // the id says which
		{"a session that is not", "", core.SessionID{9}, *mine, core.CodeNotFound},
	} {
		if got := try(c.session, c.id, c.cred); got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
}

// Marks from the future, of another history and within a batch are answered with snapshots.
func TestBadMarks(t *testing.T) {
	d := daemontest.Start(t)
	place := open(t, d.Dial(), writeFile(t, "a.txt", "text\n"))
	shard := place.Buffer.Shard()
	ui := d.Attach(core.AttachUI, "", "human:ann")
	ui.Lead(shard)
	var b core.Bundle
	b.Add(shard, core.Edit(0, 0, 0, "x", 0), core.Edit(1, 0, 0, "y", 0)) // one batch
	ui.Commit(b)
	ui.Until(func() bool { return ui.R.Unsynced() == 0 })
	st, _ := ui.R.State(shard)
	for name, mark := range map[string]core.Mark{
		"from the future":    {Seq: st.Mark.Seq + 1000, Chain: st.Mark.Chain},
		"of another history": {Seq: st.Mark.Seq, Chain: core.Hash{1}},
		"within a batch":     {Seq: st.Mark.Seq - 1, Chain: st.Mark.Chain},
	} {
		tool := d.Attach(core.AttachTool, "", "agent:x")
		tool.Until(func() bool { return tool.R.Knows(shard) })
		tool.Send(&core.Follow{Shards: []core.FollowShard{{Shard: shard, From: &mark}}})
		for {
			m := tool.Recv()
			if snap, ok := m.(*core.Snapshot); ok && snap.State.Shard == shard {
				if snap.State.Mark != st.Mark {
					t.Errorf("%s: a snapshot of %v, want %v", name, snap.State.Mark, st.Mark)
				}
				break
			}
			if d, ok := m.(*core.Deliver); m == nil || ok && d.Batches[0].Shard == shard {
				t.Fatalf("%s: %T, want a snapshot", name, m)
			}
		}
	}
}

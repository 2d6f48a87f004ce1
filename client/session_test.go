package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"apex/core"
	"apex/proto"

	"github.com/google/go-cmp/cmp"
)

func human(d *fakeDaemon) Options {
	return Options{Label: "s", Actor: "human:ann", Dial: d.dial}
}

// leading attaches a UI and waits until it leads a buffer.
func leading(t *testing.T, opts Options, b core.BufferID) *Session {
	t.Helper()
	s := attach(t, opts)
	until(t, s, "leads the buffer", func() bool { return s.Leads(b.Shard()) })
	return s
}

func synced(s *Session) func() bool { return func() bool { return s.State().Unsynced == 0 } }

// links are the ways in which a connection is made: one writes from the caller, the other doesn't.
var links = []struct {
	name string
	dial func(*fakeDaemon) func(context.Context) (net.Conn, error)
}{
	{"pipe", func(d *fakeDaemon) func(context.Context) (net.Conn, error) { return d.dial }},
	{"socket", func(d *fakeDaemon) func(context.Context) (net.Conn, error) { return d.dialSocket }},
}

func TestTypeAndAck(t *testing.T) {
	for _, link := range links {
		t.Run(link.name, func(t *testing.T) {
			d := newFake(t)
			b := d.open("/f", "text")
			opts := human(d)
			opts.Dial = link.dial(d)
			s := leading(t, opts, b)
			if st := s.State(); !st.Connected || !st.Leading || st.Watching || st.Err != nil {
				t.Errorf("state %+v", st)
			}
			d.hold(true)
			typeText(t, s, b, " typed")
			if got := s.Buffer(b).Text.String(); got != "text typed" {
				t.Errorf("here at once: %q", got)
			}
			if n := s.State().Unsynced; n != len(" typed") {
				t.Errorf("%d unsynced before the disk has it", n)
			}
			d.hold(false)
			until(t, s, "acknowledged", synced(s))
			if got := d.text(b); got != "text typed" {
				t.Errorf("the daemon has %q", got)
			}
			if err := s.Detach(); err != nil {
				t.Error(err)
			}
			d.set(func() {
				if n := len(d.a.Meta().Attachments); n != 0 {
					t.Errorf("%d attachments after Detach", n)
				}
			})
		})
	}
}

// TestEvents: the first Process after something happened says so, once.
func TestEvents(t *testing.T) {
	d := newFake(t)
	b := d.open("/f", "")
	ann := leading(t, human(d), b)
	bob := attach(t, Options{Label: "s", Kind: core.AttachObserver, Actor: "human:bob", Dial: d.dial})
	until(t, bob, "knows the buffer", func() bool { return bob.Knows(b.Shard()) })
	if st := bob.State(); !st.Observer || st.Leading {
		t.Errorf("observer's state %+v", st)
	}
	typeText(t, ann, b, "xyz")
	changed := 0
	for bob.Buffer(b).Text.String() != "xyz" {
		if err := bob.Wait(t.Context()); err != nil {
			t.Fatal(err)
		}
		for _, e := range bob.Process() {
			if e.Kind == EventChanged && e.Shard == b.Shard() {
				changed++
			}
		}
	}
	if changed < 1 || changed > 3 {
		t.Errorf("%d events for 3 keys", changed)
	}
	bob.TakeAll()
	var own core.Bundle
	own.Add(b.Shard(), core.Select(core.TopView, 0, 0))
	if err := bob.Commit(own); core.CodeOf(err) != core.CodeNotLeader {
		t.Errorf("an observer's commit: %v", err)
	}
}

// TestCut cuts the link after every number of bytes in which a text was typed: after the link is
// back everything is there exactly once.
func TestCut(t *testing.T) {
	const typed = "The quick brown fox"
	step := 61
	if testing.Short() {
		step = 509
	}
	for cut := 40; cut < 4500; cut += step {
		d := newFake(t)
		b := d.open("/f", "")
		d.cut = cut
		opts := human(d)
		s, err := Attach(context.Background(), opts)
		if err != nil { // it was cut before it was in
			if core.CodeOf(err) != core.CodeUnavailable {
				t.Fatalf("cut at %d: %v", cut, err)
			}
			continue
		}
		until(t, s, "leads", func() bool { return s.Leads(b.Shard()) })
		typeText(t, s, b, typed)
		until(t, s, "acknowledged", func() bool { return s.State().Unsynced == 0 && s.State().Connected })
		if got := d.text(b); got != typed {
			t.Fatalf("cut at %d: the daemon has %q", cut, got)
		}
		if got := s.Buffer(b).Text.String(); got != typed {
			t.Fatalf("cut at %d: the client has %q", cut, got)
		}
		s.Close()
	}
}

// TestOffline types while there is no link at all, more than once, and before anything of it was
// acknowledged.
func TestOffline(t *testing.T) {
	for _, link := range links {
		t.Run(link.name, func(t *testing.T) {
			d := newFake(t)
			b := d.open("/f", "")
			gate := make(chan struct{}, 1)
			gate <- struct{}{}
			opts := human(d)
			dial := link.dial(d)
			opts.Dial = func(ctx context.Context) (net.Conn, error) {
				select {
				case <-gate:
					return dial(ctx)
				default:
					return nil, fmt.Errorf("no way there")
				}
			}
			s := leading(t, opts, b)
			d.hold(true) // the tail was sent and is not acknowledged
			typeText(t, s, b, "sent ")
			d.cutAll()
			until(t, s, "notices", func() bool { return !s.State().Connected })
			text := strings.Repeat("0123456789", 100)
			typeText(t, s, b, text)
			if st := s.State(); st.Unsynced < 1000 || st.Err == nil {
				t.Errorf("offline: %d unsynced, %v", st.Unsynced, st.Err)
			}
			d.hold(false)
			gate <- struct{}{}
			until(t, s, "shipped", synced(s))
			if got := d.text(b); got != "sent "+text {
				t.Errorf("the daemon has %d bytes: %.40q", len(got), got)
			}
			if st := s.State(); !st.Connected || !st.Leading || st.Err != nil {
				t.Errorf("state after %+v", st)
			}
		})
	}
}

func TestTakeover(t *testing.T) {
	d := newFake(t)
	b := d.open("/f", "")
	ann := leading(t, human(d), b)
	typeText(t, ann, b, "ann ")

	pump := newPump(ann)
	bob := attach(t, Options{Label: "s", Actor: "human:bob", Dial: d.dial})
	until(t, bob, "leads it all", func() bool { return bob.State().Leading && bob.Leads(b.Shard()) })
	pump.stop()
	until(t, ann, "watches", func() bool { return ann.State().Watching && !ann.Leads(b.Shard()) })
	typeText(t, bob, b, "bob ")
	until(t, ann, "follows", func() bool { return ann.Buffer(b).Text.String() == "ann bob " })
	if st := ann.State(); st.Leading || !st.Connected {
		t.Errorf("the first UI's state %+v", st)
	}

	// It does not take back by itself what is made meanwhile, or comes back to the daemon.
	pump = newPump(bob)
	d.ask("/g", "")
	var c core.BufferID
	until(t, ann, "knows the new buffer", func() bool {
		c = d.find("/g")
		return c != 0 && ann.Knows(c.Shard())
	})
	pump.stop()
	until(t, bob, "leads the new buffer", func() bool { return bob.Leads(c.Shard()) })
	if ann.Leads(c.Shard()) {
		t.Error("the watching UI took a new buffer")
	}

	pump = newPump(bob)
	ann.TakeAll()
	until(t, ann, "leads again", func() bool {
		return ann.State().Leading && ann.Leads(b.Shard()) && ann.Leads(c.Shard())
	})
	pump.stop()
	until(t, bob, "watches", func() bool { return bob.State().Watching })
	typeText(t, ann, b, "ann")
	until(t, ann, "acknowledged", synced(ann))
	if got := d.text(b); got != "ann bob ann" {
		t.Errorf("the daemon has %q", got)
	}
}

// TestRepair: a window that the daemon makes while a UI leads gets its view from the UI.
func TestRepair(t *testing.T) {
	d := newFake(t)
	b := d.open("/f", "abc")
	s := leading(t, human(d), b)
	bodies := func(id core.BufferID) (n int) {
		for _, v := range s.Buffer(id).Views() {
			if v.View.Kind == core.ViewBody {
				n++
			}
		}
		return n
	}
	res := make(chan error, 1)
	go func() {
		_, err := s.Propose(context.Background(), &core.AskWindow{Body: b})
		res <- err
	}()
	until(t, s, "two views", func() bool { return bodies(b) == 2 })
	until(t, s, "acknowledged", synced(s))
	if err := <-res; err != nil {
		t.Error(err)
	}
}

// TestToolProposes: a tool asks whoever leads, over a link that is cut.
func TestToolProposes(t *testing.T) {
	d := newFake(t)
	b := d.open("/f", "one two")
	s := leading(t, human(d), b)
	tool := attach(t, Options{Label: "s", Kind: core.AttachTool, Actor: "agent:x", Dial: d.dial})
	defer newPump(tool).stop()
	pump := newPump(s)
	for i := range 5 {
		r, err := tool.Propose(context.Background(), &core.AskEdit{Buffer: b, Base: core.Version(i),
			Edits: []core.Span{{Q0: 0, Q1: 0, Text: fmt.Sprint(i, " ")}}})
		if err != nil || r.Outcome != core.Applied {
			t.Fatalf("edit %d: %+v, %v", i, r, err)
		}
		d.cutAll()
	}
	_, err := tool.Propose(context.Background(), &core.AskEdit{Buffer: 77})
	if core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("of no buffer: %v", err)
	}
	pump.stop()
	if got := d.text(b); got != "4 3 2 1 0 one two" {
		t.Errorf("text %q", got)
	}
}

// TestForgotten: an attachment that the daemon has given up is made anew, and what was typed on it
// is recovered.
func TestForgotten(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		b := d.open("/f", "")
		s := leading(t, human(d), b)
		first := s.Actor().Attachment
		d.set(func() { d.mute = true })
		d.cutAll()
		until(t, s, "notices", func() bool { return !s.State().Connected })
		typeText(t, s, b, "offline")
		time.Sleep(2 * time.Minute)
		d.set(func() { d.mute = false })
		d.cutAll()
		until(t, s, "recovered", func() bool { return d.text(b) == "offline" })
		until(t, s, "leads again", func() bool { return s.Leads(b.Shard()) })
		if s.Actor().Attachment == first {
			t.Error("the attachment is the one that was detached")
		}
		s.Close()
		d.cutAll()
		d.wait.Wait()
	})
}

func TestDraining(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		b := d.open("/f", "")
		s := leading(t, human(d), b)
		d.step(&core.Drain{})
		until(t, s, "hears of it", func() bool { return s.State().Draining })
		typeText(t, s, b, "x") // the daemon takes nothing any more
		d.cutAll()
		until(t, s, "notices", func() bool { return !s.State().Connected })
		if s.State().Unsynced != 1 || s.State().Ended {
			t.Errorf("state %+v", s.State())
		}
		s.Close()
		d.wait.Wait()
	})
}

// TestEnded: a session that was ended is over, with the daemon's word for it.
func TestEnded(t *testing.T) {
	d := newFake(t)
	s := attach(t, human(d))
	over := core.Errorf(core.CodeNotFound, "the session was ended")
	d.set(func() {
		for _, c := range d.conns {
			c.send(&core.Failure{Err: over})
		}
	})
	until(t, s, "loses the link", func() bool { return !s.State().Connected })
	s.takeIn(&rejected{&Conn{err: over}, over})
	if st := s.State(); !st.Ended || core.CodeOf(st.Err) != core.CodeNotFound {
		t.Errorf("state %+v", st)
	}
	if err := s.Detach(); err != nil {
		t.Error(err)
	}
	if _, err := s.Call(context.Background(), &proto.Ping{}); core.CodeOf(err) != core.CodeUnavailable {
		t.Errorf("a call on a closed session: %v", err)
	}
}

// pump is an owner of a session that does nothing but take things in.
type pump struct {
	quit context.CancelFunc
	done chan struct{}
}

func newPump(s *Session) *pump {
	ctx, quit := context.WithCancel(context.Background())
	p := &pump{quit, make(chan struct{})}
	go func() {
		defer close(p.done)
		for s.Wait(ctx) == nil {
			s.Process()
		}
	}()
	return p
}

// stop gives the session back to the caller.
func (p *pump) stop() {
	p.quit()
	<-p.done
}

// TestTooLarge: changes that no frame holds together are refused, and nothing of them happens; one
// by one they fit.
func TestTooLarge(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		f, g := d.open("/f", ""), d.open("/g", "")
		s := leading(t, human(d), f)
		until(t, s, "leads the other", func() bool { return s.Leads(g.Shard()) })
		large := strings.Repeat("0123456789abcdef", 9<<20/16)
		edit := func(b *core.Bundle, id core.BufferID) {
			buf := s.Buffer(id)
			b.Add(id.Shard(), core.Edit(buf.Version, 0, 0, large, core.Group(buf.Version)+1))
		}
		var both core.Bundle
		edit(&both, f)
		edit(&both, g)
		if err := s.Commit(both); core.CodeOf(err) != core.CodeTooLarge {
			t.Fatalf("committed 18 MiB at once: %v", err)
		}
		if s.Buffer(f).Text.Bytes()+s.Buffer(g).Text.Bytes()+s.State().Unsynced != 0 {
			t.Fatal("a part of what was refused happened")
		}
		for _, id := range []core.BufferID{f, g} {
			var one core.Bundle
			edit(&one, id)
			if err := s.Commit(one); err != nil {
				t.Fatal(err)
			}
		}
		until(t, s, "the daemon has both", func() bool {
			return s.State().Unsynced == 0 && d.text(f) == large && d.text(g) == large
		})
		s.Close()
		d.cutAll()
		d.wait.Wait()
	})
}

// TestDetachKeepsWhatIsMissing: a session with changes that the daemon doesn't have is not ended.
func TestDetachKeepsWhatIsMissing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		b := d.open("/f", "")
		s := leading(t, human(d), b)
		d.hold(true)
		typeText(t, s, b, "abc")
		err := s.Detach()
		if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "3 changes") {
			t.Errorf("Detach: %v", err)
		}
		d.hold(false)
		if err := s.Detach(); err != nil {
			t.Errorf("Detach: %v", err)
		}
		if got := d.text(b); got != "abc" {
			t.Errorf("the daemon has %q", got)
		}
		d.cutAll()
		d.wait.Wait()
	})
}

// TestDetachAfterALostWake: whoever called Wait may have been woken and gone before the owner
// took anything in.
func TestDetachAfterALostWake(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		b := d.open("/f", "")
		s := leading(t, human(d), b)
		typeText(t, s, b, "abc")
		synctest.Wait() // the acknowledgements are here
		s.Wait(t.Context())
		if err := s.Detach(); err != nil {
			t.Errorf("Detach: %v", err)
		}
		d.cutAll()
		d.wait.Wait()
	})
}

// TestCallWaitsForALink: a request made while there is no link goes out when there is one.
func TestCallWaitsForALink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		opts := human(d)
		var broken atomic.Bool
		opts.Dial = func(ctx context.Context) (net.Conn, error) {
			if broken.Load() {
				return nil, fmt.Errorf("no way there")
			}
			return d.dial(ctx)
		}
		s := attach(t, opts)
		broken.Store(true)
		d.cutAll()
		until(t, s, "notices", func() bool { return !s.State().Connected })
		if err := s.Ping(t.Context()); core.CodeOf(err) != core.CodeUnavailable {
			t.Errorf("no link comes: %v", err)
		}
		time.AfterFunc(time.Second, func() { broken.Store(false) })
		if err := s.Ping(t.Context()); err != nil {
			t.Errorf("a link comes: %v", err)
		}
		s.Close()
		d.cutAll()
		d.wait.Wait()
	})
}

// TestLook: who looks where is said when it changes, and again and again.
func TestLook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		s := attach(t, human(d))
		s.Look(core.TopView, 1, 2)
		synctest.Wait()
		s.Look(core.TopView, 3, 4)
		synctest.Wait()
		d.set(func() {
			if len(d.heres) != 1 || d.heres[0] != (proto.Here{View: core.TopView, Q0: 1, Q1: 2}) {
				t.Errorf("at once: %+v", d.heres)
			}
		})
		time.Sleep(hereEvery + time.Second)
		d.set(func() {
			if len(d.heres) != 2 || d.heres[1].Q0 != 3 {
				t.Errorf("later: %+v", d.heres)
			}
			for _, c := range d.conns {
				c.send(&proto.Presence{Peers: []proto.Peer{{ID: "a1", Name: "ann"}}})
			}
		})
		until(t, s, "hears of others", func() bool {
			return len(s.Peers()) == 1 && s.Peers()[0].Name == "ann"
		})
		s.Close()
		d.cutAll()
		d.wait.Wait()
	})
}

// TestStoppedDaemonStaysStopped: who stopped the daemon does not get another one from a UI that
// waits.
func TestStoppedDaemonStaysStopped(t *testing.T) {
	s := &Session{opts: Options{Daemon: helper(t, "daemon")}, inbox: newInbox(func() {})}
	s.draining.Store(true)
	_, err := s.dial(t.Context())
	var none *NoDaemonError
	if !errors.As(err, &none) || exists(s.opts.Daemon.State) {
		t.Errorf("dial: %v", err)
	}
}

// TestInboxBounds: a session whose owner takes nothing in holds a bounded part of what is sent.
func TestInboxBounds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := newInbox(func() {})
		never := func() bool { return false }
		var put atomic.Int64
		const each = 1 << 20
		go func() {
			for range 100 {
				b.room(never)
				b.put(&core.Ack{}, each)
				put.Add(1)
			}
		}()
		synctest.Wait()
		if n := put.Load(); n != inboxMaxBytes/each {
			t.Errorf("%d messages of %d bytes are in", n, each)
		}
		b.post(&linkDown{})
		got := 0
		for got < 101 {
			<-b.wake
			items := b.take()
			if len(items) > 1+turnMaxBytes/each {
				t.Fatalf("%d items in one turn", len(items))
			}
			got += len(items)
		}
		go b.put(nil, inboxMaxBytes)
		synctest.Wait()
		go b.put(nil, 1)
		synctest.Wait()
		b.close()
	})
}

// TestRepairWaitsForNews: what was refused is not tried again and again: only when the metalog has
// said more are the shards that are led here put in order.
func TestRepairWaitsForNews(t *testing.T) {
	d := newFake(t)
	b := d.open("/f", "abc")
	s := leading(t, human(d), b)
	view := s.Buffer(b).Views()[0].View
	has := func() bool { _, ok := s.Buffer(b).View(view); return ok }
	var drop core.Bundle
	drop.Add(b.Shard(), core.Of(&core.ViewDel{View: view}))
	if err := s.Commit(drop); err != nil {
		t.Fatal(err)
	}
	until(t, s, "acknowledged", synced(s))
	d.set(func() {
		for _, c := range d.conns {
			c.send(&core.Refused{Shards: []core.Shard{core.LayoutShard},
				Err: core.Errorf(core.CodeFenced, "not any more")})
		}
	})
	until(t, s, "takes the layout afresh", func() bool { return !s.Knows(core.LayoutShard) })
	until(t, s, "has the layout", func() bool { return s.Knows(core.LayoutShard) })
	if has() {
		t.Error("repaired without news")
	}
	if err := s.Commit(core.Bundle{}); err != nil || s.State().Unsynced != 0 {
		t.Errorf("nothing to do: %v, %d unsynced", err, s.State().Unsynced)
	}
	err := s.Commit(core.Bundle{Parts: []core.Part{{Shard: b.Shard()}}})
	if core.CodeOf(err) != core.CodeBadRequest {
		t.Errorf("a part without ops: %v", err)
	}
	attach(t, Options{Label: "s", Kind: core.AttachObserver, Dial: d.dial})
	until(t, s, "repaired", has)
}

// TestEndedByOthers: a session that was ended is over for who is in it, and no daemon is asked for
// it again.
func TestEndedByOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := newFake(t)
		b := d.open("/f", "")
		dials := 0
		opts := human(d)
		opts.Dial = func(ctx context.Context) (net.Conn, error) {
			dials++
			return d.dial(ctx)
		}
		s := leading(t, opts, b)
		d.set(func() {
			for _, c := range d.conns {
				c.send(&core.Failure{Err: core.Errorf(core.CodeNotFound, "the session was ended")})
			}
		})
		until(t, s, "hears that it is over", func() bool { return s.State().Ended })
		time.Sleep(time.Minute) // of the bubble's clock
		if dials != 1 {
			t.Errorf("dialled %d times", dials)
		}
		s.Close()
		d.cutAll()
		d.wait.Wait()
	})
}

// TestAsksForItsSession: the first attach names the session that was asked for, and no other.
func TestAsksForItsSession(t *testing.T) {
	s := &Session{opts: Options{Label: "other"}, replica: core.NewReplica(core.Hello{}, nil)}
	s.inbox = newInbox(func() {})
	if req := s.attachRequest(); req.Session != "other" || req.ID != (core.SessionID{}) {
		t.Errorf("asks for %q, %x", req.Session, req.ID)
	}
}

// What the windows show is there when a session is, before its texts; a link that comes later does not
// ask again.
func TestLines(t *testing.T) {
	d := newFake(t)
	b := d.open("/f", "text")
	shown := proto.Lines{Buffer: b, Name: "/f", Bytes: []byte("text")}
	var asked []proto.Request
	d.asked = func(r proto.Request) (proto.Reply, error) {
		d.set(func() { asked = append(asked, r) })
		return &proto.Peeked{Views: []proto.Lines{shown}}, nil
	}
	opts := human(d)
	opts.Lines = 7
	s := attach(t, opts)
	if diff := cmp.Diff([]proto.Lines{shown}, s.Lines()); diff != "" {
		t.Error(diff)
	}
	d.cutAll()
	until(t, s, "is cut off", func() bool { return !s.State().Connected })
	until(t, s, "is back", func() bool { return s.State().Connected })
	d.set(func() {
		if diff := cmp.Diff([]proto.Request{&proto.Peek{Session: opts.Label, Lines: 7}}, asked); diff != "" {
			t.Error(diff)
		}
	})
}

package daemon

import (
	"io"
	"log/slog"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"apex/core"
	"apex/core/edit"
	"apex/proto"
)

// room is a session without a disk, in a bubble's time.
type room struct {
	*session
	t    *testing.T
	next core.ConnID
	told core.Millis // rosterAt when changed was asked last
}

func newRoom(t *testing.T) *room {
	t.Helper()
	d := &Daemon{log: slog.New(slog.DiscardHandler), hello: proto.NewServer("test", 1)}
	s := d.newSession("room")
	s.id = core.SessionID{7}
	a, _, err := core.NewSession(core.Identity{Session: s.id, Created: s.clock.now()}, "room", "/",
		s.clock.now(), edit.Evaluate, edit.FirstBundle)
	if err != nil {
		t.Fatal(err)
	}
	s.a = a
	return &room{session: s, t: t}
}

// stepAlone runs the authority alone: nothing is stored, so all is due at once.
func (r *room) stepAlone(in core.Input) core.Ready { return r.a.Step(r.clock.now(), in) }

// come attaches a client, or with a credential brings it back.
func (r *room) come(kind core.AttachKind, actor string, again *core.Credential) (*conn, *core.Credential) {
	r.next++
	ours, theirs := net.Pipe()
	go io.Copy(io.Discard, theirs)
	r.t.Cleanup(func() { ours.Close(); theirs.Close() })
	c := &conn{id: r.next, d: r.d, nc: ours, out: newOutbox(ours), log: r.log}
	r.mu.Lock()
	defer r.unlock()
	r.conns = append(r.conns, c)
	ready := r.stepAlone(&core.Received{Conn: c.id, Secret: [32]byte{byte(r.next)},
		Msg: &core.Hello{Kind: kind, Actor: actor, Resume: again}})
	r.arrives(c)
	for _, x := range ready.AfterStore.Send {
		if w, ok := x.Msg.(*core.Welcome); ok {
			return c, &core.Credential{ID: w.Attachment, Secret: w.Secret}
		}
	}
	r.t.Fatal("no welcome")
	return nil, nil
}

// lose loses a client's connection.
func (r *room) lose(c *conn) {
	r.mu.Lock()
	defer r.unlock()
	r.departs(c)
	r.conns = slices.DeleteFunc(r.conns, func(x *conn) bool { return x == c })
	r.stepAlone(&core.Closed{Conn: c.id})
}

// pass lets time pass, a second at a time, in which those who are given say that they are there.
func (r *room) pass(d time.Duration, talking ...*conn) {
	for ; d > 0; d -= min(d, time.Second) {
		time.Sleep(min(d, time.Second))
		synctest.Wait()
		r.mu.Lock()
		for _, c := range talking {
			r.hears(c)
		}
		r.unlock()
	}
}

func (r *room) propose(actor string) {
	r.mu.Lock()
	defer r.unlock()
	if t := r.clock.now(); r.agents.heard(actor, t) {
		r.rosterDue = true
		r.reapBy(t + presenceTTL)
	}
}

func (r *room) names() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out []string
	for _, p := range r.roster() {
		out = append(out, p.Actor)
	}
	return strings.Join(out, " ")
}

func (r *room) want(want string) {
	r.t.Helper()
	if got := r.names(); got != want {
		r.t.Errorf("here are %q, want %q", got, want)
	}
}

// changed reports whether the roster was sent, or is to be, since it was last asked.
func (r *room) changed() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	was := r.rosterDue || r.rosterAt != r.told
	r.rosterDue, r.told = false, r.rosterAt
	return was
}

// done stops the timer, so that the bubble ends.
func (r *room) done() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.ended = true
	r.schedule()
}

// TestPresence: who is here, by the times of a roster.
func TestPresence(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(r *room)
	}{
		{"one who is silent for a minute is taken off, and is there again when heard", func(r *room) {
			ann, _ := r.come(core.AttachUI, "human:ann", nil)
			bob, _ := r.come(core.AttachUI, "human:bob", nil)
			r.pass(59*time.Second, ann)
			r.want("human:ann human:bob")
			r.pass(2*time.Second, ann)
			r.want("human:ann")
			r.pass(time.Hour, ann)
			r.want("human:ann")
			r.mu.Lock()
			r.hears(bob)
			r.unlock()
			r.want("human:ann human:bob")
		}},
		{"a link that drops for a moment shows nowhere", func(r *room) {
			ann, mine := r.come(core.AttachUI, "human:ann", nil)
			bob, _ := r.come(core.AttachUI, "human:bob", nil)
			r.changed()
			r.lose(ann)
			r.want("human:ann human:bob")
			r.pass(1500*time.Millisecond, bob)
			if r.changed() {
				r.t.Error("told of a link that may come back")
			}
			ann, _ = r.come(core.AttachUI, "human:ann", mine)
			r.want("human:ann human:bob")
			r.pass(10*time.Second, ann, bob)
			r.want("human:ann human:bob")
			r.lose(ann)
			r.changed()
			r.pass(3*time.Second, bob)
			r.want("human:bob")
			if !r.changed() {
				r.t.Error("not told of one who is gone")
			}
		}},
		{"an agent is one peer, while a person looks, for a minute", func(r *room) {
			r.propose("agent:x")
			r.want("")
			ann, _ := r.come(core.AttachUI, "human:ann", nil)
			r.want("human:ann agent:x")
			first := r.idOf("agent:x")
			r.propose("human:script") // no agent
			for range 3 {
				r.pass(50*time.Second, ann)
				r.propose("agent:x")
			}
			r.want("human:ann agent:x")
			if r.idOf("agent:x") != first || first != peerID(r.id, "agent:x") {
				r.t.Error("the agent is another peer")
			}
			if peerID(core.SessionID{8}, "agent:x") == first || peerID(r.id, "agent:y") == first {
				r.t.Error("another agent is this peer")
			}
			r.pass(61*time.Second, ann)
			r.want("human:ann")
			r.propose("agent:x")
			x, _ := r.come(core.AttachTool, "agent:x", nil)
			r.want("human:ann agent:x") // attached, it is not there twice
			r.pass(time.Second, ann, x)
			r.lose(ann)
			r.pass(3*time.Second, x)
			r.want("agent:x")
		}},
		{"there is room for some agents", func(r *room) {
			r.come(core.AttachUI, "human:ann", nil)
			for i := range 2 * maxAgents {
				r.propose("agent:" + string(rune('a'+i)))
			}
			r.mu.Lock()
			n := len(r.roster())
			r.mu.Unlock()
			if n != 1+maxAgents {
				r.t.Errorf("%d peers", n)
			}
		}},
		{"nobody wakes up for nobody", func(r *room) {
			ann, _ := r.come(core.AttachUI, "human:ann", nil)
			r.propose("agent:x")
			r.pass(40*time.Second, ann)
			r.lose(ann)
			r.pass(25 * time.Second)
			r.want("")
			if r.reapAt != 0 {
				r.t.Errorf("the reaper looks at %d", r.reapAt)
			}
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := newRoom(t)
				c.do(r)
				r.done()
			})
		})
	}
}

func (r *room) idOf(actor string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, p := range r.roster() {
		if p.Actor == actor {
			return p.ID
		}
	}
	return ""
}

// TestMeters: what a tool may do at once and later, an agent less, and each its own.
func TestMeters(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var ms meters
		spent := func(actor string) (n int, busy error) {
			for busy == nil {
				busy = spend(ms.of(actor, time.Now()), time.Now())
				n++
			}
			return n - 1, busy
		}
		for _, c := range []struct {
			actor       string
			rate, burst int
		}{{"human:ann", toolRate, toolBurst}, {"agent:x", agentRate, agentBurst},
			{"agent:y", agentRate, agentBurst}} {
			n, err := spent(c.actor)
			if n != c.burst || core.CodeOf(err) != core.CodeBusy {
				t.Errorf("%s: %d at once, then %v", c.actor, n, err)
			}
			e := core.AsError(err)
			if e.RetryAfter != 1 {
				t.Errorf("%s: again after %d ms", c.actor, e.RetryAfter)
			}
			time.Sleep(time.Duration(e.RetryAfter) * time.Millisecond)
			if n, _ = spent(c.actor); n != c.rate/1000 {
				t.Errorf("%s: %d after that", c.actor, n)
			}
		}
		time.Sleep(time.Minute)
		for i := range 3 * maxMeters { // strangers find room, since the others have been quiet
			if err := spend(ms.of("agent:"+string(rune(i+0x4e00)), time.Now()), time.Now()); err != nil {
				t.Fatal(err)
			}
			time.Sleep(time.Millisecond)
		}
		if len(ms) > maxMeters+1 {
			t.Errorf("%d meters", len(ms))
		}
	})
}

// TestAdvance: time goes on whatever is done to the clock.
func TestAdvance(t *testing.T) {
	for _, c := range []struct {
		name       string
		last, wall core.Millis
		passed     time.Duration
		want       core.Millis
	}{
		{"the first time", 0, 5_000, 0, 5_000},
		{"as the wall shows", 5_000, 5_100, 100 * time.Millisecond, 5_100},
		{"set ahead, or suspended", 5_000, 3_605_000, time.Millisecond, 3_605_000},
		{"set back", 3_605_000, 5_000, 250 * time.Millisecond, 3_605_250},
		{"set back, and no time passed", 3_605_000, 5_000, 0, 3_605_000},
	} {
		if got := advance(c.last, c.wall, c.passed); got != c.want {
			t.Errorf("%s: %d, want %d", c.name, got, c.want)
		}
	}
}

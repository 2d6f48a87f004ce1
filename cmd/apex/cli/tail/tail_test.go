package tail

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"apex/core"
	"apex/proto"
)

var (
	body = core.BufferID(core.MakeID(1, 1)).Shard()
	late = core.BufferID(core.MakeID(1, 2)).Shard()
)

// collected is a Sink: what it was given, and a channel that is closed when it has had enough.
type collected struct {
	lines []string // since the last flush too
	until func(line string) bool
	stop  func()
	notes []string
}

func (c *collected) add(format string, args ...any) error {
	line := fmt.Sprintf(format, args...)
	c.lines = append(c.lines, line)
	if c.until(line) {
		c.stop()
	}
	return nil
}

func (c *collected) Batch(b *core.Sealed, from core.Seq) error {
	for seq := max(from, b.First); seq <= b.Last(); seq++ {
		if err := c.add("%v %d", b.Shard, seq); err != nil {
			return err
		}
	}
	return nil
}

func (c *collected) Gap(s core.Shard, first, last core.Seq) error {
	return c.add("%v gap %d-%d", s, first, last)
}

func (c *collected) Flush() error       { return nil }
func (c *collected) Notice(text string) { c.notes = append(c.notes, text) }

// run follows until a line, and returns all lines.
func run(t *testing.T, f *fake, opts Options, until string) ([]string, error) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	opts.Daemon = f.daemon()
	c := &collected{stop: cancel, until: func(line string) bool { return line == until }}
	err := Run(ctx, opts, c)
	return c.lines, err
}

func want(t *testing.T, got []string, err error, lines ...string) {
	t.Helper()
	if err != nil || !slices.Equal(got, lines) {
		t.Errorf("got %v, %v\nwant %v", strings.Join(got, ", "), err, strings.Join(lines, ", "))
	}
}

func label(s string) core.Op { return core.Of(&core.Label{Label: s}) }

func edit(v core.Version) core.Op { return core.Edit(v, 0, 0, "x", 0) }

// base is a session with two entries of metalog and three of a buffer.
func base(t *testing.T) *fake {
	f := newFake(t)
	f.add(core.MetaShard, label("a"))
	f.add(core.MetaShard, label("b"))
	f.add(body, edit(0), edit(1))
	f.add(body, edit(2))
	return f
}

// What comes live twice is given once, what is skipped is read.
func TestLive(t *testing.T) {
	f := base(t)
	f.follow = func(c *fakeConn, m *core.Follow) {
		if len(m.Shards) != 2 || *m.Shards[1].From != c.heads()[1].Mark {
			t.Errorf("followed %+v", m.Shards)
		}
		old := f.logs[body][1]
		four, five := f.add(body, edit(3)), f.add(body, edit(4))
		six, seven := f.add(body, edit(5)), f.add(body, edit(6))
		c.deliver(old, four)
		c.deliver(four)
		c.deliver(seven)
		c.deliver(five, six, seven)
		c.deliver(f.add(core.MetaShard, label("c")))
	}
	got, err := run(t, f, Options{}, "meta 3")
	want(t, got, err, "buffer/b1.1 4", "buffer/b1.1 5", "buffer/b1.1 6", "buffer/b1.1 7", "meta 3")
	<-f.byes // it says goodbye
}

// From a number on: in the middle of a batch, through several pages, up to what comes live.
func TestFrom(t *testing.T) {
	f := base(t)
	for v := core.Version(3); v < 9; v++ {
		f.add(body, edit(v))
	}
	f.follow = func(c *fakeConn, m *core.Follow) { c.deliver(f.add(body, edit(9))) }
	got, err := run(t, f, Options{From: 2, Shards: []core.Shard{body}}, "buffer/b1.1 10")
	want(t, got, err, "buffer/b1.1 2", "buffer/b1.1 3", "buffer/b1.1 4", "buffer/b1.1 5",
		"buffer/b1.1 6", "buffer/b1.1 7", "buffer/b1.1 8", "buffer/b1.1 9", "buffer/b1.1 10")
}

// A number that is not reached yet is waited for.
func TestFromAhead(t *testing.T) {
	f := base(t)
	f.follow = func(c *fakeConn, m *core.Follow) {
		c.deliver(f.add(body, edit(3)), f.add(body, edit(4), edit(5), edit(6)))
	}
	got, err := run(t, f, Options{From: 6, Shards: []core.Shard{body}}, "buffer/b1.1 7")
	want(t, got, err, "buffer/b1.1 6", "buffer/b1.1 7")
}

// What the log has forgotten is a gap, at the beginning, in the middle, and if it is everything.
func TestGap(t *testing.T) {
	f := base(t)
	f.forget(body, 1)
	f.follow = func(c *fakeConn, m *core.Follow) {
		f.add(body, edit(3))
		five := f.add(body, edit(4))
		f.forget(body, 2)
		c.deliver(five)
		f.add(body, edit(5))
		seven := f.add(body, edit(6))
		f.forget(body, 3)
		c.deliver(seven)
	}
	got, err := run(t, f, Options{From: 1, Shards: []core.Shard{body}}, "buffer/b1.1 7")
	if err != nil || got[len(got)-1] != "buffer/b1.1 7" {
		t.Fatalf("got %v, %v", got, err)
	}
	// Whatever was forgotten first, each number is told once, as an entry or in a gap.
	next := 1
	for _, line := range got {
		var a, b int
		rest := strings.TrimPrefix(line, "buffer/b1.1 ")
		if n, _ := fmt.Sscanf(rest, "gap %d-%d", &a, &b); n != 2 {
			fmt.Sscan(rest, &a)
			b = a
		}
		if a != next || b < a {
			t.Errorf("%s after %d: %v", line, next-1, got)
		}
		next = b + 1
	}
	if !strings.HasPrefix(got[0], "buffer/b1.1 gap 1-") {
		t.Errorf("begins with %s", got[0])
	}
}

// Shards that come are followed from their first entry, and those that go at once are read.
func TestNewShard(t *testing.T) {
	f := base(t)
	f.follow = func(c *fakeConn, m *core.Follow) {
		switch {
		case len(m.Shards) == 2:
			f.add(late, edit(0), edit(1))
			c.deliver(f.add(core.MetaShard, core.Of(&core.ShardNew{Shard: late})))
		case m.Shards[0].Shard == late && m.Shards[0].From == nil:
			c.send(&core.CaughtUp{Shard: late, Mark: f.logs[late][0].Mark()})
			c.deliver(f.add(late, edit(2)))
			gone := core.BufferID(core.MakeID(1, 3)).Shard()
			f.add(gone, edit(0))
			c.deliver(f.add(core.MetaShard, core.Of(&core.ShardNew{Shard: gone})))
		default:
			c.send(&core.Refused{Shards: []core.Shard{m.Shards[0].Shard},
				Err: core.Errorf(core.CodeNotFound, "gone")})
			c.deliver(f.add(late, edit(3)))
		}
	}
	got, err := run(t, f, Options{}, "buffer/b1.2 4")
	want(t, got, err, "meta 3", "buffer/b1.2 1", "buffer/b1.2 2", "buffer/b1.2 3", "meta 4",
		"buffer/b1.3 1", "buffer/b1.2 4")
}

// A lost link is made again, and nothing is missed or told twice, new shards neither.
func TestLostLink(t *testing.T) {
	f := base(t)
	f.follow = func(c *fakeConn, m *core.Follow) {
		if c.nth == 0 {
			c.deliver(f.add(body, edit(3)))
			f.add(body, edit(4))
			f.add(late, edit(0))
			f.add(core.MetaShard, core.Of(&core.ShardNew{Shard: late}))
			c.send(&core.Draining{}, &core.Failure{Err: core.Errorf(core.CodeDraining, "stopping")})
			return
		}
		c.deliver(f.add(body, edit(5)))
	}
	got, err := run(t, f, Options{}, "buffer/b1.1 6")
	want(t, got, err, "buffer/b1.1 4", "meta 3", "buffer/b1.1 5", "buffer/b1.2 1", "buffer/b1.1 6")
}

// A session that is another one under the same name is not followed on.
func TestOtherSession(t *testing.T) {
	f := base(t)
	f.session[1] = core.SessionID{2}
	f.follow = func(c *fakeConn, m *core.Follow) { c.nc.Close() }
	_, err := run(t, f, Options{}, "")
	if core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("got %v, want not_found", err)
	}
}

// What the daemon says when it ends the link for good ends the tail.
func TestFailure(t *testing.T) {
	f := base(t)
	f.follow = func(c *fakeConn, m *core.Follow) {
		c.send(&core.Failure{Err: core.Errorf(core.CodeDenied, "no")})
	}
	if _, err := run(t, f, Options{}, ""); core.CodeOf(err) != core.CodeDenied {
		t.Errorf("got %v, want denied", err)
	}
	_, err := run(t, f, Options{Shards: []core.Shard{late}}, "")
	if core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a shard that there is not: got %v, want not_found", err)
	}
}

// More than a backlog arrives while an answer is waited for: it is dropped, and read afterwards.
func TestBacklog(t *testing.T) {
	f := base(t)
	big := core.Edit(0, 0, 0, strings.Repeat("x", backlogMaxBytes/4), 0)
	f.follow = func(c *fakeConn, m *core.Follow) {
		c.onLog = func(*proto.Log) {
			c.onLog = nil
			for range 10 {
				c.deliver(f.add(body, big))
			}
		}
	}
	got, err := run(t, f, Options{From: 1, Shards: []core.Shard{body}}, "buffer/b1.1 13")
	if err != nil || len(got) != 3+10 {
		t.Fatalf("got %v, %v", got, err)
	}
	for i, line := range got {
		if line != fmt.Sprintf("buffer/b1.1 %d", i+1) {
			t.Fatalf("line %d is %s", i, line)
		}
	}
}

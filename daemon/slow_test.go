package daemon_test

import (
	"strings"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
)

// agree fails unless two replicas have the same state of a shard.
func agree(t *testing.T, s core.Shard, a, b *daemontest.Peer) {
	t.Helper()
	x, ok1 := a.R.State(s)
	y, ok2 := b.R.State(s)
	if !ok1 || !ok2 || x.Mark != y.Mark || x.Hash() != y.Hash() {
		t.Errorf("shard %v: one is at %v, the other at %v", s, x.Mark, y.Mark)
	}
}

// at reports whether a peer has a shard up to a mark.
func at(p *daemontest.Peer, s core.Shard, m core.Mark) func() bool {
	return func() bool {
		st, ok := p.R.State(s)
		return ok && p.R.Knows(s) && st.Mark == m
	}
}

// A follower that stops reading while 50 MB of edits go through costs nobody else anything. When it
// reads again it is told that it lost entries, takes a snapshot, and has what everybody has.
func TestStoppedFollower(t *testing.T) {
	const edits, size = 800, 64 << 10
	d := daemontest.Start(t)
	c := d.Dial()
	place := open(t, c, writeFile(t, "a.txt", strings.Repeat("-", size)))
	buf := place.Buffer.Shard()
	leader := d.Attach(core.AttachUI, "", "human:ann")
	leader.Lead(buf)
	reader := d.Attach(core.AttachUI, "", "human:bob")
	tool := d.Attach(core.AttachTool, "", "agent:x")
	stopped := []*daemontest.Peer{
		d.Attach(core.AttachUI, "", "human:eve"), d.Attach(core.AttachTool, "", "agent:y"),
	}
	for _, p := range append(stopped, reader, tool) {
		p.Until(func() bool { return p.R.Knows(buf) })
	}
	before := heap()
	for i := range edits {
		text := strings.Repeat(string(rune('a'+i%26)), size)
		b := core.Bundle{}
		b.Add(buf, core.Edit(core.Version(i), 0, size, text, 0))
		leader.Commit(b)
		leader.Until(func() bool { return leader.R.Unsynced() < 8 })
		mark := mustState(t, leader, buf).Mark
		reader.Until(at(reader, buf, mark))
		if i%100 == 99 {
			if grown := heap() - before; grown > 128<<20 {
				t.Fatalf("%d MiB more after %d edits", grown>>20, i+1)
			}
		}
	}
	leader.Until(func() bool { return leader.R.Unsynced() == 0 })
	mark := mustState(t, leader, buf).Mark
	tool.Until(at(tool, buf, mark))
	for _, p := range stopped {
		p.Resyncs = 0
		p.Until(at(p, buf, mark))
		if p.Resyncs == 0 {
			t.Error("a follower that stopped was never told that it lost entries")
		}
		agree(t, buf, leader, p)
		agree(t, core.LayoutShard, reader, p)
	}
	agree(t, buf, leader, reader)
	agree(t, buf, leader, tool)
}

func mustState(t *testing.T, p *daemontest.Peer, s core.Shard) core.ShardState {
	t.Helper()
	st, ok := p.R.State(s)
	if !ok {
		t.Fatalf("shard %v is not known", s)
	}
	return st
}

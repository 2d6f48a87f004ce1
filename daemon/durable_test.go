package daemon_test

import (
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/daemon/disk"
	"apex/proto"
)

// untilPong collects what arrives on a connection until a reply to ping, which tells what had been
// sent before.
func untilPong(t *testing.T, c *daemontest.Client) (replies []*proto.Return) {
	t.Helper()
	const ping = 1 << 40
	c.Send(&proto.Call{ID: ping, Request: &proto.Ping{}})
	for {
		switch m := c.Recv().(type) {
		case nil:
			t.Fatal("the connection ended")
		case *proto.Return:
			if m.ID == ping {
				return replies
			}
			replies = append(replies, m)
		}
	}
}

// pong takes in what a peer was sent before it asked.
func pong(t *testing.T, p *daemontest.Peer) {
	t.Helper()
	daemontest.Must[*proto.Done](p.Client, &proto.Ping{})
	for p.Kept() > 0 {
		p.Take()
	}
}

// While the disk has not said that it holds an entry, UIs see it, and nobody is told that it is
// stored: no acknowledgement, no entry for a tool, no answer to a proposal, no reading by version,
// no welcome, no effect.
func TestNothingBeforeTheSync(t *testing.T) {
	fsys := daemontest.NewHeldFS(disk.OS)
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.FS = fsys })
	t.Cleanup(fsys.Release)
	c := d.Dial()
	path := writeFile(t, "a.txt", "abc\n")
	place := open(t, c, path)
	win, buf := place.Window.String(), place.Buffer
	other := open(t, c, writeFile(t, "b.txt", "xyz\n")) // led by the daemon
	leader := d.Attach(core.AttachUI, "", "human:ann")
	leader.Lead(buf.Shard())
	watcher := d.Attach(core.AttachUI, "", "human:bob")
	tool := d.Attach(core.AttachTool, "", "agent:x")
	for _, p := range []*daemontest.Peer{watcher, tool} {
		p.Until(func() bool { return p.R.Knows(buf.Shard()) && p.R.Knows(other.Buffer.Shard()) })
	}
	leader.Until(func() bool { return leader.R.Unsynced() == 0 })

	fsys.Hold()
	b := core.Bundle{}
	b.Add(buf.Shard(), core.Edit(0, 3, 3, "!", 0))
	leader.Commit(b)
	watcher.Until(func() bool { return watcher.R.Buffer(buf).Version == 1 })
	asks := []proto.Request{
		&proto.ProposeIn{Win: "b.txt", Proposal: core.Proposal{Ask: &core.AskEdit{
			Edits: []core.Span{{Q0: 0, Q1: 1, Text: "X"}}}}},
		&proto.Read{Win: win},
		&proto.Info{Win: win},
		&proto.Exec{Win: win, Command: "Put"},
		&proto.Attach{Hello: core.Hello{Kind: core.AttachUI, Actor: "human:eve"}},
		&proto.SessionNew{Label: "other"},
	}
	var waiting []*daemontest.Client
	for _, r := range asks {
		x := d.Dial()
		x.Send(&proto.Call{ID: 1, Request: r})
		waiting = append(waiting, x)
	}
	watcher.Until(func() bool { return watcher.R.Buffer(other.Buffer).Version == 1 })
	for i, x := range waiting {
		if r := untilPong(t, x); len(r) > 0 {
			t.Errorf("%T was answered before the sync: %+v", asks[i], r[0])
		}
	}
	pong(t, leader)
	if leader.R.Unsynced() == 0 {
		t.Error("acknowledged before the sync")
	}
	pong(t, tool)
	if v := tool.R.Buffer(buf).Version; v != 0 {
		t.Errorf("a tool has version %d before the sync", v)
	}
	if got := readDisk(t, path); got != "abc\n" {
		t.Errorf("saved %q before the sync", got)
	}

	fsys.Release()
	leader.Until(func() bool { return leader.R.Unsynced() == 0 })
	tool.Until(func() bool { return tool.R.Buffer(buf).Version == 1 })
	leader.Fragile = true
	go leader.Until(func() bool { return false }) // it leads what Put has to note down
	for i, x := range waiting {
		if m, ok := x.Recv().(*proto.Return); !ok || m.Err != nil {
			t.Errorf("%T: answered %v", asks[i], m)
		}
	}
	if got := readDisk(t, path); got != "abc!\n" {
		t.Errorf("saved %q", got)
	}
}

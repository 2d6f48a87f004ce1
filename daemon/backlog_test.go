package daemon_test

import (
	"strings"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/daemon/disk"
	"apex/proto"
)

// While the disk takes nothing, a client that brings more and more waits for it, in bounded memory;
// others are served, and when the disk goes on everything is stored.
func TestSlowDisk(t *testing.T) {
	const edits, size = 64, 1 << 20
	fsys := daemontest.NewHeldFS(disk.OS)
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.FS = fsys })
	t.Cleanup(fsys.Release)
	c := d.Dial()
	place := open(t, c, writeFile(t, "a.txt", ""))
	buf := place.Buffer.Shard()
	ui := d.Attach(core.AttachUI, "", "human:ann")
	ui.Lead(buf)
	ui.Until(func() bool { return ui.R.Unsynced() == 0 })
	st := mustState(t, ui, buf)
	lease, _ := ui.R.Meta().Lease(buf)
	fsys.Hold()
	text := strings.Repeat("x", size)
	writing := make(chan struct{})
	go func() { // more than is let wait: what is over stays in the socket
		defer close(writing)
		for i := range edits {
			nd := min(i, 1) * size
			ui.Send(&core.Append{Batches: []*core.Sealed{sealed(core.Batch{Shard: buf,
				Attachment: ui.R.Attachment(), Epoch: lease.Epoch, First: st.Mark.Seq + 1 + core.Seq(i),
				Author: ui.R.Author(), Ops: []core.Op{core.Edit(core.Version(i), 0, nd, text, 0)}})}})
		}
	}()
	before := heap()
	w := daemontest.Must[*proto.WindowInfo](c, &proto.Resolve{Win: "a.txt"}).Window
	peek := &proto.Peek{Views: []proto.View{proto.View(w.Body())}, Lines: 1}
	for v := core.Version(0); v < 30; { // that much is taken without the disk
		v = daemontest.Must[*proto.Peeked](c, peek).Views[0].Version
	}
	for range 200 {
		got := daemontest.Must[*proto.Peeked](c, peek).Views[0].Version
		if got > 40 {
			t.Fatalf("%d MiB wait for the disk", got)
		}
	}
	if grown := heap() - before; grown > 160<<20 {
		t.Errorf("%d MiB more", grown>>20)
	}
	fsys.Release()
	<-writing
	last := st.Mark.Seq + edits
	for m := ui.Recv(); ; m = ui.Recv() {
		if ack, ok := m.(*core.Ack); ok && ack.Heads[0].Mark.Seq == last {
			break
		}
		if m == nil {
			t.Fatal("the connection ended")
		}
	}
	if i := info(c, "a.txt"); i.Bytes != size || i.Origin.Version != edits {
		t.Errorf("after all: %d bytes at version %d", i.Bytes, i.Origin.Version)
	}
}

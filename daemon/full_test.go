package daemon_test

import (
	"slices"
	"strings"
	"syscall"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/daemon/disk/disktest"
	"apex/proto"
)

// session returns what is listed of the default session.
func session(t *testing.T, c *daemontest.Client) proto.SessionInfo {
	t.Helper()
	for _, s := range daemontest.Must[*proto.DaemonStatus](c, &proto.Status{}).Sessions {
		if s.Label == "default" {
			return s
		}
	}
	t.Fatal("the default session is not listed")
	return proto.SessionInfo{}
}

// While the disk is full, or fails, the session goes on in memory: a UI's edits are applied, seen
// and not acknowledged; everything else is refused as read_only at once; the status says so, and
// reads say that they may not last. When the disk is good again, everything is stored without
// anybody's doing, and survives.
func TestDiskRefuses(t *testing.T) {
	for _, tt := range []struct {
		name       string
		refuse, ok func(*disktest.Disk)
	}{
		{"full", func(d *disktest.Disk) { d.SetRoom(0) }, func(d *disktest.Disk) { d.SetRoom(-1) }},
		{"failing", func(d *disktest.Disk) { d.SetFault(disktest.Always(syscall.EIO)) },
			func(d *disktest.Disk) { d.SetFault(nil) }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			refuses(t, tt.refuse, tt.ok)
		})
	}
}

func refuses(t *testing.T, refuse, good func(*disktest.Disk)) {
	disk := disktest.New(1)
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.FS = disk.Mount() })
	t.Cleanup(func() { good(disk) })
	c := d.Dial()
	path := writeFile(t, "a.txt", "abc\n")
	place := open(t, c, path)
	win, buf := place.Window.String(), place.Buffer.Shard()
	ui := d.Attach(core.AttachUI, "", "human:ann")
	watcher := d.Attach(core.AttachUI, "", "human:bob")
	ui.Lead(buf)
	watcher.Until(func() bool { return watcher.R.Knows(buf) })
	ui.Until(func() bool { return ui.R.Unsynced() == 0 })

	refuse(disk)
	typed := 0
	keys := func(n int) {
		for range n { // more than the zeros that were written ahead hold
			b := core.Bundle{}
			b.Add(buf, core.Edit(core.Version(typed), 0, 0, strings.Repeat("x", 1024), 0))
			ui.Commit(b)
			typed++
		}
	}
	keys(400)
	watcher.Until(func() bool { return watcher.R.Buffer(place.Buffer).Version == core.Version(typed) })
	for session(t, c).Trouble == "" {
		pong(t, ui)
	}
	keys(100)
	watcher.Until(func() bool { return watcher.R.Buffer(place.Buffer).Version == core.Version(typed) })
	pong(t, ui)
	if ui.R.Unsynced() == 0 {
		t.Error("acknowledged what the disk refused")
	}
	if got := session(t, c); !strings.Contains(got.Trouble, "not durable") || got.Unsynced == 0 {
		t.Errorf("listed as %+v", got)
	}
	for _, r := range []proto.Request{
		&proto.ProposeIn{Win: win, Proposal: core.Proposal{Ask: &core.AskUndo{}}},
		&proto.Exec{Win: win, Command: "Get"},
		&proto.Open{Files: []proto.File{{Path: writeFile(t, "b.txt", "xyz\n")}}},
		&proto.SessionNew{Label: "other"},
		&proto.SessionRename{New: "other"},
	} {
		reply, err := d.Dial().Call(r)
		if o, ok := reply.(*proto.Opened); ok {
			err = o.Places[0].Err()
		}
		if core.CodeOf(err) != core.CodeReadOnly {
			t.Errorf("%T: got %v, %v, want read_only", r, reply, err)
		}
	}
	got := daemontest.Must[*proto.Text](c, &proto.Read{Win: win})
	if len(got.Bytes) != 4+1024*typed || !got.Origin.IsStale {
		t.Errorf("read %d bytes, stale %v", len(got.Bytes), got.Origin.IsStale)
	}
	for range 2 { // the second knows what the first has left there
		daemontest.Must[*proto.Outcome](c, &proto.Exec{Win: win, Command: "Put"})
		want := daemontest.Must[*proto.Text](c, &proto.Read{Win: win}).Bytes
		if got := readDisk(t, path); got != string(want) {
			t.Errorf("saved %d bytes", len(got))
		}
		keys(1)
		pong(t, ui)
	}

	good(disk)
	ui.Until(func() bool { return ui.R.Unsynced() == 0 })
	disked := core.SumText(slices.Values([][]byte{[]byte(readDisk(t, path))}))
	for info(c, win).Disk != disked {
		pong(t, ui) // the save is noted down
	}
	if got := session(t, c); got.Trouble != "" {
		t.Errorf("durable again, and listed as %+v", got)
	}
	keys(1)
	ui.Until(func() bool { return ui.R.Unsynced() == 0 })
	d.Stop()
	disk.PowerCut()
	d.FS = disk.Mount()
	d.Run()
	if got := info(d.Dial(), win); got.Bytes != 4+1024*typed {
		t.Errorf("after a loss of power %d bytes, want %d", got.Bytes, 4+1024*typed)
	}
}

package daemon_test

import (
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/daemon/disk/disktest"
	"apex/proto"
)

// typeText inserts a text at the beginning of a buffer that a peer leads.
func typeText(p *daemontest.Peer, id core.BufferID, text string) {
	b := core.Bundle{}
	b.Add(id.Shard(), core.Edit(p.R.Buffer(id).Version, 0, 0, text, 0))
	p.Commit(b)
}

// another attaches one more interface, which takes a buffer over from the one that leads it.
func (r *refused) another(t *testing.T) *daemontest.Peer {
	t.Helper()
	eve := r.Attach(core.AttachUI, "", "human:eve")
	eve.Fragile = true
	eve.Until(func() bool { return eve.R.Knows(r.buf.Shard()) })
	eve.Do(eve.R.Take(r.buf.Shard()))
	r.ui.Until(func() bool { return !r.ui.R.Leads(r.buf.Shard()) }) // asked, it gives
	eve.Until(func() bool { return eve.R.Leads(r.buf.Shard()) })
	return eve
}

// Somebody attaches while the disk refuses, takes over and types: it is said that nothing is kept,
// and nothing is acknowledged, to neither, until there is room. Then all of it is.
func TestAttachWhileDiskRefuses(t *testing.T) {
	t.Parallel()
	r := refusing(t)
	reply := daemontest.Must[*proto.Attached](r.Dial(),
		&proto.Attach{Hello: core.Hello{Kind: core.AttachTool, Actor: "agent:x"}})
	if !reply.Welcome.Unkept {
		t.Error("a tool is not told that nothing is kept")
	}
	eve := r.another(t)
	typeText(eve, r.buf, "eve")
	pong(t, eve)
	pong(t, r.ui)
	if eve.R.Unsynced() == 0 || r.ui.R.Unsynced() == 0 {
		t.Errorf("acknowledged while the disk refuses: %d and %d are not", eve.R.Unsynced(), r.ui.R.Unsynced())
	}
	r.disk.SetRoom(-1)
	eve.Until(func() bool { return eve.R.Unsynced() == 0 })
	r.ui.Until(func() bool { return r.ui.R.Unsynced() == 0 })
	r.want += len("eve")
	r.after(t)
}

// The daemon dies while the disk refuses: nobody was promised anything, and what they have typed
// they bring to the next one, each by the attachment that the disk knows or a new one.
func TestDaemonDiesWhileDiskRefuses(t *testing.T) {
	t.Parallel()
	r := refusing(t)
	eve := r.another(t)
	typeText(eve, r.buf, "eve")
	pong(t, eve)
	r.disk.Kill()
	_ = r.Leave() // of a daemon whose disk is gone
	r.disk.SetRoom(-1)
	r.FS = r.disk.Mount()
	r.Run()
	for _, p := range []*daemontest.Peer{r.ui, eve} {
		p.R.Disconnected()
	}
	eve.R.Forget() // as a client does that is told that its attachment is not known
	r.ui.Join(r.Daemon, "")
	r.ui.Until(func() bool { return r.ui.R.Unsynced() == 0 })
	eve.Join(r.Daemon, "")
	eve.Until(func() bool { return eve.R.Unsynced() == 0 })
	c := r.Dial()
	got := read(t, c, r.win)
	for _, w := range daemontest.Must[*proto.WindowList](c, &proto.Windows{}).Windows {
		if filepath.Base(w.Name) == "+Recovered" {
			got += read(t, c, w.Window.String())
		}
	}
	if n := strings.Count(got, "x"); n != r.want-4 || strings.Count(got, "eve") == 0 {
		t.Errorf("of %d typed there are %d, and of the other's %q", r.want-4, n, got[:min(len(got), 80)])
	}
}

// On a machine whose disk takes nothing at all a session is in memory: a file is opened, edited and
// saved to its own disk, and everybody who asks is told. When there is room it is there as any other.
func TestNewSessionWhileDiskRefuses(t *testing.T) {
	for _, bad := range []error{syscall.ENOSPC, syscall.EROFS} {
		disk := disktest.New(1)
		disk.SetFault(disktest.Always(bad))
		d := daemontest.Start(t, func(d *daemontest.Daemon) { d.FS = disk.Mount() })
		t.Cleanup(func() { disk.SetFault(nil) })
		c := d.Dial()
		path := writeFile(t, "a.txt", "abc\n")
		if _, err := c.Call(&proto.Open{Files: []proto.File{{Path: path}}}); core.CodeOf(err) != core.CodeReadOnly {
			t.Errorf("who was not told: %v, want read_only", err)
		}
		ui := d.Attach(core.AttachUI, "", "human:ann")
		place := daemontest.Must[*proto.Opened](c,
			&proto.Open{Files: []proto.File{{Path: path}}, Unkept: true}).Places[0]
		if place.Err() != nil {
			t.Fatal(place.Err())
		}
		win := place.Window.String()
		ui.Lead(place.Buffer.Shard())
		typeText(ui, place.Buffer, "typed ")
		pong(t, ui)
		if got := read(t, c, win); got != "typed abc\n" {
			t.Errorf("reads %q", got)
		}
		daemontest.Must[*proto.Outcome](c, &proto.Exec{Win: win, Command: "Put"})
		if got := readDisk(t, path); got != "typed abc\n" {
			t.Errorf("saved %q", got)
		}
		if got := session(t, c); !strings.Contains(got.Trouble, "not durable") || ui.R.Unsynced() == 0 {
			t.Errorf("listed as %+v, %d unsynced", got, ui.R.Unsynced())
		}
		disk.SetFault(nil)
		ui.Until(func() bool { return ui.R.Unsynced() == 0 })
		d.Stop()
		disk.PowerCut()
		d.FS = disk.Mount()
		d.Run()
		if got := read(t, d.Dial(), win); got != "typed abc\n" {
			t.Errorf("after a loss of power %q", got)
		}
	}
}

// A session that no disk ever had is gone with its daemon. Who has it brings it to the next one,
// under its label.
func TestUnkeptSessionIsMadeAgain(t *testing.T) {
	disk := disktest.New(1)
	disk.SetFault(disktest.Always(syscall.ENOSPC))
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.FS = disk.Mount() })
	t.Cleanup(func() { disk.SetFault(nil) })
	ui := d.Attach(core.AttachUI, "work", "human:ann")
	id := ui.R.Session()
	disk.Kill()
	_ = d.Leave()
	disk.SetFault(nil)
	d.FS = disk.Mount()
	d.Run()
	c := d.Dial()
	_, err := c.Call(&proto.Attach{Session: "work", ID: id, Hello: *ui.R.Hello()})
	if core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("the session that is gone: %v, want not_found", err)
	}
	_, err = c.Call(&proto.Attach{Session: "work", ID: id, Create: true, Hello: *ui.R.Hello()})
	if core.CodeOf(err) != core.CodeNotAttached {
		t.Errorf("made again: %v, want not_attached", err)
	}
}

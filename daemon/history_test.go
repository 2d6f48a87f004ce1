package daemon_test

import (
	"os"
	"strings"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// A state directory that is restored from an earlier copy while a client is away: the daemon's epochs
// rise all the same, the client takes snapshots where its marks are of the history that is gone, and what
// it had not been acknowledged is in the text, or in +Recovered.
func TestRestoredState(t *testing.T) {
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.Process = true })
	place := open(t, d.Dial(), writeFile(t, "a.txt", "text\n"))
	shard := place.Buffer.Shard()
	ui := d.Attach(core.AttachUI, "", "human:ann")
	ui.Fragile = true
	ui.Lead(shard)
	types := func(text string) {
		b := core.Bundle{}
		buf := ui.R.Buffer(place.Buffer)
		b.Add(shard, core.Edit(buf.Version, buf.Text.Runes(), buf.Text.Runes(), text, 0))
		ui.Commit(b)
	}
	types("kept\n")
	ui.Until(func() bool { return ui.R.Unsynced() == 0 })
	d.Stop()
	copied := t.TempDir()
	if err := os.CopyFS(copied, os.DirFS(d.State)); err != nil {
		t.Fatal(err)
	}

	d.Run()
	ui.R.Disconnected()
	ui.Join(d, "")
	ui.Until(func() bool { return ui.R.Leads(shard) })
	types("forgotten\n") // acknowledged, and lost with the directory
	ui.Until(func() bool { return ui.R.Unsynced() == 0 })
	other := d.Attach(core.AttachUI, "", "human:bob")
	other.Fragile = true
	other.Lead(shard)
	lease, _ := other.R.Meta().Lease(shard)
	ui.Until(func() bool { return !ui.R.Leads(shard) })
	ui.Lead(shard)
	ui.Net.Close()
	types("typed offline\n")
	d.Kill()
	d.Wait()
	if err := os.RemoveAll(d.State); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(d.State, os.DirFS(copied)); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(d.State, 0o700); err != nil {
		t.Fatal(err)
	}

	d.Run()
	ui.R.Disconnected()
	ui.Join(d, "")
	ui.Until(func() bool { return ui.R.Unsynced() == 0 && ui.R.Pending() == 0 && ui.R.Knows(shard) })
	go ui.Until(func() bool { return false })
	eve := d.Attach(core.AttachUI, "", "human:eve") // ann has the lease that was on record
	eve.Lead(shard)
	if got, _ := eve.R.Meta().Lease(shard); got.Epoch <= lease.Epoch {
		t.Errorf("a lease at epoch %d after one at %d", got.Epoch, lease.Epoch)
	}
	c := d.Dial()
	got := read(t, c, place.Window.String())
	kept := ""
	if r, err := c.Call(&proto.Read{Win: "+Recovered"}); err == nil {
		kept = string(r.(*proto.Text).Bytes)
	}
	if !strings.HasPrefix(got, "text\nkept\n") || strings.Count(got+kept, "typed offline\n") != 1 {
		t.Errorf("the text is %q, +Recovered %q", got, kept)
	}
}

// A state directory that is deleted while nobody runs begins a history with higher epochs, and a client
// of the old one is told that its session is gone, by code, whatever the label is.
func TestDeletedState(t *testing.T) {
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.Process = true })
	ui := d.Attach(core.AttachUI, "", "human:ann")
	ui.Fragile = true
	ui.Lead(core.LayoutShard)
	before, _ := ui.R.Meta().Lease(core.LayoutShard)
	d.Stop()
	if err := os.RemoveAll(d.State); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(d.State, 0o700); err != nil {
		t.Fatal(err)
	}
	d.Run()
	again := d.Attach(core.AttachUI, "", "human:bob")
	again.Lead(core.LayoutShard)
	if after, _ := again.R.Meta().Lease(core.LayoutShard); after.Epoch <= before.Epoch {
		t.Errorf("a lease at epoch %d after one at %d", after.Epoch, before.Epoch)
	}
	_, err := d.Dial().Call(&proto.Attach{ID: ui.R.Session(), Hello: *ui.R.Hello()})
	if core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("a client of the old history: %v", err)
	}
}

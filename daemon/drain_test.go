package daemon_test

import (
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// A stop tells every client and refuses what is new; what was acknowledged is on disk. What a
// leader typed that did not get there goes to the next daemon under the lease that it still has.
func TestStopKeepsLeases(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	place := open(t, c, writeFile(t, "a.txt", ""))
	buf := place.Buffer
	ui := d.Attach(core.AttachUI, "", "human:ann")
	ui.Lead(buf.Shard())
	ui.Fragile = true
	key := func() core.Out {
		n := ui.R.Buffer(buf).Text.Runes()
		b := core.Bundle{}
		b.Add(buf.Shard(), core.Edit(core.Version(n), n, n, "x", 0))
		out, err := ui.R.Commit(b)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	for range 100 {
		ui.Do(key())
	}
	ui.Until(func() bool { return ui.R.Unsynced() == 0 })
	lease, _ := ui.R.Meta().Lease(buf.Shard())
	for range 50 {
		key() // never sent: the link is slow
	}
	daemontest.Must[*proto.Done](c, &proto.Stop{}) // everything is on disk
	told := false
	for m := ui.Recv(); m != nil; m = ui.Recv() {
		_, draining := m.(*core.Draining)
		told = told || draining
	}
	if !told {
		t.Error("the client was not told that the daemon stops")
	}
	d.Stop()
	d.Run()
	ui.R.Disconnected()
	for range 50 {
		key() // nobody is there
	}
	ui.Join(d, "")
	ui.Until(func() bool { return ui.R.Unsynced() == 0 })
	after, _ := ui.R.Meta().Lease(buf.Shard())
	if after.Holder != lease.Holder || after.Epoch != lease.Epoch {
		t.Errorf("the lease was %+v and is %+v", lease, after)
	}
	c = d.Dial()
	if got := read(t, c, place.Window.String()); len(got) != 200 {
		t.Errorf("the text has %d characters, want 200", len(got))
	}
	if w := daemontest.Must[*proto.WindowList](c, &proto.Windows{}).Windows; len(w) != 1 {
		t.Errorf("%d windows: something was set aside", len(w))
	}
}

// A stop does not wait for a client that does not read.
func TestStopWithDeafClient(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	text := make([]byte, 20<<20)
	for i := range text {
		text[i] = 'x'
	}
	place := open(t, c, writeFile(t, "a.txt", string(text)))
	deaf := d.Attach(core.AttachUI, "", "human:ann")
	deaf.Until(func() bool { return deaf.R.Knows(core.LayoutShard) }) // and takes no more of it
	d.Stop()
	d.Run()
	if i := info(d.Dial(), place.Window.String()); i.Bytes != len(text) {
		t.Errorf("after the stop there are %d bytes", i.Bytes)
	}
}

package daemon_test

import (
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// A file that is opened at an address shows it, whoever leads the layout: a UI that leads it makes
// the window, but the body is the daemon's.
func TestOpenAtAddressUnderUI(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	open(t, c, writeFile(t, "first.txt", "x\n"))
	ui := d.Attach(core.AttachUI, "", "human:ann")
	ui.Lead(core.LayoutShard)
	windows := func() (n int) {
		for _, col := range ui.R.Layout().Columns {
			n += len(col.Slots)
		}
		return n
	}
	before := windows()
	script := d.Dial()
	path := writeFile(t, "a.txt", "one\ntwo\n")
	opened := make(chan *proto.Opened)
	go func() {
		opened <- daemontest.Must[*proto.Opened](script,
			&proto.Open{Files: []proto.File{{Path: path, Addr: "2"}}, Focus: true})
	}()
	ui.Until(func() bool { return windows() > before })
	if err := (<-opened).Places[0].Err(); err != nil {
		t.Fatal(err)
	}
	i := daemontest.Must[*proto.TextInfo](c, &proto.Info{Win: path})
	if i.Q0 != 4 || i.Q1 != 8 {
		t.Errorf("dot is %d,%d, want 4,8", i.Q0, i.Q1)
	}
}

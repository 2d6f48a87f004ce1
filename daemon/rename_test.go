package daemon_test

import (
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// TestBackAfterRename: who has been in a session comes back to that one, whatever its label is by
// now, and never to another one that has got the label.
func TestBackAfterRename(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	p := d.Attach(core.AttachUI, "first", "human:ann")
	id := p.R.Session()
	daemontest.Must[*proto.Done](c, &proto.SessionRename{Old: "first", New: "second"})
	daemontest.Must[*proto.Sessions](c, &proto.SessionNew{Label: "first"})
	back := func() (*proto.Attached, error) {
		r, err := d.Dial().Call(&proto.Attach{Session: "first", ID: id, Hello: *p.R.Hello()})
		if err != nil {
			return nil, err
		}
		return r.(*proto.Attached), nil
	}
	at, err := back()
	if err != nil || at.Welcome.Session != id || at.Label != "second" || !at.Welcome.Resumed {
		t.Fatalf("came back to %+v (%v), want session %x", at, err, id)
	}
	daemontest.Must[*proto.Done](c, &proto.SessionEnd{Session: "second", Force: true})
	if at, err := back(); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("after its end: %+v, %v", at, err)
	}
}

package daemon_test

import (
	"strings"
	"sync/atomic"
	"syscall"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/daemon/disk/disktest"
	"apex/proto"
)

// beyondZeros is more text than the zeros that a journal writes ahead hold.
var beyondZeros = strings.Repeat("0123456789abcde\n", 64<<10)

// What was applied before the disk was known to refuse is answered all the same: as applied and not
// kept, which is another code than that of what was not applied. Asked again, by its intent, it
// says the same, and once the disk takes it that it was done.
func TestAppliedAndNotKept(t *testing.T) {
	disk := disktest.New(1)
	d := daemontest.Start(t, func(d *daemontest.Daemon) { d.FS = disk.Mount() })
	t.Cleanup(func() { disk.SetRoom(-1) })
	c := d.Dial()
	win := open(t, c, writeFile(t, "a.txt", "abc\n")).Window.String()
	disk.SetRoom(0)
	first := &proto.ProposeIn{Win: win, Proposal: core.Proposal{Intent: core.IntentID{1},
		Ask: &core.AskSet{Text: beyondZeros}}}
	for range 2 {
		_, err := c.Call(first)
		if core.CodeOf(err) != core.CodeUnavailable || !strings.Contains(err.Error(), "not on disk") {
			t.Errorf("got %v (%s), want unavailable: not on disk", err, core.CodeOf(err))
		}
	}
	if got := read(t, c, win); got != beyondZeros {
		t.Errorf("said to be applied, and the text has %d bytes", len(got))
	}
	_, err := c.Call(&proto.ProposeIn{Win: win, Proposal: core.Proposal{Ask: &core.AskSet{Text: "x"}}})
	if core.CodeOf(err) != core.CodeReadOnly || read(t, c, win) != beyondZeros {
		t.Errorf("something new: %v", err)
	}
	disk.SetRoom(-1)
	for session(t, c).Trouble != "" {
		daemontest.Must[*proto.Done](c, &proto.Ping{})
	}
	again := daemontest.Must[*proto.Outcome](c, first)
	if again.Result.Outcome != core.AlreadyDone {
		t.Errorf("asked again: %v", again.Result.Outcome)
	}
}

// So is what was opened, and a command whose effect still waits for the disk.
func TestOpenedAndNotKept(t *testing.T) {
	for name, req := range map[string]proto.Request{
		"open": &proto.Open{HasText: true, Name: "x", Text: []byte(beyondZeros)},
		"exec": &proto.Exec{Win: "a.txt", Command: "New " + strings.Repeat("x", core.MaxCommandBytes-8)},
	} {
		t.Run(name, func(t *testing.T) {
			disk := disktest.New(1)
			d := daemontest.Start(t, func(d *daemontest.Daemon) { d.FS = disk.Mount() })
			t.Cleanup(func() { disk.SetRoom(-1) })
			c := d.Dial()
			read(t, c, open(t, c, writeFile(t, "a.txt", "abc\n")).Window.String()) // which waits for the disk
			// From the request's record on, which is long: others may be on their way.
			var full atomic.Bool
			disk.SetFault(func(op disktest.Op) error {
				if op.Kind == disktest.Write && op.Len > core.MaxCommandBytes/2 {
					full.Store(true)
				}
				if full.Load() && op.Kind.Mutates() {
					return syscall.ENOSPC
				}
				return nil
			})
			reply, err := c.Call(req)
			if o, ok := reply.(*proto.Opened); ok {
				err = o.Places[0].Err()
			}
			// An open records the text, and then a window on it, which is not taken if the disk has refused
			// the text by then.
			half := name == "open" && core.CodeOf(err) == core.CodeReadOnly
			unkept := core.CodeOf(err) == core.CodeUnavailable && strings.Contains(err.Error(), "not on disk")
			if !half && !unkept {
				t.Errorf("got %v (%s), want unavailable: not on disk", err, core.CodeOf(err))
			}
			disk.SetFault(nil)
		})
	}
}

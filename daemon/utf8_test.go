package daemon_test

import (
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// An edit by a tool with text that is not UTF-8 is refused and changes nothing; a whole text may be
// any bytes.
func TestEditIsText(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	place := open(t, c, writeFile(t, "a.txt", "abc\n"))
	win := place.Window.String()
	ask := &core.AskEdit{Buffer: place.Buffer, Edits: []core.Span{{Text: "x\xff"}}}
	_, err := c.Call(&proto.ProposeIn{Win: win, Proposal: core.Proposal{Ask: ask}})
	if core.CodeOf(err) != core.CodeBadRequest {
		t.Errorf("without an attachment: %v", err)
	}
	tool := d.Attach(core.AttachTool, "", "agent:x")
	tool.Send(&core.Propose{ID: 7, Proposal: core.Proposal{Ask: ask}})
	for m := tool.Recv(); ; m = tool.Recv() {
		if m == nil {
			t.Fatal("the tool was not answered")
		}
		if r, ok := m.(*core.ProposeResult); ok {
			if core.CodeOf(r.Result.Err) != core.CodeBadRequest {
				t.Errorf("a tool got %+v", r.Result)
			}
			break
		}
	}
	if got := read(t, c, win); got != "abc\n" {
		t.Errorf("reads %q", got)
	}
	daemontest.Must[*proto.Outcome](c, &proto.ProposeIn{Win: win, Proposal: core.Proposal{
		Ask: &core.AskSet{Buffer: place.Buffer, Text: "x\xff"}}})
	if got := read(t, c, win); got != "x\xff" {
		t.Errorf("after a set it reads %q", got)
	}
}

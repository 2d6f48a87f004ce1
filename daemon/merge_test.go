package daemon_test

import (
	"path/filepath"
	"strings"
	"testing"

	"apex/core"
	"apex/daemon/daemontest"
	"apex/proto"
)

// Merge takes both in as one step; then Put saves, and the next merge starts from what the disk held,
// across a restart too.
func TestMergeCommand(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "one\ntwo\nthree\n"))
	insert(t, o.c, o.win, "mine\n")
	writeDisk(t, o.path, "one\ntwo\nTHREE\n")
	if err := run(o.c, o.win, "Merge"); err != nil {
		t.Fatal(err)
	}
	o.is("mine\none\ntwo\nTHREE\n", true, false, false)
	undo(t, o.c, o.win, core.AskUndo{}, "")
	o.is("mine\none\ntwo\nthree\n", true, false, false)
	undo(t, o.c, o.win, core.AskUndo{Redo: true}, "")
	d.Stop()
	writeDisk(t, o.path, "one\nTWO\nTHREE\n") // while no daemon runs
	d.Run()
	o.c = d.Dial()
	o.is("mine\none\ntwo\nTHREE\n", true, true, false)
	if err := run(o.c, o.win, "Merge"); err != nil {
		t.Fatal(err)
	}
	o.is("mine\none\nTWO\nTHREE\n", true, false, false)
	if err := run(o.c, o.win, "Put"); err != nil {
		t.Fatal(err)
	}
	o.is("mine\none\nTWO\nTHREE\n", false, false, false)
	r, err := o.c.Call(&proto.Exec{Win: o.win, Command: "Merge"})
	if err != nil || !strings.Contains(r.(*proto.Outcome).Result.Message, "nothing to merge") {
		t.Errorf("merge of nothing: %v, %v", r, err)
	}
}

// What both changed differently is marked with all three texts, and each can be had by undo.
func TestMergeConflict(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "one\ntwo\nthree\n"))
	daemontest.Must[*proto.Outcome](o.c, &proto.ProposeIn{Win: o.win, Proposal: core.Proposal{
		Ask: &core.AskEdit{Edits: []core.Span{{Q0: 4, Q1: 7, Text: "mine"}}}}})
	writeDisk(t, o.path, "one\ntheirs\nthree\n")
	r := daemontest.Must[*proto.Outcome](o.c, &proto.Exec{Win: o.win, Command: "Merge"}).Result
	if !strings.Contains(r.Message, "1 conflict") {
		t.Errorf("it says %q", r.Message)
	}
	const marked = "one\n<<<<<<< window\nmine\n||||||| before\ntwo\n=======\ntheirs\n>>>>>>> disk\nthree\n"
	o.is(marked, true, false, false)
	undo(t, o.c, o.win, core.AskUndo{}, "")
	o.is("one\nmine\nthree\n", true, false, false)
	if err := run(o.c, o.win, "Merge again"); core.CodeOf(err) != core.CodeBadRequest {
		t.Errorf("Merge with a word: %v", err)
	}
}

// Without a base all that differs is marked, and it is said.
func TestMergeWithoutBase(t *testing.T) {
	d := daemontest.Start(t)
	path := filepath.Join(t.TempDir(), "new.txt")
	o := openFollowed(t, d, path)
	insert(t, o.c, o.win, "both\nmine\n")
	writeDisk(t, path, "both\ntheirs\n")
	o.p.Until(func() bool { return o.buffer().Stale })
	r := daemontest.Must[*proto.Outcome](o.c, &proto.Exec{Win: o.win, Command: "Merge"}).Result
	if !strings.Contains(r.Message, "not kept") {
		t.Errorf("it says %q", r.Message)
	}
	o.is("both\n<<<<<<< window\nmine\n=======\ntheirs\n>>>>>>> disk\n", true, false, false)
}

// An agent edits by proposal, a person has unsaved edits, another program writes the file: all three
// texts can be reached.
func TestThreeWriters(t *testing.T) {
	d := daemontest.Start(t)
	o := openFollowed(t, d, writeFile(t, "a.txt", "one\ntwo\nthree\n"))
	o.p.Lead(o.buf.Shard())
	b := core.Bundle{Author: core.Author{Actor: "human:bob"}}
	b.Add(o.buf.Shard(), core.Edit(0, 0, 0, "person\n", 0))
	o.p.Commit(b)
	o.p.Until(func() bool { return o.p.R.Unsynced() == 0 })
	// The person's interface leads: it takes in what it is asked meanwhile.
	ask := func(r proto.Request) proto.Reply {
		t.Helper()
		answer := make(chan proto.Reply, 1)
		c := d.Dial()
		go func() {
			reply, err := c.Call(r)
			if err != nil {
				t.Error(err)
			}
			answer <- reply
		}()
		var reply proto.Reply
		o.p.Until(func() bool {
			select {
			case reply = <-answer:
				return true
			default:
				o.p.Send(&proto.Call{ID: 1 << 50, Request: &proto.Ping{}})
				return false
			}
		})
		return reply
	}
	ask(&proto.ProposeIn{Win: o.win, Proposal: core.Proposal{Author: core.Author{Actor: "agent:x"},
		Ask: &core.AskEdit{Base: 1, Edits: []core.Span{{Q0: 11, Q1: 14, Text: "agent"}}}}})
	writeDisk(t, o.path, "one\nprogram\nthree\n")
	o.p.Until(func() bool { return o.buffer().Stale })
	ask(&proto.Exec{Win: o.win, Command: "Merge", Author: proto.Author{Actor: "human:bob"}})
	got := o.buffer().Text.String()
	for _, part := range []string{"person\n", "agent\n", "two\n", "program\n"} {
		if strings.Count(got, part) != 1 {
			t.Errorf("%q has %q %d times", got, part, strings.Count(got, part))
		}
	}
	if !o.p.R.Leads(o.buf.Shard()) {
		t.Error("the person was fenced")
	}
	before, ok := o.buffer().At(2)
	if !ok || before.String() != "person\none\nagent\nthree\n" {
		t.Errorf("before the merge %q, %v", before.String(), ok)
	}
	if base, ok := o.buffer().Base(); !ok || base.String() != "one\nprogram\nthree\n" {
		t.Errorf("the disk's text %q, %v", base.String(), ok)
	}
}

// Get keeps unsaved text that undo would not.
func TestGetKeepsLargeText(t *testing.T) {
	d := daemontest.Start(t)
	c := d.Dial()
	path := writeFile(t, "a.txt", "x")
	win := open(t, c, path).Window.String()
	half := strings.Repeat("an unsaved line\n", core.UndoKeepsBytes/32+1)
	insert(t, c, win, half)
	insert(t, c, win, half)
	r := daemontest.Must[*proto.Outcome](c, &proto.Exec{Win: win, Command: "Get -f"}).Result
	if !strings.Contains(r.Message, "+Recovered") {
		t.Errorf("it says %q", r.Message)
	}
	if got := read(t, c, win); got != "x" {
		t.Errorf("the window has %d bytes", len(got))
	}
	var got strings.Builder
	for at, more := 0, true; more; {
		text := daemontest.Must[*proto.Text](c, &proto.Read{Win: "+Recovered", Q0: at})
		got.Write(text.Bytes)
		at, more = text.Q1, text.More
	}
	head, kept, _ := strings.Cut(got.String(), "\n")
	if kept != half+half+"x" || !strings.Contains(head, path) {
		t.Errorf("kept %d bytes of %d, under %q", len(kept), 2*len(half)+1, head)
	}
	insert(t, c, win, "small ")
	daemontest.Must[*proto.Outcome](c, &proto.Exec{Win: win, Command: "Get -f"})
	if n := len(daemontest.Must[*proto.WindowList](c, &proto.Windows{}).Windows); n != 2 {
		t.Errorf("%d windows", n)
	}
}

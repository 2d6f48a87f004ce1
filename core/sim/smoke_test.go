package sim

import (
	"os"
	"testing"

	"apex/core"
	"apex/core/edit"
)

// TestSmoke walks through one session's day: type, be taken over, take back, resume, propose to a
// leader and to the daemon.
func TestSmoke(t *testing.T) {
	w, err := NewWorld()
	if err != nil {
		t.Fatal(err)
	}
	if testing.Verbose() {
		w.Trace = os.Stderr
	}
	check := func(what string) {
		t.Helper()
		w.Settle()
		if w.Err == nil {
			w.Err = w.Agree()
		}
		if w.Err != nil {
			t.Fatalf("%s: %v", what, w.Err)
		}
	}
	leads := func(c *Client, want bool) {
		t.Helper()
		for _, l := range w.Auth.Meta().Leases {
			if got := l.Holder == c.R.Attachment(); got != want {
				t.Fatalf("%s leads: %v, want %v: %v", c.Name, got, want, l)
			}
		}
	}
	ann := w.NewClient("ann", core.AttachUI)
	w.Connect(ann)
	check("attach")
	leads(ann, true)

	do := func(c *Client, ask core.Ask) core.Result {
		t.Helper()
		b, r := edit.Evaluate(c.R, c.R, &core.Proposal{Author: c.R.Author(), Ask: ask})
		if r.Err == nil {
			if err := c.Commit(w, b); err != nil {
				t.Fatal(err)
			}
		} else {
			t.Fatal(r)
		}
		return r
	}
	win := do(ann, &core.AskWindow{Name: "/f", Kind: core.BufferFile, Text: "one\n", Focus: true}).Window
	body := ann.R.Window(win).Body
	check("open")
	do(ann, &core.AskEdit{Buffer: body, Edits: []core.Span{{Q0: 4, Q1: 4, Text: "two\n"}}})
	check("type")

	bob := w.NewClient("bob", core.AttachUI)
	w.Connect(bob)
	check("second UI")
	leads(bob, true)
	do(bob, &core.AskEdit{Buffer: body, Base: 1, Edits: []core.Span{{Q0: 0, Q1: 0, Text: "zero\n"}}})
	check("second types")
	ann.TakeBack(w)
	check("take back")
	leads(ann, true)

	w.Cut(ann.link, 0)
	do(ann, &core.AskEdit{Buffer: body, Base: 2, Edits: []core.Span{{Q0: 0, Q1: 0, Text: "offline\n"}}})
	check("offline")
	w.Connect(ann)
	check("resume")
	leads(ann, true)

	bot := w.NewClient("bot", core.AttachTool)
	w.Connect(bot)
	check("tool")
	insert := func(s string) {
		t.Helper()
		v := bot.R.Buffer(body).Version
		bot.Propose(w, core.Proposal{Intent: core.IntentID{byte(v + 1)}, Ask: &core.AskEdit{Buffer: body, Base: v,
			Edits: []core.Span{{Text: s}}}})
		check("propose " + s)
		for _, a := range bot.asked {
			if !a.answered || a.result.Outcome != core.Applied {
				t.Fatalf("answered %v: %v", a.answered, a.result)
			}
		}
	}
	insert("led\n")
	w.post(ann, ann.R.Bye().Send...)
	ann.left = true
	w.post(bob, bob.R.Bye().Send...)
	bob.left = true
	check("leave")
	insert("headless\n")
	want := "headless\nled\noffline\nzero\none\ntwo\n"
	if got := w.Auth.Buffer(body).Text.String(); got != want {
		t.Fatalf("text %q, want %q", got, want)
	}
	w.Crash(0)
	w.Start()
	w.Connect(bot)
	check("restart")
	insert("after\n")
}

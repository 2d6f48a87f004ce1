package edit

import (
	"testing"

	"apex/core"
)

// A text that is set by edits is what they make of the version that they are against, and of no
// other; what the disk held is known after it.
func TestSetByEdits(t *testing.T) {
	w := newWorld(t)
	_, body := w.file("/home/ann/f", "one\ntwo\n")
	v := w.Buffer(body).Version
	disk := func(s string) *core.DiskState { return &core.DiskState{Hash: hashOf(s), Bytes: len(s)} }
	for name, bad := range map[string]*core.AskSet{
		"no base":      {Edits: spans(0, 3, "1")},
		"a text too":   {HasBase: true, Base: v, Text: "x", Edits: spans(0, 3, "1")},
		"beyond":       {HasBase: true, Base: v, Edits: spans(0, 99, "1")},
		"out of order": {HasBase: true, Base: v, Edits: spans(4, 5, "1", 0, 1, "2")},
	} {
		bad.Buffer = body
		if res := w.ask(bad); core.CodeOf(res.Err) != core.CodeBadRequest {
			t.Errorf("%s: %v", name, res)
		}
	}
	w.must(&core.AskSet{Buffer: body, HasBase: true, Base: v, Edits: spans(0, 3, "1", 8, 8, "3\n"),
		Disk: disk("1\ntwo\n3\n")})
	if b := w.Buffer(body); w.text(body) != "1\ntwo\n3\n" || b.Dirty() || !b.AsOnDisk() {
		t.Errorf("%q, %+v", w.text(body), b)
	}
	late := &core.AskSet{Buffer: body, HasBase: true, Base: v, Edits: spans(0, 1, "x"), Disk: disk("x")}
	if res := w.ask(late); res.Outcome != core.NeedsMerge {
		t.Errorf("against an old version: %v", res)
	}
	merged := &core.AskSet{Buffer: body, HasBase: true, Base: w.Buffer(body).Version, Force: true,
		Edits: spans(0, 0, "mine\n"), Disk: disk("1\ntwo\n3\n4\n")}
	merged.Disk.Apart = spans(0, 5, "", 13, 13, "4\n")
	w.must(merged)
	if base, ok := w.Buffer(body).Base(); !ok || base.String() != "1\ntwo\n3\n4\n" || !w.Buffer(body).Dirty() {
		t.Errorf("base %q, %v", base.String(), ok)
	}
	w.verify()
}

// A window on a file that is gone is closed only if it is forced, unless there is nothing in it.
func TestDeleteOfMissingFile(t *testing.T) {
	w := newWorld(t)
	win, body := w.file("/home/ann/f", "text\n")
	w.must(&core.AskClean{Buffer: body, Version: w.Buffer(body).Version,
		Disk: core.DiskState{Hash: hashOf("text\n"), Bytes: 5}})
	w.must(&core.AskStale{Buffer: body, Seen: true, Missing: true})
	if res := w.ask(&core.AskDelete{Window: win}); core.CodeOf(res.Err) != core.CodeUnsaved {
		t.Errorf("deleted: %v", res)
	}
	w.must(&core.AskSet{Buffer: body, Text: ""})
	w.must(&core.AskClean{Buffer: body, Version: w.Buffer(body).Version,
		Disk: core.DiskState{Hash: hashOf("")}})
	w.must(&core.AskStale{Buffer: body, Seen: true, Missing: true})
	w.must(&core.AskDelete{Window: win})
	w.verify()
}

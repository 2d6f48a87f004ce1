package edit

import (
	"strings"
	"testing"

	"apex/core"
)

func TestAskWindow(t *testing.T) {
	w := first(t)
	res := w.must(&core.AskWindow{Name: "/a", Kind: core.BufferFile, Text: "one two",
		Select: core.Span{Q0: 4, Q1: 7}, Focus: true})
	id, body := res.Window, w.Window(res.Window).Body
	if w.Layout().Focus != id.Body() || w.dot(id.Body(), body) != [2]int{4, 7} {
		t.Errorf("focus %v, dot %v", w.Layout().Focus, w.dot(id.Body(), body))
	}
	again := w.must(&core.AskWindow{Name: "/a", Kind: core.BufferFile, Text: "other", Reuse: true})
	if again.Window != id || w.text(body) != "one two" {
		t.Errorf("reused as %v with text %q: a file's text stays", again.Window, w.text(body))
	}
	same := w.must(&core.AskWindow{Body: body, Reuse: true})
	second := w.must(&core.AskWindow{Body: body, Select: core.Span{Q0: 1, Q1: 99}})
	if same.Window != id || second.Window == id || w.dot(second.Window.Body(), body) != [2]int{1,
		7} {
		t.Errorf("windows %v, %v on the body of %v", same.Window, second.Window, id)
	}
	if got := w.tag(second.Window); !strings.HasPrefix(got, "/a Del") {
		t.Errorf("tag %q", got)
	}
	w.verify()
	bad := []*core.AskWindow{
		{Name: "/b", Kind: core.BufferFile, Text: "x", Select: core.Span{Q0: 1, Q1: 2}},
		{Name: "/b", Kind: core.BufferTag},
		{Name: "/b"},
		{Name: strings.Repeat("x", core.MaxNameBytes+1), Kind: core.BufferFile},
	}
	for i, a := range bad {
		if got := codeOf(w.ask(a)); got != core.CodeBadRequest {
			t.Errorf("bad ask %d: %q", i, got)
		}
	}
	if got := codeOf(w.ask(&core.AskWindow{Body: 99})); got != core.CodeNotFound {
		t.Errorf("no such body: %q", got)
	}
}

// The daemon opens a file: it leads the buffer, and a UI the layout.
func TestAskWindowOnABufferLedElsewhere(t *testing.T) {
	w := first(t)
	body := core.BufferID(core.MakeID(core.Server, 5))
	w.commit(core.Bundle{New: []core.Shard{body.Shard()}, Parts: []core.Part{{Shard: body.Shard(),
		Ops: newBuffer(core.BufferFile, "/a", "one\ntwo\n")}}})
	w.others[body.Shard()] = true
	id := w.must(&core.AskWindow{Body: body, Name: "/a", Focus: true}).Window
	w.verify()
	if _, ok := w.Buffer(body).View(id.Body()); ok {
		t.Fatal("a view was added to a buffer led by somebody else")
	}
	delete(w.others, body.Shard())
	w.must(&core.AskSelect{Buffer: body, View: id.Body(), Q0: 4, Q1: 7, Show: true})
	if got := w.dot(id.Body(), body); got != [2]int{4, 7} {
		t.Errorf("dot %v", got)
	}
	w.verify()
	if b := Repair(w, ann); !b.Empty() {
		t.Errorf("nothing to repair, and yet %+v", b.Parts)
	}
}

func TestRepair(t *testing.T) {
	w := first(t)
	a, _ := w.file("/a", "a")
	b, shared := w.file("/b", "b")
	w.must(&core.AskWindow{Body: shared})
	// A crash between two shards: a window is gone, another has no place, a view is missing.
	arr := w.Layout().Arrange.Clone()
	Remove(&arr, b)
	gone := core.Bundle{Del: []core.Shard{a.Shard(), w.Window(a).Tag.Shard(),
		w.Window(a).Body.Shard()}}
	gone.Add(core.LayoutShard, core.Of(&arr), core.Of(&core.Focus{View: a.Body()}))
	gone.Add(shared.Shard(), core.Of(&core.ViewDel{View: b.Body()}),
		core.Of(&core.ViewAdd{View: a.Body()}))
	w.commit(gone)
	w.commit(Repair(w, ann))
	w.verify()
	if _, _, ok := w.Layout().Arrange.Window(b); !ok {
		t.Error("the window without a place has none yet")
	}
	if _, _, ok := w.Layout().Arrange.Window(a); ok {
		t.Error("the window that is gone is still in the layout")
	}
	if _, ok := w.Buffer(shared).View(a.Body()); ok {
		t.Error("the view of a window that is gone is still there")
	}
}

func TestAskDeleteAndShow(t *testing.T) {
	w := first(t)
	a, body := w.file("/a", "a")
	b, _ := w.file("/b", "b")
	w.must(&core.AskEdit{Buffer: body, Edits: spans(0, 0, "x")})
	if got := codeOf(w.ask(&core.AskDelete{Window: a})); got != core.CodeUnsaved {
		t.Errorf("unsaved: %q", got)
	}
	hidden, err := Arranged(w, ann, func(arr *core.Arrange) bool { return Hide(arr, b) })
	if err != nil {
		t.Fatal(err)
	}
	w.commit(hidden)
	w.must(&core.AskShow{Window: b})
	if c, s,
		_ := w.Layout().Arrange.Window(b); w.Layout().Columns[c].Slots[s].Show != core.ShowNormal {
		t.Error("not shown")
	}
	w.must(&core.AskShow{Window: b})
	w.must(&core.AskDelete{Window: b})
	if w.Layout().Focus != a.Body() {
		t.Errorf("focus %v, want the neighbour", w.Layout().Focus)
	}
	w.must(&core.AskDelete{Window: a, Force: true})
	w.verify()
	for _, ask := range []core.Ask{&core.AskDelete{Window: a}, &core.AskShow{Window: a},
		&core.AskStatus{Window: a}, &core.AskExec{Window: a, Command: "Del",
			Shard: core.LayoutShard}} {
		if got := codeOf(w.ask(ask)); got != core.CodeNotFound {
			t.Errorf("%T of a window that is gone: %q", ask, got)
		}
	}
}

func TestTagNames(t *testing.T) {
	for _, name := range []string{"/a", "", "/with blank", "/with \"quotes\" and \\",
		"/tab\tand\nline", "+Errors", `back\slash`} {
		if got := TagName(TagText(name, core.BufferFile)); got != name {
			t.Errorf("name %q comes back as %q", name, got)
		}
	}
	w := first(t)
	id, body := w.file("/a", "a")
	w.must(&core.AskWindow{Body: body})
	w.must(&core.AskRename{Buffer: body, Name: "/some where"})
	for _, other := range windows(&w.Layout().Arrange) {
		if got := w.tag(other); got != `"/some where" Del Snarf Get Undo Put | Look ` {
			t.Errorf("tag %q", got)
		}
	}
	// A tool that edits the name in a tag renames; undoing that does too.
	tag := w.Window(id).Tag
	w.must(&core.AskEdit{Buffer: tag, Base: w.Buffer(tag).Version, Edits: spans(0, 13, "rel/b")})
	if got := w.Buffer(body).Name; got != testDir+"/rel/b" {
		t.Errorf("name %q", got)
	}
	w.must(&core.AskUndo{Buffer: tag})
	if got := w.Buffer(body).Name; got != "/some where" {
		t.Errorf("after undo %q", got)
	}
	w.verify()
}

func TestAskSet(t *testing.T) {
	hash := func(s string) *core.DiskState {
		return &core.DiskState{Hash: hashOf(s),
			Bytes: len(s)}
	}
	w := first(t)
	id, body := w.file("/a", "one\ntwo\nthree\n")
	w.must(&core.AskSelect{Buffer: body, View: id.Body(), Q0: 8, Q1: 13})
	res := w.must(&core.AskSet{Buffer: body, Text: "one\n2\nthree\n"})
	if w.text(body) != "one\n2\nthree\n" || res.Hash != hashOf(w.text(body)) || res.Version != 1 {
		t.Errorf("text %q, result %+v", w.text(body), res)
	}
	if got := w.dot(id.Body(), body); got != [2]int{6, 11} {
		t.Errorf("dot %v: what did not change moved", got)
	}
	if got := w.ask(&core.AskSet{Buffer: body, HasBase: true,
		Text: "one\n2\nthree\n"}).Outcome; got != core.Superseded {
		t.Errorf("already so: %q", got)
	}
	if got := w.ask(&core.AskSet{Buffer: body, HasBase: true,
		Text: "x"}).Outcome; got != core.NeedsMerge {
		t.Errorf("old base: %q", got)
	}
	if got := codeOf(w.ask(&core.AskSet{Buffer: body, Text: "disk",
		Disk: hash("disk")})); got != core.CodeUnsaved {
		t.Errorf("from disk over unsaved text: %q", got)
	}
	w.must(&core.AskSet{Buffer: body, Text: "disk", Disk: hash("disk"), Force: true})
	if b := w.Buffer(body); b.Dirty() || b.Text.String() != "disk" {
		t.Errorf("dirty %v, text %q", b.Dirty(), b.Text.String())
	}
	w.must(&core.AskUndo{Buffer: body})
	if got := w.text(body); got != "one\n2\nthree\n" {
		t.Errorf("the text that was replaced is lost: %q", got)
	}
	w.must(&core.AskSet{Buffer: body, Text: w.text(body), Disk: hash(w.text(body))})
	if w.Buffer(body).Dirty() {
		t.Error("dirty, and yet equal to the disk")
	}
	w.verify()
}

// What the disk holds under a name is nothing to a buffer that has got another one meanwhile.
func TestRenamedSince(t *testing.T) {
	for _, at := range []string{"/a", "/b"} {
		w := first(t)
		_, body := w.file("/a", "a")
		w.must(&core.AskEdit{Buffer: body, Edits: spans(1, 1, "b")})
		if at != "/a" {
			w.must(&core.AskRename{Buffer: body, Name: at})
		}
		saved := core.DiskState{Hash: hashOf("ab"), Bytes: 2, Name: "/a"}
		read := core.DiskState{Hash: hashOf("x"), Bytes: 1, Name: "/a"}
		if res := w.ask(&core.AskStale{Buffer: body, Disk: hashOf("c"), Name: "/a"}); res.Err != nil {
			t.Error(res.Err)
		}
		if got := w.Buffer(body).Stale; got != (at == "/a") {
			t.Errorf("%s: stale %v", at, got)
		}
		if res := w.ask(&core.AskClean{Buffer: body, Version: 1, Disk: saved}); res.Err != nil {
			t.Error(res.Err)
		}
		if got := w.Buffer(body).Dirty(); got != (at != "/a") {
			t.Errorf("%s: dirty %v after a save of /a", at, got)
		}
		err := w.ask(&core.AskSet{Buffer: body, Text: "x", Disk: &read, Force: true}).Err
		if (err == nil) != (at == "/a") || err != nil && err.Code != core.CodeConflict {
			t.Errorf("%s: reading /a: %v", at, err)
		}
		w.verify()
	}
}

func TestAskCleanAndStale(t *testing.T) {
	w := first(t)
	_, body := w.file("/a", "a")
	w.must(&core.AskStale{Buffer: body, Disk: hashOf("a")})
	if w.Buffer(body).Stale {
		t.Error("stale, and yet the disk holds what was read")
	}
	w.must(&core.AskStale{Buffer: body, Disk: hashOf("b")})
	if !w.Buffer(body).Stale {
		t.Error("not stale")
	}
	w.must(&core.AskStale{Buffer: body, Disk: hashOf("c")})
	if got := w.Buffer(body).StaleDisk; got != hashOf("c") {
		t.Errorf("the disk holds %v, want the hash of what came last", got)
	}
	w.must(&core.AskStale{Buffer: body, Disk: hashOf("a")})
	if w.Buffer(body).Stale {
		t.Error("stale, and yet the disk holds again what was read")
	}
	w.must(&core.AskStale{Buffer: body, Disk: hashOf("b")})
	w.must(&core.AskEdit{Buffer: body, Edits: spans(1, 1, "b")})
	w.must(&core.AskClean{Buffer: body, Version: 1, Disk: core.DiskState{Hash: hashOf("ab"),
		Bytes: 2}})
	if b := w.Buffer(body); b.Stale || b.Dirty() {
		t.Errorf("stale %v, dirty %v after a save", b.Stale, b.Dirty())
	}
	old := w.ask(&core.AskClean{Buffer: body, Disk: core.DiskState{Hash: hashOf("a"), Bytes: 1}})
	if old.Outcome != core.Superseded || w.Buffer(body).Dirty() {
		t.Errorf("a save of an older version: %q, dirty %v", old.Outcome, w.Buffer(body).Dirty())
	}
	if got := codeOf(w.ask(&core.AskClean{Buffer: body, Version: 9})); got != core.CodeBadRequest {
		t.Errorf("clean in the future: %q", got)
	}
	w.verify()
}

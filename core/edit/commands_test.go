package edit

import (
	"strings"
	"testing"

	"apex/core"
)

// run executes a command line in a view and commits what it says.
func (w *world) run(v core.View, line string) core.Code {
	w.Helper()
	b, err := Run(w, w, w.author, v, line)
	if err == nil {
		w.commit(b)
	} else if !b.Empty() {
		w.Fatalf("%s: an error and a bundle", line)
	}
	return core.CodeOf(err)
}

// wants runs a command and compares its code.
func (w *world) wants(v core.View, line string, code core.Code) {
	w.Helper()
	if got := w.run(v, line); got != code {
		w.Fatalf("%s: %q, want %q", line, got, code)
	}
	w.verify()
}

// first returns a world that began with FirstBundle.
func first(t tester) *world {
	w := newWorld(t)
	w.commit(FirstBundle(w))
	w.verify()
	return w
}

func TestFirstBundle(t *testing.T) {
	w := first(t)
	l := w.Layout()
	if len(l.Columns) != 2 || l.Columns[0].Weight != l.Columns[1].Weight ||
		len(windows(&l.Arrange)) != 0 {
		t.Errorf("columns %v", l.Columns)
	}
	if got := w.text(l.Top); got != TopRowText {
		t.Errorf("top row %q", got)
	}
	if l.Focus != core.ColumnView(l.Columns[0].Tag) {
		t.Errorf("focus %v", l.Focus)
	}
}

func TestWindowCommands(t *testing.T) {
	w := first(t)
	a, body := w.file("/a", "one\ntwo\n")
	if got := w.tag(a); got != "/a Del Snarf Get Undo Put | Look " {
		t.Errorf("tag %q", got)
	}
	w.wants(a.Tag(), "Zerox", "")
	w.wants(a.Body(), "Numbers on", "")
	w.wants(a.Body(), "Tab 4", "")
	w.wants(a.Body(), "Wrap off", "")
	w.wants(a.Body(), "Tab 0", core.CodeBadRequest)
	w.wants(a.Body(), "Wrap maybe", core.CodeBadRequest)
	if s := w.Window(a).Settings; s.TabWidth != 4 || !s.LineNumbers || !s.NoWrap {
		t.Errorf("settings %+v", s)
	}
	z, _ := w.Layout().Focus.Window()
	if w.Window(z).Body != body || z == a {
		t.Fatalf("Zerox: window %v on %v", z, w.Window(z).Body)
	}
	w.must(&core.AskEdit{Buffer: body, Edits: spans(0, 0, "x")})
	w.wants(a.Tag(), "Del", "") // the other one still shows the text
	w.wants(z.Tag(), "Del", core.CodeUnsaved)
	w.wants(z.Body(), "Undo", "")
	w.wants(z.Tag(), "Del", "")
	if n := len(windows(&w.Layout().Arrange)); n != 0 {
		t.Errorf("%d windows left", n)
	}
	w.wants(core.TopView, "Del", core.CodeBadRequest)
	w.wants(core.TopView, "New", "")
	id, _ := w.Layout().Focus.Window()
	w.must(&core.AskEdit{Buffer: w.Window(id).Body, Edits: spans(0, 0, "unsaved")})
	w.wants(id.Body(), "Del", core.CodeUnsaved)
	w.wants(id.Body(), "Delete", "")
	w.wants(core.TopView, "", core.CodeNotFound)
	w.wants(core.TopView, "Detach", core.CodeBadRequest)
}

func TestColumnCommands(t *testing.T) {
	w := first(t)
	left := core.ColumnView(w.Layout().Columns[0].Tag)
	b, _ := w.file("/b", "b")
	a, body := w.file("/a", "a")
	w.wants(left, "Sort", "")
	slots := w.Layout().Columns[0].Slots
	if len(slots) != 2 || slots[0].Window != a || slots[1].Window != b {
		t.Fatalf("sorted: %s", w.arrangement())
	}
	w.wants(left, "Newcol", "")
	if n := len(w.Layout().Columns); n != 3 {
		t.Fatalf("%d columns, want 3", n)
	}
	w.must(&core.AskEdit{Buffer: body, Edits: spans(0, 0, "x")})
	w.wants(left, "Delcol", core.CodeUnsaved)
	w.must(&core.AskUndo{Buffer: body})
	w.wants(a.Tag(), "Zerox", "")
	w.wants(a.Tag(), "Delcol", "")
	if n := len(windows(&w.Layout().Arrange)); n != 0 {
		t.Errorf("windows left: %s", w.arrangement())
	}
	w.wants(core.TopView, "Delcol", "")
	w.wants(core.TopView, "Delcol", core.CodeBadRequest)
}

func TestTextCommands(t *testing.T) {
	k := &typist{world: first(t)}
	k.id, k.body = k.file("/f", "one two one\n")
	v := k.id.Body()
	k.at(0, 3)
	k.wants(v, "Look", "")
	k.want("Look", "one two <one>\n")
	k.wants(v, "Look", "")
	k.want("wraps", "<one> two one\n")
	k.wants(v, "Look two", "")
	k.want("Look two", "one <two> one\n")
	k.wants(v, "Look none", core.CodeNotFound)
	k.wants(v, "Cut", "")
	k.want("Cut", "one <> one\n")
	k.wants(k.id.Tag(), "Paste", "") // in the tag it means the body
	k.want("Paste", "one <two> one\n")
	k.wants(v, "Undo", "")
	k.wants(v, "Undo", "")
	k.want("Undo", "one <two> one\n")
	k.wants(v, "Undo", core.CodeNotFound)
	k.wants(v, "Redo", "")
	k.want("Redo", "one <> one\n")
	k.wants(v, "Goto 1", "")
	k.want("Goto", "<one  one\n>")
	k.wants(v, "Goto 99", core.CodeNotFound)
	k.wants(v, "Goto /(/", core.CodeBadRequest)
	k.wants(v, "Copy", "")
	if got := k.Layout().Snarf; got != "one  one\n" {
		t.Errorf("snarf %q", got)
	}
	k.author.Actor = "human:bob"
	k.wants(v, "Undo", core.CodeNotFound)
	k.wants(v, "Undo all", "")
	k.want("all", "one <two> one\n")
}

func TestEffectCommands(t *testing.T) {
	w := first(t)
	id, body := w.file("/a", "text")
	last := func(id core.WindowID) core.Exec {
		runs := w.Window(id).Runs
		return runs[len(runs)-1].Exec
	}
	w.wants(id.Tag(), "Put -f", "")
	if got := last(id); got.Command != "Put -f" || got.Buffer != body || got.Version != 0 {
		t.Errorf("exec %+v", got)
	}
	tag := w.Window(id).Tag
	w.must(&core.AskSelect{Buffer: tag, View: id.Tag(), Q0: 0, Q1: 2})
	b, err := Type(w, w.author, id.Tag(), "dir/new name")
	if err != nil {
		t.Fatal(err)
	}
	w.commit(b)
	w.wants(id.Tag(), "Put", "")
	if got := w.Buffer(body).Name; got != testDir+"/dir/new" {
		t.Errorf("name %q: a name ends at its first blank", got)
	}
	w.wants(core.TopView, "New", "")
	empty, _ := w.Layout().Focus.Window()
	w.wants(empty.Tag(), "Put", core.CodeBadRequest)
	w.wants(empty.Tag(), "Put /there", "")
	w.wants(core.TopView, "New /x /y", "")
	second, other := w.file("/other", "x")
	w.must(&core.AskEdit{Buffer: body, Edits: spans(0, 0, "1")})
	w.must(&core.AskEdit{Buffer: other, Edits: spans(0, 0, "1")})
	before := len(w.Window(empty).Runs)
	w.wants(core.TopView, "Putall", "")
	if last(id).Version != 1 || last(second).Command != "Putall" ||
		len(w.Window(empty).Runs) != before {
		t.Errorf("Putall: %+v %+v", last(id), last(second))
	}
	w.must(&core.AskStatus{Window: second, Status: core.Status{Of: w.Window(second).Runs[0].At}})
	if !w.Window(second).Runs[0].Done {
		t.Error("the status was not recorded")
	}
}

// Commands come as proposals too, to the leader of the shard that they act on.
func TestAskExec(t *testing.T) {
	w := first(t)
	id, body := w.file("/a", "one one")
	for _, c := range []struct {
		line  string
		shard core.Shard
		code  core.Code
	}{
		{"Look one", body.Shard(), ""},
		{"Look none", body.Shard(), core.CodeNotFound},
		{"Copy", body.Shard(), ""},
		{"Cut", body.Shard(), ""},
		{"Undo", body.Shard(), ""},
		{"Put", id.Shard(), ""},
		{"Numbers", id.Shard(), ""},
		{"make -k", id.Shard(), ""},
		{"|sort", id.Shard(), ""},
		{"Kill make", id.Shard(), ""},
		{"make", core.LayoutShard, core.CodeBadRequest},
		{"Newcol", core.LayoutShard, ""},
		{"Help", core.LayoutShard, core.CodeBadRequest},
		{"Put", core.LayoutShard, core.CodeBadRequest},
		{"Del", core.LayoutShard, ""},
	} {
		shard, err := ShardOf(w, id, c.line)
		if c.code == "" && (err != nil || shard != c.shard) {
			t.Errorf("%s: shard %v %v, want %v", c.line, shard, err, c.shard)
		}
		res := w.ask(&core.AskExec{Window: id, Command: c.line, Shard: c.shard})
		if got := codeOf(res); got != c.code {
			t.Errorf("%s: %q, want %q", c.line, got, c.code)
		}
		w.verify()
	}
	if _, err := ShardOf(w, id, " "); core.CodeOf(err) != core.CodeNotFound {
		t.Errorf("no word: %v", err)
	}
}

// codeOf is the code of a result, empty if it is no error.
func codeOf(r core.Result) core.Code {
	if r.Err == nil {
		return ""
	}
	return r.Err.Code
}

func TestErrors(t *testing.T) {
	w := first(t)
	w.file("/a", "a")
	one := w.must(Errors("/dir", "first")).Window
	w.must(Errors("/dir", "second\n"))
	if got := w.text(w.Window(one).Body); got != "first\nsecond\n" {
		t.Errorf("text %q", got)
	}
	if c, _, _ := w.Layout().Arrange.Window(one); c != 1 {
		t.Errorf("in column %d, want the last: %s", c, w.arrangement())
	}
	if w.Buffer(w.Window(one).Body).Dirty() {
		t.Error("messages are unsaved work")
	}
	w.wants(one.Tag(), "Del", "")
}

// Every command has its line of help, and no two have one name.
func TestCommandTable(t *testing.T) {
	seen := map[string]bool{}
	for _, c := range Commands() {
		if seen[c.Name] || c.Does == "" || strings.ContainsAny(c.Name, " \t") ||
			(c.run == nil) != (c.Kind == CommandScreen) {
			t.Errorf("command %+v", c)
		}
		seen[c.Name] = true
		if got, ok := Lookup(c.Name); !ok || got.Name != c.Name {
			t.Errorf("%s is not found", c.Name)
		}
	}
	for _, name := range strings.Fields("New Del Delete Put Putall Get Undo Redo Cut Copy Snarf Paste " +
		"Look Zerox Newcol Delcol Sort Detach Kill End") {
		if !seen[name] {
			t.Errorf("no command %s", name)
		}
	}
	for _, tag := range []string{ColumnTagText, TopRowText, TagText("/a", core.BufferFile),
		TagText("/a/", core.BufferDir), TagText("+Errors", core.BufferScratch)} {
		for _, word := range strings.Fields(tag) {
			if _, ok := Lookup(word); !ok && word != "|" && word != TagName(tag) {
				t.Errorf("tag %q has %q, which is no command", tag, word)
			}
		}
	}
}

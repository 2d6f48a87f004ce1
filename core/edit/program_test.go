package edit

import (
	"strings"
	"testing"

	"apex/core"
)

func TestParseProgram(t *testing.T) {
	for _, c := range []struct {
		line string
		want Program
		name string // empty: no program
	}{
		{"date", Program{Line: "date"}, "date"},
		{"  make -k all\n", Program{Line: "make -k all"}, "make"},
		{"/usr/bin/env X=1 y", Program{Line: "/usr/bin/env X=1 y"}, "env"},
		{"CGO_ENABLED=0 go build", Program{Line: "CGO_ENABLED=0 go build"}, "go"},
		{"(cd x; make)", Program{Line: "(cd x; make)"}, "cd"},
		{"cat;x", Program{Line: "cat;x"}, "cat"},
		{"x=1", Program{Line: "x=1"}, "x=1"},
		{"|sort -u", Program{Line: "sort -u", Input: true, Replace: true}, "sort"},
		{" | sort", Program{Line: "sort", Input: true, Replace: true}, "sort"},
		{"<date", Program{Line: "date", Replace: true}, "date"},
		{">\twc -l", Program{Line: "wc -l", Input: true}, "wc"},
		{"a\nb", Program{Line: "a\nb"}, "a"},
		{"<Put", Program{Line: "Put", Replace: true}, "Put"}, // there may be a program of that name
		{"put", Program{Line: "put"}, "put"},
		{"Put", Program{}, ""},
		{"Put\nx", Program{}, ""},
		{"Kill\tmake", Program{}, ""},
		{"Detach", Program{}, ""},
		{"", Program{}, ""},
		{" \n", Program{}, ""},
		{"|", Program{}, ""},
		{"> ", Program{}, ""},
	} {
		p, ok := ParseProgram(c.line)
		if ok != (c.name != "") || ok && (p != c.want || p.Name() != c.name) {
			t.Errorf("%q: %+v %v, named %q", c.line, p, ok, p.Name())
		}
	}
	if got := ProgramName("|/bin/sort -k 1,"); got != "sort" {
		t.Errorf("name %q", got)
	}
}

// A program is recorded with the dot of the body, wherever in the window it was executed.
func TestRunProgram(t *testing.T) {
	w := first(t)
	id, body := w.file("/src/a", "one two\n")
	w.must(&core.AskSelect{Buffer: body, View: id.Body(), Q0: 4, Q1: 7})
	w.must(&core.AskEdit{Buffer: body, Edits: spans(0, 0, "x")})
	for _, v := range []core.View{id.Tag(), id.Body()} {
		w.wants(v, " |tr a-z A-Z ", "")
		runs := w.Window(id).Runs
		got := runs[len(runs)-1].Exec
		want := core.Exec{Command: "|tr a-z A-Z", Buffer: body, Version: 1, Q0: 5, Q1: 8}
		if got != want {
			t.Errorf("%v: %+v, want %+v", v, got, want)
		}
	}
	w.wants(id.Tag(), "|", core.CodeBadRequest)
	w.wants(id.Tag(), "echo \x00", core.CodeBadRequest)
	w.wants(id.Tag(), strings.Repeat("x", core.MaxCommandBytes+1), core.CodeBadRequest)
	w.wants(id.Tag(), "Kill", "")
	before := w.states[core.LayoutShard].Mark.Seq
	for _, v := range []core.View{core.TopView, core.ColumnView(w.Layout().Columns[0].Tag)} {
		w.wants(v, "make all", "")
		w.wants(v, "Kill make", "")
		w.wants(v, "|sort", core.CodeBadRequest)
		w.wants(v, "<date", core.CodeBadRequest)
		w.wants(v, ">wc", core.CodeBadRequest)
	}
	if n := w.states[core.LayoutShard].Mark.Seq - before; n != 4 {
		t.Errorf("%d entries in the layout, want 4", n)
	}
}

// A window that output is appended to shows its end, unless somebody has gone back in it.
func TestOutputFollows(t *testing.T) {
	w := first(t)
	lines := func(n int) string { return strings.Repeat("x\n", n) }
	id := w.must(Output("/dir", lines(5))).Window
	body := w.Window(id).Body
	wants := func(what string, q0, q1, origin int) {
		t.Helper()
		if v, _ := w.Buffer(body).View(id.Body()); v.Q0 != q0 || v.Q1 != q1 || v.Origin != origin {
			t.Errorf("%s: %+v, want %d,%d from %d", what, v, q0, q1, origin)
		}
	}
	wants("made", 10, 10, 0)
	w.must(Output("/dir", lines(5)))
	wants("in sight", 20, 20, 0)
	w.must(Output("/dir", lines(90)+"end"))
	wants("below", 203, 203, 2*(100-showLines+showAbove))
	w.must(&core.AskSelect{Buffer: body, View: id.Body(), Q0: 4, Q1: 203})
	w.must(Output("/dir", lines(50)))
	wants("gone back", 4, 203, 2*(100-showLines+showAbove))
}

package entry

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"apex/core"
	"apex/core/cell"
)

var rewrite = flag.Bool("rewrite", false, "write testdata/forms.txt anew")

// samples has one op of each kind.
func samples() []core.Op {
	w, b := core.WindowID(core.MakeID(1, 3)), core.BufferID(core.MakeID(1, 2))
	term, proc := core.TermID(core.MakeID(0, 7)), core.ProcID(core.MakeID(0, 8))
	row := core.NewTermRow([]cell.Run{{Kind: cell.Narrow, Text: "$ ls"}}, true)
	var id core.SessionID
	id[0] = 0xab
	hash := core.Hash{0xcd}
	bodies := []core.Body{
		&core.SessionNew{Session: id, Label: "work"},
		&core.SessionRename{Session: id, Label: "play"},
		&core.SessionEnd{Session: id},
		&core.Identity{Session: id, History: [16]byte{1}, Created: 1_700_000_000_123},
		&core.Label{Label: "work"}, &core.Place{Dir: "/src"},
		&core.ShardNew{Shard: b.Shard(), Holder: 1, Epoch: 1<<53 - 1},
		&core.ShardDel{Shard: w.Shard()},
		&core.Attach{ID: 7, Kind: core.AttachTool, Name: "apex follow", Actor: "human:ann",
			Secret: core.Hash{0x5e}, Since: 1_700_000_000_000, Epoch: 9},
		&core.Detach{ID: 7, Reason: "left"}, &core.Resume{ID: 7},
		&core.LeaseRequest{Shard: core.LayoutShard, By: 7},
		&core.LeaseRelease{Shard: core.LayoutShard, At: 4},
		&core.LeaseGrant{Shard: core.LayoutShard, To: 7, Epoch: 10, At: 4},
		&core.LeaseReclaim{Shard: core.LayoutShard, To: core.Server, Epoch: 11, At: 5},
		&core.Arrange{Top: b, Columns: []core.Column{{Tag: b, Weight: 2,
			Slots: []core.Slot{{Window: w, Share: 3, Show: core.ShowMaximised}}}}},
		&core.Snarf{Text: "<snarf>"}, &core.Focus{View: w.Body()},
		&core.LayoutExec{View: core.TopView, Command: "Newcol"},
		&core.LayoutStatus{Of: 3, Code: core.CodeNotFound, Message: "no"},
		&core.WindowNew{Tag: b, Body: b}, &core.Settings{TabWidth: 8, LineNumbers: true},
		&core.Flag{Owner: "agent:x", Live: true},
		&core.Exec{Command: "Put", Buffer: b, Version: 5, Q0: 1, Q1: 2},
		&core.Status{Of: 2, Message: "done"}, &core.WindowDel{},
		&core.BufferNew{Kind: core.BufferFile, Name: "/src/a", Text: "é\n", Loading: true},
		&core.Load{Text: "more"}, &core.Loaded{Hash: hash},
		&core.Undo{Version: 6, Redo: true, Target: 2,
			Edits: []core.Span{{Q0: 1, Q1: 2, Text: "\xff"}}},
		&core.Clean{Version: 5, Disk: hash, Bytes: 12}, &core.Stale{Disk: hash},
		&core.Rename{Name: "/src/b"}, &core.ViewAdd{View: w.Tag(), Q0: 1, Q1: 2, Origin: 1},
		&core.ViewDel{View: core.ColumnView(b)}, &core.MarkSet{Name: "note", Q0: 3, Q1: 4},
		&core.MarkDel{Name: "note"},
		&core.DiskChanged{Disk: hash}, &core.DiskChanged{Missing: true},
		&core.Merged{Version: 6, Disk: hash, Bytes: 13, Apart: []core.Span{{Q0: 1, Q1: 2, Text: "\xff"}}},
		&core.ProcStart{Proc: proc, Window: w, Term: term, Command: "sh -l", Dir: "/src",
			Holder: "t0.7-1", Started: 1_700_000_000_000},
		&core.ProcExit{Proc: proc, Signal: "KILL", Ended: 1_700_000_000_001},
		&core.ProcDel{Proc: proc},
		&core.LeaseTTL{Shard: b.Shard(), By: 7, TTL: 30_000},
		&core.Imported{Session: core.SessionID{1}, History: [16]byte{2}, At: 1_700_000_000_000},
		&core.TermNew{Window: w, Command: "sh -l", Dir: "/src", Generation: 2, Cols: 80, Rows: 24},
		&core.TermRows{Scroll: 1, Rows: []core.RowAt{{Y: 23, Row: row}}},
		&core.TermCursor{Cursor: core.Cursor{X: 4, Y: 23, Visible: true, Shape: core.CursorShapeBar}},
		&core.TermModes{Modes: (core.TermAltScreen | core.TermPaste).WithMouse(core.MouseDrags)},
		&core.TermResize{Cols: 100, Rows: 30}, &core.TermTitle{Title: "vi"},
		&core.TermCwd{Dir: "/tmp"}, &core.TermMarks{Drop: 1, Add: []core.PromptMark{
			{Kind: core.MarkInput, Line: 9, Col: 2, Status: core.StatusUnknown},
			{Kind: core.MarkEnd, Line: 12, Status: 3}}},
		&core.TermProgress{Progress: core.Progress{State: core.ProgressSet, Percent: 40}},
		&core.TermBell{Bells: 2}, &core.TermHistory{First: 1, Base: 20, BaseCol: 80},
		&core.TermExit{Exit: core.Exit{Done: true, Code: 3}}, &core.TermClip{Clips: 1},
	}
	ops := []core.Op{core.Edit(5, 1, 2, "a\nb", 6), core.Edit(6, 0, 0, "\xff\x00", 0),
		core.Select(w.Body(), 1, 4), core.Origin(w.Body(), 3)}
	for _, body := range bodies {
		ops = append(ops, core.Of(body))
	}
	return ops
}

// declared returns the numbers of the ops that package core declares, by name.
func declared(t *testing.T) map[string]core.OpKind {
	file, err := parser.ParseFile(token.NewFileSet(), "../../../../core/op.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]core.OpKind{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 || !strings.HasPrefix(spec.Names[0].Name, "Op") {
			return true
		}
		if lit, ok := spec.Values[0].(*ast.BasicLit); ok && lit.Value != "0" {
			v, err := strconv.ParseUint(lit.Value, 0, 16)
			if err != nil {
				t.Fatal(err)
			}
			out[spec.Names[0].Name] = core.OpKind(v)
		}
		return true
	})
	if len(out) < 37 {
		t.Fatalf("found %d ops in package core", len(out))
	}
	return out
}

// Every op that there is has a form, a sample, and a name of its own.
func TestEveryOpHasAForm(t *testing.T) {
	sampled := map[core.OpKind]bool{}
	for _, o := range samples() {
		sampled[o.Kind] = true
	}
	names := map[string]core.OpKind{}
	for name, kind := range declared(t) {
		f, ok := forms[kind]
		if !ok || !sampled[kind] {
			t.Errorf("%s: has a form: %v, a sample: %v", name, ok, sampled[kind])
		}
		if other, taken := names[f.name]; taken {
			t.Errorf("%s is the name of ops %d and %d", f.name, kind, other)
		}
		names[f.name] = kind
	}
}

// The forms are a contract: a change shows here.
func TestForms(t *testing.T) {
	var lines []string
	for _, o := range samples() {
		b := &core.Batch{Shard: core.MetaShard, Epoch: 1, First: 1, Ops: []core.Op{o}}
		e := Of(b, 1)[0]
		var s strings.Builder
		fmt.Fprintf(&s, "%s ", e.Op)
		if err := Write(&s, e.Fields); err != nil {
			t.Fatal(err)
		}
		lines = append(lines, s.String())
	}
	slices.Sort(lines)
	got := strings.Join(lines, "")
	if *rewrite {
		if err := os.WriteFile("testdata/forms.txt", []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile("testdata/forms.txt")
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("the forms are now\n%s\nbut are documented as\n%s", got, want)
	}
	if strings.Contains(got, "5e00") {
		t.Error("a secret's hash is printed")
	}
}

func TestOf(t *testing.T) {
	b := &core.Batch{Shard: core.BufferID(core.MakeID(2, 5)).Shard(), Attachment: 3, Epoch: 77,
		First: 10, Author: core.Author{Attachment: 4, Actor: "agent:x"}}
	for v, s := range []string{"a", "b", "c"} {
		b.Ops = append(b.Ops, core.Edit(core.Version(v), 0, 0, s, 0))
	}
	got := Of(b, 11)
	if len(got) != 2 || got[0].Seq != 11 || got[1].Seq != 12 {
		t.Fatalf("got %+v", got)
	}
	var s strings.Builder
	if err := Write(&s, got[0]); err != nil {
		t.Fatal(err)
	}
	want := `{"shard":"buffer/b2.5","seq":11,"epoch":77,"attachment":"a3","actor":"agent:x",` +
		`"op":"edit","fields":{"version":1,"q0":0,"q1":0,"group":0,"text":"b"}}` + "\n"
	if s.String() != want {
		t.Errorf("got  %swant %s", s.String(), want)
	}
}

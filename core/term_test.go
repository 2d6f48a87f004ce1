package core

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"apex/core/cell"
	"apex/core/codec"

	"pgregory.net/rapid"
)

const testTerm = TermID(7)

// drawRun generates a run of a kind, of at most most cells, at least one.
func drawRun(t *rapid.T, most int) cell.Run {
	n := rapid.IntRange(1, min(most, 4)).Draw(t, "n")
	u := cell.Run{Kind: cell.Narrow, Text: strings.Repeat("é", n)}
	switch k := rapid.SampledFrom([]cell.RunKind{cell.Narrow, cell.Wide, cell.NarrowCluster,
		cell.WideCluster}).Draw(t, "kind"); {
	case k == cell.NarrowCluster:
		u = cell.Run{Kind: k, Text: "e\u0301"}
	case k == cell.Wide && most > 1:
		u = cell.Run{Kind: k, Text: strings.Repeat("世", max(n/2, 1))}
	case k == cell.WideCluster && most > 1:
		u = cell.Run{Kind: k, Text: "👩‍🚀"}
	}
	colour := rapid.SampledFrom([]cell.Colour{0, 0, cell.Palette(7), cell.RGB(1, 0, 255)})
	attr := rapid.SampledFrom([]cell.Attr{0, cell.Bold, cell.Dim.WithUnderline(cell.DashedUnderline)})
	u.Style = cell.Style{Fg: colour.Draw(t, "fg"), Bg: colour.Draw(t, "bg"),
		Attr: attr.Draw(t, "attr")}
	u.Under = colour.Draw(t, "under")
	u.Link = rapid.SampledFrom([]string{"", "", "https://a", "\xff"}).Draw(t, "link")
	return u
}

func drawRow(t *rapid.T, cols int) *TermRow {
	var runs []cell.Run
	for left := rapid.IntRange(0, cols).Draw(t, "cells"); left > 0; {
		u := drawRun(t, left)
		runs = append(runs, u)
		left -= u.Cells()
	}
	return NewTermRow(runs, rapid.Bool().Draw(t, "wrapped"))
}

// drawTerm generates a state that was changed from another, or a first one: rows stay, move up or
// are made anew, as a program's do.
func drawTerm(t *rapid.T, was *Term) *Term {
	n := &Term{Window: 3, Command: "vi", Dir: "/src", Generation: 9}
	if was != nil {
		*n = *was
	}
	if was == nil || rapid.IntRange(0, 4).Draw(t, "resize") == 0 {
		n.Cols, n.Rows = rapid.IntRange(1, 12).Draw(t, "cols"), rapid.IntRange(1, 8).Draw(t, "rows")
	}
	n.Grid = make([]*TermRow, n.Rows)
	up := rapid.IntRange(0, n.Rows).Draw(t, "up")
	for y := range n.Grid {
		switch {
		case was != nil && was.Cols == n.Cols && y+up < was.Rows &&
			rapid.IntRange(0, 3).Draw(t, "keep") > 0:
			n.Grid[y] = was.Grid[y+up]
		case rapid.Bool().Draw(t, "blank"):
			n.Grid[y] = NewTermRow(nil, false)
		default:
			n.Grid[y] = drawRow(t, n.Cols)
		}
	}
	n.Base = rapid.Uint64Range(0, 100).Draw(t, "base")
	n.First = rapid.Uint64Range(0, n.Base).Draw(t, "first")
	n.BaseCol = rapid.IntRange(0, 9).Draw(t, "base col")
	n.Cursor = Cursor{X: rapid.IntRange(0, n.Cols-1).Draw(t, "x"),
		Y: rapid.IntRange(0, n.Rows-1).Draw(t, "y"), Visible: rapid.Bool().Draw(t, "visible"),
		Shape: CursorShape(rapid.IntRange(0, 3).Draw(t, "shape"))}
	n.Modes = TermMode(rapid.Uint32().Draw(t, "modes"))
	n.Title = rapid.SampledFrom([]string{"", "a", "b\xff"}).Draw(t, "title")
	n.Cwd = rapid.SampledFrom([]string{"", "/a"}).Draw(t, "cwd")
	n.Progress = Progress{ProgressState(rapid.IntRange(0, 4).Draw(t, "state")),
		rapid.IntRange(0, 100).Draw(t, "percent")}
	n.Bells += rapid.Uint64Range(0, 1).Draw(t, "bells")
	n.Clips += rapid.Uint64Range(0, 1).Draw(t, "clips")
	n.Exit.Done = rapid.Bool().Draw(t, "done")
	n.Marks = drawMarks(t, n.Marks)
	return n
}

// drawMarks drops some marks at both ends, and adds others.
func drawMarks(t *rapid.T, was []PromptMark) []PromptMark {
	drop := rapid.IntRange(0, len(was)).Draw(t, "drop")
	cut := rapid.IntRange(0, len(was)-drop).Draw(t, "cut")
	out := slices.Clone(was[drop : len(was)-cut])
	for range rapid.IntRange(0, 2).Draw(t, "add") {
		out = append(out, PromptMark{Kind: MarkPrompt + MarkKind(rapid.IntRange(0, 3).Draw(t, "mark")),
			Line:   rapid.Uint64Range(0, 5).Draw(t, "line"),
			Status: rapid.IntRange(-1, 2).Draw(t, "status")})
	}
	return out[max(0, len(out)-TermMarksMax):]
}

// sealTerm makes a batch of ops on a terminal's shard, through its bytes.
func sealTerm(t tester, s *ShardState, ops []Op) *Sealed {
	t.Helper()
	b := Batch{Shard: s.Shard, First: s.Mark.Seq + 1, Author: serverAuthor, Ops: ops}
	out, err := Open(b.Append(nil))
	if err != nil {
		t.Fatalf("%v: %v", &b, err)
	}
	return out
}

func snapshotOf(t tester, s *ShardState) string {
	t.Helper()
	var b strings.Builder
	if err := s.WriteSnapshot(&b); err != nil {
		t.Fatalf("%v", err)
	}
	return b.String()
}

// What TermDiff returns leads from one state to the other, whatever both are: applied as it is and
// from its bytes, it gives what the other state is written as. A snapshot in between changes
// nothing.
func TestTermDiff(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		leader := NewShardState([16]byte{1}, SessionID{2}, testTerm.Shard())
		follower := leader
		var was *Term
		for range rapid.IntRange(1, 5).Draw(t, "steps") {
			next := drawTerm(t, was)
			ops := TermDiff(was, next)
			if len(ops) == 0 {
				if string(was.Append(nil)) != string(next.Append(nil)) {
					t.Fatal("two states differ and TermDiff has nothing to say")
				}
				continue
			}
			b := sealTerm(t, &leader, ops)
			local := *b
			local.Ops = ops
			var err error
			if leader, err = leader.Apply(&local); err != nil {
				t.Fatal(err)
			}
			if follower, err = follower.Apply(b); err != nil {
				t.Fatal(err)
			}
			got, want := follower.Term().Append(nil), next.Append(nil)
			if string(got) != string(want) {
				t.Fatalf("got\n%x\nwant\n%x\nby %v", got, want, &b.Batch)
			}
			again, err := ReadSnapshot([]byte(snapshotOf(t, &follower)))
			if err != nil {
				t.Fatal(err)
			}
			if snapshotOf(t, &again) != snapshotOf(t, &leader) || again.Hash() != leader.Hash() {
				t.Fatal("a snapshot's state is not the leader's")
			}
			if rapid.Bool().Draw(t, "from the snapshot") {
				follower = again
			}
			was = leader.Term()
		}
	})
}

// plainTerm has a row of its number in each row.
func plainTerm(cols, rows, from int) *Term {
	t := &Term{Window: 3, Command: "sh", Generation: 9, Cols: cols, Rows: rows, Base: uint64(from)}
	for y := range rows {
		t.Grid = append(t.Grid, plainRow(from+y))
	}
	return t
}

func plainRow(n int) *TermRow {
	return NewTermRow([]cell.Run{{Kind: cell.Narrow, Text: fmt.Sprint("line ", n)}}, false)
}

// scrollTerm moves a grid up as output does: all rows but the newest are those that there were.
func scrollTerm(t *Term, up int) *Term {
	n := *t
	n.Base += uint64(up)
	n.Grid = append(slices.Clone(t.Grid[up:]), make([]*TermRow, up)...)
	for y := n.Rows - up; y < n.Rows; y++ {
		n.Grid[y] = plainRow(int(n.Base) + y)
	}
	return &n
}

// A screen that scrolled sends its new rows and nothing else, also under a line that stays.
func TestTermDiffScroll(t *testing.T) {
	status := plainRow(-1)
	for _, up := range []int{1, 5, 23} {
		was := plainTerm(80, 24, 0)
		was.Grid[23] = status
		now := scrollTerm(was, up)
		now.Grid[23] = status
		now.Grid[23-up] = plainRow(1000) // where the status line was
		ops := TermDiff(was, now)
		rows, ok := ops[0].Body.(*TermRows)
		if !ok || len(ops) != 2 || up < 23 && (rows.Scroll != up || len(rows.Rows) > up+1) {
			t.Errorf("up %d: got %v", up, ops)
		}
	}
	was := plainTerm(80, 24, 0)
	was.Grid[0], was.Grid[1] = NewTermRow(nil, false), NewTermRow(nil, false)
	now := *was
	now.Grid = slices.Clone(was.Grid)
	now.Grid[5] = plainRow(99)
	if ops := TermDiff(was, &now); len(ops) != 1 || ops[0].Body.(*TermRows).Scroll != 0 ||
		len(ops[0].Body.(*TermRows).Rows) != 1 {
		t.Errorf("one row: got %v", ops)
	}
	if ops := TermDiff(was, was); ops != nil {
		t.Errorf("the same: got %v", ops)
	}
}

// bigRow has so many bytes of links and clusters that it can't stay as it is.
func bigRow(cols int, text, link string) []cell.Run {
	runs := make([]cell.Run, cols)
	for x := range runs {
		runs[x] = cell.Run{Kind: cell.NarrowCluster, Text: text, Link: link,
			Style: cell.Style{Fg: cell.Palette(uint8(x))}}
	}
	return runs
}

// A row that takes too much loses links, then all but the first runes of clusters; it always fits
// then, and what the caller has stays as it is.
func TestNewTermRowBounds(t *testing.T) {
	pile := "e" + strings.Repeat("\u0301", 60)
	for _, c := range []struct {
		text, link         string
		wantText, wantLink string
	}{
		{"e\u0301", "", "e\u0301", ""},
		{"e\u0301", strings.Repeat("x", TermLinkMaxBytes), "e\u0301", ""},
		{pile, "https://a", "e", ""},
	} {
		runs := bigRow(TermColsMax, c.text, c.link)
		r := NewTermRow(runs, false)
		if err := r.check(TermColsMax); err != nil {
			t.Errorf("%.9q with %.9q: %v", c.text, c.link, err)
		}
		got := r.Runs[9]
		if got.Text != c.wantText || got.Link != c.wantLink || r.Cells() != TermColsMax {
			t.Errorf("%.9q with %.9q: got %.9q with %.9q", c.text, c.link, got.Text, got.Link)
		}
		if runs[9].Text != c.text || runs[9].Link != c.link {
			t.Error("the caller's runs were changed")
		}
	}
}

// long returns a text of one byte more.
func long(n int) string { return strings.Repeat("x", n+1) }

// What no screen makes is refused, and the state stays as it was.
func TestTermRefuses(t *testing.T) {
	row := func(u cell.Run) Op {
		return Of(&TermRows{Rows: []RowAt{{0, &TermRow{Runs: []cell.Run{u}}}}})
	}
	narrow := func(change func(*cell.Run)) Op {
		u := cell.Run{Kind: cell.Narrow, Text: "ab"}
		change(&u)
		return row(u)
	}
	for name, op := range map[string]Op{
		"a second beginning":   Of(&TermNew{Cols: 2, Rows: 2}),
		"no columns":           Of(&TermResize{Cols: 0, Rows: 2}),
		"too many rows":        Of(&TermResize{Cols: 1, Rows: TermRowsMax + 1}),
		"cursor outside":       Of(&TermCursor{Cursor{X: 5}}),
		"cursor below":         Of(&TermCursor{Cursor{Y: 3}}),
		"cursor of no shape":   Of(&TermCursor{Cursor{Shape: cursorShapeEnd}}),
		"scroll too far":       Of(&TermRows{Scroll: 4}),
		"scroll down":          Of(&TermRows{Scroll: -1}),
		"row outside":          Of(&TermRows{Rows: []RowAt{{3, blankRow}}}),
		"rows twice":           Of(&TermRows{Rows: []RowAt{{1, blankRow}, {1, blankRow}}}),
		"rows out of order":    Of(&TermRows{Rows: []RowAt{{1, blankRow}, {0, blankRow}}}),
		"too many cells":       narrow(func(u *cell.Run) { u.Text = "abcdef" }),
		"wide at the edge":     row(cell.Run{Kind: cell.Wide, Text: "世世世"}),
		"no text":              narrow(func(u *cell.Run) { u.Text = "" }),
		"no UTF-8":             narrow(func(u *cell.Run) { u.Text = "\xff" }),
		"no kind":              narrow(func(u *cell.Run) { u.Kind = 0 }),
		"a kind that is not":   narrow(func(u *cell.Run) { u.Kind = 5 }),
		"a long cluster":       row(cell.Run{Kind: cell.NarrowCluster, Text: long(cell.ClusterMaxBytes)}),
		"a colour beyond RGB":  narrow(func(u *cell.Run) { u.Style.Fg = 3 << 24 }),
		"a palette beyond 255": narrow(func(u *cell.Run) { u.Under = cell.Palette(0) + 256 }),
		"a default with value": narrow(func(u *cell.Run) { u.Style.Bg = 1 }),
		"attributes":           narrow(func(u *cell.Run) { u.Style.Attr = cell.AttrMask + 1 }),
		"an underline":         narrow(func(u *cell.Run) { u.Style.Attr = cell.Bold.WithUnderline(6) }),
		"a long link":          narrow(func(u *cell.Run) { u.Link = long(TermLinkMaxBytes) }),
		"a long title":         Of(&TermTitle{long(TermTitleMaxBytes)}),
		"a long directory":     Of(&TermCwd{long(MaxPathBytes)}),
		"progress":             Of(&TermProgress{Progress{Percent: 101}}),
		"a state of progress":  Of(&TermProgress{Progress{State: progressEnd}}),
		"lines":                Of(&TermHistory{First: 2, Base: 1}),
		"marks dropped":        Of(&TermMarks{Drop: 1}),
		"marks cut":            Of(&TermMarks{Cut: 1}),
		"no mark":              Of(&TermMarks{Add: []PromptMark{{Kind: 'E'}}}),
		"many marks":           Of(&TermMarks{Add: make([]PromptMark, TermMarksMax+1)}),
		"a long signal":        Of(&TermExit{Exit{Signal: long(TermSignalMax)}}),
	} {
		s := NewShardState([16]byte{1}, SessionID{2}, testTerm.Shard())
		begin := &Term{Cols: 5, Rows: 3, Grid: []*TermRow{blankRow, blankRow, blankRow}}
		s, err := s.Apply(sealTerm(t, &s, TermDiff(nil, begin)))
		if err != nil {
			t.Fatal(err)
		}
		want := snapshotOf(t, &s)
		b := Batch{Shard: s.Shard, First: s.Mark.Seq + 1, Ops: []Op{Of(&TermBell{1}), op}}
		_, err = s.Apply(&Sealed{Batch: b})
		if code := CodeOf(err); code != CodeBadRequest && code != CodeTooLarge {
			t.Errorf("%s: got %v", name, err)
		}
		if snapshotOf(t, &s) != want {
			t.Errorf("%s: the state was changed", name)
		}
	}
}

// Whatever bytes a batch or a snapshot is made of: it is refused, or what it gives can be written,
// read again, and is then the same.
func FuzzTerm(f *testing.F) {
	s := NewShardState([16]byte{1}, SessionID{2}, testTerm.Shard())
	first := sealTerm(f, &s, TermDiff(nil, plainTerm(80, 3, 0)))
	s, err := s.Apply(first)
	if err != nil {
		f.Fatal(err)
	}
	next := scrollTerm(s.Term(), 1)
	next.Marks = []PromptMark{{Kind: MarkEnd, Line: 2, Status: 1}}
	f.Add(false, sealTerm(f, &s, TermDiff(s.Term(), next)).Bytes)
	f.Add(true, []byte(snapshotOf(f, &s)))
	f.Fuzz(func(t *testing.T, snapshot bool, b []byte) {
		var got ShardState
		if snapshot {
			read, err := ReadSnapshot(b)
			if err != nil || read.Shard.Kind != KindTerm {
				return
			}
			got = read
		} else {
			x, err := Open(b)
			if err != nil || x.Shard != s.Shard || x.First != s.Mark.Seq+1 {
				return
			}
			if got, err = s.Apply(x); err != nil {
				return
			}
			if n := got.Term(); n.Cols*n.Rows > TermColsMax*TermRowsMax || len(n.Grid) != n.Rows {
				t.Fatalf("%d rows of %dx%d", len(n.Grid), n.Cols, n.Rows)
			}
		}
		again, err := ReadSnapshot([]byte(snapshotOf(t, &got)))
		if err != nil {
			t.Fatalf("what was taken is refused when it is read again: %v", err)
		}
		if again.Hash() != got.Hash() {
			t.Fatal("read again it is another")
		}
		_ = got.String()
	})
}

// A run's bytes have no field at the end that is zero, and all of them when it has a link.
func TestRunBytes(t *testing.T) {
	for _, c := range []struct {
		run  cell.Run
		want string
	}{
		{cell.Run{Kind: cell.Narrow, Text: "a"}, "82014161"},
		{cell.Run{Kind: cell.Wide, Text: "a", Style: cell.Style{Fg: cell.Palette(1)}},
			"830241611a01000001"},
		{cell.Run{Kind: cell.Narrow, Text: "a", Style: cell.Style{Attr: 1}}, "85014161000001"},
		{cell.Run{Kind: cell.Narrow, Text: "a", Link: "b"}, "87014161000000004162"},
	} {
		b := AppendRuns(nil, []cell.Run{c.run})
		if got := fmt.Sprintf("%x", b[1:]); got != c.want {
			t.Errorf("%+v: got %s, want %s", c.run, got, c.want)
		}
		cur := codec.NewCursor(b)
		if got := ReadRuns(&cur, 1); cur.Done() != nil || len(got) != 1 || got[0] != c.run {
			t.Errorf("%+v: read %+v, %v", c.run, got, cur.Err())
		}
	}
}

func TestTermMode(t *testing.T) {
	m := TermAltScreen | TermKeyReleases
	for w := MouseNone; w <= MouseMotion; w++ {
		if m = m.WithMouse(w); m.Mouse() != w || m.WithMouse(MouseNone) != TermAltScreen|TermKeyReleases {
			t.Errorf("mouse %d: got %b", w, m)
		}
	}
}

package vt

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"apex/core/cell"
)

// After any bytes and sizes everything holds that verify knows of.
func TestInvariants(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScreen(t)
		for _, st := range drawSteps(t, "steps") {
			s.do([]step{st})
			if err := s.verify(); err != nil {
				t.Fatal(err)
			}
		}
	})
}

// Where a program's output is cut into writes makes no difference.
func TestCutsMakeNoDifference(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScreen(t)
		cut := New(s.cols, s.rows, s.opts)
		cut.history.lines, cut.history.max, cut.opts = s.history.lines, s.history.max, s.opts
		p := drawProgram(t, "program")
		s.Write(p)
		for len(p) > 0 {
			n := rapid.IntRange(1, min(len(p), 5)).Draw(t, "cut")
			cut.Write(p[:n])
			p = p[n:]
		}
		sameScreens(t, cut, s)
	})
}

// A screen that was saved and restored at any moment goes on as if nothing had been.
func TestRestoreGoesOn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScreen(t)
		s.do(drawSteps(t, "before"))
		back := restored(t, s)
		sameScreens(t, back, s)
		after := drawSteps(t, "after")
		s.do(after)
		back.do(after)
		sameScreens(t, back, s)
		if err := back.verify(); err != nil {
			t.Fatal(err)
		}
	})
}

type fataler interface {
	Helper()
	Fatal(...any)
	Fatalf(string, ...any)
}

// saved is a screen as its owner keeps it.
func saved(s *Screen) (screen []byte, lines map[uint64][]byte) {
	lines = map[uint64][]byte{}
	for n := s.HistoryFirst(); n < s.HistoryEnd(); n++ {
		lines[n] = s.AppendLine(nil, n)
	}
	return s.AppendScreen(nil), lines
}

func restored(t fataler, s *Screen) *Screen {
	t.Helper()
	screen, lines := saved(s)
	back, err := Restore(screen, func(n uint64) ([]byte, bool) {
		b, ok := lines[n]
		return b, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	return back
}

// observed is all that an owner can see of s.
type observed struct {
	Cols, Rows       int
	Text             [][]cell.Run
	Wrapped          []bool
	Cursor           Cursor
	Modes            Modes
	First, Whole, E  uint64
	Lines            [][]cell.Run
	Marks            []Mark
	Title, Host, Dir string
	Progress         Progress
	Bells, MarksSeen uint64
	Colours          Colours
}

func observe(s *Screen) observed {
	o := observed{
		Cols: s.cols, Rows: s.rows, Cursor: s.Cursor(), Modes: s.Modes(),
		First: s.HistoryFirst(), Whole: s.HistoryEnd(), E: s.End(), Marks: s.Marks(),
		Title: s.Title(), Progress: s.Progress(), Bells: s.Bells(), MarksSeen: s.MarksSeen(),
	}
	o.Host, o.Dir = s.Directory()
	o.Colours, _ = s.ProgramColours()
	for y := range s.rows {
		o.Text = append(o.Text, s.Row(y, nil))
		o.Wrapped = append(o.Wrapped, s.RowWrapped(y))
	}
	for n := o.First; n < o.E; n++ {
		line, ok := s.Line(n)
		if !ok {
			panic(fmt.Sprintf("line %d of %d to %d is not there", n, o.First, o.E))
		}
		o.Lines = append(o.Lines, line)
	}
	return o
}

func sameScreens(t fataler, got, want *Screen) {
	t.Helper()
	if d := cmp.Diff(observe(want), observe(got)); d != "" {
		t.Fatalf("screens differ (- want, + got):\n%s", d)
	}
	if a, b := got.AppendScreen(nil), want.AppendScreen(nil); !bytes.Equal(a, b) {
		t.Fatalf("the snapshots differ:\ngot  %q\nwant %q", a, b)
	}
	if a, b := got.Replies(), want.Replies(); !bytes.Equal(a, b) {
		t.Fatalf("replies: got %q, want %q", a, b)
	}
	if d := cmp.Diff(want.Events(), got.Events()); d != "" {
		t.Fatalf("events differ (- want, + got):\n%s", d)
	}
}

// An owner that follows Changes has the rows as they are.
func TestChangesAreEnough(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := drawScreen(t)
		var rows [][]cell.Run
		var at Point
		for _, st := range drawSteps(t, "steps") {
			s.do([]step{st})
			if rapid.Bool().Draw(t, "skip") {
				continue
			}
			up, changed := s.Changes(at)
			next := make([][]cell.Run, s.rows)
			copy(next, rows[min(up, len(rows)):])
			for y := range changed {
				next[y] = s.Row(y, nil)
			}
			rows, at = next, s.Point()
			for y := range s.rows {
				if d := cmp.Diff(s.Row(y, nil), rows[y]); d != "" {
					t.Fatalf("row %d (- want, + got):\n%s", y, d)
				}
			}
		}
	})
}

// No size that the screen has on the way changes the lines, what can't be seen in one column included.
func TestResizeLosesNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(drawSize(t, "cols"), drawSize(t, "rows"), Options{})
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bc", "世", "\r\n", "e\u0301", "🇩🇪", "  ",
			"\x1b[31m", "long word", "\x1b]133;A\a"}), 0, 60).Draw(t, "text")
		s.Write([]byte(strings.Join(text, "")))
		before, first := linesOf(s), marksOf(s)
		for range rapid.IntRange(1, 4).Draw(t, "sizes") {
			if err := s.Resize(drawSize(t, "cols"), drawSize(t, "rows")); err != nil {
				t.Fatal(err)
			}
			if err := s.verify(); err != nil {
				t.Fatal(err)
			}
			if d := cmp.Diff(before, linesOf(s)); d != "" {
				t.Fatalf("lines differ at %dx%d (- want, + got):\n%s", s.cols, s.rows, d)
			}
			if d := cmp.Diff(first, marksOf(s)); d != "" {
				t.Fatalf("marks differ at %dx%d (- want, + got):\n%s", s.cols, s.rows, d)
			}
		}
	})
}

// Wrap makes the rows that the screen has, and RowLine knows where they begin.
func TestWrapIsTheScreens(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := New(drawSize(t, "cols"), 100, Options{})
		text := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "bcd", "世", "世界", "\r\n", "e\u0301",
			"👍🏽", "\x1b[31m", "\x1b[m", "a long word"}), 0, 40).Draw(t, "text")
		s.Write([]byte(strings.Join(text, "")))
		if err := s.Resize(rapid.SampledFrom([]int{2, 3, 5, 8, 33}).Draw(t, "new"), 100); err != nil {
			t.Fatal(err)
		}
		var got []string
		var lines []uint64
		var cols []int
		for n := s.HistoryFirst(); n < s.End(); n++ {
			line, _ := s.Line(n)
			col := 0
			for _, row := range cell.Wrap(line, s.cols) {
				got, lines, cols = append(got, cell.RowText(row)), append(lines, n), append(cols, col)
				for _, r := range row {
					col += r.Cells()
				}
			}
		}
		for y := range s.rows {
			at := len(got) - s.rows + y
			if want := cell.RowText(s.Row(y, nil)); got[at] != want {
				t.Fatalf("row %d: got %q, want %q", y, got[at], want)
			}
			if line, col := s.RowLine(y); line != lines[at] || col != cols[at] {
				t.Fatalf("row %d: got cell %d of line %d, want %d of %d", y, col, line, cols[at], lines[at])
			}
		}
	})
}

// linesOf returns the lines down to the last that isn't empty.
func linesOf(s *Screen) []string {
	var lines []string
	n := 0
	for i := s.HistoryFirst(); i < s.End(); i++ {
		text, _ := s.LineText(i)
		if lines = append(lines, text); text != "" {
			n = len(lines)
		}
	}
	return lines[:n]
}

func marksOf(s *Screen) []string {
	var out []string
	for _, m := range s.Marks() {
		out = append(out, fmt.Sprintf("%d:%d", m.Seq, m.Line))
	}
	return out
}

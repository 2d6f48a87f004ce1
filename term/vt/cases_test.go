package vt

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"apex/core/cell"
)

// conformance is one of the cases in testdata/cases.json: the right values are from the ECMA-48,
// DEC and xterm documents, compared with what tmux and xterm do.
type conformance struct {
	Name, Encoding, Input, Source string
	Cols, Rows                    int
	Splits                        []int
	Resizes                       []struct{ At, Cols, Rows int }
	Robust                        bool
	Want                          []string
	WantAll                       []string `json:"want_all"`
	Cursor                        []int
	CursorAbs                     []int `json:"cursor_abs"`
	Replies                       []string
	RepliesRE                     []string `json:"replies_re"`
	Cells                         []struct {
		X, Y   int
		Fg, Bg *string
		Attrs  *[]string
		UL     *string
		Link   *string
	}
	State struct {
		Scrollback    *[]string
		Title         *string
		Marks         *[]string
		Clipboard     *string
		Bells         *uint64
		CursorVisible *bool `json:"cursor_visible"`
		CursorStyle   *int  `json:"cursor_style"`
		Modes         map[string]bool
	}
}

func readCases(t *testing.T) []conformance {
	t.Helper()
	b, err := os.ReadFile("testdata/cases.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []conformance
	if err := json.Unmarshal(b, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 100 {
		t.Fatalf("got %d cases, want more than 100", len(cases))
	}
	return cases
}

func (c conformance) bytes() []byte {
	if c.Encoding != "latin1" {
		return []byte(c.Input)
	}
	var b []byte
	for _, r := range c.Input {
		b = append(b, byte(r))
	}
	return b
}

// run feeds c, cut at the offsets too, which are in order.
func (c conformance) run(cuts []int) *Screen {
	s := New(c.Cols, c.Rows, Options{})
	s.SetColours(Colours{Fg: cell.RGB(1, 2, 3), Bg: cell.RGB(0, 0, 0)})
	in := c.bytes()
	at := 0
	to := func(n int) {
		for _, cut := range cuts {
			if cut > at && cut < n {
				s.Write(in[at:cut])
				at = cut
			}
		}
		s.Write(in[at:n])
		at = n
	}
	for _, r := range c.Resizes {
		to(r.At)
		if err := s.Resize(r.Cols, r.Rows); err != nil {
			panic(err)
		}
	}
	to(len(in))
	return s
}

func TestConformance(t *testing.T) {
	for _, c := range readCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			n := len(c.bytes())
			c.check(t, "in one piece", c.run(nil))
			c.check(t, "as the case is cut", c.run(c.Splits))
			var each []int
			for i := range n {
				each = append(each, i)
			}
			c.check(t, "byte by byte", c.run(each))
			rnd := rand.New(rand.NewPCG(1, uint64(n)))
			for range 8 {
				var cuts []int
				for i := range n {
					if rnd.IntN(3) == 0 {
						cuts = append(cuts, i)
					}
				}
				c.check(t, fmt.Sprint("cut at ", cuts), c.run(cuts))
			}
		})
	}
}

func (c conformance) check(t *testing.T, how string, s *Screen) {
	t.Helper()
	if err := s.verify(); err != nil {
		t.Fatalf("%s: %v", how, err)
	}
	if c.Want != nil {
		same(t, how+": rows", screenText(s), c.Want)
	}
	if c.WantAll != nil {
		all := append(historyText(s), screenText(s)...)
		for len(all) > 0 && all[len(all)-1] == "" {
			all = all[:len(all)-1]
		}
		same(t, how+": history and rows", all, c.WantAll)
	}
	cur := s.Cursor()
	if c.Cursor != nil {
		same(t, how+": cursor", []int{cur.X, cur.Y}, c.Cursor)
	}
	if c.CursorAbs != nil {
		same(t, how+": cursor", []int{cur.X, cur.Y + len(historyText(s))}, c.CursorAbs)
	}
	replies := string(s.Replies())
	if c.Replies != nil {
		same(t, how+": replies", replies, strings.Join(c.Replies, ""))
	}
	for _, re := range c.RepliesRE {
		if !regexp.MustCompile(re).MatchString(replies) {
			t.Errorf("%s: replies: got %q, want a match of %q", how, replies, re)
		}
	}
	c.checkCells(t, how, s)
	c.checkState(t, how, s)
}

func (c conformance) checkCells(t *testing.T, how string, s *Screen) {
	t.Helper()
	for _, w := range c.Cells {
		g := s.g.rows[w.Y].cells[w.X]
		l := s.tables.looks[g.look()]
		at := fmt.Sprintf("%s: cell %d,%d: ", how, w.X, w.Y)
		if w.Fg != nil {
			same(t, at+"fg", colourName(l.fg), *w.Fg)
		}
		if w.Bg != nil {
			same(t, at+"bg", colourName(l.bg), *w.Bg)
		}
		if w.Attrs != nil {
			same(t, at+"attributes", attrNames(l.attr), slices.Concat([]string{}, *w.Attrs))
		}
		if w.UL != nil {
			names := []string{"none", "single", "double", "curly", "dotted", "dashed"}
			same(t, at+"underline", names[l.attr.Underline()], *w.UL)
		}
		if w.Link != nil {
			same(t, at+"link", s.tables.links[l.link], *w.Link)
		}
	}
}

func (c conformance) checkState(t *testing.T, how string, s *Screen) {
	t.Helper()
	w := c.State
	if w.Scrollback != nil {
		same(t, how+": history", historyText(s), slices.Concat([]string{}, *w.Scrollback))
	}
	if w.Title != nil {
		same(t, how+": title", s.Title(), *w.Title)
	}
	if w.Bells != nil {
		same(t, how+": bells", s.Bells(), *w.Bells)
	}
	if w.CursorVisible != nil {
		same(t, how+": visible", s.Cursor().Visible, *w.CursorVisible)
	}
	if w.CursorStyle != nil {
		same(t, how+": cursor style", int(s.modes.cursorStyle), *w.CursorStyle)
	}
	if w.Marks != nil {
		var got []string
		for _, m := range s.Marks() {
			name := string(rune(m.Kind))
			if m.Status != UnknownStatus {
				name += ";" + strconv.Itoa(m.Status)
			}
			got = append(got, name)
		}
		same(t, how+": marks", got, *w.Marks)
	}
	if w.Clipboard != nil {
		e := s.Events()
		if len(e) != 1 || e[0].Kind != ClipboardSet || e[0].Text != *w.Clipboard {
			t.Errorf("%s: events: got %v, want the clipboard set to %q", how, e, *w.Clipboard)
		}
	}
	for name, on := range w.Modes {
		n, _ := strconv.Atoi(name)
		same(t, how+": mode "+name, s.privateModeState(n).value == modeOn, on)
	}
}

func same[T any](t *testing.T, what string, got, want T) {
	t.Helper()
	if g, w := fmt.Sprintf("%q", any(got)), fmt.Sprintf("%q", any(want)); g != w {
		t.Errorf("%s: got %s, want %s", what, g, w)
	}
}

// screenText returns the rows without the blanks at their ends.
func screenText(s *Screen) []string {
	rows := []string{}
	for y := range s.rows {
		rows = append(rows, strings.TrimRight(cell.RowText(s.Row(y, nil)), " "))
	}
	return rows
}

// historyText returns the rows that the history fills at the screen's width, what of the last line
// is still on the screen left out.
func historyText(s *Screen) []string {
	rows := []string{}
	for n := s.HistoryFirst(); n < s.history.end(); n++ {
		for _, r := range cell.Wrap(unpackRuns(nil, s.history.bytesOf(n)), s.cols) {
			rows = append(rows, strings.TrimRight(cell.RowText(r), " "))
		}
	}
	return rows
}

func colourName(c cell.Colour) string {
	if n, ok := c.Palette(); ok {
		return fmt.Sprintf("idx:%d", n)
	}
	if r, g, b, ok := c.RGB(); ok {
		return fmt.Sprintf("rgb:%d,%d,%d", r, g, b)
	}
	return "default"
}

func attrNames(a cell.Attr) []string {
	names := []string{}
	for _, n := range []struct {
		a    cell.Attr
		name string
	}{{cell.Bold, "bold"}, {cell.Dim, "faint"}, {cell.Italic, "italic"}, {cell.Blink, "blink"},
		{cell.Reverse, "reverse"}, {cell.Hidden, "conceal"}, {cell.Strike, "strike"}} {
		if a&n.a != 0 {
			names = append(names, n.name)
		}
	}
	if a.Underline() != cell.NoUnderline {
		names = append(names, "underline")
	}
	return names
}

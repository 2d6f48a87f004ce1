package vt

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/cockroachdb/datadriven"
	"github.com/google/go-cmp/cmp"

	"apex/core/cell"
)

// The scripts in testdata are what a terminal does, scenario by scenario. Input is Go-quoted, \e is
// ESC, and line ends in it are only those that are written; after each command the screen is also
// saved, restored, and compared.
//
//	new cols=N rows=N [lines=N] [bytes=N]
//	write            the input's bytes
//	resize cols=N rows=N
//	screen           the rows, | at both ends, + where a row goes on in the next, and the cursor
//	runs y=N         the runs of a row
//	line n=N         the runs of a line
//	lines            what is kept: numbers, text; a line under which the screen's begin
//	marks [since=N]
//	events replies state modes
//	changes          rows that changed since the last time
//	find re=RE [back]
//	clear colours pixels silent
func TestScripts(t *testing.T) {
	datadriven.Walk(t, "testdata/scripts", func(t *testing.T, path string) {
		e := &script{}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out := e.run(t, d)
			if e.s != nil {
				if err := e.s.verify(); err != nil {
					d.Fatalf(t, "%v", err)
				}
				back := restored(t, e.s)
				if diff := cmp.Diff(observe(e.s), observe(back)); diff != "" {
					d.Fatalf(t, "restored (- want, + got):\n%s", diff)
				}
			}
			return out
		})
	})
}

type script struct {
	s  *Screen
	at Point
}

func (e *script) run(t *testing.T, d *datadriven.TestData) string {
	num := func(key string) int {
		n := 0
		d.MaybeScanArgs(t, key, &n)
		return n
	}
	switch d.Cmd {
	case "new":
		e.s = New(num("cols"), num("rows"), Options{HistoryLines: num("lines"), HistoryBytes: num("bytes"),
			Name: "apex test", ClipboardReads: d.HasArg("reads")})
		e.at = Point{}
		return ""
	case "write":
		e.s.Write([]byte(unquote(t, d)))
		return ""
	case "resize":
		if err := e.s.Resize(num("cols"), num("rows")); err != nil {
			return err.Error()
		}
		return ""
	case "clear":
		e.s.Clear()
		return ""
	case "colours":
		e.s.SetColours(Colours{Fg: cell.RGB(0xE0, 0xE0, 0xE0), Bg: cell.RGB(0, 0x10, 0xFF)})
		return ""
	case "pixels":
		e.s.SetCellPixels(num("width"), num("height"))
		return ""
	case "silent":
		e.s.Answer(false)
		return ""
	case "find":
		return e.find(t, d)
	}
	return e.show(t, d)
}

func (e *script) show(t *testing.T, d *datadriven.TestData) string {
	s := e.s
	switch d.Cmd {
	case "screen":
		return e.screen()
	case "runs":
		var y int
		d.ScanArgs(t, "y", &y)
		return e.runs(s.Row(y, nil))
	case "lines":
		return e.lines()
	case "line":
		var n uint64
		d.ScanArgs(t, "n", &n)
		runs, _ := s.Line(n)
		return e.runs(runs)
	case "marks":
		var b strings.Builder
		since := 0
		d.MaybeScanArgs(t, "since", &since)
		for _, m := range s.MarksSince(uint64(since)) {
			fmt.Fprintf(&b, "%d %c line %d col %d status %d\n", m.Seq, m.Kind, m.Line, m.Col, m.Status)
		}
		return b.String()
	case "events":
		var b strings.Builder
		for _, ev := range s.Events() {
			kind := [...]string{"", "set", "asked", "notified"}[ev.Kind]
			fmt.Fprintf(&b, "%s %q %q %q\n", kind, ev.Selection, ev.Title, ev.Text)
		}
		return b.String()
	case "replies":
		return strings.ReplaceAll(strconv.Quote(string(s.Replies())), `\x1b`, `\e`) + "\n"
	case "state":
		host, dir := s.Directory()
		return fmt.Sprintf("title %q host %q dir %q progress %d %d%% bells %d\n", s.Title(), host, dir,
			s.Progress().State, s.Progress().Percent, s.Bells())
	case "modes":
		c := s.Cursor()
		return strings.Trim(fmt.Sprintf("%+v", s.Modes()), "{}") +
			fmt.Sprintf("\ncursor visible %v blink %v shape %d\n", c.Visible, c.Blink, c.Shape)
	case "changes":
		up, rows := s.Changes(e.at)
		e.at = s.Point()
		return fmt.Sprintf("up %d rows %v\n", up, slices.Collect(rows))
	}
	d.Fatalf(t, "unknown command %s", d.Cmd)
	return ""
}

func unquote(t *testing.T, d *datadriven.TestData) string {
	var b strings.Builder
	for line := range strings.Lines(d.Input) {
		line = strings.ReplaceAll(strings.TrimSuffix(line, "\n"), `\e`, `\x1b`)
		text, err := strconv.Unquote(`"` + line + `"`)
		if err != nil {
			d.Fatalf(t, "%s: %v", line, err)
		}
		b.WriteString(text)
	}
	return b.String()
}

func (e *script) screen() string {
	var b strings.Builder
	for y := range e.s.rows {
		text := cell.RowText(e.s.Row(y, nil))
		end := "|"
		if e.s.RowWrapped(y) {
			end = "+"
		}
		fmt.Fprintf(&b, "|%s%s\n", text, end)
	}
	c := e.s.Cursor()
	pending := ""
	if e.s.cur.pending {
		pending = " wraps"
	}
	fmt.Fprintf(&b, "cursor %d,%d%s\n", c.X, c.Y, pending)
	return b.String()
}

func (e *script) runs(runs []cell.Run) string {
	var b strings.Builder
	kinds := [...]string{"", "narrow", "wide", "cluster", "wide cluster"}
	for _, r := range runs {
		fmt.Fprintf(&b, "%s %q", kinds[r.Kind], r.Text)
		if r.Style.Fg != cell.Default {
			fmt.Fprintf(&b, " fg %s", colourName(r.Style.Fg))
		}
		if r.Style.Bg != cell.Default {
			fmt.Fprintf(&b, " bg %s", colourName(r.Style.Bg))
		}
		if r.Under != cell.Default {
			fmt.Fprintf(&b, " under %s", colourName(r.Under))
		}
		for _, a := range attrNames(r.Style.Attr) {
			b.WriteString(" " + a)
		}
		if r.Link != "" {
			fmt.Fprintf(&b, " link %s", r.Link)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func (e *script) lines() string {
	var b strings.Builder
	for n := e.s.HistoryFirst(); n < e.s.End(); n++ {
		if n == e.s.HistoryEnd() {
			b.WriteString("-- screen\n")
		}
		text, _ := e.s.LineText(n)
		runs, _ := e.s.Line(n)
		if whole := cell.RowText(runs); whole != text {
			text = fmt.Sprintf("%q, but its runs say %q", text, whole)
		}
		fmt.Fprintf(&b, "%d |%s|\n", n, text)
	}
	return b.String()
}

func (e *script) find(t *testing.T, d *datadriven.TestData) string {
	var re string
	from := 0
	d.ScanArgs(t, "re", &re)
	d.MaybeScanArgs(t, "from", &from)
	expr := regexp.MustCompile(re)
	match := func(_ uint64, text string) []int { return expr.FindStringIndex(text) }
	m, ok := e.s.Find(match, uint64(from), d.HasArg("back"))
	if !ok {
		return "nothing\n"
	}
	return fmt.Sprintf("line %d bytes %d to %d\n", m.Line, m.Start, m.End)
}

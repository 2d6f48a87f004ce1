package tui_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"apex/client/tui/tuitest"
	"apex/core"
	"apex/core/cell"

	"github.com/cockroachdb/datadriven"
)

// onTerm runs the commands of a script that are about terminals.
func (e *env) onTerm(t *testing.T, d *datadriven.TestData) (string, error) {
	input, err := unescape(d.Input)
	if err != nil {
		return "", err
	}
	switch d.Cmd {
	case "term":
		var name string
		d.ScanArgs(t, "name", &name)
		e.term = e.session.NewTerm(name, "sh")
		e.term.Print(input)
	case "print":
		e.term.Print(input)
	case "link":
		var to string
		d.ScanArgs(t, "to", &to)
		e.term.PrintRuns(cell.Run{Text: input, Kind: cell.Narrow, Link: to})
	case "told":
		return e.told(), nil
	case "tell":
		e.tell(d, input)
	}
	if e.screen != nil {
		e.screen.Wake()
	}
	return "", nil
}

func (e *env) told() string {
	var b strings.Builder
	for _, t := range e.session.Terms {
		for _, s := range append(t.Typed, t.Asked...) {
			fmt.Fprintln(&b, s)
		}
		t.Typed, t.Asked = nil, nil
	}
	if b.Len() == 0 {
		return "nothing\n"
	}
	return b.String()
}

var termModes = map[string]core.TermMode{
	"paste": core.TermPaste, "focus": core.TermFocus, "reverse": core.TermReverse,
	"altscroll": core.TermAltScroll, "presses": core.TermMode(0).WithMouse(core.MousePresses),
	"clicks": core.TermMode(0).WithMouse(core.MouseClicks),
	"drags":  core.TermMode(0).WithMouse(core.MouseDrags),
	"motion": core.TermMode(0).WithMouse(core.MouseMotion),
}

var cursorShapes = map[string]core.CursorShape{
	"block": core.CursorShapeBlock, "underline": core.CursorShapeUnderline,
	"bar": core.CursorShapeBar,
}

func (e *env) tell(d *datadriven.TestData, input string) {
	for _, a := range d.CmdArgs {
		switch a.Key {
		case "alt":
			var rows []*core.TermRow
			for line := range strings.SplitSeq(input, "\n") {
				rows = append(rows, core.NewTermRow(tuitest.Runs(line, cell.Style{}), false))
			}
			e.term.Alt(rows...)
		case "main":
			e.term.Alt()
		case "cleared":
			e.term.Clear()
		case "stiff":
			e.session.Stiff = true
		}
		e.term.Set(func(t *core.Term) { tellOne(t, a) })
	}
}

func tellOne(t *core.Term, a datadriven.CmdArg) {
	n := 0
	if len(a.Vals) > 0 {
		n, _ = strconv.Atoi(a.Vals[0])
	}
	switch a.Key {
	case "title":
		t.Title = a.Vals[0]
	case "cwd":
		t.Cwd = a.Vals[0]
	case "cols":
		t.Cols = n
	case "bell":
		t.Bells++
	case "clip":
		t.Clips++
	case "exit":
		t.Exit = core.Exit{Done: true, Code: n}
	case "signal":
		t.Exit = core.Exit{Done: true, Signal: a.Vals[0]}
	case "reason":
		t.Exit = core.Exit{Done: true, Reason: a.Vals[0]}
	case "progress":
		t.Progress = core.Progress{State: core.ProgressSet, Percent: n}
	case "hidden":
		t.Cursor.Visible = false
	case "blink":
		t.Cursor.Blink = true
	case "cursor":
		t.Cursor.Shape = cursorShapes[a.Vals[0]]
	case "modes":
		t.Modes &= core.TermAltScreen
		for _, name := range a.Vals {
			t.Modes |= termModes[name]
		}
	}
}

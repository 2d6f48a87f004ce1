package tuitest

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"apex/client"
	"apex/core"
	"apex/core/cell"
	"apex/proto"
)

// Term is a terminal in memory: lines, wrapped to a size, of which the last rows are the screen. It
// has no program. Tests print to it, and change what it tells with Set.
type Term struct {
	ID     core.TermID
	Window core.WindowID
	Lines  [][]cell.Run // logical ones, the first of them number 0
	Typed  []string     // what was typed, pasted and pointed at
	Asked  []string     // other requests
	s      *Session
	state  core.Term
	alt    []*core.TermRow // the alternate screen, while it is shown
}

// NewTerm makes a terminal of 80x24 in a window with the focus.
func (s *Session) NewTerm(name, command string) *Term {
	id, body := core.TermID(s.NewID()), core.BufferID(s.NewID())
	b := core.Bundle{Author: Me, New: []core.Shard{id.Shard(), body.Shard()}}
	b.Add(body.Shard(), core.Of(&core.BufferNew{Kind: core.BufferScratch, Name: name}))
	s.must(b)
	w := s.MustAsk(&core.AskWindow{Body: body, Term: id, Name: name, Focus: true}).Window
	t := &Term{ID: id, Window: w, Lines: [][]cell.Run{nil}, s: s}
	t.state = core.Term{Window: w, Command: command, Dir: "/home/ann", Generation: 1,
		Cols: 80, Rows: 24, Cursor: core.Cursor{Visible: true}}
	s.Terms = append(s.Terms, t)
	t.publish()
	return t
}

// Print writes text at the end of the last line, plain; a newline begins another.
func (t *Term) Print(text string) {
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			t.Lines = append(t.Lines, nil)
		}
		last := len(t.Lines) - 1
		t.Lines[last] = append(slices.Clip(t.Lines[last]), Runs(line, cell.Style{})...)
	}
	t.publish()
}

// PrintRuns writes runs at the end of the last line.
func (t *Term) PrintRuns(runs ...cell.Run) {
	last := len(t.Lines) - 1
	t.Lines[last] = append(slices.Clip(t.Lines[last]), runs...)
	t.publish()
}

// Runs are the runs of a text: Han and what is beyond it is wide.
func Runs(text string, style cell.Style) []cell.Run {
	var runs []cell.Run
	for _, r := range text {
		kind := cell.Narrow
		if r >= 0x2E80 {
			kind = cell.Wide
		}
		if n := len(runs); n > 0 && runs[n-1].Kind == kind {
			runs[n-1].Text += string(r)
			continue
		}
		runs = append(runs, cell.Run{Text: string(r), Kind: kind, Style: style})
	}
	return runs
}

// Set changes what the terminal tells.
func (t *Term) Set(change func(*core.Term)) {
	change(&t.state)
	t.publish()
}

// Alt shows rows on the alternate screen; without any, the main screen is back.
func (t *Term) Alt(rows ...*core.TermRow) {
	t.alt = rows
	t.state.Modes &^= core.TermAltScreen
	if rows != nil {
		t.state.Modes |= core.TermAltScreen
	}
	t.publish()
}

// Clear drops the history.
func (t *Term) Clear() {
	t.state.First = t.state.Base
	t.publish()
}

// publish brings the terminal's shard up to date.
func (t *Term) publish() {
	next := t.state
	t.screen(&next)
	if t.alt != nil {
		next.Grid = make([]*core.TermRow, next.Rows)
		for y := range next.Grid {
			next.Grid[y] = core.NewTermRow(nil, false)
			if y < len(t.alt) {
				rows, _ := t.wrap(t.alt[y].Runs)
				next.Grid[y] = core.NewTermRow(rows[0].Runs, t.alt[y].Wrapped)
			}
		}
	}
	t.state.Base = next.Base
	was := t.s.Term(t.ID)
	if was.Cols == 0 {
		was = nil
	}
	ops := core.TermDiff(was, &next)
	if len(ops) == 0 {
		return
	}
	t.s.append(t.ID.Shard(), core.Author{Actor: "server"}, ops...)
	t.s.Tell(client.Event{Kind: client.EventChanged, Shard: t.ID.Shard()})
}

// screen works out the main screen: the last rows of all lines, or from the top while they are
// fewer, and the cursor behind the text.
func (t *Term) screen(next *core.Term) {
	type place struct {
		row  *core.TermRow
		line uint64
		col  int
	}
	var all []place
	for n, line := range t.Lines {
		rows, cols := t.wrap(line)
		for i, r := range rows {
			all = append(all, place{r, uint64(n), cols[i]})
		}
	}
	from := max(len(all)-next.Rows, 0)
	next.Base, next.BaseCol = all[from].line, all[from].col
	next.Grid = make([]*core.TermRow, next.Rows)
	for y := range next.Grid {
		next.Grid[y] = core.NewTermRow(nil, false)
		if from+y < len(all) {
			next.Grid[y] = all[from+y].row
			next.Cursor.X, next.Cursor.Y = min(all[from+y].row.Cells(), next.Cols-1), y
		}
	}
	next.First = min(next.First, next.Base)
}

// wrap breaks a line into rows.
func (t *Term) wrap(line []cell.Run) (rows []*core.TermRow, cols []int) {
	var row []cell.Run
	x, col := 0, 0
	end := func(wrapped bool) {
		rows, cols = append(rows, core.NewTermRow(row, wrapped)), append(cols, col)
		col, x, row = col+x, 0, nil
	}
	add := func(r cell.Run) {
		if r.Cells() > t.state.Cols {
			r.Text, r.Kind = "\uFFFD", cell.Narrow
		}
		if x+r.Cells() > t.state.Cols {
			end(true)
		}
		x += r.Cells()
		if n := len(row); n > 0 && r.Kind <= cell.Wide && row[n-1].Kind == r.Kind &&
			row[n-1].Style == r.Style && row[n-1].Link == r.Link && row[n-1].Under == r.Under {
			row[n-1].Text += r.Text
			return
		}
		row = append(row, r)
	}
	for _, r := range line {
		if r.Kind > cell.Wide {
			add(r)
			continue
		}
		for _, c := range r.Text {
			one := r
			one.Text = string(c)
			add(one)
		}
	}
	end(false)
	return rows, cols
}

// term returns the terminal that a request names.
func (s *Session) term(name string) (*Term, error) {
	i := slices.IndexFunc(s.Terms, func(t *Term) bool { return t.ID.String() == name })
	if i < 0 {
		return nil, core.Errorf(core.CodeNotFound, "no terminal %s", name)
	}
	return s.Terms[i], nil
}

// callTerm answers requests about terminals; false for another.
func (s *Session) callTerm(req proto.Request) (proto.Reply, error, bool) {
	on := func(name string, f func(*Term) proto.Reply) (proto.Reply, error, bool) {
		t, err := s.term(name)
		if err != nil {
			return nil, err, true
		}
		return f(t), nil, true
	}
	asked := func(name, format string, args ...any) (proto.Reply, error, bool) {
		return on(name, func(t *Term) proto.Reply {
			t.Asked = append(t.Asked, fmt.Sprintf(format, args...))
			return &proto.Done{}
		})
	}
	switch r := req.(type) {
	case *proto.TermNew:
		command := "sh"
		if len(r.Argv) > 0 {
			command = strings.Join(r.Argv, " ")
		}
		t := s.NewTerm(path.Join(r.Dir, "-"+path.Base(command)), command)
		return &proto.TermMade{Window: t.Window, Term: t.ID}, nil, true
	case *proto.TermInput:
		return on(r.Term, func(t *Term) proto.Reply {
			t.Typed = append(t.Typed, Input(r))
			return &proto.Done{}
		})
	case *proto.TermResize:
		reply, err, ok := asked(r.Term, "resize %dx%d", r.Cols, r.Rows)
		if err == nil && !s.Stiff {
			t, _ := s.term(r.Term)
			t.Set(func(st *core.Term) { st.Cols, st.Rows = r.Cols, r.Rows })
		}
		return reply, err, ok
	case *proto.TermRead:
		return on(r.Term, func(t *Term) proto.Reply { return t.read(r) })
	case *proto.TermFind:
		if _, err := regexp.Compile(r.Pattern); err != nil {
			return nil, core.Errorf(core.CodeBadRequest, "%v", err), true
		}
		return on(r.Term, func(t *Term) proto.Reply { return t.find(r) })
	case *proto.TermClear:
		reply, err, ok := asked(r.Term, "clear")
		if t, _ := s.term(r.Term); t != nil {
			t.Clear()
		}
		return reply, err, ok
	case *proto.TermKill:
		return asked(r.Term, "kill %q", r.Signal)
	}
	return nil, nil, false
}

func (t *Term) read(r *proto.TermRead) *proto.TermText {
	t.Asked = append(t.Asked, fmt.Sprintf("read %d-%d", r.From, r.To))
	out := &proto.TermText{Term: t.ID, From: max(r.From, t.state.First), First: t.state.First,
		End: uint64(len(t.Lines))}
	out.Next = out.From
	for n := out.From; n < min(r.To, out.End); n++ {
		out.Lines = append(out.Lines, proto.TermLine{Runs: slices.Clone(t.Lines[n])})
		out.Next = n + 1
	}
	return out
}

func (t *Term) find(r *proto.TermFind) *proto.TermFound {
	re := regexp.MustCompile(r.Pattern)
	line, col := int(r.From), r.Column
	if r.End || line >= len(t.Lines) {
		line, col = len(t.Lines)-1, 1<<30
	}
	for n := line; n >= int(t.state.First) && n < len(t.Lines); {
		text := cell.RowText(t.Lines[n])
		var best []int
		for _, at := range re.FindAllStringIndex(text, -1) {
			if n != line || r.Backwards == (at[0] < col) {
				if best = at; !r.Backwards {
					break
				}
			}
		}
		if best != nil {
			return &proto.TermFound{Found: true, Line: uint64(n), Column: best[0],
				Cells: best[1] - best[0]}
		}
		if n++; r.Backwards {
			n -= 2
		}
	}
	return &proto.TermFound{}
}

// Input describes what was typed into a terminal.
func Input(r *proto.TermInput) string {
	switch r.Kind {
	case proto.InputText:
		return fmt.Sprintf("text %q", r.Text)
	case proto.InputPaste:
		return fmt.Sprintf("paste %q", r.Text)
	case proto.InputFocus:
		return fmt.Sprintf("focus %v", r.In)
	case proto.InputMouse:
		return fmt.Sprintf("mouse button %d action %d at %d,%d mods %d lines %d", r.Mouse.Button,
			r.Mouse.Action, r.Mouse.X, r.Mouse.Y, r.Mouse.Mods, r.Lines)
	case proto.InputKeys:
		var b strings.Builder
		b.WriteString("keys")
		for _, k := range r.Keys {
			b.WriteString(" " + keyText(k))
		}
		return b.String()
	}
	return fmt.Sprintf("kind %d", r.Kind)
}

func keyText(k proto.Key) string {
	name := k.Text
	if name == "" && k.Rune != 0 {
		name = string(rune(k.Rune))
	}
	if name == " " {
		name = "space"
	}
	if k.Code != 0 {
		name = fmt.Sprintf("<%d>", k.Code)
	}
	for _, m := range []struct {
		bit  uint8
		name string
	}{{1, "shift"}, {2, "alt"}, {4, "ctrl"}} {
		if k.Mods&m.bit != 0 && (k.Text == "" || m.bit != 1) {
			name = m.name + "+" + name
		}
	}
	return name
}

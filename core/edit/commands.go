package edit

import (
	"slices"
	"strings"

	"apex/core"
)

// CommandKind says who does what a command says.
type CommandKind uint8

// The kinds of command.
const (
	CommandState  CommandKind = iota // changes the session only: Run makes its bundle
	CommandEffect                    // changes the world: Run makes the Exec that tells the daemon
	CommandScreen                    // the UI does it itself
)

// scope says which shard a command changes first: its leader runs the command.
type scope uint8

const (
	inLayout scope = iota
	inWindow
	inBody
)

// Command is a built-in command.
type Command struct {
	Name string
	Args string // as usage shows them
	Does string // one line, for help and the palette
	Kind CommandKind

	scope scope
	run   func(*execution) error // nil for CommandScreen
}

// commandTable is ordered as help shows it.
var commandTable = []Command{
	{"New", "[NAME]...", "make a window, empty or on files",
		CommandState, inLayout, runNew},
	{"Del", "", "close the window, unless it has unsaved changes",
		CommandState, inLayout, runDel},
	{"Delete", "", "close the window, unsaved changes and all",
		CommandState, inLayout, runDelete},
	{"Zerox", "", "make a second window on the same text",
		CommandState, inLayout, runZerox},
	{"Get", "[-f] [NAME]", "read the file again, or another one; -f despite unsaved changes",
		CommandEffect, inWindow, runFile},
	{"Put", "[-f] [NAME]", "save the file; -f although it changed on disk",
		CommandEffect, inWindow, runFile},
	{"Merge", "", "take in what the disk holds beside what is unsaved; conflicts are marked",
		CommandEffect, inWindow, runFile},
	{"Putall", "", "save every file with unsaved changes",
		CommandEffect, inLayout, runPutall},
	{"Undo", "[all]", "take back your last step, or with all anybody's",
		CommandState, inBody, runUndo},
	{"Redo", "[all]", "bring back what Undo took back",
		CommandState, inBody, runUndo},
	{"Cut", "", "take the selection away and keep it for Paste",
		CommandState, inBody, runCut},
	{"Copy", "", "keep the selection for Paste",
		CommandState, inBody, runSnarf},
	{"Snarf", "", "keep the selection for Paste",
		CommandState, inBody, runSnarf},
	{"Paste", "", "put what was cut or copied in place of the selection",
		CommandState, inBody, runPaste},
	{"Look", "[TEXT]", "select the next occurrence of the text or the selection",
		CommandState, inBody, runLook},
	{"Goto", "ADDRESS", "select a place: a line, #rune, /pattern/, $",
		CommandState, inBody, runGoto},
	{"Newcol", "", "make a column",
		CommandState, inLayout, runNewcol},
	{"Delcol", "", "close the column, unless it has unsaved changes",
		CommandState, inLayout, runDelcol},
	{"Sort", "", "order the column's windows by name",
		CommandState, inLayout, runSort},
	{"Tab", "N", "show tabs N cells wide in this window",
		CommandState, inWindow, runTab},
	{"Numbers", "[on|off]", "show line numbers in this window",
		CommandState, inWindow, runSetting},
	{"Wrap", "[on|off]", "wrap long lines in this window",
		CommandState, inWindow, runSetting},
	{"Indent", "[on|off]", "indent new lines like the one before, in this window",
		CommandState, inWindow, runSetting},
	{"Newterm", "[COMMAND]...", "make a terminal in the window's directory, with the shell or a command",
		CommandScreen, inLayout, nil},
	{"Clear", "", "forget what has scrolled out of the window's terminal",
		CommandScreen, inLayout, nil},
	{"Detach", "", "leave; the session stays as it is",
		CommandScreen, inLayout, nil},
	{"Kill", "[NAME]...", "end the newest command of this window, or all of a name",
		CommandEffect, inWindow, runKill},
	{"End", "", "end the session, unless there are unsaved changes",
		CommandScreen, inLayout, nil},
	{"Take", "", "take the session over from whoever leads it",
		CommandScreen, inLayout, nil},
	{"Help", "[COMMAND]", "say what keys and commands do",
		CommandScreen, inLayout, nil},
}

// Commands returns the built-in commands as help shows them. The caller does not change the slice.
func Commands() []Command { return commandTable }

// Lookup returns the built-in command that a word names.
func Lookup(word string) (Command, bool) {
	i := slices.IndexFunc(commandTable, func(c Command) bool { return c.Name == word })
	if i < 0 {
		return Command{}, false
	}
	return commandTable[i], true
}

// lookupLine returns the command that a line begins with: a built-in one, else a program.
func lookupLine(line string) (c Command, args string, err error) {
	word := strings.TrimSpace(line)
	if i := strings.IndexAny(word, " \t\n"); i >= 0 {
		word, args = word[:i], strings.TrimSpace(word[i:])
	}
	if len(line) > core.MaxCommandBytes {
		return c, "", badf("command of %d bytes, at most %d", len(line), core.MaxCommandBytes)
	}
	if word == "" {
		return c, "", core.Errorf(core.CodeNotFound, "there is no command here")
	}
	if c, ok := Lookup(word); ok {
		return c, args, nil
	}
	return Command{Name: word, Kind: CommandEffect, scope: inWindow, run: runProgram}, args, nil
}

// ShardOf returns the shard whose leader runs a command line in a window.
func ShardOf(s core.Session, id core.WindowID, line string) (core.Shard, error) {
	c, args, err := lookupLine(line)
	if err != nil {
		return core.Shard{}, err
	}
	if c.Name == "New" && args != "" {
		return id.Shard(), nil // an effect, recorded in the window
	}
	switch c.scope {
	case inWindow:
		return id.Shard(), nil
	case inBody:
		w, err := window(s, id)
		if err != nil {
			return core.Shard{}, err
		}
		return w.Body.Shard(), nil
	}
	return core.LayoutShard, nil
}

// OnText reports whether a command line is about the text that a window shows, so that another
// window on the same text would do as well.
func OnText(line string) bool {
	c, _, err := lookupLine(line)
	return err == nil && (c.scope == inBody || c.Name == "Get" || c.Name == "Put" || c.Name == "Merge")
}

// execution is a command line being run in a view.
type execution struct {
	evaluation
	view    core.View
	command Command
	line    string
	args    string
}

// Run returns the bundle of a command line that was executed in a view: a window's tag or body, a
// column's tag or the top row. It is empty if there is nothing to change. A word that is no built-in
// runs as a program; a command that the UI does itself is refused here.
func Run(
	s core.Session, ids core.Minter, by core.Author, v core.View, line string,
) (core.Bundle, error) {
	c, args, err := lookupLine(line)
	if err != nil {
		return core.Bundle{}, err
	}
	if c.run == nil {
		return core.Bundle{}, badf("%s is for a screen to do", c.Name)
	}
	x := &execution{evaluation: evaluation{Session: s, ids: ids, author: by},
		view: v, command: c, line: strings.TrimSpace(line), args: args}
	x.Author = by
	if err := c.run(x); err != nil {
		return core.Bundle{}, err
	}
	if err := checkBundle(s, &x.Bundle); err != nil {
		return core.Bundle{}, err
	}
	return x.Bundle, nil
}

// exec evaluates AskExec.
func (e *evaluation) exec(a *core.AskExec) (core.Result, error) {
	w, err := window(e.Session, a.Window)
	if err != nil {
		return core.Result{}, err
	}
	want, err := ShardOf(e.Session, a.Window, a.Command)
	if err != nil {
		return core.Result{}, err
	}
	if a.Shard != want {
		return core.Result{}, badf("%q is run by the leader of %v, not of %v", a.Command, want,
			a.Shard)
	}
	b, err := Run(e.Session, e.ids, e.author, a.Window.Body(), a.Command)
	if err != nil {
		return core.Result{}, err
	}
	e.Bundle = b
	res := core.Result{Window: a.Window}
	if want.Kind == core.KindBuffer {
		res.Version = e.Buffer(w.Body).Version + versions(&b, want)
	}
	return res, nil
}

// versions is by how much a bundle raises a buffer's version.
func versions(b *core.Bundle, s core.Shard) core.Version {
	n := core.Version(0)
	for _, p := range b.Parts {
		for i := range p.Ops {
			if k := p.Ops[i].Kind; p.Shard == s && (k == core.OpEdit || k == core.OpUndo) {
				n++
			}
		}
	}
	return n
}

// in returns the window that the command was executed in.
func (x *execution) in() (core.WindowID, *core.Window, error) {
	id, ok := x.view.Window()
	if !ok {
		return 0, nil, badf("%s: no window here; execute it in a window's tag", x.command.Name)
	}
	w, err := window(x.Session, id)
	return id, w, err
}

// body returns the text of the window that the command was executed in.
func (x *execution) body() (pane, error) {
	id, _, err := x.in()
	if err != nil {
		return pane{}, err
	}
	return paneOf(x.Session, id.Body())
}

// column returns the column that the command was executed in, and a copy of the arrangement.
func (x *execution) column() (core.Arrange, int, error) {
	l, err := layout(x.Session)
	if err != nil {
		return core.Arrange{}, 0, err
	}
	at := x.view
	if at.Kind == core.ViewTop {
		at = l.Focus
	}
	arr := l.Arrange.Clone()
	if len(arr.Columns) == 0 {
		return arr, 0, badf("%s: there is no column", x.command.Name)
	}
	return arr, ActiveColumn(&arr, at), nil
}

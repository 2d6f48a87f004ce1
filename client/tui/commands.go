package tui

import (
	"fmt"
	"strings"

	"apex/client/tui/input"
	"apex/core/edit"

	tea "charm.land/bubbletea/v2"
)

// command is something that the person can do by a key, from the palette, or both.
type command struct {
	name  string // stable, for lookups
	title string // for people, in palette and help
	group string // of the help
	keys  []string
	edits bool // changes the text with the focus: waits for its lease
	moves bool // moves the caret in it: waits for what waits already
	run   func(*Model) tea.Cmd
}

// The groups of the help, in its order.
const (
	groupFile   = "Files and windows"
	groupEdit   = "Editing"
	groupFind   = "Finding"
	groupMove   = "Moving"
	groupRun    = "Commands in text"
	groupWhole  = "Session"
	groupScreen = "Screen"
)

var commandGroups = []string{
	groupFile, groupEdit, groupFind, groupMove, groupRun, groupWhole, groupScreen,
}

// table is every command, made once. Keys, palette and help are made from it.
type table struct {
	all    []*command
	byKey  map[input.Key]*command
	byName map[string]*command
	group  string // of what is added
}

var commands table

func init() {
	t := &commands
	t.byKey, t.byName = map[input.Key]*command{}, map[string]*command{}
	t.files()
	t.editing()
	t.finding()
	t.motions()
	t.moving()
	t.rest()
}

// add adds a command; keys are by name, blanks between. A name or a key that is taken is a defect.
func (t *table) add(name, keys, title string, run func(*Model) tea.Cmd) *command {
	c := &command{name: name, title: title, group: t.group, keys: strings.Fields(keys), run: run}
	if t.byName[name] != nil {
		panic("tui: two commands are named " + name)
	}
	t.byName[name] = c
	t.all = append(t.all, c)
	for _, key := range c.keys {
		k, err := input.ParseKey(key)
		if err != nil {
			panic("tui: " + err.Error())
		}
		if other := t.byKey[k]; other != nil {
			panic(fmt.Sprintf("tui: %s is for %s and %s", key, other.name, name))
		}
		t.byKey[k] = c
	}
	return c
}

// edit adds a command that changes the text.
func (t *table) edit(name, keys, title string, run func(*Model) tea.Cmd) {
	t.add(name, keys, title, run).edits = true
}

// act makes a command's run of something that asks nothing of Bubble Tea.
func act(f func(*Model)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		f(m)
		return nil
	}
}

// exec runs a command of the session's in the text with the focus.
func exec(words string) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.exec(words) }
}

func erasing(to edit.Motion) func(*Model) tea.Cmd {
	return act(func(m *Model) { m.erase(to) })
}

func growing(how edit.Growth) func(*Model) tea.Cmd {
	return act(func(m *Model) { m.grow(how) })
}

func scrolling(rows int) func(*Model) tea.Cmd {
	return act(func(m *Model) { m.scrollBy(m.focused(), rows) })
}

func (t *table) files() {
	t.group = groupFile
	t.add("palette", "ctrl+p", "Every command, window and recent file", act((*Model).openPalette))
	t.add("open", "ctrl+o", "Open a file", act((*Model).openOpen))
	t.add("save", "ctrl+s", "Save the file (Put)", exec("Put"))
	t.add("save-all", "", "Save every file (Putall)", exec("Putall"))
	t.add("reload", "", "Read the file from the disk again (Get)", exec("Get"))
	t.add("merge", "", "Take in what changed on disk beside unsaved changes (Merge)", exec("Merge"))
	t.add("new", "ctrl+n", "New window (New)", exec("New"))
	t.add("terminal", "ctrl+t", "New terminal in the window's directory (Newterm)",
		func(m *Model) tea.Cmd { return m.newTerm(m.focused(), "") })
	t.add("kill", "", "End what runs in the window (Kill)", exec("Kill"))
	t.add("clear", "", "Forget what has scrolled out of the terminal (Clear)", exec("Clear"))
	t.add("close", "ctrl+w", "Close the window (Del)", (*Model).closeWindow)
	t.add("rename", "f6", "Rename", act((*Model).openRename))
	t.add("zerox", "", "Show the same text in a second window (Zerox)", exec("Zerox"))
	t.add("new-column", "", "New column (Newcol)", exec("Newcol"))
	t.add("close-column", "", "Close the column (Delcol)", exec("Delcol"))
	t.add("sort", "", "Sort the column's windows by name (Sort)", exec("Sort"))
}

func (t *table) editing() {
	t.group = groupEdit
	t.edit("undo", "ctrl+z", "Undo", act(func(m *Model) { m.undo(false) }))
	t.edit("redo", "ctrl+y", "Redo", act(func(m *Model) { m.undo(true) }))
	t.edit("cut", "ctrl+x shift+delete", "Cut", (*Model).cut)
	t.add("copy", "ctrl+c ctrl+insert", "Copy", (*Model).copy)
	t.edit("paste", "ctrl+v shift+insert", "Paste", (*Model).paste)
	t.add("select-all", "ctrl+a", "Select everything", act((*Model).selectAll)).moves = true
	t.edit("newline", "enter shift+enter", "New line, indented like this one",
		act(func(m *Model) { m.typeText("\n") }))
	t.edit("tab", "tab", "Tab; with lines selected, move them in", act((*Model).tab))
	t.edit("outdent", "shift+tab", "Move the selected lines out",
		act(func(m *Model) { m.indentLines(true) }))
	t.edit("erase", "backspace shift+backspace", "Delete the character before the caret",
		erasing(leftOf))
	t.edit("erase-next", "delete", "Delete the character after the caret", erasing(rightOf))
	t.edit("erase-word", "ctrl+backspace alt+backspace ctrl+h", "Delete the word before the caret",
		erasing(edit.WordLeft))
	t.edit("erase-next-word", "ctrl+delete alt+d", "Delete the word after the caret",
		erasing(edit.WordRight))
	t.edit("erase-line", "ctrl+k", "Delete the line", act((*Model).eraseLines))
}

func (t *table) finding() {
	t.group = groupFind
	t.add("find", "ctrl+f", "Find", act((*Model).openFind))
	t.add("find-next", "f3", "Find the next",
		func(m *Model) tea.Cmd { return m.findAgain(false) })
	t.add("find-previous", "shift+f3", "Find the one before",
		func(m *Model) tea.Cmd { return m.findAgain(true) })
	t.add("replace", "ctrl+r", "Find and replace", act((*Model).openReplace))
	t.add("go-to-line", "ctrl+g", "Go to a line", act((*Model).openGoto))
	t.group = groupRun
	t.add("execute", "ctrl+e ctrl+enter", "Execute the word at the caret, as the middle button does",
		(*Model).executeAtCaret)
	t.add("look", "ctrl+l alt+enter", "Open or find the word at the caret, as the right button does",
		(*Model).lookAtCaret)
	t.add("run", "", "Run a program, with the selection by |, < or >", act((*Model).openRun))
}

// move adds a motion twice: alone, and with shift to select.
func (t *table) move(name, key, title string, run func(m *Model, selects bool)) {
	t.add(name, key, title, act(func(m *Model) { run(m, false) })).moves = true
	t.add("select-"+name, "shift+"+key, "Select: "+title,
		act(func(m *Model) { run(m, true) })).moves = true
}

// motions adds what moves the caret.
func (t *table) motions() {
	t.group = groupMove
	for _, c := range []struct {
		name, key, title string
		to               edit.Motion
		step             int
	}{
		{"left", "left", "Left", leftOf, -1},
		{"right", "right", "Right", rightOf, 1},
		{"word-left", "ctrl+left", "To the word before", edit.WordLeft, 0},
		{"word-right", "ctrl+right", "To the next word", edit.WordRight, 0},
		{"line-start", "home", "To the beginning of the line", edit.SmartHome, 0},
		{"line-end", "end", "To the end of the line", edit.LineEnd, 0},
		{"text-start", "ctrl+home", "To the beginning of the text", textStart, 0},
		{"text-end", "ctrl+end", "To the end of the text", textEnd, 0},
	} {
		t.move(c.name, c.key, c.title, func(m *Model, selects bool) { m.move(c.to, c.step, selects) })
	}
	for _, c := range []struct {
		name, key, title string
		to               motion
	}{
		{"up", "up", "Up", moveUp},
		{"down", "down", "Down", moveDown},
		{"page-up", "pgup", "A page up", movePageUp},
		{"page-down", "pgdown", "A page down", movePageDown},
	} {
		t.move(c.name, c.key, c.title, func(m *Model, selects bool) { m.moveRows(c.to, selects) })
	}
}

func (t *table) moving() {
	t.add("scroll-up", "ctrl+up", "Scroll up a row", scrolling(-1))
	t.add("scroll-down", "ctrl+down", "Scroll down a row", scrolling(1))
	for _, c := range []struct {
		name, key, title string
		dx, dy           int
	}{
		{"window-left", "alt+left", "To the column at the left", -1, 0},
		{"window-right", "alt+right", "To the column at the right", 1, 0},
		{"window-up", "alt+up", "To the window above", 0, -1},
		{"window-down", "alt+down", "To the window below", 0, 1},
	} {
		t.add(c.name, c.key, c.title, act(func(m *Model) { m.neighbour(c.dx, c.dy) }))
	}
	t.add("tag", "f4", "To the window's tag, or back to its text", act((*Model).toggleTag))
}

func (t *table) rest() {
	t.group = groupWhole
	t.add("take-over", "f2", "Take over: lead this session from here", (*Model).takeOver)
	t.add("detach", "ctrl+q", "Detach: leave, the session stays as it is", (*Model).detach)
	t.add("end-session", "", "End the session (End)", act((*Model).openEnd))
	t.add("suspend", "ctrl+shift+z", "Suspend this interface; fg brings it back", (*Model).suspend)
	t.group = groupScreen
	t.add("help", "f1", "Help", act((*Model).openHelp))
	t.add("grow", "f7", "Give the window more room", growing(edit.GrowLittle))
	t.add("maximise", "f8", "Show the window alone in its column, or all again",
		growing(edit.GrowOnly))
	t.add("collapse", "shift+f8", "Show the window's tag only, or all of it again",
		act((*Model).collapseWindow))
	t.add("line-numbers", "", "Line numbers on or off (Numbers)", exec("Numbers"))
	t.add("wrap", "", "Wrap long lines, or scroll them (Wrap)", exec("Wrap"))
	t.add("indent", "", "Indent new lines, or not (Indent)", exec("Indent"))
	t.add("tab-width", "", "Tab width", act((*Model).openTabWidth))
	t.add("mouse", "f9", "Leave the mouse to the terminal, or take it back",
		act((*Model).toggleMouse))
	t.add("redraw", "f5", "Draw the screen again", (*Model).redraw)
}

// commandNamed returns a command that is in the table.
func commandNamed(name string) *command {
	c := commands.byName[name]
	if c == nil {
		panic("tui: no command " + name)
	}
	return c
}

// keyOf returns the first key of a command as people write it, as in Ctrl-S, F1, Alt-Left.
func keyOf(name string) string { return showKey(commandNamed(name).keys[0]) }

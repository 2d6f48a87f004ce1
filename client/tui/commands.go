package tui

import (
	"fmt"

	"apex/client/tui/input"
	"apex/core/edit"

	tea "charm.land/bubbletea/v2"
)

// command is something that the person can do by a key, from the palette, or both. This table is
// what keys, palette and help are made from.
type command struct {
	name  string // stable, for lookups
	title string // for people, in palette and help
	hint  string // one word for the last row
	group string // of the help
	keys  []string
	edits bool // changes the text with the focus: waits for its lease
	run   func(*Model) tea.Cmd
}

// The groups, in the order of the help.
const (
	groupFile   = "Files and windows"
	groupEdit   = "Editing"
	groupFind   = "Finding"
	groupMove   = "Moving"
	groupRun    = "Commands in text"
	groupWhole  = "Session"
	groupScreen = "Screen"
)

var commandGroups = []string{groupFile, groupEdit, groupFind, groupMove, groupRun, groupWhole, groupScreen}

// act is a command's run of something that needs no command of Bubble Tea's.
func act(f func(*Model)) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd {
		f(m)
		return nil
	}
}

func exec(words string) func(*Model) tea.Cmd {
	return func(m *Model) tea.Cmd { return m.exec(words) }
}

// moving moves the caret by a motion of the text's, in the direction that step tells.
func moving(to edit.Motion, step int) func(extend bool) func(*Model) tea.Cmd {
	return func(extend bool) func(*Model) tea.Cmd {
		return act(func(m *Model) { m.move(to, step, extend) })
	}
}

func byRows(to motion) func(extend bool) func(*Model) tea.Cmd {
	return func(extend bool) func(*Model) tea.Cmd {
		return act(func(m *Model) { m.moveRows(to, extend) })
	}
}

var (
	commands      []command
	commandByKey  = map[input.Key]*command{}
	commandByName = map[string]*command{}
)

func init() {
	commands = append(commandTable(), motionTable()...)
	for i := range commands {
		c := &commands[i]
		if commandByName[c.name] != nil {
			panic("tui: two commands are named " + c.name)
		}
		commandByName[c.name] = c
		for _, name := range c.keys {
			k, err := input.ParseKey(name)
			if err != nil {
				panic("tui: " + err.Error())
			}
			if other := commandByKey[k]; other != nil {
				panic(fmt.Sprintf("tui: %s is for %s and %s", name, other.name, c.name))
			}
			commandByKey[k] = c
		}
	}
}

func commandTable() []command {
	return []command{
		{"help", "Help", "help", groupScreen, []string{"f1"}, false, act((*Model).openHelp)},
		{"palette", "Command palette: every command, window and recent file", "commands", groupFile,
			[]string{"ctrl+p"}, false, act((*Model).openPalette)},

		{"save", "Save the file (Put)", "save", groupFile, []string{"ctrl+s"}, false, exec("Put")},
		{"save-all", "Save every file (Putall)", "", groupFile, nil, false, exec("Putall")},
		{"open", "Open a file", "open", groupFile, []string{"ctrl+o"}, false, act((*Model).openOpen)},
		{"new", "New window (New)", "", groupFile, []string{"ctrl+n"}, false, exec("New")},
		{"close", "Close the window (Del)", "", groupFile, []string{"ctrl+w"}, false, exec("Del")},
		{"reload", "Read the file from the disk again (Get)", "", groupFile, nil, false, exec("Get")},
		{"rename", "Rename: edit the name in the window's tag", "", groupFile, []string{"f6"}, false, act((*Model).openRename)},
		{"zerox", "Show the same text in a second window (Zerox)", "", groupFile, nil, false, exec("Zerox")},
		{"new-column", "New column (Newcol)", "", groupFile, nil, false, exec("Newcol")},
		{"close-column", "Close the column (Delcol)", "", groupFile, nil, false, exec("Delcol")},
		{"sort", "Sort the column's windows by name (Sort)", "", groupFile, nil, false, exec("Sort")},

		{"undo", "Undo", "undo", groupEdit, []string{"ctrl+z"}, true, act(func(m *Model) { m.undo(false) })},
		{"redo", "Redo", "", groupEdit, []string{"ctrl+y"}, true, act(func(m *Model) { m.undo(true) })},
		{"cut", "Cut", "", groupEdit, []string{"ctrl+x", "shift+delete"}, true, (*Model).cut},
		{"copy", "Copy", "", groupEdit, []string{"ctrl+c", "ctrl+insert"}, false, (*Model).copy},
		{"paste", "Paste", "", groupEdit, []string{"ctrl+v", "shift+insert"}, true, (*Model).paste},
		{"select-all", "Select everything", "", groupEdit, []string{"ctrl+a"}, false, act((*Model).selectAll)},
		{"newline", "New line, indented like this one", "", groupEdit, []string{"enter", "shift+enter"}, true,
			act(func(m *Model) { m.typeText("\n") })},
		{"tab", "Tab; with lines selected, move them in", "", groupEdit, []string{"tab"}, true, act((*Model).tab)},
		{"outdent", "Move the selected lines out", "", groupEdit, []string{"shift+tab"}, true,
			act(func(m *Model) { m.indentLines(true) })},
		{"erase", "Delete the character before the caret", "", groupEdit, []string{"backspace", "shift+backspace"}, true,
			act(func(m *Model) { m.erase(leftOf) })},
		{"erase-next", "Delete the character after the caret", "", groupEdit, []string{"delete"}, true,
			act(func(m *Model) { m.erase(rightOf) })},
		{"erase-word", "Delete the word before the caret", "", groupEdit,
			[]string{"ctrl+backspace", "alt+backspace", "ctrl+h"}, true, act(func(m *Model) { m.erase(edit.WordLeft) })},
		{"erase-next-word", "Delete the word after the caret", "", groupEdit, []string{"ctrl+delete", "alt+d"}, true,
			act(func(m *Model) { m.erase(edit.WordRight) })},
		{"erase-line", "Delete the line", "", groupEdit, []string{"ctrl+k"}, true, act((*Model).eraseLines)},

		{"find", "Find", "find", groupFind, []string{"ctrl+f"}, false, act((*Model).openFind)},
		{"find-next", "Find the next", "", groupFind, []string{"f3"}, false, func(m *Model) tea.Cmd { return m.findAgain(false) }},
		{"find-previous", "Find the one before", "", groupFind, []string{"shift+f3"}, false,
			func(m *Model) tea.Cmd { return m.findAgain(true) }},
		{"replace", "Find and replace", "", groupFind, []string{"ctrl+r"}, false, act((*Model).openReplace)},
		{"go-to-line", "Go to a line", "", groupFind, []string{"ctrl+g"}, false, act((*Model).openGoto)},

		{"execute", "Execute the selection, or the word at the caret (as B2 does)", "", groupRun,
			[]string{"ctrl+enter", "ctrl+e"}, false, (*Model).executeAtCaret},
		{"look", "Look at the selection, or the word at the caret: open it or find it (as B3 does)", "", groupRun,
			[]string{"alt+enter", "ctrl+l"}, false, (*Model).lookAtCaret},

		{"take-over", "Take over: lead this session from here", "", groupWhole, []string{"f2"}, false,
			act((*Model).takeOver)},
		{"detach", "Detach: leave, the session stays as it is", "detach", groupWhole, []string{"ctrl+q"}, false,
			(*Model).detach},
		{"end-session", "End the session (End)", "", groupWhole, nil, false, act((*Model).openEnd)},
		{"suspend", "Suspend this interface; fg brings it back", "", groupWhole, []string{"ctrl+shift+z"}, false,
			(*Model).suspend},

		{"tag", "Go to the window's tag, or back to its text", "", groupMove, []string{"f4"}, false,
			act((*Model).toggleTag)},
		{"grow", "Give the window more room", "", groupScreen, []string{"f7"}, false, act(func(m *Model) { m.grow(edit.GrowLittle) })},
		{"maximise", "Show this window alone in its column, or all again", "", groupScreen, []string{"f8"}, false,
			act(func(m *Model) { m.grow(edit.GrowOnly) })},
		{"collapse", "Show the window's tag only, or all of it again", "", groupScreen, []string{"shift+f8"}, false,
			act((*Model).collapseWindow)},
		{"line-numbers", "Line numbers on or off (Numbers)", "", groupScreen, nil, false, exec("Numbers")},
		{"wrap", "Wrap long lines, or scroll them (Wrap)", "", groupScreen, nil, false, exec("Wrap")},
		{"indent", "Indent new lines, or not (Indent)", "", groupScreen, nil, false, exec("Indent")},
		{"tab-width", "Tab width", "", groupScreen, nil, false, act((*Model).openTabWidth)},
		{"mouse", "Leave the mouse to the terminal, or take it back", "", groupScreen, []string{"f9"}, false,
			act((*Model).toggleMouse)},
		{"redraw", "Draw the screen again", "", groupScreen, []string{"f5"}, false, (*Model).redraw},
	}
}

func motionTable() []command {
	var out []command
	for _, t := range []struct {
		name, title, key string
		run              func(extend bool) func(*Model) tea.Cmd
	}{
		{"left", "Left", "left", moving(leftOf, -1)},
		{"right", "Right", "right", moving(rightOf, 1)},
		{"word-left", "To the word before", "ctrl+left", moving(edit.WordLeft, 0)},
		{"word-right", "To the next word", "ctrl+right", moving(edit.WordRight, 0)},
		{"up", "Up", "up", byRows(moveUp)},
		{"down", "Down", "down", byRows(moveDown)},
		{"page-up", "A page up", "pgup", byRows(movePageUp)},
		{"page-down", "A page down", "pgdown", byRows(movePageDown)},
		{"line-start", "To the beginning of the line", "home", moving(edit.SmartHome, 0)},
		{"line-end", "To the end of the line", "end", moving(edit.LineEnd, 0)},
		{"text-start", "To the beginning of the text", "ctrl+home", moving(textStart, 0)},
		{"text-end", "To the end of the text", "ctrl+end", moving(textEnd, 0)},
	} {
		out = append(out,
			command{t.name, t.title, "", groupMove, []string{t.key}, false, t.run(false)},
			command{"select-" + t.name, "Select: " + t.title, "", groupMove, []string{"shift+" + t.key}, false, t.run(true)})
	}
	for _, t := range []struct {
		name, title, key string
		dx, dy           int
	}{
		{"window-left", "To the column at the left", "alt+left", -1, 0},
		{"window-right", "To the column at the right", "alt+right", 1, 0},
		{"window-up", "To the window above", "alt+up", 0, -1},
		{"window-down", "To the window below", "alt+down", 0, 1},
	} {
		dx, dy := t.dx, t.dy
		out = append(out, command{t.name, t.title, "", groupMove, []string{t.key}, false,
			act(func(m *Model) { m.neighbour(dx, dy) })})
	}
	return append(out,
		command{"scroll-up", "Scroll up a row", "", groupMove, []string{"ctrl+up"}, false,
			act(func(m *Model) { m.scrollBy(m.focused(), -1) })},
		command{"scroll-down", "Scroll down a row", "", groupMove, []string{"ctrl+down"}, false,
			act(func(m *Model) { m.scrollBy(m.focused(), 1) })})
}

func commandNamed(name string) *command { return commandByName[name] }

// keyOf returns the first key of a command as people write it, as in ^S, F1, Alt-Left.
func keyOf(name string) string {
	if c := commandByName[name]; c != nil && len(c.keys) > 0 {
		return showKey(c.keys[0])
	}
	return ""
}

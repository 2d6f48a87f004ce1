package tui

import (
	"fmt"
	"strings"

	"apex/core"
	"apex/core/edit"

	tea "charm.land/bubbletea/v2"
)

// meet notes how commands ended before this client knew their windows: that is not told.
func (m *Model) meet() {
	l := m.session.Layout()
	if l == nil || l == m.met {
		return
	}
	m.met = l
	for _, c := range l.Columns {
		for _, s := range c.Slots {
			w := m.session.Window(s.Window)
			if _, known := m.told[s.Window]; !known && w != nil {
				m.told[s.Window] = newestRun(w)
			}
		}
	}
}

// newestRun returns the newest of a window's commands that have ended, 0 if none has.
func newestRun(w *core.Window) (at core.Seq) {
	for i := range w.Runs {
		if r := &w.Runs[i]; r.Done {
			at = max(at, r.At)
		}
	}
	return at
}

// complete tells how a command ended that was run in a window, when its outcome arrives. What went
// well doesn't take the place of what was refused at the same time.
func (m *Model) complete(id core.WindowID) {
	w := m.session.Window(id)
	if w == nil {
		return
	}
	seen, known := m.told[id]
	m.told[id] = newestRun(w)
	if !known {
		return
	}
	for _, r := range w.Runs {
		switch {
		case !r.Done || r.At <= seen:
		case r.Code != "" && commandWord(r.Exec.Command) == "Putall":
			m.warn("%s", r.Message)
			m.failures = append(m.failures, failure{id, r.Message})
		case r.Code != "":
			m.warn("%s", advised(&r))
		case m.message.bad:
		case r.Message != "":
			m.say(r.Message)
		case isProgram(r.Exec.Command): // what it wrote says it
		default:
			m.say(done(r.Exec.Command) + m.windowName(id))
		}
	}
}

// advised is why a command was refused, and what can be done about it where the reason does not say
// so.
func advised(r *core.Run) string {
	if r.Code == core.CodeUnsaved && commandWord(r.Exec.Command) == "Get" {
		return fmt.Sprintf("%s; %s saves, and Get -f instead of Get reads the file all the same",
			r.Message, keyOf("save"))
	}
	return r.Message
}

// failure is why a file was not saved, of a command that saves many: the last line of the screen has
// room for one.
type failure struct {
	window core.WindowID
	why    string
}

// report puts what failed into +Errors.
func (m *Model) report() tea.Cmd {
	var cmds []tea.Cmd
	for _, f := range m.failures {
		why := f.why
		if name := m.windowName(f.window); !strings.Contains(why, name) {
			why = name + ": " + why
		}
		cmds = append(cmds, m.complain(f.window.Body(), why))
	}
	m.failures = nil
	return tea.Batch(cmds...)
}

// done is how to tell that a command was done to a file.
func done(command string) string {
	switch commandWord(command) {
	case "Put", "Putall":
		return "Saved "
	case "Get":
		return "Read again "
	}
	return command + ": done: "
}

func isProgram(command string) bool {
	_, ok := edit.ParseProgram(command)
	return ok
}

func commandWord(command string) string {
	word, _, _ := strings.Cut(command, " ")
	return word
}

// unsaved reports whether the last Put of a window was refused.
func unsaved(w *core.Window) bool {
	for i := len(w.Runs) - 1; i >= 0; i-- {
		word := commandWord(w.Runs[i].Exec.Command)
		if w.Runs[i].Done && (word == "Put" || word == "Putall") {
			return w.Runs[i].Code != ""
		}
	}
	return false
}

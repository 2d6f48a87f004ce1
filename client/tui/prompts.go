package tui

import (
	"context"
	"fmt"
	"path"
	"strconv"
	"strings"

	"apex/core"
	"apex/core/addr"
	"apex/core/edit"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// directory is where relative names in a view are looked for: where the program of its terminal says
// that it is, else edit.Dir.
func (m *Model) directory(v core.View) string {
	if w, ok := v.Window(); ok {
		if t := m.termIn(w.Body()); t != nil && path.IsAbs(t.Cwd) {
			return path.Clean(t.Cwd)
		}
	}
	return edit.Dir(m.session, v)
}

// file makes of what a person types a path and an address.
func (m *Model) file(name string) proto.File {
	p, a := addr.SplitFile(name)
	f := m.fileIn(m.focused(), p)
	f.Addr = a
	return f
}

// fileIn makes an absolute path of a name that stands in a view.
func (m *Model) fileIn(v core.View, name string) proto.File {
	if name == "~" || strings.HasPrefix(name, "~/") {
		if m.home == "" { // that of the session's machine, which the daemon knows
			return proto.File{Path: name}
		}
		name = m.home + name[1:]
	}
	if !path.IsAbs(name) {
		name = path.Join(m.directory(v), name)
	}
	return proto.File{Path: path.Clean(name)}
}

func (m *Model) openOpen() {
	p := newPrompt("Open")
	p.tell("a file or directory, perhaps with :line", false)
	p.enter = func(m *Model, p *prompt) tea.Cmd {
		m.pop()
		name := strings.TrimSpace(p.value(0))
		if i := max(strings.LastIndex(name, "//"), strings.LastIndex(name, "/~/")); i >= 0 {
			name = name[i+1:] // a whole path was typed behind the one that was there
		}
		if name == "" {
			return nil
		}
		return m.openFile(name)
	}
	m.push(p)
	p.fields[0].set(strings.TrimSuffix(m.directory(m.focused()), "/") + "/")
}

// openGoto asks for a line, or any address.
func (m *Model) openGoto() {
	v := m.focused()
	b := m.buffer(v)
	if b == nil {
		return
	}
	p := newPrompt("Go to")
	p.tell(fmt.Sprintf("a line of %d, or /text/, $, #rune", b.Text.Newlines()+1), false)
	p.enter = func(m *Model, p *prompt) tea.Cmd {
		b := m.buffer(v)
		if b == nil {
			m.pop()
			return nil
		}
		a, err := addr.Parse(strings.TrimSpace(p.value(0)))
		if err == nil {
			var r addr.Range
			s := m.seen(v, b)
			if r, err = a.Eval(b.Text, addr.Range{Q0: s.Q0, Q1: s.Q1}); err == nil {
				m.pop()
				if _, err := strconv.Atoi(a.String()); err == nil {
					r.Q1 = r.Q0 // a line by its number: the caret goes there and nothing is selected
				}
				m.dot(v, r.Q1, r.Q0)
				return nil
			}
		}
		p.tell(err.Error(), true)
		return nil
	}
	m.push(p)
}

// openRun asks for a command line, which is executed where the focus is.
func (m *Model) openRun() {
	v := m.focused()
	p := newPrompt("Run")
	p.tell("|program, <program and >program mean the selection", false)
	p.enter = func(m *Model, p *prompt) tea.Cmd {
		m.pop()
		return m.execIn(v, p.value(0))
	}
	m.push(p)
}

func (m *Model) openTabWidth() {
	p := newPrompt("Tab width")
	p.enter = func(m *Model, p *prompt) tea.Cmd {
		n, err := strconv.Atoi(strings.TrimSpace(p.value(0)))
		if err != nil || n < 1 || n > core.MaxTabWidth {
			p.tell(fmt.Sprintf("a number from 1 to %d", core.MaxTabWidth), true)
			return nil
		}
		m.pop()
		return m.exec("Tab " + strconv.Itoa(n))
	}
	m.push(p)
}

// openRename asks for the window's name, which is in its tag.
func (m *Model) openRename() {
	w, ok := m.focusWindow()
	if !ok {
		m.say("The focus is in no window.")
		return
	}
	win := m.session.Window(w)
	b := m.session.Buffer(win.Body)
	if b == nil {
		return
	}
	body := win.Body
	p := newPrompt("Rename to")
	p.fields[0].set(b.Name)
	p.enter = func(m *Model, p *prompt) tea.Cmd {
		m.pop()
		name := strings.TrimSpace(p.value(0))
		if name == "" {
			return nil
		}
		if b.Kind == core.BufferFile {
			name = m.file(name).Path
		}
		return m.ask(&core.AskRename{Buffer: body, Name: name}, nil)
	}
	m.push(p)
}

// openEnd asks whether to end the session.
func (m *Model) openEnd() {
	p := newPrompt("End session " + m.label() + "?")
	p.tell("y ends it; discard ends it with unsaved work", false)
	p.enter = func(m *Model, p *prompt) tea.Cmd {
		answer := strings.ToLower(strings.TrimSpace(p.value(0)))
		m.pop()
		if answer != "y" && answer != "yes" && answer != "discard" {
			m.say("The session goes on.")
			return nil
		}
		s, label, force := m.session, m.label(), answer == "discard"
		return call(func(ctx context.Context) (struct{}, error) {
			return struct{}{}, s.EndSession(ctx, label, force)
		}, func(m *Model, _ struct{}, err error) tea.Cmd {
			if err != nil {
				m.fail(err)
				return nil
			}
			m.quit = true
			return tea.Quit
		})
	}
	m.push(p)
}

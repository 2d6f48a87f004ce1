package tui

import (
	"context"
	"errors"
	"fmt"
	"time"

	"apex/client/tui/input"
	"apex/proto"

	tea "charm.land/bubbletea/v2"
)

// callMax is how long a request may take. What the person asked for is answered or failed by then.
const callMax = 10 * time.Second

// call makes a tea.Cmd of a request, which runs outside the loop, and of what its result means,
// which runs inside.
func call[T any](do func(context.Context) (T, error), then func(*Model, T, error) tea.Cmd) tea.Cmd {
	return func() tea.Msg {
		ctx, cancel := context.WithTimeout(context.Background(), callMax)
		defer cancel()
		v, err := do(ctx)
		return doneMsg(func(m *Model) tea.Cmd { return then(m, v, err) })
	}
}

// after makes a tea.Cmd of what is to be done in the loop after a time.
func (m *Model) after(d time.Duration, then func(*Model) tea.Cmd) tea.Cmd {
	return m.timer(d, doneMsg(then))
}

// timer brings a message after a time.
func timer(d time.Duration, msg tea.Msg) tea.Cmd {
	return tea.Tick(d, func(time.Time) tea.Msg { return msg })
}

// clipboard gives a text to the terminal's clipboard.
func (m *Model) clipboard(s string) {
	b, err := input.AppendClipboard(nil, []byte(s), m.tmux)
	if errors.Is(err, input.ErrClipboard) {
		m.say(fmt.Sprintf("Copied here; %d bytes are too many for the terminal's clipboard.", len(s)))
		return
	}
	m.fail(m.screen.Tell(string(b)))
}

// toggleMouse leaves the mouse to the terminal, so that its own selection works, or takes it back.
func (m *Model) toggleMouse() {
	m.noMouse = !m.noMouse
	m.fail(m.screen.SetMouse(!m.noMouse))
	if m.noMouse {
		m.say("The mouse is the terminal's now. " + keyOf("mouse") + " takes it back.")
	}
}

// redraw paints everything again, for a person who sees that the screen is damaged.
func (m *Model) redraw() tea.Cmd {
	m.Forget()
	s := m.screen
	return func() tea.Msg {
		err := s.Resync()
		return doneMsg(func(m *Model) tea.Cmd {
			m.fail(err)
			return nil
		})
	}
}

// openFile opens what a person named: a path, perhaps with an address.
func (m *Model) openFile(name string) tea.Cmd { return m.open([]proto.File{m.file(name)}) }

// open opens files in windows.
func (m *Model) open(files []proto.File) tea.Cmd {
	return call(m.opening(files), (*Model).opened)
}

// opening is the request to open files, to be made outside the loop.
func (m *Model) opening(files []proto.File) func(context.Context) ([]proto.Place, error) {
	s, label := m.session, m.label()
	return func(ctx context.Context) ([]proto.Place, error) {
		return s.Open(ctx, &proto.Open{Session: label, Files: files, Focus: true,
			Author: proto.Author{Actor: s.Actor().Actor}, Unkept: true}) // the status says whether it is
	}
}

// opened tells which files could not be opened.
func (m *Model) opened(places []proto.Place, err error) tea.Cmd {
	if err != nil {
		m.fail(err)
		return nil
	}
	for i := range places {
		if err := places[i].Err(); err != nil {
			m.fail(err)
			continue
		}
		if said := places[i].Message; said != "" {
			m.say(said)
		}
		m.remember(places[i].Path)
		m.caret.show = true
	}
	return nil
}

// started: the files of the command line are here, or are not coming. What was typed meanwhile goes
// where the focus is now: it was meant for them.
func (m *Model) started(places []proto.Place, err error) tea.Cmd {
	cmds := []tea.Cmd{m.opened(places, err)}
	m.starting = false
	early := m.early.inputs
	m.early = held{}
	for _, in := range early {
		cmds = append(cmds, m.edit(in))
	}
	return tea.Batch(cmds...)
}

// label is the session's label, by which requests name it.
func (m *Model) label() string {
	if meta := m.session.Meta(); meta != nil {
		return meta.Label
	}
	return ""
}

// recentMax is how many files the palette remembers.
const recentMax = 50

func (m *Model) remember(path string) {
	kept := []string{path}
	for _, p := range m.recent {
		if p != path && len(kept) < recentMax {
			kept = append(kept, p)
		}
	}
	m.recent = kept
}

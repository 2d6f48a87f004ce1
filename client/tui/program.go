package tui

import (
	tea "charm.land/bubbletea/v2"
)

// program is the Model as Bubble Tea runs it: a panic, in the loop or in what runs beside it, gives
// the terminal back first, so that what Bubble Tea tells of it can be read.
type program struct {
	*Model
	restore func()
}

// Init implements tea.Model.
func (p *program) Init() (cmd tea.Cmd) {
	p.whole(func() { cmd = p.watch(p.Model.Init()) })
	return cmd
}

// Update implements tea.Model.
func (p *program) Update(msg tea.Msg) (_ tea.Model, cmd tea.Cmd) {
	p.whole(func() { _, cmd = p.Model.Update(msg) })
	return p, p.watch(cmd)
}

// watch does for a command, and for those that it brings, what Update does for itself.
func (p *program) watch(cmd tea.Cmd) tea.Cmd {
	if cmd == nil {
		return nil
	}
	return func() (msg tea.Msg) {
		p.whole(func() { msg = cmd() })
		if batch, ok := msg.(tea.BatchMsg); ok {
			for i := range batch {
				batch[i] = p.watch(batch[i])
			}
		}
		return msg
	}
}

// whole calls f, and restores if that does not return. The panic goes on.
func (p *program) whole(f func()) {
	returned := false
	defer func() {
		if !returned {
			p.restore()
		}
	}()
	f()
	returned = true
}

package tui

import (
	"sync"

	tea "charm.land/bubbletea/v2"
)

// program is the Model as Bubble Tea runs it, and as those bring it messages who can't wait for
// Bubble Tea's loop: what is typed is on the screen before a goroutine is woken. One message at a
// time is dealt with.
//
// A panic, in the loop or in what runs beside it, gives the terminal back first, so that what is
// told of it can be read.
type program struct {
	restore func()
	send    func(tea.Msg) // to the loop
	begun   tea.Cmd       // what the Model asked for when it began

	mu    sync.Mutex
	model *Model // which it guards
}

// Init implements tea.Model. The Model has begun already, before anything was delivered.
func (p *program) Init() tea.Cmd { return p.watch(p.begun) }

// Update implements tea.Model.
func (p *program) Update(msg tea.Msg) (tea.Model, tea.Cmd) { return p, p.watch(p.update(msg)) }

// View implements tea.Model. Frames are painted by Update, and Bubble Tea's renderer is off.
func (p *program) View() tea.View { return tea.View{} }

// deliver deals with a message at once. Any goroutine may call it. What the message asks for runs
// beside the loop, as always.
func (p *program) deliver(msg tea.Msg) {
	if cmd := p.update(msg); cmd != nil {
		p.send(tea.BatchMsg{p.watch(cmd)})
	}
}

// update deals with a message. What it changes is on the screen before it goes to the daemon, which
// would be woken at the terminal's expense.
func (p *program) update(msg tea.Msg) (cmd tea.Cmd) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.whole(func() {
		p.model.session.Hold()
		cmd = p.model.Update(msg)
		p.model.session.Flush()
	})
	return cmd
}

// watch does for a command, and for those that it brings, what update does for itself.
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

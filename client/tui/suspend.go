package tui

import (
	"context"
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"
	"golang.org/x/sys/unix"
)

// canSuspend reports whether a shell could bring this process back: one that leads its session, or
// whose parent is in another one, would stop for good.
func canSuspend() bool {
	own, err := unix.Getsid(0)
	if err != nil || own == os.Getpid() {
		return false
	}
	parent, err := unix.Getsid(os.Getppid())
	return err == nil && parent == own
}

// suspend stops this interface; the session goes on, as do others.
func (m *Model) suspend() tea.Cmd {
	if !m.suspends {
		m.say("No shell could bring this interface back. " + keyOf("detach") + " detaches.")
		return nil
	}
	m.stopped.Store(true)
	return tea.Suspend
}

// continued takes the terminal anew whenever this process goes on after it was stopped from outside:
// the shell has set the modes that it likes, and whatever ran has drawn on the screen. A stop by
// suspend is Bubble Tea's.
func continued(ctx context.Context, p *tea.Program, m *Model) {
	c := make(chan os.Signal, 1)
	signal.Notify(c, unix.SIGCONT)
	defer signal.Stop(c)
	for {
		select {
		case <-ctx.Done():
			return
		case <-c:
		}
		if m.stopped.Load() {
			continue
		}
		// What can't be given back in order is taken anew all the same: a screen without a picture
		// helps nobody.
		_ = p.ReleaseTerminal()
		if p.RestoreTerminal() == nil {
			p.Send(tea.ResumeMsg{})
		}
	}
}

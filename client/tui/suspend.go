package tui

import (
	"context"
	"os"
	"os/signal"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"
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
// the shell may have set the modes that it likes, and whatever ran may have drawn on the screen. A
// stop by suspend is Bubble Tea's.
func continued(ctx context.Context, h *host, m *Model) {
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
		// The modes that only a UI sets (mouse, pastes, keys) are as they were. What fails is tried
		// again by whatever is painted next.
		_, _ = term.MakeRaw(h.in.Fd())
		_ = h.writer.Enter()
		_ = h.writer.Resync()
	}
}

package tui

import (
	"os"

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
	return tea.Suspend
}

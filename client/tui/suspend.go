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
	if m.stop == nil {
		m.say("No shell could bring this interface back. " + keyOf("detach") + " detaches.")
		return nil
	}
	m.stop()
	return nil
}

// suspender returns what stops this process with all that the shell started with it, as its Ctrl-Z
// does; nil if no shell could bring it back.
func suspender() func() {
	if !canSuspend() || signal.Ignored(unix.SIGTSTP) {
		return nil
	}
	return func() { _ = unix.Kill(0, unix.SIGTSTP) }
}

// control does what the shell's job control and the terminal ask for by signals, one after the
// other, until ctx ends. send brings the loop what it has to know.
//
//   - SIGTSTP, by a key here or by somebody else: the terminal is given back, then the process
//     stops.
//   - SIGCONT, whatever it was that stopped the process: the terminal is taken anew.
//   - SIGWINCH: the terminal has another size.
func (h *host) control(ctx context.Context, send func(tea.Msg)) {
	for {
		select {
		case <-ctx.Done():
			return
		case sig := <-h.jobs:
			h.job(sig, send)
		}
	}
}

func (h *host) job(sig os.Signal, send func(tea.Msg)) {
	switch sig {
	case unix.SIGTSTP:
		if canSuspend() {
			// What fails leaves a terminal that can't be helped.
			_ = h.give()
			_ = unix.Kill(os.Getpid(), unix.SIGSTOP)
		}
	case unix.SIGCONT:
		// What fails is tried again by whatever is painted next.
		_ = h.take()
		h.resized(send) // a shell's terminal that changes tells the shell
		send(tea.ResumeMsg{})
	case unix.SIGWINCH:
		h.resized(send)
	}
}

// resized tells the loop the terminal's size. The terminal may have cut what it shows, even if its
// size is what it was by now.
func (h *host) resized(send func(tea.Msg)) {
	width, height := h.size()
	h.writer.Invalidate()
	send(tea.WindowSizeMsg{Width: width, Height: height})
}

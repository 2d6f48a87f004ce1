package holder

import (
	"context"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"
)

// Resize gives the terminal a size; the foreground process group is told by the kernel.
func (h *Holder) Resize(z Size) error {
	if h.info.Kind != Pty {
		return ErrNotTerminal
	}
	if err := z.check(); err != nil {
		return &Error{Name: h.info.Name, Code: BadSpec, Text: err.Error()}
	}
	return h.control(func(fd int) error {
		return unix.IoctlSetWinsize(fd, unix.TIOCSWINSZ, &unix.Winsize{Row: uint16(z.Rows),
			Col: uint16(z.Cols), Xpixel: uint16(z.Width), Ypixel: uint16(z.Height)})
	})
}

// Size is the terminal's, as a daemon or the program last set it.
func (h *Holder) Size() (z Size, err error) {
	if h.info.Kind != Pty {
		return Size{}, ErrNotTerminal
	}
	err = h.control(func(fd int) error {
		w, err := unix.IoctlGetWinsize(fd, unix.TIOCGWINSZ)
		if err == nil {
			z = Size{int(w.Col), int(w.Row), int(w.Xpixel), int(w.Ypixel)}
		}
		return err
	})
	return z, err
}

// ForegroundGroup is the id of the terminal's foreground process group.
func (h *Holder) ForegroundGroup() (group int, err error) {
	if h.info.Kind != Pty {
		return 0, ErrNotTerminal
	}
	err = h.control(func(fd int) error {
		group, err = unix.IoctlGetInt(fd, unix.TIOCGPGRP)
		return err
	})
	return group, err
}

func (h *Holder) control(f func(fd int) error) error {
	var failed error
	if err := h.master.Control(func(fd uintptr) { failed = f(int(fd)) }); err != nil {
		return ErrClosed
	}
	return failed
}

// Signal sends a signal to processes of the program's. The error has the code Gone if there is none
// to send it to, or no holder.
func (h *Holder) Signal(ctx context.Context, sig syscall.Signal, to To) error {
	_, err := h.ask(ctx, &request{Op: opSignal, Signal: int(sig), To: to})
	return err
}

// Processes are the program's that run, the eldest first: below it, and those that left it.
func (h *Holder) Processes(ctx context.Context) ([]Process, error) {
	m, err := h.ask(ctx, &request{Op: opProcesses})
	if err != nil {
		return nil, err
	}
	return processesOf(m.Processes), nil
}

// Orphans are the processes that are not below the program any more: they left it, or it has
// exited.
func (h *Holder) Orphans(ctx context.Context) ([]Process, error) {
	all, err := h.Processes(ctx)
	return slices.DeleteFunc(all, func(p Process) bool { return !p.Orphan }), err
}

// Kill ends everything that the program started, and waits for that: HUP, after HangUpGrace TERM,
// after TermGrace KILL, to all processes wherever they went. The result is what was still there
// KillGrace later: processes of another user's or that the kernel holds. If ctx ends, or this
// process, the holder goes on with it all the same. After the holder died this process does it, as
// far as it can find them.
func (h *Holder) Kill(ctx context.Context) ([]Process, error) {
	m, err := h.ask(ctx, &request{Op: opKill})
	if err == nil {
		return processesOf(m.Processes), nil
	}
	if ctx.Err() == nil && !h.detached.Load() && h.Exit().Lost {
		return h.killLost(ctx)
	}
	return nil, err
}

// Release tells the holder that the exit was recorded. The result is the processes that still run:
// if there are none the holder has left and this side is detached; else it stays for them, and
// leaves after the last of them (Gone is closed then).
func (h *Holder) Release(ctx context.Context) ([]Process, error) {
	m, err := h.ask(ctx, &request{Op: opRelease})
	if err != nil {
		return nil, err
	}
	if len(m.Processes) > 0 {
		return processesOf(m.Processes), nil
	}
	select {
	case <-h.gone:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	h.Detach()
	return nil, nil
}

package tui

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/charmbracelet/x/term"
)

// A terminal may take no output for good: somebody has stopped it, or nobody reads it. No way out
// of the interface waits for it longer than these say. Then the process ends all the same, and its
// guard gives the terminal back if that takes something again.
const (
	// signalGrace is for what the interface does after a signal that ends it.
	signalGrace = time.Second
	// restoreMax is for giving the terminal back when the process is about to end.
	restoreMax = time.Second / 2
	// giveMax is for the same when the interface was left, over a link however slow.
	giveMax = 10 * time.Second
)

// exitDefect is the status of a process that ends by a defect, as Go has it.
const exitDefect = 2

// exitSignal is the status of a process that a signal ends, as shells have it.
func exitSignal(sig os.Signal) int { return 128 + int(sig.(syscall.Signal)) }

// within calls f, which may have to wait for the terminal, and reports whether it returned within
// the limit, if there is one, and signalGrace after a signal.
func (h *host) within(limit time.Duration, f func()) bool {
	done := make(chan struct{})
	go h.guard(func() {
		f()
		close(done)
	})()
	var late <-chan time.Time
	if limit > 0 {
		late = time.After(limit)
	}
	for {
		select {
		case <-done:
			return true
		case <-late:
			return false
		case h.ended = <-h.ends:
			late = time.After(signalGrace)
		}
	}
}

// abandon ends the process, because the terminal takes nothing: not even why. The guard stays on
// duty.
func (h *host) abandon(why error) {
	status := 0
	switch {
	case h.ended != nil:
		status = exitSignal(h.ended)
	case errors.Is(why, ErrPanic):
		status = exitDefect
	case why != nil:
		status = 1
	}
	term.Restore(h.in.Fd(), h.state)
	os.Exit(status)
}

// restore gives the terminal back on the ways out that don't end in close, and reports whether it
// has taken that. If not, the guard stays on duty.
func (h *host) restore() bool {
	restored := make(chan struct{})
	go func() {
		h.writer.Restore()
		close(restored)
	}()
	took := true
	select {
	case <-restored:
	case <-time.After(restoreMax):
		took = false
	}
	term.Restore(h.in.Fd(), h.state)
	if took {
		h.guarded.end()
	}
	return took
}

// rescue gives the terminal back before a panic is told. Where nobody could be told the process
// ends.
func (h *host) rescue() {
	if !h.restore() {
		os.Exit(exitDefect)
	}
}

// guard makes f, which is to be a goroutine's, give the terminal back when it panics.
func (h *host) guard(f func()) func() {
	return func() {
		defer func() {
			if r := recover(); r != nil {
				h.rescue()
				fmt.Fprintf(os.Stderr, "apex: %v\n%s", r, debug.Stack())
				os.Exit(exitDefect)
			}
		}()
		f()
	}
}

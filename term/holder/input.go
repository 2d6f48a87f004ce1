package holder

import (
	"context"
	"errors"
	"os"
	"sync"

	"apex/proto/fd"

	"golang.org/x/sys/unix"
)

// InputMaxBytes is how much input waits for a program that does not read: several large pastes.
const InputMaxBytes = 4 << 20

// input is the writing side of a Holder. What a terminal does not take at once waits in a queue,
// which a goroutine writes; it runs while there is something in it.
type input struct {
	mu      sync.Mutex
	queue   []byte
	accept  uint64 // bytes that Write accepted
	taken   uint64 // of those, the terminal's
	failed  error  // why no more is taken
	moved   chan struct{}
	running chan struct{} // closed when the goroutine has ended; nil if there was none
}

// Write gives bytes to the program, in the order of the calls, and never waits. What the terminal
// doesn't take now is taken as the program reads. Either all of p is accepted or nothing is; the
// result is the number of bytes accepted so far, for Taken. The error is ErrInputFull if more than
// InputMaxBytes would wait, ErrNoInput for a program on a pipe, ErrExited if nobody has the
// terminal open, ErrClosed after Detach.
func (h *Holder) Write(p []byte) (uint64, error) {
	if h.info.Kind != Pty {
		return 0, ErrNoInput
	}
	i := &h.input
	i.mu.Lock()
	defer i.mu.Unlock()
	switch {
	case i.failed != nil:
		return i.accept, i.failed
	case h.detached.Load():
		return i.accept, ErrClosed
	case len(i.queue)+len(p) > InputMaxBytes:
		return i.accept, ErrInputFull
	}
	if len(i.queue) == 0 {
		// Most input is a key, and the terminal takes it here and now.
		n, err := h.writeSome(p)
		i.accept += uint64(n)
		i.take(n)
		if err != nil {
			i.failed = err
			return i.accept, err
		}
		p = p[n:]
	}
	if len(p) > 0 {
		i.accept += uint64(len(p))
		i.queue = append(i.queue, p...)
		if i.running == nil {
			i.running = make(chan struct{})
			go h.pump(i.running)
		}
	}
	return i.accept, nil
}

// Taken waits until the terminal has taken the bytes up to a result of Write. It is the terminal's
// queue that has them then; whether the program has read them nobody knows.
func (h *Holder) Taken(ctx context.Context, upTo uint64) error {
	i := &h.input
	for {
		i.mu.Lock()
		if i.taken >= upTo {
			i.mu.Unlock()
			return nil
		}
		if i.failed != nil || upTo > i.accept {
			err := i.failed
			i.mu.Unlock()
			if err == nil {
				err = errors.New("holder: bytes that were not accepted can't be taken")
			}
			return err
		}
		if i.moved == nil {
			i.moved = make(chan struct{})
		}
		moved := i.moved
		i.mu.Unlock()
		select {
		case <-moved:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Waiting is how many bytes of input the terminal has not taken.
func (h *Holder) Waiting() int {
	h.input.mu.Lock()
	defer h.input.mu.Unlock()
	return len(h.input.queue)
}

// take counts bytes that the terminal took; the lock is held.
func (i *input) take(n int) {
	i.taken += uint64(n)
	if i.moved != nil {
		close(i.moved)
		i.moved = nil
	}
}

// writeSome writes what the terminal takes now, which may be nothing.
func (h *Holder) writeSome(p []byte) (n int, failed error) {
	err := h.master.Control(func(pty uintptr) { n, failed = writeFD(int(pty), p) })
	if err != nil {
		return 0, ErrClosed
	}
	return n, failed
}

// writeFD writes until the descriptor takes no more.
func writeFD(pty int, p []byte) (int, error) {
	done := 0
	for done < len(p) {
		n, err := fd.WriteNow(pty, p[done:])
		switch {
		case n > 0:
			done += n
		case errors.Is(err, unix.EAGAIN):
			return done, nil
		case errors.Is(err, unix.EIO):
			return done, ErrExited
		default:
			return done, err
		}
	}
	return done, nil
}

// pump writes the queue until it is empty.
func (h *Holder) pump(ended chan struct{}) {
	defer close(ended)
	for h.pumpOnce() {
	}
}

// pumpOnce waits until the terminal takes some and reports whether more waits.
func (h *Holder) pumpOnce() bool {
	i := &h.input
	var n int
	var failed error
	err := h.master.Write(func(pty uintptr) bool {
		i.mu.Lock()
		defer i.mu.Unlock()
		n, failed = writeFD(int(pty), i.queue)
		i.queue = i.queue[n:]
		i.take(n)
		return n > 0 || failed != nil
	})
	i.mu.Lock()
	defer i.mu.Unlock()
	if err != nil {
		failed = err
		if h.detached.Load() || errors.Is(err, os.ErrClosed) {
			failed = ErrClosed
		}
	}
	if failed != nil {
		i.failed, i.queue = failed, nil
		i.take(0)
	}
	if len(i.queue) == 0 {
		i.queue, i.running = nil, nil
		return false
	}
	return true
}

// close drops what waits and waits for the goroutine, which the caller has woken.
func (i *input) close() {
	i.mu.Lock()
	if i.failed == nil {
		i.failed = ErrClosed
	}
	i.take(0)
	running := i.running
	i.mu.Unlock()
	if running != nil {
		<-running
	}
}

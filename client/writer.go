package client

import (
	"net"
	"sync"

	"apex/core"
	"apex/proto/socket"
)

const (
	// writerMaxBytes bounds what waits for the socket: some frames of the largest kind.
	writerMaxBytes = 64 << 20
	// writerKeepBytes is how large a queue's memory is kept for the next time.
	writerKeepBytes = 1 << 20
)

// writer sends frames, in the order in which write was called. A frame that the socket takes at
// once is written by the caller, which saves a keystroke the hop to another goroutine; the rest
// waits for the goroutine that runs run. No call of write waits for the peer.
type writer struct {
	nc  net.Conn
	now func([]byte) (int, error) // socket.Now

	mu    sync.Mutex
	queue []byte // goes out when the goroutine is through with what it has
	spare []byte
	taken int // bytes that the goroutine has: nobody may overtake them
	err   error
	wake  chan struct{}
}

func newWriter(nc net.Conn) *writer {
	return &writer{nc: nc, now: socket.Now(nc), wake: make(chan struct{}, 1)}
}

// write sends b, which the caller may change afterwards. It fails if the connection has, or if too
// much is waiting; then nothing more can be sent.
func (w *writer) write(b []byte) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil && w.taken == 0 && len(w.queue) == 0 && w.now != nil {
		var n int
		n, w.err = w.now(b)
		b = b[n:]
	}
	if w.err != nil || len(b) == 0 {
		return w.err
	}
	if w.taken+len(w.queue)+len(b) > writerMaxBytes {
		w.err = core.Errorf(core.CodeUnavailable,
			"%d bytes wait for a daemon that doesn't read", w.taken+len(w.queue))
		return w.err
	}
	w.queue = append(w.queue, b...)
	select {
	case w.wake <- struct{}{}:
	default:
	}
	return nil
}

// run writes what waits until the connection is done. It returns why it could not go on, or nil.
func (w *writer) run(done <-chan struct{}) error {
	for {
		select {
		case <-done:
			return nil
		case <-w.wake:
		}
		for b := w.take(); b != nil; b = w.take() {
			if _, err := w.nc.Write(b); err != nil {
				w.fail(err)
				return err
			}
		}
	}
}

// take returns what waits, or nil when there is nothing; then the goroutine is not busy.
func (w *writer) take() []byte {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := w.queue
	w.taken = len(b)
	if w.taken == 0 {
		return nil
	}
	w.queue, w.spare = w.spare[:0], b
	if cap(b) > writerKeepBytes {
		w.spare = nil
	}
	return b
}

func (w *writer) fail(err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.err == nil {
		w.err = err
	}
}

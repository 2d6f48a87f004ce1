package holder

import (
	"errors"
	"io"
	"os"
	"sync"
	"time"

	"apex/proto/fd"

	"golang.org/x/sys/unix"
)

// Output is a piece of what the program wrote. The bytes are the shared memory itself: they are
// valid until the next Read.
type Output struct {
	From  uint64 // offset of the first byte
	Bytes []byte
}

// output is the reading side of a Holder.
type output struct {
	// reading is held by a Read from its beginning to its end.
	reading sync.Mutex
	told    bool // Read said that the program has exited
	shown   bool // the last Read gave a piece of the memory out, which must stay mapped
	fill    func(fd uintptr) bool
	got     Output // by fill
	failed  error

	// memory is held while the ring changes or is looked at by somebody else than the reader.
	memory sync.Mutex
	ring   *ring // nil after it was unmapped
	closed bool
}

// batchBytes is what a read has to bring for another one to follow at once, before the first is
// handed on: a flood comes in pieces of a pty's 4 KiB, a key's echo in some bytes.
const batchBytes = 2 << 10

// Read waits for output and returns it; it is in the shared memory and counted by then. The error
// is ErrExited, once, when the program has exited and all that it wrote has been returned; io.EOF,
// from then on, when nobody has the terminal open any more; ErrClosed after Detach.
func (h *Holder) Read() (Output, error) {
	o := &h.output
	o.reading.Lock()
	defer o.reading.Unlock()
	o.shown = false
	for {
		if h.detached.Load() {
			o.unmap()
			return Output{}, ErrClosed
		}
		o.got, o.failed = Output{}, nil
		err := h.master.Read(o.fill)
		switch {
		case errors.Is(err, os.ErrDeadlineExceeded):
			// The exit became known, or Detach was called: it says so before it sets the deadline.
			h.master.SetReadDeadline(time.Time{})
			continue
		case err != nil && h.detached.Load():
			continue
		case err != nil:
			return Output{}, err
		case o.failed == io.EOF:
			return Output{}, h.ended()
		case o.failed != nil:
			return Output{}, o.failed
		}
		o.shown = true
		return o.got, nil
	}
}

// ended is what Read says at the end of the output. The holder kept it open until the exit, whose
// news may be on the way.
func (h *Holder) ended() error {
	select {
	case <-h.exited:
	case <-h.gone:
	}
	if !h.output.told {
		h.output.told = true
		return ErrExited
	}
	return io.EOF
}

// fill reads what there is, at most a window; it reports whether there is anything to say.
func (h *Holder) fill(pty uintptr) bool {
	o := &h.output
	o.memory.Lock()
	defer o.memory.Unlock()
	if o.closed {
		o.failed = ErrClosed
		return true
	}
	from, room := o.ring.written(), o.ring.room()
	for read := 0; read < len(room); {
		n, err := fd.ReadNow(int(pty), room[read:])
		if n > 0 {
			o.ring.put(n)
			read += n
			o.got = Output{from, o.ring.view(from, from+uint64(read))}
			if n < batchBytes {
				return true
			}
			continue
		}
		if read > 0 {
			return true // the rest is for the next time
		}
		return o.nothing(err, h.exited)
	}
	return true
}

// nothing is what a read means that brought nothing.
func (o *output) nothing(err error, exited <-chan struct{}) bool {
	switch {
	case errors.Is(err, unix.EAGAIN):
		select {
		case <-exited:
			if !o.told {
				o.told, o.failed = true, ErrExited
				return true
			}
		default:
		}
		return false
	case err == nil, errors.Is(err, unix.EIO):
		o.failed = io.EOF
	default:
		o.failed = err
	}
	return true
}

// close waits for a Read under way and gives the memory back, unless a piece of it is out.
func (o *output) close() {
	o.reading.Lock()
	defer o.reading.Unlock()
	if !o.shown {
		o.unmap()
	}
	o.memory.Lock()
	o.closed = true
	o.memory.Unlock()
}

func (o *output) unmap() {
	o.memory.Lock()
	defer o.memory.Unlock()
	if o.ring != nil {
		o.ring.unmap()
		o.ring = nil
	}
	o.closed = true
}

// Bytes is a copy of the output from an offset on, up to Written. The error is a *GapError (ErrGap)
// if some of it is older than the newest RingBytes.
func (h *Holder) Bytes(from uint64) (b []byte, err error) {
	err = h.withRing(func(r *ring) error {
		b, err = r.bytes(from)
		return err
	})
	return b, err
}

// Written is how many bytes of output have been read, by this daemon, by the holder or by a daemon
// before; 0 after Detach.
func (h *Holder) Written() uint64 {
	return h.count(func(r *ring) uint64 { return r.written() })
}

// Covered is what SetCovered was last called with, by whatever daemon.
func (h *Holder) Covered() uint64 {
	return h.count(func(r *ring) uint64 { return r.head.covered.Load() })
}

// SetCovered notes up to which offset a snapshot that is on disk covers the output.
func (h *Holder) SetCovered(offset uint64) {
	h.withRing(func(r *ring) error { r.head.covered.Store(offset); return nil })
}

// Answered is what SetAnswered was last called with, by whatever daemon.
func (h *Holder) Answered() uint64 {
	return h.count(func(r *ring) uint64 { return r.head.answered.Load() })
}

// SetAnswered notes up to which offset queries in the output were answered, so that a daemon that
// reads the bytes again does not answer them twice.
func (h *Holder) SetAnswered(offset uint64) {
	h.withRing(func(r *ring) error { r.head.answered.Store(offset); return nil })
}

func (h *Holder) count(f func(*ring) uint64) (n uint64) {
	h.withRing(func(r *ring) error { n = f(r); return nil })
	return n
}

func (h *Holder) withRing(f func(*ring) error) error {
	o := &h.output
	o.memory.Lock()
	defer o.memory.Unlock()
	if o.ring == nil || o.closed {
		return ErrClosed
	}
	return f(o.ring)
}

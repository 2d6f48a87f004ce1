package daemon

import (
	"net"
	"sync"
	"syscall"

	"apex/core"
	"apex/proto"
)

// Bounds of one connection's outbound queue.
const (
	// queueMaxBytes bounds entries that wait for a client: past it they are dropped and the
	// client takes snapshots, which cost no more than what it missed.
	queueMaxBytes = 8 << 20
	// controlMaxBytes bounds what must not be dropped: past it the client is closed, and resumes.
	controlMaxBytes = 1 << 20
	// writeBytes is how much is gathered into one write.
	writeBytes = 64 << 10
)

// item is one thing to write: a frame, or a snapshot that is encoded when its turn comes.
type item struct {
	frame    []byte
	snapshot *core.ShardState
	entry    bool // of a followed shard: may be dropped, and then a snapshot makes up for it
}

// outbox is a connection's outbound queue. Whoever puts something in calls flush afterwards,
// holding no lock: it writes what the socket takes at once, so that a keystroke needs no other
// goroutine, and leaves the rest to the connection's writer.
type outbox struct {
	nc   net.Conn
	raw  syscall.RawConn // nil if the connection has none
	wake chan struct{}   // to the writer; capacity 1

	mu       sync.Mutex
	queue    []item
	rest     []byte // of a write that the socket did not take whole
	entries  int    // bytes of entries in queue
	control  int    // bytes of the others
	busy     bool   // somebody writes
	behind   bool   // entries were dropped; none are taken until the queue is empty
	closing  bool   // close when everything is written
	closed   bool
	overflow bool // the session has not been told yet that entries were dropped
}

func newOutbox(nc net.Conn) *outbox {
	o := &outbox{nc: nc, wake: make(chan struct{}, 1)}
	if s, ok := nc.(syscall.Conn); ok {
		if raw, err := s.SyscallConn(); err == nil {
			o.raw = raw
		}
	}
	return o
}

// put queues an item. It reports whether entries had to be dropped just now: the session is then
// to be told, once.
func (o *outbox) put(it item) (overflowed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed || o.closing:
		return false
	case it.entry && o.behind:
		return false
	case it.entry && o.entries+len(it.frame) > queueMaxBytes:
		o.dropEntries()
		return true
	case !it.entry && o.control+len(it.frame) > controlMaxBytes:
		o.closeLocked()
		return false
	}
	if it.entry {
		o.entries += len(it.frame)
	} else {
		o.control += len(it.frame)
	}
	o.queue = append(o.queue, it)
	return false
}

func (o *outbox) dropEntries() {
	o.behind, o.overflow = true, true
	kept := o.queue[:0]
	for _, it := range o.queue {
		if !it.entry {
			kept = append(kept, it)
		}
	}
	clear(o.queue[len(kept):])
	o.queue, o.entries = kept, 0
}

// flush writes what the socket takes without waiting. Any goroutine may call it.
func (o *outbox) flush() {
	o.mu.Lock()
	if o.busy || o.closed || len(o.queue) == 0 {
		o.mu.Unlock()
		return
	}
	o.busy = true
	for o.raw != nil && len(o.queue) > 0 && o.queue[0].snapshot == nil && !o.behind {
		b := o.gather()
		o.mu.Unlock()
		n, again := tryWrite(o.raw, b)
		o.mu.Lock()
		if !again {
			o.rest = b[n:]
			break
		}
	}
	if len(o.queue) == 0 && o.rest == nil && !o.closing && !o.behind {
		o.busy = false
		o.mu.Unlock()
		return
	}
	o.mu.Unlock()
	o.signal() // busy stays set: the writer goes on
}

// tryWrite writes what the socket takes at once. again reports that it took everything.
func tryWrite(raw syscall.RawConn, b []byte) (n int, again bool) {
	err := raw.Write(func(fd uintptr) bool {
		for {
			k, err := syscall.Write(int(fd), b[n:])
			if err == syscall.EINTR {
				continue
			}
			if k > 0 {
				n += k
			}
			return true
		}
	})
	return n, err == nil && n == len(b)
}

// gather takes frames off the queue's head, up to writeBytes together or one alone.
func (o *outbox) gather() []byte {
	first := o.take()
	if len(o.queue) == 0 || o.queue[0].snapshot != nil || len(first) >= writeBytes {
		return first
	}
	b := append(make([]byte, 0, writeBytes), first...)
	for len(o.queue) > 0 && o.queue[0].snapshot == nil && len(b)+len(o.queue[0].frame) <= writeBytes {
		b = append(b, o.take()...)
	}
	return b
}

// take takes the first item's frame off the queue.
func (o *outbox) take() []byte {
	it := o.queue[0]
	o.queue[0] = item{}
	o.queue = o.queue[1:]
	if it.entry {
		o.entries -= len(it.frame)
	} else {
		o.control -= len(it.frame)
	}
	return it.frame
}

func (o *outbox) signal() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// run is the connection's writer: it writes what flush left, waiting for the socket as long as it
// takes. drained is called when a client that was behind has taken everything.
func (o *outbox) run(drained func()) {
	for range o.wake {
		for {
			b, snap, state := o.next()
			if state == outboxIdle {
				break
			}
			if state == outboxClosed {
				return
			}
			if state == outboxDrained {
				drained()
				continue
			}
			if err := o.write(b, snap); err != nil {
				o.close()
				return
			}
		}
	}
}

type outboxState int

const (
	outboxIdle outboxState = iota
	outboxWork
	outboxDrained
	outboxClosed
)

// next returns what the writer has to do.
func (o *outbox) next() ([]byte, *core.ShardState, outboxState) {
	o.mu.Lock()
	defer o.mu.Unlock()
	switch {
	case o.closed:
		return nil, nil, outboxClosed
	case o.rest != nil:
		b := o.rest
		o.rest, o.busy = nil, true
		return b, nil, outboxWork
	case len(o.queue) == 0 && o.closing:
		o.closeLocked()
		return nil, nil, outboxClosed
	case len(o.queue) == 0 && o.behind && !o.overflow:
		o.behind, o.busy = false, false
		return nil, nil, outboxDrained
	case len(o.queue) == 0:
		o.busy = false
		return nil, nil, outboxIdle
	}
	o.busy = true
	if s := o.queue[0].snapshot; s != nil {
		o.take()
		return nil, s, outboxWork
	}
	return o.gather(), nil, outboxWork
}

func (o *outbox) write(b []byte, snap *core.ShardState) error {
	if snap == nil {
		_, err := o.nc.Write(b)
		return err
	}
	return proto.WriteSnapshot(snap, func(frame []byte) error {
		_, err := o.nc.Write(frame)
		return err
	})
}

// told says that the session knows that entries were dropped.
func (o *outbox) told() {
	o.mu.Lock()
	o.overflow = false
	o.mu.Unlock()
	o.signal()
}

// finish closes the connection once everything queued is written.
func (o *outbox) finish() {
	o.mu.Lock()
	o.closing = true
	o.mu.Unlock()
	o.signal()
}

// close closes the connection now.
func (o *outbox) close() {
	o.mu.Lock()
	o.closeLocked()
	o.mu.Unlock()
	o.signal()
}

func (o *outbox) closeLocked() {
	if o.closed {
		return
	}
	o.closed = true
	o.queue, o.rest = nil, nil
	o.nc.Close()
	o.signal()
}

package client

import "sync"

const (
	// inboxMaxBytes bounds what a session's owner has not taken in; one message may pass it, since
	// a snapshot is one. The owner of a UI takes its inbox in at every frame.
	inboxMaxBytes = 32 << 20
	// turnMaxBytes bounds what the owner takes in at a time, so that a flood leaves it time for
	// keys and frames.
	turnMaxBytes = 1 << 20
)

// item is something that waits for the session's owner: one of the types in takein.go.
type item struct {
	what  any
	bytes int // of the frames that it came in; 0 for what isn't from the socket
}

// inbox is the queue between the goroutines of a session and its owner.
type inbox struct {
	wake chan struct{} // has a value while the owner has something to take in
	// ring interrupts whoever reads the socket for the owner: called with nothing held, when there
	// is something to take in that did not come from there.
	ring func()

	mu     sync.Mutex
	less   sync.Cond // broadcast: there is less in it, or somebody is to ask again
	items  []item
	bytes  int
	closed bool
}

func newInbox(ring func()) *inbox {
	b := &inbox{wake: make(chan struct{}, 1), ring: ring}
	b.less.L = &b.mu
	return b
}

// room implements sink: the socket is not read while the inbox is full.
func (b *inbox) room(enough func() bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.bytes >= inboxMaxBytes && !b.closed && !enough() {
		b.less.Wait()
	}
}

// ask implements sink.
func (b *inbox) ask() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.less.Broadcast()
}

// put implements sink.
func (b *inbox) put(what any, bytes int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.add(item{what, bytes})
}

// post queues what the session's own goroutines have to say. It never waits.
func (b *inbox) post(what any) {
	b.put(what, 0)
	b.ring()
}

// remind wakes the owner, who has something to tell itself.
func (b *inbox) remind() {
	b.signal()
	b.ring()
}

func (b *inbox) add(i item) {
	if b.closed {
		return
	}
	b.items = append(b.items, i)
	b.bytes += i.bytes
	b.signal()
}

// woken reports whether the owner has something to take in that it was not told of.
func (b *inbox) woken() bool { return len(b.wake) > 0 }

func (b *inbox) signal() {
	select {
	case b.wake <- struct{}{}:
	default:
	}
}

// take returns the oldest items, about turnMaxBytes of them.
func (b *inbox) take() []item {
	out, more := b.oldest()
	if more {
		b.remind()
	}
	return out
}

func (b *inbox) oldest() (out []item, more bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n, bytes := 0, 0
	for n < len(b.items) && (n == 0 || bytes+b.items[n].bytes <= turnMaxBytes) {
		bytes += b.items[n].bytes
		n++
	}
	out = b.items[:n:n]
	b.items = b.items[n:]
	b.bytes -= bytes
	if len(b.items) == 0 {
		b.items = nil
	}
	b.less.Broadcast()
	return out, len(b.items) > 0
}

// close lets go of everybody who waits; nothing is queued any more.
func (b *inbox) close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.closed = true
	b.less.Broadcast()
}

package daemon

import (
	"net"
	"sync"
	"time"

	"apex/core"
	"apex/proto/socket"
)

// Bounds of one connection's outbound queue, in bytes.
const (
	// entryMaxBytes bounds entries that wait for a client: past it they are dropped and the
	// client takes snapshots, which cost no more than what it missed.
	entryMaxBytes = 8 << 20
	// newsMax bounds in number those of them that are news: what a queue remembers of a key is longer
	// than its frame, and a thousand clients that stopped reading would have the collector go through
	// all of it. Snapshots don't count, of which a client that is behind gets one for each shard.
	newsMax = 2048
	// controlMaxBytes bounds what must not be dropped: past it the client is closed, and resumes.
	controlMaxBytes = 1 << 20
	// bulkMaxBytes bounds the proposals that a leader was asked and did not take, which may be as
	// long as a frame: past it the client is closed.
	bulkMaxBytes = 32 << 20
	// screenMaxBytes bounds changes of terminals that wait for a client. Of each terminal there is one
	// at most: a second one makes a snapshot of both, and so does one that does not fit any more.
	screenMaxBytes = 256 << 10
	// replyMaxBytes bounds replies: past it the connection's reader takes no further request.
	replyMaxBytes = 4 << 20
	// itemBytes is what an item costs beside its frame: a snapshot has none, and a client that
	// asks for a million of them is bounded all the same.
	itemBytes = 64
	// writeBytes is how much is gathered into one write.
	writeBytes = 64 << 10
	// flushRounds is how many writes whoever flushes makes before the connection's own writer
	// goes on: a busy connection must not keep the reader of another.
	flushRounds = 4
)

// lingerTimeout is how long a connection that is to be closed waits for the client to take what is
// left for it.
const lingerTimeout = 10 * time.Second

// class says by which rule an item is bounded.
type class uint8

const (
	control class = iota // never dropped: past its bound the client is closed
	entry                // of a followed shard: dropped past its bound, and snapshots make up for it
	bulk                 // control that may be large
	reply                // answers a request: past its bound no more requests are taken
	newest               // of its kind only the newest counts: there is at most one
	screen               // of a shard of which only the newest state counts: at most one of each
	classes
)

var classMaxBytes = [classes]int{controlMaxBytes, entryMaxBytes, bulkMaxBytes, replyMaxBytes, 0,
	screenMaxBytes}

// item is one thing to write: a frame, or a snapshot that is encoded when its turn comes.
type item struct {
	frame    []byte
	snapshot *core.ShardState
	state    *core.ShardState // of class screen: what the frame leads to, to be sent in its place
	class    class
	shard    core.Shard // the shard that it is news of: it does not overtake that shard's snapshot
	barrier  bool       // overtakes no snapshot at all
	news     bool       // tells what became of the shard, and not what it is
}

func (it *item) cost() int { return len(it.frame) + itemBytes }

// owner is who may write to the socket.
type owner uint8

const (
	nobody  owner = iota
	flusher       // a goroutine in flush
	writer        // the connection's writer
)

// outbox is a connection's outbound queue. Whoever puts something in calls flush afterwards,
// holding no lock: it writes what the socket takes at once, so that a keystroke needs no other
// goroutine, and leaves the rest to the connection's writer.
//
// One party writes at a time, the owner. Every change that leaves something to be done while there
// is no owner makes the writer the owner (kick); an owner looks again, under mu, before it lets go.
// That is why no wake-up is lost and no two frames mix.
type outbox struct {
	nc   net.Conn
	now  func([]byte) (int, error) // socket.Now
	wake chan struct{}             // to the writer, when it becomes the owner; capacity 1

	mu      sync.Mutex
	room    sync.Cond // broadcast: replies were written, or the connection is closing
	queue   []item
	bytes   [classes]int // cost of the items in queue
	screens int          // items in queue of class screen
	news    int          // items in queue that are news
	roster  []byte       // the frame of the item of class newest
	rest    []byte       // of a write that the socket did not take whole
	owner   owner
	behind  bool // entries were dropped; none are taken until the queue is empty
	untold  bool // the session has not been told yet that entries were dropped
	closing bool // close when everything is written
	closed  bool
	why     error // what ended it, if that was the daemon
	linger  *time.Timer
}

func newOutbox(nc net.Conn) *outbox {
	o := &outbox{nc: nc, now: socket.Now(nc), wake: make(chan struct{}, 1)}
	o.room.L = &o.mu
	return o
}

// put queues an item. It reports whether entries had to be dropped just now: the session is then
// to be told, once, and says so by told.
func (o *outbox) put(it item) (overflowed bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed || o.closing || (it.class == entry || it.class == screen) && o.behind {
		return false
	}
	if it.class == screen {
		o.putScreen(it)
		return false
	}
	if it.class == newest {
		had := o.roster != nil
		o.roster, it.frame = it.frame, nil
		if had {
			return false
		}
	}
	// The first of a class is always taken: a bound can't refuse one large frame for ever.
	limit := classMaxBytes[it.class]
	full := it.news && o.news >= newsMax
	if have := o.bytes[it.class]; have > 0 && limit > 0 && (full || have+it.cost() > limit) {
		switch it.class {
		case entry:
			o.dropEntries()
			return true
		case control, bulk:
			o.closeLocked(core.Errorf(core.CodeBusy, "the client does not read: %d bytes wait for it", have))
			return false
		}
	}
	if it.news {
		o.news++
	}
	o.bytes[it.class] += it.cost()
	o.queue = append(o.queue, it)
	return false
}

// putScreen queues a change of a terminal, or a snapshot of it. What waits already of the terminal
// is left out: in its place stands a snapshot of the newest state, so that a client that takes
// little gets the newest grid, and not how it came about.
func (o *outbox) putScreen(it item) {
	if o.screens > 0 {
		for i := range o.queue {
			if old := &o.queue[i]; old.class == screen && old.shard == it.shard {
				o.bytes[screen] -= old.cost()
				*old = it.whole()
				o.bytes[screen] += old.cost()
				return
			}
		}
	}
	if o.bytes[screen]+it.cost() > classMaxBytes[screen] {
		it = it.whole()
	}
	o.screens++
	o.bytes[screen] += it.cost()
	o.queue = append(o.queue, it)
}

// whole returns a snapshot in place of a change.
func (it item) whole() item {
	if it.snapshot == nil {
		it.frame, it.snapshot, it.state = nil, it.state, nil
	}
	return it
}

func (o *outbox) dropEntries() {
	o.behind, o.untold = true, true
	kept := o.queue[:0]
	for _, it := range o.queue {
		if it.class != entry && it.class != screen {
			kept = append(kept, it)
		}
	}
	clear(o.queue[len(kept):])
	o.queue, o.bytes[entry], o.bytes[screen], o.screens, o.news = kept, 0, 0, 0, 0
}

// reserve waits until there is room for a reply of n bytes, and keeps it until release: replies
// that are being made count as if they waited already.
func (o *outbox) reserve(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	for o.bytes[reply] > 0 && o.bytes[reply]+n > replyMaxBytes && !o.closed && !o.closing {
		o.room.Wait()
	}
	o.bytes[reply] += n
}

// release gives a reservation back, when the reply was put or there is none.
func (o *outbox) release(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.bytes[reply] -= n
	o.room.Broadcast()
}

// told says that the session knows that entries were dropped.
func (o *outbox) told() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.untold = false
	o.kick()
}

// finish closes the connection once everything queued is written, or the client has had long
// enough to take it.
func (o *outbox) finish() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closing || o.closed {
		return
	}
	o.closing = true
	o.linger = time.AfterFunc(lingerTimeout, o.close)
	o.room.Broadcast()
	o.kick()
}

// close closes the connection now.
func (o *outbox) close() { o.fail(nil) }

// fail closes the connection now, and keeps the reason.
func (o *outbox) fail(why error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closeLocked(why)
}

func (o *outbox) closeLocked(why error) {
	if o.closed {
		return
	}
	o.closed, o.why = true, why
	o.queue, o.rest, o.roster = nil, nil, nil
	if o.linger != nil {
		o.linger.Stop()
	}
	o.nc.Close()
	o.room.Broadcast()
	o.kick()
}

// reason is why the daemon closed the connection, if it did.
func (o *outbox) reason() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.why
}

// kick makes the writer the owner if there is something to do and nobody does it.
func (o *outbox) kick() {
	if o.owner == nobody && o.pending() {
		o.owner = writer
		o.wake <- struct{}{} // never waits: a signal is sent only when there was no owner
	}
}

func (o *outbox) pending() bool {
	return len(o.queue) > 0 || o.rest != nil || o.closed || o.closing || o.behind && !o.untold
}

// take takes the first item's frame off the queue.
func (o *outbox) take() []byte {
	frame := o.out(&o.queue[0])
	o.queue[0] = item{}
	if o.queue = o.queue[1:]; len(o.queue) == 0 {
		o.queue = nil
	}
	return frame
}

// out returns an item's frame and takes the item out of the account.
func (o *outbox) out(it *item) []byte {
	o.bytes[it.class] -= it.cost()
	if it.news {
		o.news--
	}
	switch it.class {
	case reply:
		o.room.Broadcast()
	case newest:
		frame := o.roster
		o.roster = nil
		return frame
	case screen:
		o.screens--
	}
	return it.frame
}

// size is the length of what take would return.
func (o *outbox) size(it *item) int {
	if it.class == newest {
		return len(o.roster)
	}
	return len(it.frame)
}

// gather takes frames off the queue's head, up to writeBytes together or one alone.
func (o *outbox) gather() []byte {
	n, bytes := 1, o.size(&o.queue[0])
	for n < len(o.queue) && o.queue[n].snapshot == nil {
		k := o.size(&o.queue[n])
		if bytes+k > writeBytes {
			break
		}
		n, bytes = n+1, bytes+k
	}
	if n == 1 {
		return o.take()
	}
	b := make([]byte, 0, bytes)
	for range n {
		b = append(b, o.take()...)
	}
	return b
}

// flush writes what the socket takes without waiting. Any goroutine may call it.
func (o *outbox) flush() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.owner != nobody {
		return
	}
	o.owner = flusher
	for i := 0; i < flushRounds && o.direct(); i++ {
		b := o.gather()
		o.mu.Unlock()
		n, err := o.now(b)
		o.mu.Lock()
		if err != nil || n < len(b) {
			if !o.closed {
				o.rest = b[n:]
			}
			break
		}
	}
	o.owner = nobody
	o.kick()
}

// direct reports whether the queue's head can be written without waiting.
func (o *outbox) direct() bool {
	return o.now != nil && !o.closed && !o.behind && len(o.queue) > 0 && o.queue[0].snapshot == nil
}

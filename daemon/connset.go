package daemon

import "sync"

const (
	// maxConns is how many clients are served at a time; more are told that the daemon is busy.
	maxConns = 2048
	// minConns are served however few descriptors the process has.
	minConns = 16
)

// connDescriptors is how many descriptors a client takes; a third only while it does not read.
const connDescriptors = 2

// connLimit is how many clients are served by a process that may have so many descriptors: they get
// half of them, so that clients never keep the daemon from its files.
func connLimit(descriptors uint64) int {
	return int(min(max(descriptors/2/connDescriptors, minConns), maxConns))
}

// connSet is the connections that are served.
type connSet struct {
	limit int

	mu   sync.Mutex
	open map[*conn]bool
	done bool // no more are taken
	wg   sync.WaitGroup
}

// serve runs a connection on a goroutine of its own; false if it is not taken.
func (x *connSet) serve(c *conn) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done || len(x.open) >= x.limit {
		return false
	}
	x.open[c] = true
	x.wg.Go(func() {
		c.serve()
		x.mu.Lock()
		defer x.mu.Unlock()
		delete(x.open, c)
	})
	return true
}

// shut takes no more.
func (x *connSet) shut() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.done = true
}

func (x *connSet) all() []*conn {
	x.mu.Lock()
	defer x.mu.Unlock()
	out := make([]*conn, 0, len(x.open))
	for c := range x.open {
		out = append(out, c)
	}
	return out
}

func (x *connSet) count() int {
	x.mu.Lock()
	defer x.mu.Unlock()
	return len(x.open)
}

func (x *connSet) wait() { x.wg.Wait() }

package daemon

import "sync"

// connSet is the connections that are served.
type connSet struct {
	mu   sync.Mutex
	open map[*conn]bool
	done bool // no more are taken
	wg   sync.WaitGroup
}

// serve runs a connection on a goroutine of its own; false if it is not taken.
func (x *connSet) serve(c *conn) bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.done || len(x.open) >= maxConns {
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

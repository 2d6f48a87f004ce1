package daemon

import (
	"sync"
	"time"
)

// spreadAfter is how many connections the goroutine that had a session's turn writes to itself, those
// that attached first before others. A write takes some microseconds: a thousand followers of one text
// would take longer than the disk, and keep who types waiting.
const spreadAfter = 32

// spreadEvery is how often those beyond are written to at most: a person does not see it, and a core
// that does nothing but write to a thousand of them is one that the others wait for.
const spreadEvery = 8 * time.Millisecond

// spreader writes to the connections beyond that, one after the other. While it is at it, what comes for
// a connection gathers in its outbox, and goes out in one write.
type spreader struct {
	mu      sync.Mutex
	waiting []*conn
	running bool
}

// spread has connections written to, and does not wait.
func (s *session) spread(conns []*conn) {
	x := &s.spreader
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, c := range conns {
		if !c.spreads {
			c.spreads = true
			x.waiting = append(x.waiting, c)
		}
	}
	if !x.running {
		x.running = true
		s.tasks.Go(s.spreadAll)
	}
}

// spreadAll writes until nothing waits.
func (s *session) spreadAll() {
	for {
		conns := s.spreader.next()
		if conns == nil {
			return
		}
		for _, c := range conns {
			c.out.flush()
		}
		time.Sleep(spreadEvery)
	}
}

// next returns who waits, nil if nobody does and the goroutine ends.
func (x *spreader) next() []*conn {
	x.mu.Lock()
	defer x.mu.Unlock()
	conns := x.waiting
	x.waiting = nil
	for _, c := range conns {
		c.spreads = false // what comes from now on is flushed again
	}
	x.running = conns != nil
	return conns
}

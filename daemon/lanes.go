package daemon

import (
	"sync"

	"apex/core"
)

// lanes run the effects of commands: those on one buffer one after another, so that of two saves
// the later one stays, and those on different buffers beside each other. A lane is a goroutine that
// lives while it has work.
type lanes struct {
	mu      sync.Mutex
	waiting map[core.BufferID][]func() // of the lanes that run
	ended   chan struct{}              // closed when no lane runs any more; nil if none does
}

// run adds work to a lane. It never waits: what is queued was stored before, so whoever stores
// commands faster than they are done waits for the disk's turn like everybody else.
func (l *lanes) run(lane core.BufferID, work func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if queue, runs := l.waiting[lane]; runs {
		l.waiting[lane] = append(queue, work)
		return
	}
	if len(l.waiting) == 0 {
		l.waiting, l.ended = map[core.BufferID][]func(){}, make(chan struct{})
	}
	l.waiting[lane] = nil
	go func() {
		for work != nil {
			work()
			work = l.next(lane)
		}
	}()
}

// wait waits until no lane runs.
func (l *lanes) wait() {
	l.mu.Lock()
	ended := l.ended
	l.mu.Unlock()
	if ended != nil {
		<-ended
	}
}

// next takes a lane's next work; nil ends the lane.
func (l *lanes) next(lane core.BufferID) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	queue := l.waiting[lane]
	if len(queue) == 0 {
		if delete(l.waiting, lane); len(l.waiting) == 0 {
			close(l.ended)
			l.ended = nil
		}
		return nil
	}
	work := queue[0]
	queue[0] = nil
	l.waiting[lane] = queue[1:]
	return work
}

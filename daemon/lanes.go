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
	running sync.WaitGroup
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
	if l.waiting == nil {
		l.waiting = map[core.BufferID][]func(){}
	}
	l.waiting[lane] = nil
	l.running.Go(func() {
		for work != nil {
			work()
			work = l.next(lane)
		}
	})
}

// next takes a lane's next work; nil ends the lane.
func (l *lanes) next(lane core.BufferID) func() {
	l.mu.Lock()
	defer l.mu.Unlock()
	queue := l.waiting[lane]
	if len(queue) == 0 {
		delete(l.waiting, lane)
		return nil
	}
	work := queue[0]
	queue[0] = nil
	l.waiting[lane] = queue[1:]
	return work
}

package daemon

import (
	"context"
	"sync"
)

// gate lets tasks begin until it is closed, which waits for those that have begun.
type gate struct {
	mu    sync.Mutex
	tasks sync.WaitGroup
	open  context.Context // ends when it is closed
	shut  context.CancelFunc
}

func newGate() *gate {
	g := &gate{}
	g.open, g.shut = context.WithCancel(context.Background())
	return g
}

// begin lets a task begin; the caller calls the result when it is through. False if it is closed.
func (g *gate) begin() (done func(), ok bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.open.Err() != nil {
		return nil, false
	}
	g.tasks.Add(1)
	return g.tasks.Done, true
}

// run does a task on a goroutine of its own; false if it is closed.
func (g *gate) run(task func()) bool {
	done, ok := g.begin()
	if ok {
		go func() {
			defer done()
			task()
		}()
	}
	return ok
}

// close lets no task begin any more, ends what those that have begun wait for, and waits for them.
func (g *gate) close() {
	g.mu.Lock()
	g.shut()
	g.mu.Unlock()
	g.tasks.Wait()
}

package daemon

import (
	"slices"
	"sync"
	"testing"

	"apex/core"
)

// Work of one lane is done in order; a lane does not wait for another.
func TestLanes(t *testing.T) {
	var l lanes
	var mu sync.Mutex
	var done []int
	gate := make(chan struct{})
	l.run(core.BufferID(2), func() { <-gate })
	ended := make(chan struct{})
	for i := range 100 {
		l.run(core.BufferID(1), func() {
			mu.Lock()
			defer mu.Unlock()
			if done = append(done, i); len(done) == 100 {
				close(ended)
			}
		})
	}
	<-ended // although the other lane is stuck
	if !slices.IsSorted(done) {
		t.Errorf("done in the order %v", done)
	}
	close(gate)
	l.wait()
	if len(l.waiting) != 0 {
		t.Errorf("%d lanes are left", len(l.waiting))
	}
}

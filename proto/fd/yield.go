package fd

import (
	"sync/atomic"
	"time"
)

const (
	// slowYield is longer than the other end takes for an answer that it has at hand.
	slowYield = 200 * time.Microsecond
	// A slow yield costs the process the next firstRest reads, and twice as many each time, up to
	// longestRest.
	firstRest   = 16
	longestRest = 1 << 14
)

// yielder decides whether a reader that finds nothing yields its core and looks again, before it
// goes to sleep. The other end, if it is about to run on this core, then answers somebody who is
// awake: to go to sleep for that time and to be woken takes longer than all the rest of a round trip.
//
// But where a third program wants the core, that has it for as long as the system gives it to one,
// a hundred times a round trip; who sleeps is woken at once. So a process whose yields are slow
// goes to sleep without for a while.
type yielder struct {
	rest    atomic.Int32 // reads that are still without
	penalty atomic.Int32 // reads that the next slow yield costs
}

// yields is this process's.
var yields yielder

// yield reports whether it yielded.
func (y *yielder) yield() bool {
	if y.resting() {
		return false
	}
	begun := time.Now()
	giveCore()
	y.took(time.Since(begun))
	return true
}

// resting reports whether a read is to do without.
func (y *yielder) resting() bool { return y.rest.Load() > 0 && y.rest.Add(-1) >= 0 }

// took says how long a yield took.
func (y *yielder) took(d time.Duration) {
	penalty := max(y.penalty.Load(), firstRest)
	if d < slowYield {
		y.penalty.Store(penalty / 2)
		return
	}
	y.rest.Store(penalty)
	y.penalty.Store(min(2*penalty, longestRest))
}

package fd

import (
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// awake is how long a reader stays awake for what comes soon. An answer takes a few microseconds,
	// and to wake who sleeps on another core 20 to 50: so this costs at most as much again as it saves.
	awake = 20 * time.Microsecond
	// slowYield is longer than the other end takes for an answer that it has at hand.
	slowYield = 200 * time.Microsecond
	// A slow yield costs the process the next firstRest reads, and twice as many each time, up to
	// longestRest.
	firstRest   = 16
	longestRest = 1 << 14
)

// spinner decides whether a reader that finds nothing stays awake for a moment, and gives its core
// away meanwhile. If the other end is about to run, on this core or on another one, it then answers
// somebody who is awake: to go to sleep for that time and to be woken takes longer than all the rest
// of a round trip.
//
// One reader of a process at a time stays awake, since it keeps one of the runtime's processors from
// other goroutines, and none where there is only one. And where a third program wants the core, that has it for as long as the system gives it to one, a
// hundred times a round trip, while who sleeps is woken at once: a process whose yields are slow does
// without for a while.
type spinner struct {
	busy    atomic.Bool
	rest    atomic.Int32 // reads that are still without
	penalty atomic.Int32 // reads that the next slow yield costs
}

// spins is this process's.
var spins spinner

// begin reports whether a reader may stay awake; it calls end then.
func (s *spinner) begin() bool {
	if s.rest.Load() > 0 && s.rest.Add(-1) >= 0 || runtime.GOMAXPROCS(0) == 1 {
		return false
	}
	return s.busy.CompareAndSwap(false, true)
}

// end says how long the last yield took, and whether anything came.
func (s *spinner) end(yield time.Duration, came bool) {
	penalty := max(s.penalty.Load(), firstRest)
	switch {
	case yield >= slowYield:
		s.rest.Store(penalty)
		s.penalty.Store(min(2*penalty, longestRest))
	case came:
		s.penalty.Store(penalty - penalty/8)
	}
	s.busy.Store(false)
}

// spin calls f again and again for a moment, until it reports true.
func (x *File) spin(f func(fd uintptr) bool) (done bool, err error) {
	if !spins.begin() {
		return false, nil
	}
	begun := time.Now()
	now, yield := begun, time.Duration(0)
	for !done && err == nil && yield < slowYield && now.Sub(begun) < awake {
		before := now
		giveCore()
		now = time.Now()
		yield = now.Sub(before)
		done, err = x.try(f)
	}
	spins.end(yield, done)
	return done, err
}

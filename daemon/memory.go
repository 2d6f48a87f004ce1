package daemon

import (
	"runtime/debug"
	"runtime/metrics"
	"time"
)

const (
	// keepMemoryEvery is how often the daemon looks whether it holds memory that it does not use.
	keepMemoryEvery = 5 * time.Second
	// spareBytes is how much free memory a daemon may hold on to: less is not worth a collection.
	spareBytes = 16 << 20
)

// keepMemory keeps the daemon's memory near what its texts take: reading and changing large ones
// leaves garbage as large as they are. A daemon that is quiet does it once.
func (d *Daemon) keepMemory() {
	t := time.NewTicker(keepMemoryEvery)
	defer t.Stop()
	m := newMemory()
	for {
		select {
		case <-d.stopped.Done():
			return
		case <-t.C:
			m.keep()
		}
	}
}

// memory reads what the runtime knows of itself.
type memory struct {
	samples []metrics.Sample
	before  uint64 // bytes allocated since the start, at the last look
	busy    bool   // much was allocated before the last look, and not given back yet
}

func newMemory() *memory {
	return &memory{samples: []metrics.Sample{
		{Name: "/gc/heap/live:bytes"},
		{Name: "/gc/heap/allocs:bytes"},
		{Name: "/memory/classes/heap/free:bytes"},
		{Name: "/memory/classes/heap/objects:bytes"},
	}}
}

// keep gives memory back when a busy time is over. The collector's pace is the process's matter.
func (m *memory) keep() {
	metrics.Read(m.samples)
	live, allocs := m.samples[0].Value.Uint64(), m.samples[1].Value.Uint64()
	free, objects := m.samples[2].Value.Uint64(), m.samples[3].Value.Uint64()
	recent := allocs - m.before
	m.before = allocs
	if recent > spareBytes {
		m.busy = true
		return
	}
	if m.busy && free+objects-min(live, objects) > spareBytes {
		m.busy = false
		debug.FreeOSMemory()
	}
}

package cli

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// The heap is mostly text, which has no pointers: a collection costs little, and little by its
// size. The runtime's own pace fits neither end of that. A small process would collect every 4 MB,
// which a large text that is read runs into again and again, giving memory back and faulting it in;
// one that holds 100 MB would let 100 MB of garbage gather. So garbage may be as much as
// headroomBytes and a part of what is live.
const (
	headroomBytes   = 32 << 20
	headroomPercent = 25
	// minHeapBytes is what the runtime takes for the least live heap.
	minHeapBytes = 4 << 20
)

var pacing sync.Once

// paceHeap sets the collector's pace for the process, once, and then after every collection. A
// GOGC of the environment stands.
func paceHeap() {
	if os.Getenv("GOGC") != "" {
		return
	}
	pacing.Do(func() {
		p := &pacer{percent: gcPercent(0)}
		debug.SetGCPercent(p.percent)
		p.watch()
	})
}

// pacer keeps the collector's pace. It belongs to the goroutine that runs cleanups.
type pacer struct{ percent int }

// collected is garbage from the beginning: its cleanup runs after the next collection.
type collected struct{ _ *pacer }

func (p *pacer) watch() { runtime.AddCleanup(new(collected), (*pacer).adjust, p) }

func (p *pacer) adjust() {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	// Setting it stops the world for a moment: small steps are not worth it.
	if next := gcPercent(live[0].Value.Uint64()); 10*max(next-p.percent, p.percent-next) > p.percent {
		p.percent = next
		debug.SetGCPercent(next)
	}
	p.watch()
}

// gcPercent is how much garbage may gather, in percent of what is live.
func gcPercent(live uint64) int {
	return headroomPercent + int(100*headroomBytes/max(live, minHeapBytes))
}

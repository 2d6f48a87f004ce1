package sim

import (
	"fmt"
	"io"
	"slices"

	"apex/core"
	"apex/core/edit"
)

// World is one session's daemon, its disk, its clients and their connections. It moves only by its
// methods, each one step. The first broken promise stays in Err.
type World struct {
	Now     core.Millis
	Auth    *core.Authority // nil while the daemon is down
	Disk    *Disk
	Clients []*Client
	Err     error
	Count   Counters
	Trace   io.Writer // nil: none

	// Whole sends every batch and snapshot through its bytes.
	Whole func() bool
	// Merge puts one snapshot of a terminal in the place of what waits of it for a client.
	Merge func() bool

	evaluate core.Evaluator
	links    []*link // that the daemon holds to be open, in the order of their beginning
	nextConn core.ConnID
	secrets  uint64
	waiting  []waiting // for the disk
	locals   uint64
	execs    []core.RunExec          // commands whose effect has begun
	ending   map[uint64]core.RunExec // commands whose outcome is being recorded, by the Local's tag
	hooks    hooks
	hashes   []core.HashState // asked for, not worked out
	forgive  bool             // replicas may diverge, if they say so
	terms    terms

	gone      map[string]bool // tokens in buffers that were deleted where they were led
	recovered map[string]bool // tokens that were asked to be kept in +Recovered
}

// waiting is what a step left to be done when a record is durable.
type waiting struct {
	record int
	after  core.After
}

// hooks let a mutant change what passes a border. Each is nil in an honest world.
type hooks struct {
	ready    func(*core.Ready)              // what a step of the daemon returned
	up, down func(*link, core.Msg) core.Msg // a message on its way; nil loses it
	restart  func()                         // after the daemon came back
}

// Label is what a new world's session is called.
const Label = "sim"

// epochStart is when a world begins: late enough that epochs are times.
const epochStart core.Millis = 1_700_000_000_000

// NewWorld returns a new session, its first record not yet durable.
func NewWorld() (*World, error) {
	id := core.Identity{Session: core.SessionID{1}, History: [16]byte{2}, Created: epochStart}
	w := &World{Now: epochStart, evaluate: edit.Evaluate,
		Disk: &Disk{Ledger: newLedger(id.Session, id.History)}, Count: Counters{Results: tally{}},
		ending: map[uint64]core.RunExec{}, gone: map[string]bool{}, recovered: map[string]bool{}}
	a, ready, err := core.NewSession(id, Label, "/sim", w.Now, w.evaluate, edit.FirstBundle)
	if err != nil {
		return nil, err
	}
	w.Auth = a
	w.do(ready)
	return w, w.Err
}

// failf keeps the first broken promise.
func (w *World) failf(format string, args ...any) {
	if w.Err == nil {
		w.Err = fmt.Errorf(format, args...)
		w.logf("BROKEN: %v", w.Err)
	}
}

func (w *World) logf(format string, args ...any) {
	if w.Trace != nil {
		fmt.Fprintf(w.Trace, "%d ", w.Now-epochStart)
		fmt.Fprintf(w.Trace, format, args...)
		fmt.Fprintln(w.Trace)
	}
}

// step gives the daemon an input.
func (w *World) step(in core.Input) {
	if w.Auth != nil {
		w.do(w.Auth.Step(w.Now, in))
	}
}

// do does what a step of the daemon returned.
func (w *World) do(r core.Ready) {
	if w.hooks.ready != nil {
		w.hooks.ready(&r)
	}
	if r.Store != nil {
		w.logf("store %d:%s", w.Disk.handed+1, describeRecord(w.Trace, r.Store))
		w.Disk.take(r.Store)
	}
	for _, s := range r.SendNow {
		w.send(s)
	}
	if len(r.AfterStore.Send) > 0 || len(r.AfterStore.Effects) > 0 {
		w.waiting = append(w.waiting, waiting{w.Disk.handed, r.AfterStore})
		w.settle()
	}
}

func describeRecord(trace io.Writer, batches []*core.Sealed) string {
	if trace == nil {
		return ""
	}
	s := ""
	for _, b := range batches {
		s += " [" + b.String() + "]"
	}
	return s
}

// settle does what waited for records that are durable now.
func (w *World) settle() {
	for len(w.waiting) > 0 && w.waiting[0].record <= w.Disk.upTo() {
		a := w.waiting[0].after
		w.waiting = w.waiting[1:]
		for _, s := range a.Send {
			w.send(s)
		}
		for _, e := range a.Effects {
			w.effect(e)
		}
	}
}

// send puts a message on its connections' queues.
func (w *World) send(s core.Send) {
	for _, c := range s.To {
		l := w.link(c)
		if c == s.Except || l == nil {
			continue
		}
		m := w.wire(s.Msg)
		if w.hooks.down != nil {
			if m = w.hooks.down(l, m); m == nil {
				continue
			}
		}
		w.promise(l, m)
		if !w.merged(l, m) {
			l.down = append(l.down, m)
		}
	}
}

func (w *World) wire(m core.Msg) core.Msg { return wire(m, w.Whole != nil && w.Whole()) }

func (w *World) effect(e core.Effect) {
	switch e := e.(type) {
	case *core.RunExec:
		at := runAt{e.Window, e.At}
		if g := w.Disk.Ledger.logs[e.Window.Shard()]; g == nil || g.last < e.At {
			w.failf("the effect of %v at %d begins before it is durable", e.Window, e.At)
		}
		if w.Disk.Ledger.runs[at] {
			w.failf("the effect of %v at %d begins twice", e.Window, e.At)
		}
		w.Disk.Ledger.runs[at] = true
		w.logf("run %v at %d", e.Window, e.At)
		w.execs = append(w.execs, *e)
	case *core.Resolved:
		w.logf("resolved %d %v", e.Tag, e.Result)
		if x, ok := w.ending[e.Tag]; ok && e.Result.Err != nil && e.Result.Err.Code != core.CodeNotFound {
			w.execs = append(w.execs, x) // its outcome is to be recorded yet
		}
		delete(w.ending, e.Tag)
	case *core.HashState:
		w.hashes = append(w.hashes, *e)
	case *core.Differs:
		w.Count.Diverged++
		if w.logf("attachment %d differs in %v at %d", e.Attachment, e.Shard, e.Seq); !w.forgive {
			w.failf("attachment %d differs in %v at %d", e.Attachment, e.Shard, e.Seq)
		}
	case *core.CloseConn:
		if l := w.link(e.Conn); l != nil {
			l.closing = true
		}
	}
}

// Sync makes the next n records durable.
func (w *World) Sync(n int) {
	if n = min(n, w.Disk.waiting()); n == 0 || w.Disk.Failed || w.Auth == nil {
		return
	}
	if err := w.Disk.sync(n); err != nil {
		w.failf("%v", err)
		return
	}
	w.logf("durable to %d", w.Disk.upTo())
	w.settle()
	w.step(&core.Stored{All: w.Disk.waiting() == 0})
}

// FailDisk makes the disk refuse.
func (w *World) FailDisk() {
	if w.Auth == nil || w.Disk.Failed {
		return
	}
	w.logf("the disk fails")
	w.Disk.Failed = true
	w.step(&core.StoreFailed{})
	for i := range w.waiting {
		var now []core.Send
		now, w.waiting[i].after = w.Auth.Unkept(w.waiting[i].after)
		for _, s := range now {
			w.send(s)
		}
	}
}

// Rewrite begins a fresh generation on the disk, which heals one that refused.
func (w *World) Rewrite() {
	if w.Auth == nil {
		return
	}
	failed := w.Disk.Failed
	w.Disk.Failed = false
	w.logf("fresh generation")
	if err := w.Disk.rewrite(w.Auth); err != nil {
		w.failf("%v", err)
		return
	}
	if failed {
		w.step(&core.StoreRevived{})
	}
	w.settle()
	w.step(&core.Stored{All: w.Disk.waiting() == 0})
}

// Crash kills the daemon. The first keep records that were not durable survive.
func (w *World) Crash(keep int) {
	if w.Auth == nil {
		return
	}
	lost, err := w.Disk.crash(min(keep, w.Disk.waiting()))
	if err != nil {
		w.failf("%v", err)
	}
	w.logf("the daemon is killed, %d records lost", lost)
	w.Count.Crashes++
	if lost > 0 {
		w.Count.LossyCrashes++
	}
	w.Auth, w.waiting, w.execs, w.hashes = nil, nil, nil, nil
	clear(w.ending)
	for _, l := range slices.Clone(w.links) {
		l.up = nil
		w.Cut(l, 0)
	}
	w.links = nil
}

// Start brings the daemon back from what is on disk.
func (w *World) Start() {
	if w.Auth != nil {
		return
	}
	a, ready, err := w.Disk.restore(w.Now, w.evaluate)
	if err != nil {
		w.failf("restart: %v", err)
		return
	}
	w.logf("the daemon starts")
	w.Auth = a
	w.checkRestored()
	w.do(ready)
	w.terms.generation++
	if w.hooks.restart != nil {
		w.hooks.restart()
	}
}

// Hash works out the oldest hash that was asked for.
func (w *World) Hash() {
	if w.Auth == nil || len(w.hashes) == 0 {
		return
	}
	st := w.hashes[0].State
	w.hashes = w.hashes[1:]
	w.Count.Hashed++
	w.step(&core.Hashed{Shard: st.Shard, Mark: st.Mark, Hash: st.Hash()})
}

// Tick lets time pass.
func (w *World) Tick(d core.Millis) {
	w.Now += d
	if w.Auth == nil {
		return
	}
	if due, ok := w.Auth.Deadline(); ok && w.Now >= due {
		overdue := w.overdue()
		w.step(&core.Tick{})
		w.Count.Lapses += overdue - w.overdue()
		w.checkDeadlines()
	}
}

// Recall has the daemon ask the tool that holds a lease to give it back.
func (w *World) Recall(s core.Shard) { w.step(&core.Recall{Shard: s}) }

// Local makes the daemon ask for something on its own behalf.
func (w *World) Local(p core.Proposal) {
	w.locals++
	w.step(&core.Local{Tag: w.locals, Proposal: p})
}

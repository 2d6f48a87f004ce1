package daemon

import (
	"bytes"
	"fmt"
	"sync"
	"time"

	"apex/core"
	"apex/core/edit"
)

// Bounds of what a command writes.
const (
	// outputMaxBytes is how much of it is kept: in +Errors, whose history has room for twice that, or
	// in a selection's place, where it has to be one batch. What comes after it is read and dropped.
	outputMaxBytes = 8 << 20
	// printEvery is the least time between two pieces: each is an edit with an entry on disk, and a
	// person reads no faster.
	printEvery = 50 * time.Millisecond
	// pieceMaxBytes is the most that is shown at a time: a byte takes up to printMaxGrowth, and one
	// proposal takes core.LoadMaxBytes.
	pieceMaxBytes = core.LoadMaxBytes / printMaxGrowth
	// waitingMaxBytes is how much waits to be shown before the program has to wait.
	waitingMaxBytes = 2 * pieceMaxBytes
)

// printer shows what a command writes in +Errors, at a bounded rate: what comes after quiet at
// once, a flood in pieces.
//
// If it is the ring's output, each piece is shown once, whichever daemon shows it: its end is
// noted in the ring (SetAnswered), it is proposed under an intent that its beginning names, and
// when it is durable, that is noted (SetCovered). A daemon that finds a piece begun proposes the
// same piece.
type printer struct {
	j    *job
	ring bool // offsets are those of the holder's ring

	mu      sync.Mutex
	waiting []byte
	at      uint64 // offset of the first byte that waits
	end     uint64 // offset behind what was written, dropped or not
	begun   uint64 // where the piece ends that a daemon before was showing
	open    bool   // what was shown last does not end a line

	changed chan struct{}      // something waits; holds one
	room    chan struct{}      // less waits; holds one
	drains  chan chan struct{} // to show everything now
	stopped chan struct{}
	stop    sync.Once
	loop    sync.WaitGroup
}

func newPrinter(j *job) *printer {
	return &printer{j: j, changed: make(chan struct{}, 1), room: make(chan struct{}, 1),
		drains: make(chan chan struct{}), stopped: make(chan struct{})}
}

// run begins to show; close ends it.
func (p *printer) run() { p.loop.Go(p.print) }

func (p *printer) close() {
	p.stop.Do(func() { close(p.stopped) })
	p.loop.Wait()
}

func (p *printer) print() {
	changed := p.changed
	t := time.NewTimer(printEvery)
	defer t.Stop()
	for {
		select {
		case <-changed:
			p.show(false)
			changed = nil
			t.Reset(printEvery)
		case <-t.C:
			changed = p.changed
		case done := <-p.drains:
			for p.show(true) {
			}
			close(done)
		case <-p.stopped:
			return
		}
	}
}

// resume begins at an offset, with a piece that ends at begun if that is behind it.
func (p *printer) resume(at, begun uint64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.at, p.end, p.begun = at, at, begun
}

// write takes output in. It waits while too much waits to be shown, unless the daemon leaves.
func (p *printer) write(b []byte) {
	p.mu.Lock()
	p.end += uint64(len(b))
	over := min(p.end-min(p.end, outputMaxBytes), uint64(len(b)))
	b = b[:len(b)-int(over)]
	for len(p.waiting) > 0 && len(p.waiting)+len(b) > waitingMaxBytes {
		p.mu.Unlock()
		select {
		case <-p.room:
		case <-p.j.s.programs.left:
			return // it stays in the ring
		}
		p.mu.Lock()
	}
	p.waiting = append(p.waiting, b...)
	p.mu.Unlock()
	signal(p.changed)
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// drain shows all that waits.
func (p *printer) drain() {
	done := make(chan struct{})
	select {
	case p.drains <- done:
		<-done
	case <-p.stopped:
	}
}

// show shows a piece, with all the last one too, and reports whether there was any.
func (p *printer) show(all bool) bool {
	from, piece := p.piece(all)
	if len(piece) == 0 || p.j.isLeft() {
		return false
	}
	ask := core.Proposal{Author: p.j.author(), Ask: edit.Output(p.j.start.Dir, printable(piece))}
	to := from + uint64(len(piece))
	if p.ring {
		ask.Intent = p.j.intent("piece", from)
		p.j.ho.SetAnswered(to)
	}
	r := p.j.insist(ask)
	if r.Err != nil {
		if p.j.isLeft() {
			return false
		}
		p.j.s.log.Warn("a command's output is not shown", "proc", p.j.start.Proc.String(),
			"bytes", len(piece), "err", r.Err)
	}
	if p.ring {
		p.j.ho.SetCovered(to)
	}
	p.shown(len(piece), piece[len(piece)-1])
	return true
}

// piece returns the next piece and its offset.
func (p *printer) piece(all bool) (uint64, []byte) {
	p.mu.Lock()
	defer p.mu.Unlock()
	n := min(len(p.waiting), pieceMaxBytes)
	switch {
	case p.begun > p.at && p.begun-p.at <= uint64(n):
		n = int(p.begun - p.at)
	case !all || n < len(p.waiting):
		n = whole(p.waiting[:n])
	}
	return p.at, bytes.Clone(p.waiting[:n])
}

// shown takes a piece of n bytes off what waits.
func (p *printer) shown(n int, last byte) {
	p.mu.Lock()
	p.waiting = p.waiting[n:]
	if len(p.waiting) == 0 {
		p.waiting = nil
	}
	p.at += uint64(n)
	p.open = last != '\n'
	more := len(p.waiting) > 0
	p.mu.Unlock()
	signal(p.room)
	if more {
		signal(p.changed)
	}
}

// midLine reports whether what was shown last does not end a line, and takes it that it will.
func (p *printer) midLine() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	open := p.open
	p.open = false
	return open
}

// notes says what is missing of what was written.
func (p *printer) notes() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.end <= outputMaxBytes {
		return ""
	}
	return fmt.Sprintf("%s: wrote %d bytes, of which the last %d are not shown\n", p.j.name(), p.end,
		p.end-outputMaxBytes)
}

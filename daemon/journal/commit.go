package journal

import (
	"fmt"
	"path"
)

// fillAhead is how many zeros are written after the records when a commit reaches the end of the
// file. The commits that follow then overwrite, and their fdatasync need not write the size: on
// ext4 that is 30-50 % less for a small one.
const fillAhead = 256 << 10

// queueKeep is how many records' room a queue keeps after a burst.
const queueKeep = 1024

var zeros [fillAhead]byte

// commitLoop is the committer: the only goroutine that writes to the current generation. It takes
// all that has gathered, writes it, syncs once, and says so. Between commits it makes a rotation's
// switch.
func (j *Journal) commitLoop() {
	j.mu.Lock()
	defer j.mu.Unlock()
	for {
		switch {
		case len(j.pending) > 0 && j.failure == nil:
			_ = j.commit() // a failure is kept in j.failure
		case j.turn != nil:
			t := j.turn
			j.turn = nil
			j.takeTurn(t)
		case j.closing && !j.rotating:
			j.stopped = true
			j.done.Broadcast()
			return
		default:
			j.work.Wait()
		}
	}
}

// commit makes what is pending durable in the current generation. It is called with mu held and
// lets go of it while it writes.
func (j *Journal) commit() error {
	j.flight, j.pending = j.pending, j.flight[:0]
	g, group := j.current, j.flight
	j.mu.Unlock()
	places, end, err := j.writeGroup(g, group)
	j.mu.Lock()
	if err != nil {
		j.fail(err)
		return err
	}
	g.end = end
	for _, p := range places {
		g.note(p.record, p.off)
	}
	j.landed(group[len(group)-1].number)
	return nil
}

// landed records that all up to a record, and all of flight, is durable, and tells the owner. It is
// called with mu held and lets go of it for the call.
func (j *Journal) landed(upTo uint64) {
	for i := range j.flight {
		j.waitingBytes -= j.flight[i].cost()
		j.flight[i] = entry{} // the payload is not ours any more
	}
	j.flight = j.flight[:0]
	if cap(j.flight) > queueKeep {
		j.flight = nil
	}
	if upTo == j.durable && !j.unconfirmed {
		return
	}
	j.durable, j.unconfirmed = upTo, false
	j.done.Broadcast()
	if j.opts.Durable != nil {
		j.mu.Unlock()
		j.opts.Durable(upTo)
		j.mu.Lock()
	}
}

// fail stops all writing to the current generation for good: after a failed write or sync nobody
// knows what is on the disk, and a second sync may report success for what the first one dropped.
// It is called with mu held and lets go of it for the call.
func (j *Journal) fail(err error) {
	j.failure = fmt.Errorf("journal %s: %w", path.Base(j.dir), err)
	if j.current != nil {
		j.current.leave()
	}
	j.done.Broadcast()
	if j.opts.Failed != nil {
		err := j.failure
		j.mu.Unlock()
		j.opts.Failed(err)
		j.mu.Lock()
	}
}

// writeGroup writes a group of records at the end of a generation and syncs it. It returns some of
// the places for the index, and the new end.
func (j *Journal) writeGroup(g *generation, group []entry) (places []place, end int64, err error) {
	w := frameWriter{file: g.file, generation: g.number, off: g.end, buf: j.buf[:0]}
	defer func() {
		j.buf = nil
		if cap(w.buf) <= bufferKeep {
			j.buf = w.buf[:0]
		}
	}()
	marked := g.lastPlace()
	now := j.opts.Now().UnixNano()
	for i, e := range group {
		if at := w.pos(); at-marked >= indexStep {
			places, marked = append(places, place{e.number, at}), at
		}
		h := header{kind: kindRecord, sequence: e.number, stored: now, behind: uint32(i)}
		if err := w.frame(h, e.data, e.more...); err != nil {
			return nil, 0, err
		}
	}
	if err := w.flush(); err != nil {
		return nil, 0, err
	}
	if err := g.fill(w.off); err != nil {
		return nil, 0, err
	}
	return places, w.off, g.file.Sync()
}

// fill writes zeros ahead if the records have reached the end of what was written, and the commit
// was small: a large one costs what its bytes cost.
func (g *generation) fill(end int64) error {
	if end <= g.filled {
		return nil
	}
	if end-g.end > fillAhead {
		g.filled = end
		return nil
	}
	if _, err := g.file.WriteAt(zeros[:], end); err != nil {
		return err
	}
	g.filled = end + fillAhead
	return nil
}

package journal

import (
	"errors"
	"fmt"
	"io"
	"time"

	"apex/daemon/disk"
)

// turn is a rotation that waits for the committer to switch to its draft.
type turn struct {
	draft *draft
	old   *generation // set by the switch
	done  chan error  // buffered
}

// Rotate begins the next generation: a snapshot that covers every record up to and including upTo,
// and the records after it. It works on the caller's goroutine and on the disk, so an owner that
// must not wait calls it from another one; Append and commits go on meanwhile, and pause only for
// the last step. One rotation runs at a time.
//
// A crash leaves the old generation or the new one, whole. On success everything appended before
// the switch is durable, also if writing had failed before: Rotate is how a failed or damaged
// journal comes back. On an error the journal is as it was, except that after a failed rename it is
// failed too, because nobody knows which of the two generations the disk holds.
//
// The old generation stays as history; one that was damaged is kept under a name of its own for
// good.
func (j *Journal) Rotate(parts []Part, upTo uint64) error {
	number, err := j.beginRotation(upTo)
	if err != nil {
		return err
	}
	old, err := j.rotate(number, parts, upTo)
	if err == nil {
		j.retire(old)
	}
	j.mu.Lock()
	j.rotating = false
	j.done.Broadcast()
	j.work.Signal() // the committer may have waited for this to stop
	j.mu.Unlock()
	if err != nil {
		return fmt.Errorf("journal %s: begin generation %d: %w", j.dir, number, err)
	}
	return nil
}

func (j *Journal) beginRotation(upTo uint64) (number uint64, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	switch {
	case j.closing:
		return 0, ErrClosed
	case !j.recovered:
		return 0, ErrNotRecovered
	case j.rotating:
		return 0, ErrRotating
	case upTo < j.floor || upTo > j.last:
		return 0, fmt.Errorf("journal %s: snapshot covers records up to %d, want %d to %d",
			j.dir, upTo, j.floor, j.last)
	}
	j.rotating = true
	number = j.nextNumber
	j.nextNumber++
	return number, nil
}

// rotate writes the draft, as far as that can be done beside the committer, and hands it over.
func (j *Journal) rotate(number uint64, parts []Part, upTo uint64) (*generation, error) {
	if err := disk.MkdirAll(j.fs, j.dir); err != nil {
		return nil, err
	}
	temp := j.path(generationName(number)) + disk.TempSuffix
	d, err := newDraft(j.fs, temp, number, upTo, parts)
	if err != nil {
		return nil, err
	}
	j.mu.Lock()
	current, durable := j.current, j.durable
	j.mu.Unlock()
	err = j.copyRecords(d, current, durable)
	if err == nil {
		err = d.file.Sync() // most of it, so that the switch has little to wait for
	}
	if err != nil {
		d.drop(j.fs)
		return nil, err
	}
	t := &turn{draft: d, done: make(chan error, 1)}
	j.mu.Lock()
	j.turn = t
	j.work.Signal()
	j.mu.Unlock()
	err = <-t.done
	return t.old, err
}

// copyRecords appends to a draft what it lacks of the records up to one that is durable in g. The
// copies are durable before the draft gets its name, so each stands for a commit of its own.
func (j *Journal) copyRecords(d *draft, g *generation, upTo uint64) error {
	if d.last >= upTo {
		return nil
	}
	j.mu.Lock()
	from, end := g.enter(d.last+1), g.end
	j.mu.Unlock()
	s := newScanner(g.file, g.number, from, end)
	for d.last < upTo {
		it, err := s.next()
		if err == io.EOF {
			err = fmt.Errorf("record %d: %w", d.last+1, io.ErrUnexpectedEOF)
		}
		if err != nil {
			return err
		}
		if it.bad != "" {
			return fmt.Errorf("generation %d, offset %d: %s", g.number, it.off, it.bad)
		}
		if it.header.kind != kindRecord || it.header.sequence <= d.last {
			continue
		}
		if it.header.sequence != d.last+1 {
			return fmt.Errorf("generation %d: got record %d, want %d",
				g.number, it.header.sequence, d.last+1)
		}
		if err := d.record(it.header.sequence, it.header.stored, it.payload); err != nil {
			return err
		}
	}
	return nil
}

// record appends a record.
func (d *draft) record(number uint64, stored int64, data []byte, more ...[]byte) error {
	h := header{kind: kindRecord, sequence: number, stored: stored}
	if err := d.frame(h, data, more...); err != nil {
		return err
	}
	d.last = number
	return nil
}

// takeTurn is the switch. It is called by the committer with mu held.
//
// If the current generation still takes records, what is pending goes there first, so that the
// history has no hole. If it has failed, everything that waits is written to the draft, also what
// the snapshot covers: recovery skips that, and the history keeps it.
func (j *Journal) takeTurn(t *turn) {
	if j.failure == nil && len(j.pending) > 0 {
		_ = j.commit() // after a failure the draft takes what waits
	}
	if j.failure != nil {
		j.flight = append(j.flight, j.pending...)
		clear(j.pending)
		j.pending = j.pending[:0]
	}
	current, durable, waiting := j.current, j.durable, j.flight
	upTo := durable
	if n := len(waiting); n > 0 {
		upTo = waiting[n-1].number
	}
	j.mu.Unlock()
	err := j.complete(t.draft, current, durable, waiting)
	j.mu.Lock()
	var ambiguous *ambiguousError
	if errors.As(err, &ambiguous) {
		j.fail(err)
	}
	if err != nil {
		t.done <- err
		return
	}
	t.old = current
	j.current = t.draft.opened()
	j.failure = nil
	j.floor = j.current.base
	j.landed(upTo)
	t.done <- nil
}

// ambiguousError is a failure after which the disk may hold the new generation or not. The journal
// must not go on with the old one: a start would take the new one and miss what came after.
type ambiguousError struct{ error }

func (e *ambiguousError) Unwrap() error { return e.error }

// complete brings a draft up to date, makes it durable and gives it its name.
func (j *Journal) complete(d *draft, g *generation, durable uint64, waiting []entry) error {
	err := j.copyRecords(d, g, durable)
	now := j.opts.Now().UnixNano()
	for i := 0; err == nil && i < len(waiting); i++ {
		err = d.record(waiting[i].number, now, waiting[i].data, waiting[i].more...)
	}
	if err == nil {
		err = d.flush()
	}
	if err == nil {
		err = d.file.Sync()
	}
	if err != nil {
		d.drop(j.fs)
		return err
	}
	err = j.fs.Rename(d.temp, j.path(generationName(d.generation)))
	if err == nil {
		err = j.fs.SyncDir(j.dir)
	}
	if err != nil {
		_ = d.file.Close()
		return &ambiguousError{err}
	}
	return nil
}

// opened is the generation that a finished draft has become.
func (d *draft) opened() *generation {
	return &generation{
		number:  d.generation,
		file:    d.file,
		base:    d.base,
		records: d.records,
		end:     d.off,
		filled:  d.off,
	}
}

// stamp is the time at which a record was stored.
func (h header) stamp() time.Time { return time.Unix(0, h.stored) }

package journal

import (
	"fmt"
	"io"

	"apex/daemon/disk"
)

// reading gives one generation's file to a receiver.
type reading struct {
	name     string
	gen      *generation // filled in as it is read
	scan     *scanner
	receiver Receiver

	noParts bool   // the snapshot is not wanted
	after   uint64 // records up to this one are not wanted
	// broken is called when the snapshot turns out to be damaged; its error ends the reading.
	broken func() error

	snap    snapshotReader
	last    uint64 // the last record given or covered
	known   bool   // last is known
	started bool   // a record was seen
	hole    bool   // damage was reported since the last record, or the snapshot's end
	commit  int64  // offset of the last record that began a commit
	tail    []item // bad items after which no frame has come yet
	damages []Damage
	parts   int // given
	records int // given

	first  uint64 // the first record's number, also if it was not wanted; 0: there is none
	at     int64  // offset of the item that is looked at
	partAt int64  // offset of the first frame of the snapshot's newest part
}

func newReading(name string, f disk.File, number uint64, r Receiver) (*reading, error) {
	size, err := f.Size()
	if err != nil {
		return nil, err
	}
	return &reading{
		name:     name,
		gen:      &generation{number: number, file: f, filled: size},
		scan:     newScanner(f, number, 0, size),
		snap:     snapshotReader{limit: size},
		receiver: r,
	}, nil
}

// run reads to the end. What is left in tail then is the end of the file that makes no frame.
func (l *reading) run() error {
	for {
		it, err := l.scan.next()
		if err == io.EOF {
			return l.finish()
		}
		if err == nil {
			var torn bool
			if torn, err = l.item(it); torn {
				return l.finish()
			}
		}
		if err != nil {
			return err
		}
	}
}

// item handles what the scanner found. It reports true if all from the first bad item on is the
// torn tail, although frames follow.
func (l *reading) item(it item) (torn bool, err error) {
	if l.at = it.off; it.header.kind == kindPart && it.bad == "" {
		l.partAt = it.off
	}
	if it.bad != "" {
		l.tail = append(l.tail, it)
		return false, nil
	}
	if len(l.tail) > 0 {
		if torn, err = l.torn(it); torn || err != nil {
			return torn, err
		}
		if err := l.tailIsDamage(); err != nil {
			return false, err
		}
	}
	l.gen.end = it.off + it.length
	if it.header.kind == kindRecord {
		return false, l.record(it)
	}
	fault := l.snap.frame(it)
	if p, ok := l.snap.take(); ok && !l.noParts {
		l.parts++
		l.receiver.Part(p.key, p.data)
	}
	if fault == "" && !l.known && it.header.kind == kindBegin {
		l.covers(l.snap.begin.base)
	}
	if fault == "" && !l.known && it.header.kind == kindEnd {
		l.covers(l.snap.end.base)
	}
	if fault != "" {
		return false, l.damage(it.off, 0, fault)
	}
	return false, nil
}

// covers notes up to which record the snapshot goes.
func (l *reading) covers(base uint64) { l.gen.base, l.last, l.known = base, base, true }

func (l *reading) record(it item) error {
	if !l.started {
		l.started, l.gen.records, l.first = true, it.off, it.header.sequence
		if !l.snap.ended {
			if err := l.snapshotCut(it.off); err != nil {
				return err
			}
		}
	}
	n := it.header.sequence
	if it.header.behind == 0 {
		l.commit = it.off
	}
	l.gen.note(n, it.off)
	if n <= max(l.last, l.after) {
		return nil
	}
	if l.known && n != l.last+1 && !l.hole {
		missing := fmt.Sprintf("records %d to %d are missing", l.last+1, n-1)
		if err := l.damage(it.off, 0, missing); err != nil {
			return err
		}
	}
	l.last, l.known, l.hole = n, true, false
	l.records++
	l.receiver.Record(n, it.header.stamp(), it.payload)
	return nil
}

// finish is the end of the file. A generation gets its name when its snapshot is whole, so bad
// bytes before that are never a tail.
func (l *reading) finish() error {
	if !l.started {
		l.gen.records = l.gen.end
	}
	if l.snap.ended && l.scan.unread == nil {
		return nil
	}
	if err := l.tailIsDamage(); err != nil {
		return err
	}
	if l.started || l.snap.ended {
		return nil
	}
	return l.snapshotCut(l.gen.end)
}

// snapshotCut notes that the snapshot has no end.
func (l *reading) snapshotCut(off int64) error {
	l.snap.drop()
	if len(l.damages) > 0 {
		return nil // that is where the end was
	}
	return l.damage(off, 0, "the snapshot has no end")
}

func (l *reading) tailIsDamage() error {
	tail := l.tail
	l.tail = nil
	for _, bad := range tail {
		if err := l.damage(bad.off, bad.length, bad.bad); err != nil {
			return err
		}
	}
	return nil
}

// damage reports damage. In a snapshot it gives up the part that it lies in.
func (l *reading) damage(off, length int64, reason string) error {
	d := Damage{File: l.name, Offset: off, Length: length, Reason: reason}
	inSnapshot := !l.snap.ended && !l.started
	if inSnapshot {
		d.Part = l.snap.drop()
	}
	l.damages = append(l.damages, d)
	l.hole = !inSnapshot
	if inSnapshot && l.broken != nil {
		if err := l.broken(); err != nil {
			return err
		}
	}
	l.receiver.Damage(d)
	return nil
}

package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"time"

	"apex/daemon/disk"
)

// Receiver takes what a journal holds, in the order of the file.
type Receiver interface {
	// Part gives one part of the snapshot, whole. The receiver may keep data.
	Part(key string, data []byte)
	// Record gives a record that the snapshot does not cover. Numbers rise by one, except after
	// Damage. The payload is valid during the call only.
	Record(n uint64, stored time.Time, payload []byte)
	// Damage says that something is missing between what was given before and what comes next.
	Damage(d Damage)
	// Reset takes back all parts, records and damage given so far: they came from a damaged
	// snapshot, and an older generation has everything.
	Reset()
}

// Damage is a place where a file does not hold what was written to it.
type Damage struct {
	File   string // name in the journal's directory
	Offset int64  // bytes
	Length int64  // bytes; 0 if frames are missing that the file has no room for
	Reason string
	// Part is the key of the snapshot's part that is lost by it, if that is known.
	Part string
}

func (d Damage) String() string {
	return fmt.Sprintf("%s: offset %d, %d bytes: %s", d.File, d.Offset, d.Length, d.Reason)
}

// Tail is the end of a file that was being written when the machine or the daemon stopped. It was
// never reported durable.
type Tail struct {
	Damage
	// Kept is the name of the file in the journal's directory to which the bytes were copied.
	Kept string
}

// Report says what Recover found.
type Report struct {
	Generation uint64 // the generation whose snapshot was used; 0 if there was none
	Last       uint64 // the last record's number
	Parts      int    // parts of the snapshot given to the receiver
	Records    int    // records given to the receiver
	Damages    []Damage
	Tail       *Tail // what was cut, nil if nothing was
	// NotDurable is why the journal takes nothing to the disk, and what was recovered may not be
	// durable, until Rotate succeeds: damage, or a disk that can't be written. Nil if all is well.
	NotDurable error
}

// Recover gives the receiver the newest usable generation and starts the journal. It is called
// once, before the first Append.
//
// An error means that the journal could not be read and that nothing was changed; it matches
// ErrNewer if a newer version wrote it. A disk that can't be written is no error, see
// Report.NotDurable.
func (j *Journal) Recover(r Receiver) (Report, error) {
	if !j.opened.CompareAndSwap(true, false) {
		return Report{}, fmt.Errorf("recover journal %s: tried before", j.dir)
	}
	report, err := j.recover(r)
	if err != nil {
		return Report{}, fmt.Errorf("recover journal %s: %w", j.dir, err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	j.recovered = true
	j.last, j.durable = report.Last, report.Last
	if report.NotDurable != nil {
		j.failure, j.unconfirmed = report.NotDurable, true
		j.floor = report.Last
	}
	go j.commitLoop()
	return report, nil
}

func (j *Journal) recover(r Receiver) (Report, error) {
	files, err := list(j.fs, j.dir)
	if err != nil {
		return Report{}, err
	}
	j.nextNumber = 1
	var plain []stored
	for _, f := range files {
		j.nextNumber = f.generation + 1
		if f.rest == disk.TempSuffix {
			_ = j.fs.Remove(j.path(f.name)) // tried again at the next start
		}
		if f.rest == "" {
			plain = append(plain, f)
		}
	}
	if len(plain) == 0 {
		return j.first()
	}
	report, err := j.load(r, plain)
	if err != nil {
		return Report{}, err
	}
	// A predecessor may have been killed between a rename and its sync.
	if err := j.fs.SyncDir(j.dir); err != nil && report.NotDurable == nil {
		report.NotDurable = err
	}
	j.prune()
	return report, nil
}

// first begins the first generation, which is empty.
func (j *Journal) first() (Report, error) {
	if j.failure != nil {
		return Report{NotDurable: j.failure}, nil
	}
	number := j.nextNumber
	j.nextNumber++
	temp := j.path(generationName(number)) + disk.TempSuffix
	d, err := newDraft(j.fs, temp, number, 0, nil)
	if err == nil {
		err = j.complete(d, nil, 0, nil)
	}
	if err != nil {
		return Report{NotDurable: err}, nil
	}
	j.current = d.opened()
	return Report{Generation: number}, nil
}

// errFallBack ends the reading of a generation whose snapshot is damaged when an older one is
// whole.
var errFallBack = errors.New("an older generation is whole")

// load reads the newest generation. If its snapshot is damaged, and the one before it has all that
// the snapshot covers, it reads that one first and then what the newest has beyond it.
func (j *Journal) load(r Receiver, files []stored) (Report, error) {
	newest := files[len(files)-1]
	f, readOnly, err := j.openForAppend(newest.name)
	if err != nil {
		return Report{}, err
	}
	l, err := newReading(newest.name, f, newest.generation, r)
	if err != nil {
		return Report{}, errors.Join(err, f.Close())
	}
	var older *reading
	l.broken = func() error {
		l.broken = nil
		base, err := l.base()
		if err != nil {
			return err
		}
		if older = j.whole(files[:len(files)-1], base); older != nil {
			return errFallBack
		}
		return nil
	}
	err = l.run()
	if err == errFallBack {
		r.Reset()
		l, err = j.loadBoth(r, older, l)
	}
	if err != nil {
		return Report{}, errors.Join(fmt.Errorf("%s: %w", newest.name, err), f.Close())
	}
	report := j.settle(l, readOnly)
	if older != nil {
		report.Generation = older.gen.number
		report.Parts += older.parts
		report.Records += older.records
	}
	return report, nil
}

// base finds out up to which record the snapshot goes, from what is left of the file: the first
// frame, the snapshot's end, or the first record. It is 0 if nothing says so.
func (l *reading) base() (uint64, error) {
	if l.known {
		return l.gen.base, nil
	}
	s := newScanner(l.gen.file, l.gen.number, 0, l.scan.size)
	for {
		it, err := s.next()
		if err == io.EOF {
			return 0, nil
		}
		if err != nil {
			return 0, err
		}
		if it.bad != "" {
			continue
		}
		switch it.header.kind {
		case kindEnd:
			if p, ok := parseEnd(it.payload); ok {
				return p.base, nil
			}
		case kindRecord:
			return it.header.sequence - 1, nil
		}
	}
}

// whole finds the newest of some generations that has a whole snapshot and all records from there
// up to one, at least.
func (j *Journal) whole(files []stored, upTo uint64) *reading {
	for i := len(files) - 1; i >= 0; i-- {
		f, err := j.fs.OpenFile(j.path(files[i].name), os.O_RDONLY)
		if err != nil {
			continue
		}
		l, err := newReading(files[i].name, f, files[i].generation, discard{})
		if err == nil {
			l.noParts = true
			err = l.run()
		}
		_ = f.Close()
		if err == nil && len(l.damages) == 0 && l.last >= upTo {
			return l
		}
	}
	return nil
}

// loadBoth reads an older generation that was found whole, and then the records that the newest has
// beyond it.
func (j *Journal) loadBoth(r Receiver, older, newest *reading) (*reading, error) {
	f, err := j.fs.OpenFile(j.path(older.name), os.O_RDONLY)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	first, err := newReading(older.name, f, older.gen.number, r)
	if err == nil {
		err = first.run()
	}
	if err != nil {
		return nil, err
	}
	*older = *first
	l, err := newReading(newest.name, newest.gen.file, newest.gen.number, r)
	if err != nil {
		return nil, err
	}
	l.noParts, l.after, l.last, l.known = true, first.last, first.last, true
	return l, l.run()
}

// discard is a receiver for those who want to know only whether a file is whole.
type discard struct{}

func (discard) Part(string, []byte)              {}
func (discard) Record(uint64, time.Time, []byte) {}
func (discard) Damage(Damage)                    {}
func (discard) Reset()                           {}

// settle makes the generation that was read the current one, and says what was found. A torn tail
// is cut. A damaged file is left exactly as it is, and nothing is written to it.
func (j *Journal) settle(l *reading, readOnly error) Report {
	j.current = l.gen
	report := Report{
		Generation: l.gen.number,
		Last:       max(l.last, l.after),
		Parts:      l.parts,
		Records:    l.records,
		Damages:    l.damages,
		NotDurable: j.failure,
	}
	if readOnly != nil {
		report.NotDurable = readOnly
	}
	if len(l.damages) > 0 {
		report.NotDurable = ErrDamaged
		j.damaged[l.gen.number] = true
	}
	if len(l.tail) > 0 {
		tail, err := j.cut(l, report.NotDurable == nil)
		report.Tail = tail
		if err != nil {
			report.NotDurable = err
		}
	}
	if report.NotDurable == nil {
		report.NotDurable = l.rewrite()
	}
	if report.NotDurable != nil {
		l.gen.leave()
	}
	return report
}

// rewrite writes the last commit once more and syncs it. A predecessor that was killed before its
// sync returned has left it in the system's cache only, and if that sync had failed, another one
// alone would report success and write nothing. What is recovered counts as durable from here on.
func (l *reading) rewrite() error {
	buf := make([]byte, min(windowSize, l.gen.end-l.commit))
	for off := l.commit; l.started && off < l.gen.end; {
		b := buf[:min(int64(len(buf)), l.gen.end-off)]
		if n, err := l.gen.file.ReadAt(b, off); n < len(b) {
			return fmt.Errorf("%s: offset %d: %w", l.name, off, err)
		}
		n, err := l.gen.file.WriteAt(b, off)
		if err != nil {
			return err
		}
		off += int64(n)
	}
	return l.gen.file.Sync()
}

// cut cuts the torn tail off, after its bytes were copied aside: that they were never durable is
// what they look like, not what anybody knows.
func (j *Journal) cut(l *reading, write bool) (*Tail, error) {
	off := l.tail[0].off
	end, err := l.scan.lastNonZero(off)
	if err != nil {
		return nil, err
	}
	tail := &Tail{
		Damage: Damage{File: l.name, Offset: off, Length: end - off, Reason: l.tail[0].bad},
		Kept:   l.name,
	}
	if !write {
		return tail, nil
	}
	b, err := copyTail(l.gen.file, off, end)
	if err != nil {
		return tail, err
	}
	name := fmt.Sprintf("%s%s%d", l.name, tailInfix, off)
	if err := disk.WriteFile(j.fs, j.path(name), b); err != nil {
		return tail, err
	}
	tail.Kept = name
	if err := l.gen.file.Truncate(off); err != nil {
		return tail, err
	}
	l.gen.filled = off
	return tail, nil // rewrite syncs
}

// openForAppend opens a generation's file, for reading only if it can't be had otherwise; readOnly
// is why.
func (j *Journal) openForAppend(name string) (f disk.File, readOnly, err error) {
	f, readOnly = j.fs.OpenFile(j.path(name), os.O_RDWR)
	if readOnly == nil {
		return f, nil, nil
	}
	if errors.Is(readOnly, fs.ErrNotExist) {
		return nil, nil, readOnly
	}
	f, err = j.fs.OpenFile(j.path(name), os.O_RDONLY)
	return f, readOnly, err
}

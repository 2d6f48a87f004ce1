package journal

import (
	"errors"
	"fmt"
	"path"
	"sync"
	"sync/atomic"
	"time"

	"apex/daemon/disk"
)

const (
	// DefaultMaxPending bounds the records that wait for the disk, in bytes.
	DefaultMaxPending = 64 << 20
	// DefaultHistoryBytes bounds the old generations that are kept, in bytes.
	DefaultHistoryBytes = 256 << 20
	// minOutgrown is what a generation holds in records, in bytes, before the next one is worth a
	// snapshot: half an hour of typing, or 50,000 entries of a flood, which are replayed in some
	// 10 ms.
	minOutgrown = 1 << 20
	// outgrownPart is which part of the state records may be as large as: a byte of records takes
	// ten times as long to recover as one of a snapshot, and each snapshot writes the whole state.
	outgrownPart = 4
)

// Errors of a journal.
var (
	// ErrFull refuses a record because MaxPending bytes wait for the disk already.
	ErrFull = errors.New("too much waits for the disk")
	// ErrClosed is returned after Close.
	ErrClosed = errors.New("journal is closed")
	// ErrNotRecovered is returned before Recover.
	ErrNotRecovered = errors.New("journal is not recovered yet")
	// ErrRotating refuses a rotation while another one runs.
	ErrRotating = errors.New("a rotation is running")
	// ErrDamaged is why a journal that recovered with damage takes nothing to disk until Rotate.
	ErrDamaged = errors.New("damaged: a new generation has to be begun")
)

// Options says how a journal behaves. The zero value is useful.
type Options struct {
	// Durable is called after records up to and including upTo became durable. It is called by one
	// goroutine, in order, and should return soon: nothing is written meanwhile.
	Durable func(upTo uint64)
	// Failed is called, by the same goroutine, when a write or sync failed. From then on nothing
	// becomes durable until Rotate succeeds.
	Failed func(err error)
	// MaxPending bounds what waits for the disk, in bytes; 0 means DefaultMaxPending.
	MaxPending int64
	// HistoryBytes is the budget for old generations; 0 means DefaultHistoryBytes, below 0 none.
	HistoryBytes int64
	// Now is the clock that stamps records, time.Now if nil.
	Now func() time.Time
}

// entry is a record on its way to the disk.
type entry struct {
	number uint64
	data   []byte
	more   [][]byte // what follows data, if it came in pieces
	size   int64    // bytes of data and more
}

// cost is what a record counts against MaxPending, so that empty ones are bounded too.
func (e entry) cost() int64 { return headerSize + e.size }

// Journal is one session's journal. Its methods may be called by any goroutine.
type Journal struct {
	fs   disk.FS
	dir  string
	opts Options

	opened atomic.Bool // and not recovered: until then nobody else touches what is below

	mu   sync.Mutex
	work sync.Cond // signalled to the committer: pending, turn or closing changed
	done sync.Cond // broadcast: durable, failure, rotating or stopped changed

	pending      []entry // appended, not yet taken by the committer
	flight       []entry // taken by the committer; stays here when its commit failed
	waitingBytes int64   // of pending and flight
	last         uint64  // number of the last record appended
	durable      uint64  // number of the last record known to be durable
	failure      error   // why nothing is written at present
	unconfirmed  bool    // what was recovered is not known to be durable
	floor        uint64  // a rotation has to cover at least this record
	nextNumber   uint64  // the next generation's number
	recovered    bool
	rotating     bool
	closing      bool
	stopped      bool
	turn         *turn // a rotation that waits for its switch
	damaged      map[uint64]bool

	// current is replaced by the committer only. Its end and index change under mu.
	current *generation
	history int64 // bytes of old generations

	buf []byte // the committer's
}

// Open prepares the journal in a directory and makes the directory if it is missing. If that can't
// be done, the journal still opens: Recover then says why nothing is durable.
func Open(fsys disk.FS, dir string, opts Options) (*Journal, error) {
	if dir == "" {
		return nil, errors.New("open journal: no directory given")
	}
	if opts.MaxPending == 0 {
		opts.MaxPending = DefaultMaxPending
	}
	if opts.HistoryBytes == 0 {
		opts.HistoryBytes = DefaultHistoryBytes
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	j := &Journal{fs: fsys, dir: dir, opts: opts, damaged: map[uint64]bool{}}
	j.work.L, j.done.L = &j.mu, &j.mu
	j.opened.Store(true)
	if err := disk.MkdirAll(fsys, dir); err != nil {
		j.failure = fmt.Errorf("journal %s: %w", dir, err)
	}
	return j, nil
}

func (j *Journal) path(name string) string { return path.Join(j.dir, name) }

// Append queues a record and returns its number. It never touches the disk and never waits. The
// payload must not change afterwards. Errors: ErrFull, ErrClosed, ErrNotRecovered; a refused record
// takes no number.
func (j *Journal) Append(payload []byte) (uint64, error) {
	n, err := j.enqueue(entry{data: payload, size: int64(len(payload))})
	j.Commit()
	return n, err
}

// AppendV is Append of a record that lies in several pieces.
func (j *Journal) AppendV(pieces ...[]byte) (uint64, error) {
	n, err := j.Post(pieces...)
	j.Commit()
	return n, err
}

// Commit sends what was posted to the disk. It does not wait for it.
func (j *Journal) Commit() { j.work.Signal() }

// Post is AppendV without waking the committer: the caller owes a Commit, and has something more
// urgent to do before.
func (j *Journal) Post(pieces ...[]byte) (uint64, error) {
	if len(pieces) == 0 {
		pieces = [][]byte{nil}
	}
	e := entry{data: pieces[0], more: pieces[1:]}
	for _, p := range pieces {
		e.size += int64(len(p))
	}
	return j.enqueue(e)
}

func (j *Journal) enqueue(e entry) (uint64, error) {
	if e.size > maxPayload {
		return 0, fmt.Errorf("journal %s: record of %d bytes, want at most %d",
			j.dir, e.size, maxPayload)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.queue(e)
}

// queue is called with mu held.
func (j *Journal) queue(e entry) (uint64, error) {
	if err := j.refusal(e.cost()); err != nil {
		return 0, err
	}
	j.last++
	e.number = j.last
	j.pending = append(j.pending, e)
	j.waitingBytes += e.cost()
	return e.number, nil
}

// refusal says why a record of such cost is not taken. The first one that waits always is, so
// that a small bound can't refuse a large record for ever.
func (j *Journal) refusal(cost int64) error {
	switch {
	case j.closing:
		return ErrClosed
	case !j.recovered:
		return ErrNotRecovered
	case j.waitingBytes > 0 && j.waitingBytes+cost > j.opts.MaxPending:
		return ErrFull
	}
	return nil
}

// Flush waits until every record recovered, or appended before it, is durable. It returns the
// journal's failure if they can't be at present.
func (j *Journal) Flush() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.work.Signal() // for what was posted
	if !j.recovered {
		return ErrNotRecovered
	}
	for upTo := j.last; j.durable < upTo || j.unconfirmed; {
		if j.failure != nil {
			return j.failure
		}
		if j.stopped {
			return ErrClosed
		}
		j.done.Wait()
	}
	return nil
}

// Close writes what is pending, waits for a rotation that runs, and releases the file. It returns
// the journal's failure if records could not be made durable; they are lost.
func (j *Journal) Close() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.closing {
		for j.recovered && !j.stopped {
			j.done.Wait()
		}
		return ErrClosed
	}
	j.closing = true
	if !j.recovered {
		return nil
	}
	j.work.Signal()
	for !j.stopped || j.rotating {
		j.done.Wait()
	}
	var lost error
	if j.durable < j.last {
		lost = j.failure
	}
	if j.current == nil {
		return lost
	}
	return errors.Join(lost, j.current.close())
}

// Stats says how large a journal is.
type Stats struct {
	Generation uint64
	Bytes      int64  // of the current generation, snapshot included
	Snapshot   int64  // bytes of the snapshot that it begins with
	History    int64  // bytes of older generations and of what damage left
	Last       uint64 // number of the last record appended
	Durable    uint64 // number of the last record that is durable
	Waiting    int64  // bytes appended that are not durable, frame headers included
	Failure    error  // why nothing is written at present
}

// Stats returns the journal's present size.
func (j *Journal) Stats() Stats {
	j.mu.Lock()
	defer j.mu.Unlock()
	if !j.recovered {
		return Stats{Failure: ErrNotRecovered}
	}
	s := Stats{
		History: j.history,
		Last:    j.last,
		Durable: j.durable,
		Waiting: j.waitingBytes,
		Failure: j.failure,
	}
	if j.current != nil {
		s.Generation = j.current.number
		s.Bytes = j.current.end
		s.Snapshot = j.current.records
	}
	return s
}

// NeedsRotate reports whether the records since the snapshot have outgrown the state, whose size in
// bytes is given: recovering them takes longer than recovering the state.
func (j *Journal) NeedsRotate(stateSize int64) bool {
	s := j.Stats()
	return s.Bytes-s.Snapshot > max(minOutgrown, stateSize/outgrownPart)
}

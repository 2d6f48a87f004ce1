package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"os"
	"time"

	"apex/daemon/disk"
)

// Record is a record read back.
type Record struct {
	Number  uint64
	Stored  time.Time
	Payload []byte // valid until the iteration goes on
}

// Gap is the error for records that the journal does not have any more: they were dropped by the
// history's budget, or are lost to damage.
type Gap struct {
	From, To uint64 // record numbers, both missing
}

func (g *Gap) Error() string { return fmt.Sprintf("records %d to %d are not kept", g.From, g.To) }

// History iterates over the records from one number on, through the old generations and the current
// one, up to the last one that is durable when it begins. Where records are missing it gives a *Gap
// and goes on; any other error ends it. It may run beside everything else that the journal does.
func (j *Journal) History(from uint64) iter.Seq2[Record, error] {
	return func(yield func(Record, error) bool) {
		h := &history{journal: j, next: max(from, 1), yield: yield}
		if err := h.run(); err != nil && err != errStop {
			yield(Record{}, fmt.Errorf("history of journal %s: %w", j.dir, err))
		}
	}
}

// errStop ends a history because its reader wants no more, or has all.
var errStop = errors.New("stop")

type history struct {
	journal *Journal
	yield   func(Record, error) bool
	next    uint64 // the number wanted next
	upTo    uint64 // the last number wanted
	current uint64 // the current generation's number
	end     int64  // offset after the last durable record there
	enter   int64  // where to begin there
}

func (h *history) run() error {
	j := h.journal
	j.mu.Lock()
	if !j.recovered {
		j.mu.Unlock()
		return ErrNotRecovered
	}
	h.upTo = j.durable
	if j.current != nil {
		h.current, h.end, h.enter = j.current.number, j.current.end, j.current.enter(h.next)
	}
	j.mu.Unlock()
	files, err := list(j.fs, j.dir)
	if err != nil {
		return err
	}
	for _, f := range h.wanted(files) {
		if err := h.file(f); err != nil {
			return err
		}
	}
	return h.gapBefore(h.upTo + 1)
}

// wanted leaves out generations that end before the first record that is wanted. What a generation
// ends with is what the next one's snapshot covers, at least. Of what a damaged one lacks, the one
// before it may have a copy.
func (h *history) wanted(files []stored) []stored {
	var keep []stored
	for _, f := range files {
		if !f.readable() || f.generation > h.current {
			continue
		}
		if base, ok := baseOf(h.journal.fs, h.journal.path(f.name), f.generation); ok && base < h.next && f.rest == "" {
			keep = keep[:0]
		}
		keep = append(keep, f)
	}
	return keep
}

// baseOf reads from a file's first frame up to which record its snapshot goes.
func baseOf(fsys disk.FS, path string, generation uint64) (uint64, bool) {
	file, err := fsys.OpenFile(path, os.O_RDONLY)
	if err != nil {
		return 0, false
	}
	defer file.Close()
	b := make([]byte, headerSize+beginSize)
	if _, err := file.ReadAt(b, 0); err != nil {
		return 0, false
	}
	p, ok := readBegin(b, generation)
	return p.base, ok
}

// readBegin reads a file's first frame.
func readBegin(b []byte, generation uint64) (begin, bool) {
	h, ok := parseHeader(b, 0)
	if !ok || h.kind != kindBegin || h.generation != generation || h.size() > int64(len(b)) {
		return begin{}, false
	}
	payload := b[headerSize:h.size()]
	if sum(payload) != h.payloadSum {
		return begin{}, false
	}
	return parseBegin(payload)
}

// file gives what is wanted of one generation.
func (h *history) file(f stored) error {
	j := h.journal
	file, err := h.open(f)
	if errors.Is(err, fs.ErrNotExist) {
		return nil // dropped by the budget meanwhile
	}
	if err != nil {
		return err
	}
	defer file.Close()
	s, err := h.scanner(file, f)
	if err != nil {
		return err
	}
	for h.next <= h.upTo {
		it, err := s.next()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s: %w", j.path(f.name), err)
		}
		if it.bad != "" || it.header.kind != kindRecord || it.header.sequence < h.next {
			continue
		}
		if err := h.record(it); err != nil {
			return err
		}
	}
	return nil
}

// open opens a generation, which may have been set aside as damaged since the directory was read.
func (h *history) open(f stored) (disk.File, error) {
	name := h.journal.path(generationName(f.generation))
	file, err := h.journal.fs.OpenFile(name, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return h.journal.fs.OpenFile(name+damagedSuffix, os.O_RDONLY)
	}
	return file, err
}

// scanner begins after the snapshot if the first frame says where that ends.
func (h *history) scanner(file disk.File, f stored) (*scanner, error) {
	if f.generation == h.current {
		return newScanner(file, f.generation, h.enter, h.end), nil
	}
	size, err := file.Size()
	if err != nil {
		return nil, err
	}
	b := make([]byte, headerSize+beginSize)
	if _, err := file.ReadAt(b, 0); err != nil && err != io.EOF {
		return nil, err
	}
	p, _ := readBegin(b, f.generation)
	return newScanner(file, f.generation, min(p.snapshot, size), size), nil
}

func (h *history) record(it item) error {
	n := it.header.sequence
	if n > h.upTo {
		return errStop
	}
	if err := h.gapBefore(n); err != nil {
		return err
	}
	h.next = n + 1
	if !h.yield(Record{Number: n, Stored: it.header.stamp(), Payload: it.payload}, nil) {
		return errStop
	}
	return nil
}

// gapBefore reports what is missing between the next number and n.
func (h *history) gapBefore(n uint64) error {
	if h.next >= n {
		return nil
	}
	gap := &Gap{From: h.next, To: n - 1}
	h.next = n
	if !h.yield(Record{}, gap) {
		return errStop
	}
	return nil
}

package journal

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"time"

	"apex/daemon/disk"
)

// Verifier takes what Verify reads, file by file, the oldest first: Generation, then the parts and
// the records that are whole, each with the offset of its first frame, and the damage between them,
// then Verified.
type Verifier interface {
	// Generation begins a file. The next generation's snapshot covers the records up to upTo; 0 if
	// there is none, or its first frame can't be read.
	Generation(name string, upTo uint64)
	Part(key string, off int64, data []byte)
	// Record gives a record that the snapshot does not cover. The payload is valid during the call.
	Record(n uint64, off int64, stored time.Time, payload []byte)
	Damage(d Damage)
	Verified(v Verified)
}

// Verified is what a generation's file was found to be.
type Verified struct {
	Name    string
	Bytes   int64  // that were read, what was written ahead included
	Base    uint64 // the last record that the snapshot covers
	Last    uint64 // the last record that is whole
	Records int    // given to the Verifier
	Damages []Damage
	// Tail is set if the newest file ends in bytes that make no frame: of a write that was cut off
	// and of which nobody was told, or of the last record, damaged since. Nothing tells which.
	Tail *Damage
}

// Whole reports whether nothing is wrong.
func (v *Verified) Whole() bool { return len(v.Damages) == 0 && v.Tail == nil }

// Verify reads every byte of every generation that a directory has, and changes nothing. Nobody may
// write to the journal meanwhile. That a file is missing that should be there shows by what the
// next one covers. An error means that a file could not be read at all; it matches ErrNewer for one
// of a newer version.
func Verify(fsys disk.FS, dir string, v Verifier) error {
	return verify(fsys, dir, v, func(string, int64) (int64, bool) { return 0, false })
}

// Verify is Verify of a journal that is in use: of the file that is written to, up to the last
// record that was durable when it was begun with.
func (j *Journal) Verify(v Verifier) error {
	return verify(j.fs, j.dir, v, func(name string, size int64) (int64, bool) {
		j.mu.Lock()
		defer j.mu.Unlock()
		if j.current == nil || generationName(j.current.number) != name {
			return 0, false
		}
		return min(j.current.end, size), true
	})
}

// verify is Verify; ends says where a file that is being written ends.
func verify(fsys disk.FS, dir string, v Verifier, ends func(string, int64) (int64, bool)) error {
	all, err := list(fsys, dir)
	if err != nil {
		return err
	}
	var files []stored
	for _, f := range all {
		if f.rest == "" {
			files = append(files, f)
		}
	}
	var before *checking
	for i, f := range files {
		c := checking{fs: fsys, path: path.Join(dir, f.name), file: f, newest: i == len(files)-1,
			ends: ends, before: before}
		if !c.newest {
			next := files[i+1]
			c.upTo, _ = baseOf(fsys, path.Join(dir, next.name), next.generation)
		}
		err := c.run(v)
		if errors.Is(err, fs.ErrNotExist) && !c.newest {
			continue // dropped by the budget meanwhile
		}
		if err != nil {
			return fmt.Errorf("%s: %w", f.name, err)
		}
		before = &c
	}
	return nil
}

// checking is the verification of one file.
type checking struct {
	fs     disk.FS
	path   string
	file   stored
	newest bool
	upTo   uint64
	ends   func(string, int64) (int64, bool)
	before *checking // the file before; nil if there is none
	v      Verifier
	l      *reading
}

func (c *checking) run(v Verifier) error {
	file, err := c.fs.OpenFile(c.path, os.O_RDONLY)
	if err != nil {
		return err
	}
	defer file.Close()
	c.v = v
	if c.l, err = newReading(c.file.name, file, c.file.generation, c); err != nil {
		return err
	}
	if end, ok := c.ends(c.file.name, c.l.scan.size); ok {
		c.l.scan.size = end
	}
	v.Generation(c.file.name, c.upTo)
	size := c.l.scan.size
	if err := c.l.run(); err != nil {
		return err
	}
	out := Verified{Name: c.file.name, Bytes: size, Base: c.l.gen.base, Last: max(c.l.last, c.l.gen.base),
		Records: c.l.records, Damages: c.l.damages}
	if err := c.tail(&out); err != nil {
		return err
	}
	c.missing(&out)
	v.Verified(out)
	return nil
}

// missing notes records that should be at the end of the file before, and are in neither. Those that
// a disk refused are in the next file, although its snapshot covers them.
func (c *checking) missing(out *Verified) {
	b := c.before
	if b == nil || !c.l.known || len(c.l.damages) > 0 || len(b.l.damages) > 0 {
		return
	}
	next := c.l.gen.base + 1
	if c.l.first != 0 {
		next = min(next, c.l.first)
	}
	if last := max(b.l.last, b.l.gen.base); b.l.known && last+1 < next {
		c.damage(out, Damage{File: b.file.name, Offset: b.l.gen.end,
			Reason: fmt.Sprintf("records %d to %d are missing at the end", last+1, next-1)})
	}
}

// tail says what the bytes after the last frame are. Those of a generation that has a successor were
// all written and synced before that began.
func (c *checking) tail(out *Verified) error {
	if len(c.l.tail) == 0 {
		return nil
	}
	first := c.l.tail[0]
	end, err := c.l.scan.lastNonZero(first.off)
	if err != nil {
		return err
	}
	d := Damage{File: c.file.name, Offset: first.off, Length: end - first.off, Reason: first.bad}
	if c.newest {
		out.Tail = &d
	} else {
		c.damage(out, d)
	}
	return nil
}

func (c *checking) damage(out *Verified, d Damage) {
	out.Damages = append(out.Damages, d)
	c.v.Damage(d)
}

// checking is the Receiver of its reading.

func (c *checking) Part(key string, data []byte) { c.v.Part(key, c.l.partAt, data) }

func (c *checking) Record(n uint64, stored time.Time, payload []byte) {
	c.v.Record(n, c.l.at, stored, payload)
}

func (c *checking) Damage(d Damage) { c.v.Damage(d) }
func (c *checking) Reset()          {}

// Kept returns the names of the files that lie beside the generations: what damage left, what was
// cut, and drafts that were never finished.
func Kept(fsys disk.FS, dir string) ([]string, error) {
	files, err := list(fsys, dir)
	var out []string
	for _, f := range files {
		if f.rest != "" {
			out = append(out, f.name)
		}
	}
	return out, err
}

package journal

import (
	"io"
	"path"

	"apex/daemon/disk"
)

// Founding writes the newest generation of a journal that is put together elsewhere: its snapshot
// part by part, then records. Until Finish the directory has no such generation.
type Founding struct {
	fs  disk.FS
	dir string
	d   *draft
}

// Found begins a generation that covers the records up to base, in a directory that is there and has
// no generation with that number or a higher one.
func Found(fsys disk.FS, dir string, generation, base uint64) (*Founding, error) {
	temp := path.Join(dir, generationName(generation)) + disk.TempSuffix
	f, err := openNew(fsys, temp)
	if err != nil {
		return nil, err
	}
	d := &draft{frameWriter: frameWriter{file: f, generation: generation}, temp: temp, base: base, last: base}
	if err := d.begin(); err != nil {
		d.drop(fsys)
		return nil, err
	}
	return &Founding{fsys, dir, d}, nil
}

// Part writes the snapshot's next part.
func (f *Founding) Part(key string, data func(io.Writer) error) error {
	return f.d.part(Part{Key: key, Data: data})
}

// Finish ends the snapshot, writes a record for each payload, and makes the generation durable.
// Nothing may be done with it afterwards.
func (f *Founding) Finish(stored int64, payloads ...[]byte) error {
	err := f.d.end()
	for _, p := range payloads {
		if err == nil {
			err = f.d.record(f.d.last+1, stored, p)
		}
	}
	if err == nil {
		err = f.d.flush()
	}
	if err == nil {
		err = f.d.file.Sync()
	}
	if err != nil {
		f.Drop()
		return err
	}
	if err := f.d.file.Close(); err != nil {
		return err
	}
	if err := f.fs.Rename(f.d.temp, path.Join(f.dir, generationName(f.d.generation))); err != nil {
		return err
	}
	return f.fs.SyncDir(f.dir)
}

// Drop gives it up. Nothing is left.
func (f *Founding) Drop() { f.d.drop(f.fs) }

// Generation returns the number of the generation that a file of such a name holds.
func Generation(name string) (uint64, bool) {
	g, rest, ok := parseName(name)
	return g, ok && rest == "" && generationName(g) == name
}

// Files gives every generation's file, the oldest first, as it is: of the one that is written to, up
// to its last durable record. It returns the first error of take, and the number of the generation
// that comes next.
func (j *Journal) Files(take func(name string, size int64, r io.Reader) error) (next uint64, err error) {
	j.mu.Lock()
	next = j.nextNumber
	current, end := "", int64(0)
	if j.current != nil {
		current, end = generationName(j.current.number), j.current.end
	}
	j.mu.Unlock()
	files, err := list(j.fs, j.dir)
	if err != nil {
		return next, err
	}
	for _, f := range files {
		if f.rest != "" || f.generation >= next {
			continue
		}
		if err := j.file(f, f.name == current, end, take); err != nil {
			return next, err
		}
	}
	return next, nil
}

func (j *Journal) file(f stored, current bool, end int64,
	take func(name string, size int64, r io.Reader) error) error {
	file, err := openOld(j.fs, j.path(f.name))
	if err != nil || file == nil {
		return err
	}
	defer file.Close()
	size, err := file.Size()
	if err != nil {
		return err
	}
	if current {
		size = min(size, end)
	}
	return take(f.name, size, io.NewSectionReader(file, 0, size))
}

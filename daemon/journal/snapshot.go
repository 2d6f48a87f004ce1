package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"apex/daemon/disk"
)

// chunkSize is how much of a part's data one frame holds: a reader's window holds several.
const chunkSize = 64 << 10

// Part is one piece of a snapshot, such as one shard's state.
type Part struct {
	// Key names the part; the journal does not look into it.
	Key string
	// Data writes the part's content. It is called once, by the goroutine that called Rotate.
	Data func(w io.Writer) error
}

// draft is a generation that is being written under a temporary name.
type draft struct {
	frameWriter
	temp     string // path
	base     uint64
	records  int64  // offset of the first record
	last     uint64 // the last record written
	sequence uint64 // of the last snapshot frame
	parts    int
}

// newDraft writes a generation's snapshot under a temporary name. On an error nothing is left.
func newDraft(fsys disk.FS, temp string, number, base uint64, parts []Part) (*draft, error) {
	f, err := openNew(fsys, temp)
	if err != nil {
		return nil, err
	}
	d := &draft{
		frameWriter: frameWriter{file: f, generation: number},
		temp:        temp,
		base:        base,
		last:        base,
	}
	if err := d.snapshot(parts); err != nil {
		d.drop(fsys)
		return nil, err
	}
	return d, nil
}

func openNew(fsys disk.FS, path string) (disk.File, error) {
	return fsys.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_TRUNC)
}

// openOld opens a file for reading; nil if it was removed meanwhile.
func openOld(fsys disk.FS, path string) (disk.File, error) {
	f, err := fsys.OpenFile(path, os.O_RDONLY)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return f, err
}

// drop gives a draft up.
func (d *draft) drop(fsys disk.FS) {
	_ = d.file.Close()
	_ = fsys.Remove(d.temp) // what is left over is removed at the next start
}

// next is the header of the next snapshot frame.
func (d *draft) next(k kind) header {
	d.sequence++
	return header{kind: k, sequence: d.sequence}
}

// snapshot writes all up to the first record. The first frame holds the snapshot's size and each
// part's first frame its size, so that a reader can make room or skip; both are put in afterwards.
func (d *draft) snapshot(parts []Part) error {
	if err := d.begin(); err != nil {
		return err
	}
	for _, p := range parts {
		if err := d.part(p); err != nil {
			return fmt.Errorf("snapshot part %q: %w", p.Key, err)
		}
	}
	return d.end()
}

// begin writes the first frame.
func (d *draft) begin() error { return d.frame(d.next(kindBegin), begin{}.append(nil)) }

// end writes the snapshot's last frame, and the first one again with its size.
func (d *draft) end() error {
	last := end{parts: d.parts, base: d.base}
	if err := d.frame(d.next(kindEnd), last.append(nil)); err != nil {
		return err
	}
	d.records = d.pos()
	head := begin{base: d.base, snapshot: d.records}
	if err := d.reframe(header{kind: kindBegin, sequence: 1}, head.append(nil), 0); err != nil {
		return err
	}
	return d.flush()
}

func (d *draft) part(p Part) error {
	d.parts++
	off, first := d.pos(), d.next(kindPart)
	if err := d.frame(first, part{key: p.Key}.append(nil)); err != nil {
		return err
	}
	w := &chunkWriter{draft: d}
	if err := p.Data(w); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	return d.reframe(first, part{size: w.total, key: p.Key}.append(nil), off)
}

// reframe writes a frame again, with another payload of the same length.
func (d *draft) reframe(h header, payload []byte, off int64) error {
	w := frameWriter{file: d.file, generation: d.generation, off: off}
	if err := w.frame(h, payload); err != nil {
		return err
	}
	return d.patch(w.buf, off)
}

// chunkWriter cuts a part's data into frames.
type chunkWriter struct {
	draft *draft
	buf   []byte
	total int64
}

func (w *chunkWriter) Write(p []byte) (int, error) {
	written := len(p)
	w.total += int64(written)
	for len(p) > 0 {
		if len(w.buf) == 0 && len(p) >= chunkSize {
			if err := w.draft.frame(w.draft.next(kindChunk), p[:chunkSize]); err != nil {
				return 0, err
			}
			p = p[chunkSize:]
			continue
		}
		n := min(len(p), chunkSize-len(w.buf))
		w.buf = append(w.buf, p[:n]...)
		p = p[n:]
		if len(w.buf) == chunkSize {
			if err := w.flush(); err != nil {
				return 0, err
			}
		}
	}
	return written, nil
}

func (w *chunkWriter) flush() error {
	if len(w.buf) == 0 {
		return nil
	}
	err := w.draft.frame(w.draft.next(kindChunk), w.buf)
	w.buf = w.buf[:0]
	return err
}

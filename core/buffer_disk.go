package core

import (
	"apex/core/codec"
	"apex/core/text"
)

// onDisk is what the disk held when it was last read or written. It is meaningful if OnDisk.
type onDisk struct {
	OnDisk       bool
	Disk         Hash
	DiskBytes    int
	CleanVersion Version // the version that was read, written or merged
	Apart        []Span  // what the disk held is the text at CleanVersion with these replaced; never changed
}

// diskNews is what was seen of the disk since.
type diskNews struct {
	Stale     bool // the disk holds something else: StaleDisk
	StaleDisk Hash
	Warned    bool // a Put was refused for StaleDisk: the next one saves over it
	Missing   bool // the file is gone
}

func (d *onDisk) fields(f *codec.Fields) {
	f.Bool(&d.OnDisk)
	f.Fixed(d.Disk[:])
	codec.Num(f, &d.DiskBytes)
	codec.Num(f, &d.CleanVersion)
}

// AsOnDisk reports whether the version says that the text is what the disk held. Where it is not so,
// lengths and hashes may still be equal: Dirty compares them.
func (b *Buffer) AsOnDisk() bool {
	return b.OnDisk && b.Version == b.CleanVersion && len(b.Apart) == 0
}

// Dirty reports whether the text may differ from what the disk holds: the version differs from
// the clean one and so does the length or the hash. Only files can be dirty.
func (b *Buffer) Dirty() bool {
	if b.Kind != BufferFile || b.AsOnDisk() {
		return false
	}
	if !b.OnDisk {
		return b.Text.Bytes() > 0
	}
	return b.Text.Bytes() != b.DiskBytes || SumText(b.Text.Chunks()) != b.Disk
}

// Unkept reports whether the buffer is the only place that has its text: it has unsaved changes, or
// its file is gone.
func (b *Buffer) Unkept() bool {
	return b.Dirty() || b.Kind == BufferFile && b.Missing && b.Text.Bytes() > 0
}

// Base returns what the disk held when it was last read or written, which the text and a disk that
// has changed since both come from. Not ok if the history does not reach back to it.
func (b *Buffer) Base() (text.Text, bool) {
	if !b.OnDisk {
		return text.Text{}, false
	}
	t, ok := b.At(b.CleanVersion)
	if !ok {
		return text.Text{}, false
	}
	d := t.Edit()
	for i := len(b.Apart) - 1; i >= 0; i-- {
		s := &b.Apart[i]
		if s.Q1 > d.Runes() {
			return text.Text{}, false
		}
		d.Replace(s.Q0, s.Q1, s.Text)
	}
	t = d.Text()
	return t, t.Bytes() == b.DiskBytes && SumText(t.Chunks()) == b.Disk
}

// clean notes what the disk holds now.
func (d *bufferDraft) clean(v Version, disk Hash, bytes int, apart []Span) error {
	if v > d.Version {
		return badf("clean at version %d, the buffer is at %d", v, d.Version)
	}
	if err := checkApart(apart); err != nil {
		return err
	}
	d.onDisk = onDisk{true, disk, bytes, v, apart}
	d.diskNews = diskNews{}
	return nil
}

// checkApart refuses spans that are not in order. Where they end beyond the text that they are of,
// there is no base.
func checkApart(spans []Span) error {
	end := 0
	for _, s := range spans {
		if s.Q0 < end || s.Q1 < s.Q0 {
			return badf("runes %d,%d after %d are apart from the disk", s.Q0, s.Q1, end)
		}
		end = s.Q1
	}
	return nil
}

// changed notes what was seen on the disk. A warning of the very same stands.
func (d *bufferDraft) changed(o *DiskChanged) {
	warned := d.Warned && d.Stale && !o.Missing && d.StaleDisk == o.Disk
	d.diskNews = diskNews{Stale: !o.Missing, StaleDisk: o.Disk, Warned: warned, Missing: o.Missing}
}

// warn notes that a Put was refused for what the disk holds.
func (d *bufferDraft) warn(o *Stale) {
	d.diskNews = diskNews{Stale: true, StaleDisk: o.Disk, Warned: true}
}

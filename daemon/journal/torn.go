package journal

import (
	"bytes"
	"io"
)

// sectorSize is the smallest piece that a disk writes or loses, in bytes.
const sectorSize = 512

// torn decides what bad bytes followed by a frame are. A group commit is one write that the disk
// may put down in any order, so a loss of power can leave its later records and not its earlier
// ones. Nobody was told that they are durable, and calling it damage would make every such loss
// look like one. It is a torn tail if all of this holds:
//
//  1. The frame belongs to the commit that the first missing record belongs to, or an earlier one
//     did: then no record that is missing had been followed by another commit.
//  2. No frame of a later commit follows: that one would have waited for these to be durable.
//  3. A whole sector of what is missing is zero, as the file was before: a flipped bit or a stray
//     write doesn't look like that.
func (l *reading) torn(it item) (bool, error) {
	if !l.snap.ended || !l.known || it.header.kind != kindRecord || l.scan.unread != nil {
		return false, nil
	}
	first := it.header.commit()
	if first > l.last+1 {
		return false, nil
	}
	from := l.tail[0].off
	if first <= l.last {
		from = roundUp(from, sectorSize) // that sector holds earlier records of the commit
	}
	if lost, err := l.lostSector(from, it.off); !lost || err != nil {
		return false, err
	}
	s := newScanner(l.gen.file, l.gen.number, it.off+it.length, l.scan.size)
	s.record = it.header.sequence
	for {
		next, err := s.next()
		if err == io.EOF {
			l.tail = append(l.tail, it)
			return true, nil
		}
		if err != nil {
			return false, err
		}
		if next.bad == "" && next.header.commit() > l.last+1 {
			return false, nil
		}
	}
}

// commit is the number of the first record of the commit that a record was written with.
func (h header) commit() uint64 { return h.sequence - uint64(h.behind) }

// lostSector reports whether a sector that begins between two offsets, or what of one lies behind
// from, is all zero.
func (l *reading) lostSector(from, to int64) (bool, error) {
	sector := make([]byte, sectorSize)
	for from < to {
		end := min(roundUp(from+1, sectorSize), l.scan.size)
		b := sector[:end-from]
		if _, err := l.gen.file.ReadAt(b, from); err != nil && err != io.EOF {
			return false, err
		}
		if zero(b) {
			return true, nil
		}
		from = end
	}
	return false, nil
}

func roundUp(n, unit int64) int64 { return (n + unit - 1) / unit * unit }

// copyTail returns the bytes of a file between two offsets.
func copyTail(r io.ReaderAt, from, to int64) ([]byte, error) {
	var b bytes.Buffer
	_, err := io.Copy(&b, io.NewSectionReader(r, from, to-from))
	return b.Bytes(), err
}

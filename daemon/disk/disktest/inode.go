package disktest

import (
	"slices"
)

// write puts p at an offset and grows the file as needed.
func (in *inode) write(p []byte, off int64) {
	in.resize(max(int64(len(in.live)), off+int64(len(p))))
	copy(in.live[off:], p)
	in.touch(off, off+int64(len(p)))
}

// resize grows the file with zeros or cuts it.
func (in *inode) resize(size int64) {
	old := int64(len(in.live))
	if size <= old {
		in.live = in.live[:size:size]
		in.touch(size, old)
		return
	}
	in.live = append(in.live, make([]byte, size-old)...)
	in.touch(old, size)
}

func (in *inode) touch(from, to int64) {
	if in.dirty == nil {
		in.dirty = map[int64]bool{}
	}
	for s := from / SectorSize; s*SectorSize < to; s++ {
		in.dirty[s] = true
	}
}

// sync makes the file durable as it is.
func (in *inode) sync() {
	in.setSyncedSize(int64(len(in.live)))
	for s := range in.dirty {
		in.persist(s)
	}
	clear(in.dirty)
}

// setSyncedSize brings the durable content to a size; what is new are zeros.
func (in *inode) setSyncedSize(size int64) {
	if old := int64(len(in.synced)); size > old {
		in.synced = append(in.synced, make([]byte, size-old)...)
	}
	in.synced = in.synced[:size:size]
}

// persist copies one sector to the durable content, as far as that reaches.
func (in *inode) persist(s int64) {
	from := s * SectorSize
	if from >= int64(len(in.live)) || from >= int64(len(in.synced)) {
		return
	}
	to := min(from+SectorSize, int64(len(in.live)))
	copy(in.synced[from:], in.live[from:to])
}

// lose is a loss of power: of the sectors not synced those stay for which keep says so, and the
// size is the new one if it does.
func (in *inode) lose(keep func() bool) {
	if in.dir {
		return
	}
	sectors := make([]int64, 0, len(in.dirty))
	for s := range in.dirty {
		sectors = append(sectors, s)
	}
	slices.Sort(sectors)
	if keep() {
		in.setSyncedSize(int64(len(in.live)))
	}
	for _, s := range sectors {
		if keep() {
			in.persist(s)
		}
	}
	clear(in.dirty)
	in.live = slices.Clone(in.synced)
}

package holder

import (
	"fmt"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	// RingBytes is how much of a program's newest output is kept.
	RingBytes = 1 << 20
	// windowBytes is the most that one read puts into the ring: what a pipe holds by default; a
	// pty gives 4 KiB at a time. What is kept zero ahead of the bytes costs that much memory.
	windowBytes = 64 << 10
	// headerBytes is a page, so that the data begins at one.
	headerBytes = 4096

	ringMagic   = 0x31676e6972787061 // "apxring1" in memory on a little-endian machine
	ringVersion = 1
)

// header is the beginning of the memory file. Its layout is frozen: a daemon of another build reads
// it. The sizes are those of the build that made the file.
type header struct {
	magic       uint64
	version     uint32
	headerBytes uint32
	dataBytes   uint64
	windowBytes uint64
	_           [32]byte
	written     atomic.Uint64 // bytes that the program ever wrote, as far as they were read
	_           [56]byte
	covered     atomic.Uint64 // bytes that a snapshot of the daemon's covers
	answered    atomic.Uint64 // bytes whose queries were answered
}

// ring is the memory file, mapped. Whoever reads the program's output is the only one to change
// written and the data.
type ring struct {
	head   *header
	memory []byte
	data   []byte
	window uint64
}

// mapRing maps a memory file that was just made (with make) or that another process made.
func mapRing(fd int, fresh bool) (*ring, error) {
	size := int64(headerBytes + RingBytes + windowBytes)
	if !fresh {
		var st unix.Stat_t
		if err := unix.Fstat(fd, &st); err != nil {
			return nil, err
		}
		if size = st.Size; size < headerBytes || size > 1<<30 {
			return nil, fmt.Errorf("memory file of %d bytes", size)
		}
	}
	m, err := unix.Mmap(fd, 0, int(size), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	if err != nil {
		return nil, fmt.Errorf("map the memory file: %w", err)
	}
	h := (*header)(unsafe.Pointer(&m[0]))
	if fresh {
		h.magic, h.version = ringMagic, ringVersion
		h.headerBytes, h.dataBytes, h.windowBytes = headerBytes, RingBytes+windowBytes, windowBytes
	}
	r := &ring{head: h, memory: m}
	if err := r.check(); err != nil {
		unix.Munmap(m)
		return nil, err
	}
	r.data = m[h.headerBytes:]
	r.window = h.windowBytes
	return r, nil
}

func (r *ring) check() error {
	h := r.head
	switch {
	case h.magic != ringMagic || h.version != ringVersion:
		return fmt.Errorf("memory file of kind %x version %d, want %x version %d",
			h.magic, h.version, uint64(ringMagic), ringVersion)
	case uint64(h.headerBytes)+h.dataBytes != uint64(len(r.memory)):
		return fmt.Errorf("memory file of %d bytes, want %d and %d", len(r.memory),
			h.headerBytes, h.dataBytes)
	case h.windowBytes == 0 || h.windowBytes > h.dataBytes/2:
		// What is cleared behind the window would be what was just read into it.
		return fmt.Errorf("window of %d bytes in a ring of %d", h.windowBytes, h.dataBytes)
	}
	return nil
}

func (r *ring) unmap() error { return unix.Munmap(r.memory) }

func (r *ring) size() uint64    { return uint64(len(r.data)) }
func (r *ring) written() uint64 { return r.head.written.Load() }

// oldest is the first offset that is kept.
func (r *ring) oldest() uint64 {
	kept := r.size() - r.window
	return max(r.written(), kept) - kept
}

// room is where the next read goes: contiguous, at least one byte, at most a window.
func (r *ring) room() []byte {
	at := r.written() % r.size()
	return r.data[at:min(at+r.window, r.size())]
}

// put takes n bytes in that were read into room: steps 2 and 3 of the package comment.
func (r *ring) put(n int) {
	w := r.written()
	r.each(w+r.window, w+r.window+uint64(n), func(b []byte) { clear(b) })
	r.head.written.Store(w + uint64(n))
}

// recover takes in what a process read that was killed before it could say so, and returns how
// many bytes that were.
func (r *ring) recover() int {
	at := r.written() % r.size()
	n := min(r.window, r.size()-at)
	for n > 0 && r.data[at+n-1] == 0 {
		n--
	}
	if n > 0 {
		r.put(int(n))
	}
	return int(n)
}

// view is the bytes from an offset to another, which one read or consecutive ones put side by side.
func (r *ring) view(from, to uint64) []byte {
	at := from % r.size()
	return r.data[at : at+(to-from) : at+(to-from)]
}

// bytes is a copy of the bytes from an offset on.
func (r *ring) bytes(from uint64) ([]byte, error) {
	w, oldest := r.written(), r.oldest()
	switch {
	case from > w:
		return nil, fmt.Errorf("holder: bytes from %d on, have %d", from, w)
	case from < oldest:
		return nil, &GapError{From: from, Oldest: oldest}
	}
	out := make([]byte, 0, w-from)
	r.each(from, w, func(b []byte) { out = append(out, b...) })
	return out, nil
}

// each calls f with the one or two pieces of the ring that an interval of offsets covers.
func (r *ring) each(from, to uint64, f func([]byte)) {
	for from < to {
		at := from % r.size()
		n := min(to-from, r.size()-at)
		f(r.data[at : at+n])
		from += n
	}
}

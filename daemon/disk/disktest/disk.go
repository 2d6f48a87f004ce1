package disktest

import (
	"errors"
	"io/fs"
	"math/rand/v2"
	"path"
	"sync"
)

// SectorSize is the smallest piece that survives a loss of power or doesn't, in bytes.
const SectorSize = 512

// ErrDead is what every operation returns after the process that mounted the disk has ended.
var ErrDead = errors.New("the process has ended")

// Op is an operation on the disk, as a fault sees it. Reads are operations too.
type Op struct {
	N    int // counts all operations since New, from 1
	Kind Kind
	Name string // the file or directory
	Off  int64  // of a Read or Write, bytes
	Len  int    // of a Read or Write, bytes
}

// Kind says what an operation does.
type Kind int

const (
	Open Kind = iota + 1
	Create
	Rename
	Remove
	ReadDir
	Mkdir
	SyncDir
	Read
	Write
	Sync
	Truncate
)

// Mutates reports whether operations of this kind change what is on the disk.
func (k Kind) Mutates() bool {
	switch k {
	case Create, Rename, Remove, Mkdir, SyncDir, Write, Sync, Truncate:
		return true
	}
	return false
}

// Fault decides what happens to an operation: nil lets it pass, ErrDead kills the process in the
// middle of it, any other error is its result. A Write that fails may have written some of its
// bytes.
type Fault func(op Op) error

// Disk is a disk in memory. Its methods may be called by any goroutine.
type Disk struct {
	mu     sync.Mutex
	rand   *rand.Rand
	fault  Fault
	ops    int
	life   int   // of the process that may use the disk
	room   int64 // bytes left, if limited
	full   bool  // room is limited
	live   map[string]*inode
	synced map[string]*inode
	moves  []move
}

// move is a change of names in one directory that has not been synced.
type move struct {
	dir   string
	names []nameChange // happen together
}

type nameChange struct {
	name  string
	inode *inode // nil removes the name
}

// inode is a file or a directory.
type inode struct {
	dir    bool
	live   []byte
	synced []byte
	dirty  map[int64]bool // sectors written since the last Sync
}

// New returns an empty disk with a root directory "/" and a directory "/tmp".
func New(seed uint64) *Disk {
	d := &Disk{rand: rand.New(rand.NewPCG(seed, 1)), live: map[string]*inode{}}
	d.live["/"] = &inode{dir: true}
	d.live["/tmp"] = &inode{dir: true}
	d.synced = clone(d.live)
	return d
}

func clone(names map[string]*inode) map[string]*inode {
	c := make(map[string]*inode, len(names))
	for name, in := range names {
		c[name] = in
	}
	return c
}

// SetFault replaces the fault; nil means none.
func (d *Disk) SetFault(f Fault) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = f
}

// SetRoom leaves room for so many more bytes of files; below 0 there is no limit.
func (d *Disk) SetRoom(bytes int64) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.full, d.room = bytes >= 0, bytes
}

// Ops returns how many operations there have been.
func (d *Disk) Ops() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.ops
}

// Kill ends the process as kill -9 does.
func (d *Disk) Kill() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.life++
}

// PowerCut ends the process and loses what was not synced, or some of it.
func (d *Disk) PowerCut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.life++
	keep := d.chance()
	for _, m := range d.moves {
		if keep() {
			m.apply(d.synced)
		}
	}
	d.moves = nil
	for name := range d.synced {
		if !d.reachable(name) {
			delete(d.synced, name)
		}
	}
	d.live = clone(d.synced)
	for _, name := range sortedNames(d.live) {
		d.live[name].lose(d.chance())
	}
}

// chance returns a coin for one loss of power: always, never, only the first few, or each by
// itself.
func (d *Disk) chance() func() bool {
	switch d.rand.IntN(4) {
	case 0:
		return func() bool { return true }
	case 1:
		return func() bool { return false }
	case 2:
		left := d.rand.IntN(8)
		return func() bool { left--; return left >= 0 }
	}
	return func() bool { return d.rand.IntN(2) == 0 }
}

// reachable reports whether a name's directory survived.
func (d *Disk) reachable(name string) bool {
	for name != "/" {
		name = path.Dir(name)
		if in := d.synced[name]; in == nil || !in.dir {
			return false
		}
	}
	return true
}

func (m move) apply(names map[string]*inode) {
	for _, c := range m.names {
		if c.inode == nil {
			delete(names, c.name)
		} else {
			names[c.name] = c.inode
		}
	}
}

// Bytes returns a file's content, as the process sees it.
func (d *Disk) Bytes(name string) ([]byte, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	in := d.live[path.Clean(name)]
	if in == nil || in.dir {
		return nil, &fs.PathError{Op: "read", Path: name, Err: fs.ErrNotExist}
	}
	return append([]byte(nil), in.live...), nil
}

// SetBytes gives a file other content, durable at once: how a test damages it.
func (d *Disk) SetBytes(name string, content []byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	name = path.Clean(name)
	in := &inode{}
	in.live = append([]byte(nil), content...)
	in.synced = append([]byte(nil), content...)
	d.live[name], d.synced[name] = in, in
}

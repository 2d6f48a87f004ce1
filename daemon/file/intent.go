package file

import (
	"bytes"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Names in the state directory are ID and one of these. Only .intent and, beside it, .old and .new
// drive a repair; .kept and .damaged are records that wait for a person.
const (
	extIntent  = ".intent"
	extTemp    = ".intent.tmp" // a record that is being written: nothing has begun
	extOld     = ".old"
	extNew     = ".new"
	extKept    = ".kept"
	extDamaged = ".damaged"
)

// Names of temporary files beside the target: recognisable, hidden, and never too long whatever
// the target's name is.
const (
	tempPrefix = ".apex-save-"
	tempSuffix = ".tmp"
)

// recordMaxBytes bounds a record: two paths of 4096 bytes at four bytes each when quoted, and the
// fixed lines.
const recordMaxBytes = 64 << 10

// intent is what a save is about to do, so that Repair can end it.
//
// As a file it is text, and the last line is the hash of the lines before it:
//
//	apex save 1
//	target "/home/ann/notes"
//	temp "/home/ann/.apex-save-ID.tmp"     empty for a write in place
//	old HASH SIZE
//	new HASH SIZE
//	sum HASH
type intent struct {
	target, temp     string
	old, new         Hash
	oldSize, newSize int64 // bytes
}

func (it intent) inPlace() bool { return it.temp == "" }

const recordForm = "apex save 1\ntarget %q\ntemp %q\nold %s %d\nnew %s %d\n"

func (it intent) encode() []byte {
	b := fmt.Appendf(nil, recordForm,
		it.target, it.temp, it.old, it.oldSize, it.new, it.newSize)
	return fmt.Appendf(b, "sum %s\n", Sum(b))
}

// decode reads a record. It accepts exactly what encode writes.
func decode(b []byte) (intent, error) {
	var it intent
	var old, now string
	_, err := fmt.Sscanf(string(b), recordForm,
		&it.target, &it.temp, &old, &it.oldSize, &now, &it.newSize)
	if err == nil {
		it.old, err = parseHash(old)
	}
	if err == nil {
		it.new, err = parseHash(now)
	}
	if err == nil && !bytes.Equal(it.encode(), b) {
		err = fmt.Errorf("checksum differs")
	}
	if err != nil {
		return intent{}, fmt.Errorf("damaged record of %d bytes: %w", len(b), err)
	}
	return it, nil
}

func parseHash(s string) (h Hash, err error) {
	if len(s) != hex.EncodedLen(len(h)) {
		return h, fmt.Errorf("hash: got %d digits, want %d", len(s), hex.EncodedLen(len(h)))
	}
	_, err = hex.Decode(h[:], []byte(s))
	return h, err
}

// record is an intent on disk. Its lock says that a save or repair is at work on it.
type record struct {
	intent
	sys  system
	dir  string
	id   string
	lock handle
}

func (r *record) name(ext string) string { return filepath.Join(r.dir, r.id+ext) }

// newID is unique with no look at the disk, so saves side by side never meet.
func newID() string { return strings.ToLower(rand.Text()) }

func tempName(target, id string) string {
	return filepath.Join(filepath.Dir(target), tempPrefix+id+tempSuffix)
}

// begin writes the record and makes it durable, together with what was put into its directory
// before. On failure nothing of the record is left.
func (r *record) begin() (err error) {
	if err := r.sys.mkdirAll(r.dir, 0o700); err != nil {
		return err
	}
	h, err := r.sys.open(r.name(extTemp), os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return err
	}
	last := extTemp
	defer func() {
		if err != nil {
			r.sys.remove(r.name(last))
			h.Close()
		}
	}()
	if err := lock(h); err != nil {
		return err
	}
	if _, _, err := pour(h, slices.Values([][]byte{r.encode()})); err != nil {
		return err
	}
	if err := h.Sync(); err != nil {
		return err
	}
	if err := r.sys.rename(r.name(extTemp), r.name(extIntent)); err != nil {
		return err
	}
	last = extIntent
	if err := syncDir(r.sys, r.dir); err != nil {
		return err
	}
	r.lock = h
	return nil
}

// end removes the record, then what it spoke of, in an order that also holds on the disk: copies
// that are gone under a record that came back would look like damage.
//
// A record that is not held (never begun, or left for a repair) is not ended.
func (r *record) end() {
	if r.lock == nil {
		return
	}
	defer r.release()
	if r.sys.remove(r.name(extIntent)) != nil {
		return // Repair will see that everything is done
	}
	if r.inPlace() {
		syncDir(r.sys, r.dir)
		r.removeCopies()
	}
}

func (r *record) removeCopies() {
	r.sys.remove(r.name(extOld))
	r.sys.remove(r.name(extNew))
}

// release gives up the lock and leaves the record for a repair.
func (r *record) release() {
	if r.lock != nil {
		r.lock.Close()
		r.lock = nil
	}
}

// load opens, locks and reads a record. A record that another holds gives EWOULDBLOCK.
func load(sys system, dir, id string) (*record, error) {
	r := &record{sys: sys, dir: dir, id: id}
	h, err := sys.open(r.name(extIntent), os.O_RDWR|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, err
	}
	r.lock = h
	if err := lock(h); err != nil {
		r.release()
		return nil, err
	}
	b, err := io.ReadAll(io.NewSectionReader(h, 0, recordMaxBytes))
	if err == nil {
		r.intent, err = decode(b)
		if err != nil {
			err = damaged{err}
		}
	}
	if err != nil {
		r.release()
		return nil, err
	}
	return r, nil
}

// damaged is a record that was read and makes no sense.
type damaged struct{ error }

// lock ignores file systems without locks: there the caller's own order has to do.
func lock(h handle) error {
	if err := h.tryLock(); is(err, syscall.EWOULDBLOCK) {
		return err
	}
	return nil
}

func syncDir(sys system, dir string) error {
	h, err := sys.open(dir, os.O_RDONLY|syscall.O_DIRECTORY, 0)
	if err != nil {
		return err
	}
	defer h.Close()
	return h.Sync()
}

// isTemp reports whether path can be a temporary file for target: a record, however it came to
// be, never makes Repair remove anything else.
func isTemp(path, target string) bool {
	base := filepath.Base(path)
	return filepath.Dir(path) == filepath.Dir(target) &&
		strings.HasPrefix(base, tempPrefix) && strings.HasSuffix(base, tempSuffix)
}

// removeTemp removes a temporary file; that it is gone already is fine.
func removeTemp(sys system, path string) error {
	err := sys.remove(path)
	if is(err, syscall.ENOENT) {
		return nil
	}
	return err
}

// peek reads a record without its lock.
func peek(sys system, dir, id string) (intent, error) {
	h, err := sys.open(filepath.Join(dir, id+extIntent),
		os.O_RDONLY|syscall.O_NOFOLLOW|syscall.O_NONBLOCK, 0)
	if err != nil {
		return intent{}, err
	}
	defer h.Close()
	b, err := io.ReadAll(io.NewSectionReader(h, 0, recordMaxBytes))
	if err != nil {
		return intent{}, err
	}
	return decode(b)
}

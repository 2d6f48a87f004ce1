package file

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// Outcome says how a save that was cut off ended.
type Outcome int

// Outcomes. The zero value is none of them.
const (
	Finished   Outcome = iota + 1 // the file holds the new text
	RolledBack                    // the file holds the old text
	Cleaned                       // a left-over temporary file was removed, the file is untouched
	Kept                          // something else changed the file: left alone, the copies kept
	Waiting                       // the file is missing (not mounted?): all kept, tried next time
	Damaged                       // the record can't be read: set aside with its copies
)

// String returns the outcome in words.
func (o Outcome) String() string {
	switch o {
	case Finished:
		return "finished"
	case RolledBack:
		return "rolled back"
	case Cleaned:
		return "cleaned"
	case Kept:
		return "kept"
	case Waiting:
		return "waiting"
	case Damaged:
		return "damaged"
	}
	return fmt.Sprintf("outcome %d", int(o))
}

// Repaired is one save that a repair ended or had to leave.
type Repaired struct {
	Path    string // the file; for Damaged the record that was set aside
	Outcome Outcome
	Why     string // for Kept, Waiting and Damaged, in words for the user
	// Old and New are the copies in the state directory that hold the complete texts, for Kept,
	// Waiting and Damaged (there they may never have existed). They stay until a person removes
	// them.
	Old, New string
}

// Repair ends every save that a kill or a power loss cut off, from the records in intentDir, and
// removes what is left over. It is to be called once at start, before the first Save: copies that
// no record names yet are taken for left-overs. Calling it again changes nothing more. A record
// that can't be ended (an I/O error) stays for the next time; the others are not held up, and the
// error joins all that failed. A missing intentDir has nothing to repair.
func Repair(intentDir string) ([]Repaired, error) { return repair(disk{}, intentDir) }

func repair(sys system, dir string) ([]Repaired, error) {
	names, err := sys.readDir(dir)
	if is(err, syscall.ENOENT) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("repair %s: %w", dir, err)
	}
	slices.Sort(names)
	var all []Repaired
	var failed []error
	for _, id := range idsOf(names, extIntent) {
		got, err := repairOne(sys, dir, id, forward)
		if got.Outcome != 0 {
			all = append(all, got)
		}
		if err != nil && !is(err, syscall.EWOULDBLOCK) { // a running save is not cut off
			failed = append(failed, fmt.Errorf("repair %s: %w", filepath.Join(dir, id+extIntent), err))
		}
	}
	if err := sweep(sys, dir, names); err != nil {
		failed = append(failed, err)
	}
	return all, errors.Join(failed...)
}

// sweep removes records that were never completed and copies that no record of any kind names.
func sweep(sys system, dir string, names []string) error {
	var failed []error
	for _, ext := range []string{extTemp, extOld, extNew} {
		for _, id := range idsOf(names, ext) {
			named := func(e string) bool { return slices.Contains(names, id+e) }
			if ext != extTemp && (named(extIntent) || named(extKept) || named(extDamaged)) {
				continue
			}
			failed = append(failed, removeTemp(sys, filepath.Join(dir, id+ext)))
		}
	}
	return errors.Join(failed...)
}

func idsOf(names []string, ext string) []string {
	var ids []string
	for _, n := range names {
		if id, ok := strings.CutSuffix(n, ext); ok && !strings.Contains(id, ".") {
			ids = append(ids, id)
		}
	}
	return ids
}

// direction is which text a file that holds a mixture gets.
type direction bool

const (
	forward  direction = true  // the new text, the old one if that fails: at start
	backward direction = false // the old text: for a save whose failure the caller was told of
)

// repairOne ends the save of one record.
func repairOne(sys system, dir, id string, way direction) (Repaired, error) {
	r, err := load(sys, dir, id)
	var d damaged
	if errors.As(err, &d) {
		return setAsideDamaged(&record{sys: sys, dir: dir, id: id}, err)
	}
	if err != nil {
		return Repaired{}, err
	}
	defer r.release()
	if !r.inPlace() {
		return r.clean()
	}
	return r.repair(way)
}

func setAsideDamaged(r *record, cause error) (Repaired, error) {
	if err := r.sys.rename(r.name(extIntent), r.name(extDamaged)); err != nil {
		return Repaired{}, err
	}
	return Repaired{
		Path: r.name(extDamaged), Outcome: Damaged, Why: cause.Error(),
		Old: r.name(extOld), New: r.name(extNew),
	}, nil
}

// clean ends a save by rename. If the temporary file is there, the rename never happened.
func (r *record) clean() (Repaired, error) {
	if !isTemp(r.temp, r.target) {
		return setAsideDamaged(r, fmt.Errorf("temp %q is no temporary file for %q", r.temp, r.target))
	}
	err := r.sys.remove(r.temp)
	gone := is(err, syscall.ENOENT, syscall.ENOTDIR)
	if err != nil && !gone {
		return Repaired{}, err
	}
	r.end()
	if gone {
		return Repaired{}, nil
	}
	return Repaired{Path: r.target, Outcome: Cleaned}, nil
}

// repair ends a write in place.
func (r *record) repair(way direction) (Repaired, error) {
	const flags = os.O_RDWR | syscall.O_NONBLOCK | syscall.O_NOFOLLOW | syscall.O_NOCTTY
	h, err := r.sys.open(r.target, flags, 0)
	if is(err, syscall.ENOENT, syscall.ENOTDIR) {
		return r.left(Waiting, "the file is missing"), nil
	}
	if is(err, syscall.ELOOP, syscall.EISDIR, syscall.ENXIO) { // a link, directory or socket
		return r.keepCopies("the file was replaced by what is no regular file")
	}
	if err != nil {
		return Repaired{}, err
	}
	defer h.Close()
	if st, err := h.status(); err != nil {
		return Repaired{}, err
	} else if !st.mode.IsRegular() {
		return r.keepCopies("the file was replaced by " + kind(st.mode))
	}
	got, err := hashFile(h)
	if err != nil {
		return Repaired{}, err
	}
	switch got {
	case r.new:
		return r.settled(h, Finished)
	case r.old:
		return r.settled(h, RolledBack)
	}
	return r.mend(h, way)
}

// settled ends a record whose file is whole, once that is on disk.
func (r *record) settled(h handle, o Outcome) (Repaired, error) {
	if err := h.Sync(); err != nil {
		return Repaired{}, err
	}
	r.end()
	return Repaired{Path: r.target, Outcome: o}, nil
}

// mend gives a file that holds neither text one of them, provided that what it holds can have
// come from the cut-off save.
func (r *record) mend(h handle, way direction) (Repaired, error) {
	before, err := r.copy(extOld, r.old)
	if err != nil {
		return r.noCopy(err)
	}
	defer before.Close()
	after, err := r.copy(extNew, r.new)
	if err != nil {
		return r.noCopy(err)
	}
	defer after.Close()
	if mixed, err := r.mixture(h, before, after); err != nil {
		return Repaired{}, err
	} else if !mixed {
		return r.keepCopies("something else changed the file")
	}
	if way == forward {
		err := reserveFor(h, r.newSize, 0)
		if err == nil {
			_, _, err = pourFile(h, after, r.newSize)
		}
		if err == nil {
			return r.settled(h, Finished)
		}
	}
	if _, _, err := pourFile(h, before, r.oldSize); err != nil {
		return Repaired{}, err
	}
	return r.settled(h, RolledBack)
}

// errBadCopy is a copy that does not hold what the record says.
var errBadCopy = errors.New("the copy is damaged")

// copy opens one of the copies and proves it.
func (r *record) copy(ext string, want Hash) (handle, error) {
	h, err := r.sys.open(r.name(ext), os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if err != nil {
		return nil, err
	}
	got, err := hashFile(h)
	if err == nil && got != want {
		err = fmt.Errorf("%s: %w: got hash %s, want %s", r.name(ext), errBadCopy, got, want)
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// noCopy leaves the file to a person when a copy is missing or damaged. Any other failure may pass.
func (r *record) noCopy(err error) (Repaired, error) {
	if is(err, syscall.ENOENT) || errors.Is(err, errBadCopy) {
		return r.keepCopies(err.Error())
	}
	return Repaired{}, err
}

// mixture reports whether each byte of h is the old or the new text's at its place. Writing goes
// from one to the other in place, whatever order the disk took the blocks in and however often it
// was cut off; beyond the old text a block that never arrived reads as zeros.
func (r *record) mixture(h, before, after handle) (bool, error) {
	st, err := h.status()
	if err != nil {
		return false, err
	}
	if st.size < min(r.oldSize, r.newSize) || st.size > max(r.oldSize, r.newSize) {
		return false, nil
	}
	var got, a, b [4096]byte
	for off := int64(0); off < st.size; off += int64(len(got)) {
		n, err := readBlock(h, got[:], off)
		if err != nil {
			return false, err
		}
		na, err := readBlock(before, a[:], off)
		if err != nil {
			return false, err
		}
		nb, err := readBlock(after, b[:], off)
		if err != nil {
			return false, err
		}
		for i, c := range got[:n] {
			if !(i < na && c == a[i] || i < nb && c == b[i] || i >= min(na, nb) && c == 0) {
				return false, nil
			}
		}
	}
	return true, nil
}

// readBlock reads up to len(p) bytes; the end of the file is no error.
func readBlock(h handle, p []byte, off int64) (int, error) {
	n, err := h.ReadAt(p, off)
	if err == io.EOF {
		err = nil
	}
	return n, err
}

// keepCopies sets the record aside under a name that no repair touches again.
func (r *record) keepCopies(why string) (Repaired, error) {
	if err := r.sys.rename(r.name(extIntent), r.name(extKept)); err != nil {
		return Repaired{}, err
	}
	return r.left(Kept, why), nil
}

func (r *record) left(o Outcome, why string) Repaired {
	return Repaired{
		Path: r.target, Outcome: o, Why: why, Old: r.name(extOld), New: r.name(extNew),
	}
}

// settle ends an earlier write in place of the same file that failed and could not be rolled back.
// Left alone, its record would take what this save writes for a part of that failure. Backward:
// the caller was told that the old text is what counts.
func (s *saver) settle() error {
	dir := s.opts.IntentDir
	if dir == "" {
		return nil
	}
	names, err := s.sys.readDir(dir)
	if err != nil {
		return nil // writing in place will say so if it is needed
	}
	for _, id := range idsOf(names, extIntent) {
		if err := s.settleOne(dir, id); err != nil {
			return err
		}
	}
	return nil
}

func (s *saver) settleOne(dir, id string) error {
	// The name is read without the lock first: most records belong to other files' running saves.
	it, err := peek(s.sys, dir, id)
	if err != nil || it.target != s.target || !it.inPlace() {
		return nil // another file's, or gone by now
	}
	got, err := repairOne(s.sys, dir, id, backward)
	switch {
	case is(err, syscall.EWOULDBLOCK):
		return s.fail(CodeBusy, "another save of this file is running", nil)
	case is(err, syscall.ENOENT):
		return nil
	case err != nil:
		return s.fail(CodeUnfinished, "an earlier save of this file can't be ended", err)
	}
	if got.Outcome == Waiting {
		r := &record{sys: s.sys, dir: dir, id: id}
		return s.sys.rename(r.name(extIntent), r.name(extKept))
	}
	return nil
}

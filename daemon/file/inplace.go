package file

import (
	"fmt"
	"os"
	"path/filepath"
	"syscall"
)

// inPlace writes over the old file's own bytes:
//
//  1. both texts are copied to the state directory and synced
//  2. the record is written and synced, and the directory with it
//  3. room is reserved for the longer text
//  4. the file is written, cut and synced
//  5. the record is removed, then the copies
//
// Dying before 2 leaves copies that nobody refers to and the old text. Dying after 2 leaves a
// record from which either text can be made. Failing at 3 or 4 puts the old text back.
func (s *saver) inPlace(o *old) error {
	if s.opts.IntentDir == "" {
		return s.fail(CodeUnavailable, "writing in place needs a state directory for copies", nil)
	}
	rec := &record{sys: s.sys, dir: s.opts.IntentDir, id: newID()}
	rec.intent = intent{
		target: s.target, old: o.hash, oldSize: o.st.size, new: s.want, newSize: s.size,
	}
	copied, err := s.copies(rec, o)
	if err == nil {
		defer copied.Close()
		err = rec.begin()
	}
	if err != nil {
		rec.removeCopies()
		return fail("save", s.path, "copying aside before writing in place", err)
	}
	if err := reserveFor(o, s.size, o.st.size); err != nil {
		rec.end()
		return err
	}
	if err := synced(o, s.write(o)); err != nil {
		return s.undo(rec, o, copied, err)
	}
	o.restoreMode()
	rec.end()
	return nil
}

// copies writes both texts to the state directory and returns the open copy of the old one.
func (s *saver) copies(rec *record, o *old) (handle, error) {
	if err := s.sys.mkdirAll(rec.dir, 0o700); err != nil {
		return nil, err
	}
	// The directory may be new, and a record must not vanish with it. A parent that can't be
	// opened is not ours, and then neither is the directory new.
	err := syncDir(s.sys, filepath.Dir(rec.dir))
	if err != nil && !is(err, syscall.EACCES, syscall.EPERM) {
		return nil, err
	}
	next, err := createCopy(s.sys, rec.name(extNew))
	if err != nil {
		return nil, err
	}
	defer next.Close()
	if err := synced(next, s.write(next)); err != nil {
		return nil, err
	}
	h, err := createCopy(s.sys, rec.name(extOld))
	if err != nil {
		return nil, err
	}
	// What is copied is what will be put back: it must be what was compared with Expect.
	got, n, err := pourFile(h, o, o.st.size)
	err = synced(h, err)
	if err == nil && (got != o.hash || n != o.st.size) {
		err = s.fail(CodeChangedOnDisk, "the file was written while it was saved", nil)
	}
	if err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

// synced syncs what was written without an error.
func synced(h handle, err error) error {
	if err == nil {
		err = h.Sync()
	}
	return err
}

func createCopy(sys system, path string) (handle, error) {
	return sys.open(path, os.O_CREATE|os.O_EXCL|os.O_RDWR|syscall.O_NOFOLLOW, 0o600)
}

// undo puts the old text back after a failed write.
func (s *saver) undo(rec *record, o *old, copied handle, cause error) error {
	got, _, err := pourFile(o, copied, rec.oldSize)
	err = synced(o, err)
	if err == nil && got != rec.old {
		err = fmt.Errorf("copy %s: got hash %s, want %s", rec.name(extOld), got, rec.old)
	}
	if err != nil {
		rec.release()
		text := fmt.Sprintf("writing in place failed (%v) and so did putting the old text back; "+
			"both are whole in %s and %s", cause, rec.name(extOld), rec.name(extNew))
		return s.fail(CodeUnfinished, text, err)
	}
	o.restoreMode()
	rec.end()
	return cause
}

// restoreMode gives back setuid and setgid bits, which writing takes away. Only the owner may; for
// others losing them is the system's rule and no failure.
func (o *old) restoreMode() {
	if st, err := o.status(); err == nil && st.mode != o.st.mode {
		o.chmod(o.st.mode)
	}
}

// reserveFor makes sure that a file of have bytes can grow to want. A file system that can't
// promise is no failure: then a write that finds no room is undone from the copy.
func reserveFor(h handle, want, have int64) error {
	if want <= have {
		return nil
	}
	if err := h.reserve(want); is(err, syscall.ENOSPC, syscall.EDQUOT, syscall.EIO, syscall.EFBIG) {
		return err
	}
	return nil
}

package file

import (
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"os"
	"path/filepath"
	"syscall"
)

// How says which way a save went.
type How int

// The ways. The zero value is none of them.
const (
	Renamed How = iota + 1
	InPlace
	Created
)

// String returns the way in words, for the status line.
func (h How) String() string {
	switch h {
	case Renamed:
		return "renamed"
	case InPlace:
		return "in place"
	case Created:
		return "created"
	}
	return fmt.Sprintf("how %d", int(h))
}

// SaveOptions says what the caller knows of the disk.
type SaveOptions struct {
	// Expect is the hash of what was last read from or written to the file; nil says that there
	// should be no file. A disk that differs is refused with CodeChangedOnDisk, except when it
	// already holds the very bytes that are to be saved.
	Expect *Hash
	// Force saves over whatever the disk holds. It does not override permissions.
	Force bool
	// IntentDir is the state directory for records and copies; it is created (0700) when missing.
	// Without one ("") a save by rename works and one in place is refused.
	IntentDir string
}

// Saved is a save that is on disk.
type Saved struct {
	Hash Hash   // of the saved bytes: the next save's Expect
	How  How    // which way
	Why  string // for InPlace: what forbade the rename, in words for the user
}

// Save makes the file at path (absolute; links are followed) hold exactly the chunks, and returns
// when they are on disk. The chunks are iterated more than once and must yield the same bytes each
// time. After an error the file holds its old bytes, with two exceptions that the error's text
// states: the rename was made and only syncing the directory failed (the file is whole and new),
// and [CodeUnfinished].
func Save(path string, chunks iter.Seq[[]byte], opts SaveOptions) (Saved, error) {
	return save(disk{}, path, chunks, opts)
}

// saver is one save.
type saver struct {
	sys    system
	path   string // as asked
	target string // the end of the chain of links
	chunks iter.Seq[[]byte]
	want   Hash
	size   int64 // bytes
	opts   SaveOptions
}

func save(sys system, path string, chunks iter.Seq[[]byte], opts SaveOptions) (Saved, error) {
	s := &saver{sys: sys, path: path, chunks: chunks, opts: opts}
	saved, err := s.run()
	if err != nil {
		return Saved{}, fail("save", path, "", err)
	}
	return saved, nil
}

func (s *saver) run() (Saved, error) {
	clean, err := cleaned(s.path)
	if err != nil {
		return Saved{}, s.fail(CodeBadPath, "path is not absolute or holds a NUL byte", nil)
	}
	if s.target, err = final(clean); err != nil {
		return Saved{}, err
	}
	s.want, s.size = measure(s.chunks)
	if err := s.settle(); err != nil {
		return Saved{}, err
	}
	old, err := s.openOld()
	if is(err, syscall.ENOENT) {
		return s.create()
	}
	if err != nil {
		return Saved{}, err
	}
	defer old.Close()
	return s.replace(old)
}

func (s *saver) fail(code Code, text string, cause error) error {
	return &Error{Code: code, Op: "save", Path: s.path, Text: text, Err: cause}
}

// old is the file that is to be replaced.
type old struct {
	handle
	st      status
	hash    Hash
	running string // why it can't be written in place; "" if it can
}

// openOld opens the target for reading and writing: a rename would get around a file's missing
// write permission, and a save must not.
func (s *saver) openOld() (*old, error) {
	info, err := os.Lstat(s.target)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, s.fail(CodeNotRegular, kind(info.Mode()), nil)
	}
	const flags = syscall.O_NONBLOCK | syscall.O_NOFOLLOW | syscall.O_NOCTTY
	o := &old{}
	o.handle, err = s.sys.open(s.target, os.O_RDWR|flags, 0)
	if is(err, syscall.ETXTBSY) {
		o.running = err.Error()
		o.handle, err = s.sys.open(s.target, os.O_RDONLY|flags, 0)
	}
	if err != nil {
		return nil, err
	}
	if err := s.look(o); err != nil {
		o.Close()
		return nil, err
	}
	return o, nil
}

// look reads the status first: a change while the bytes are read shows up as a later difference.
func (s *saver) look(o *old) (err error) {
	if o.st, err = o.status(); err != nil {
		return err
	}
	if !o.st.mode.IsRegular() {
		return s.fail(CodeNotRegular, kind(o.st.mode), nil)
	}
	o.hash, err = hashFile(o)
	return err
}

// replace saves over an existing file.
func (s *saver) replace(o *old) (Saved, error) {
	if err := s.check(&o.hash); err != nil {
		return Saved{}, err
	}
	var why unkept
	if o.st.links > 1 {
		why.text = fmt.Sprintf("the file has %d hard links", o.st.links)
	} else if attrs, err := o.xattrs(); err != nil {
		if err = cantKeep("attributes", err); !errors.As(err, &why) {
			return Saved{}, err
		}
	} else if err := s.renameOver(o, attrs); err == nil {
		return Saved{Hash: s.want, How: Renamed}, nil
	} else if !errors.As(err, &why) {
		return Saved{}, err
	}
	if o.running != "" {
		return Saved{}, s.fail(CodeBusy, why.text, errors.New(o.running))
	}
	if err := s.inPlace(o); err != nil {
		return Saved{}, err
	}
	return Saved{Hash: s.want, How: InPlace, Why: why.text}, nil
}

// check compares the disk (nil: no file) with what the caller last saw there.
func (s *saver) check(got *Hash) error {
	want := s.opts.Expect
	switch {
	case s.opts.Force, got == nil && want == nil:
		return nil
	case got != nil && (*got == s.want || want != nil && *got == *want):
		return nil
	}
	return &Error{Code: CodeChangedOnDisk, Op: "save", Path: s.path, Want: want, Got: got}
}

// create saves a file that does not exist.
func (s *saver) create() (Saved, error) {
	if err := s.check(nil); err != nil {
		return Saved{}, err
	}
	err := s.viaTemp(0o666, func(handle) error { return nil }, func(temp string) error {
		err := s.sys.renameNew(temp, s.target)
		if is(err, syscall.EEXIST) {
			return s.fail(CodeChangedOnDisk, "the file appeared while it was saved", err)
		}
		return err
	})
	if err != nil {
		return Saved{}, err
	}
	return Saved{Hash: s.want, How: Created}, nil
}

// renameOver replaces the old file by a new one that has all of its properties. An unkept error
// says that it is not possible and that nothing was changed.
func (s *saver) renameOver(o *old, attrs []xattr) error {
	dress := func(h handle) error { return keep(h, o.st, attrs) }
	return s.viaTemp(0o600, dress, func(temp string) error {
		if err := s.recheck(o); err != nil {
			return err
		}
		return notAllowed("renaming over it", s.sys.rename(temp, s.target))
	})
}

// notAllowed turns the errors of a directory, mount point or sticky bit that forbid a rename into
// a reason for writing in place.
func notAllowed(what string, err error) error {
	if is(err, syscall.EACCES, syscall.EPERM, syscall.EBUSY, syscall.EXDEV, syscall.ETXTBSY) {
		var number syscall.Errno
		errors.As(err, &number)
		return unkept{fmt.Sprintf("%s is not allowed: %v", what, number), err}
	}
	return err
}

// recheck looks again at the last moment. The inode's times are only a hint, and only a hint that
// nothing happened saves reading the file again.
func (s *saver) recheck(o *old) error {
	h, err := s.sys.open(s.target, os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_NOFOLLOW, 0)
	if is(err, syscall.ENOENT) {
		return s.check(nil)
	}
	if err != nil {
		return err
	}
	defer h.Close()
	st, err := h.status()
	if err != nil || st.same(o.st) {
		return err
	}
	now := &old{handle: h}
	if err := s.look(now); err != nil {
		return err
	}
	if now.hash != o.hash {
		if err := s.check(&now.hash); err != nil {
			return err
		}
	}
	if st.ino != o.st.ino || st.mode != o.st.mode || st.links != o.st.links {
		return s.fail(CodeChangedOnDisk, "the file was replaced while it was saved", nil)
	}
	return nil
}

// viaTemp writes the text to a temporary file beside the target, lets dress finish it, syncs it,
// and lets place give it its name. On failure the temporary file is gone, or its record stays.
func (s *saver) viaTemp(
	perm fs.FileMode, dress func(handle) error, place func(temp string) error,
) (err error) {
	id := newID()
	temp := tempName(s.target, id)
	rec := s.note(id, temp)
	h, err := s.sys.open(temp, os.O_CREATE|os.O_EXCL|os.O_WRONLY|syscall.O_NOFOLLOW, perm)
	if err != nil {
		rec.end()
		return notAllowed("creating a file in its directory", err)
	}
	defer h.Close()
	defer func() {
		if err != nil && removeTemp(s.sys, temp) != nil {
			rec.release() // Repair removes what could not be removed now
			return
		}
		rec.end()
	}()
	if err := s.write(h); err != nil {
		return err
	}
	if err := dress(h); err != nil {
		return err
	}
	if err := h.Sync(); err != nil {
		return err
	}
	if err := place(temp); err != nil {
		return err
	}
	if err := s.syncParent(h); err != nil {
		return s.fail(CodeIO, "the new text is in the file, but may not survive a power loss", err)
	}
	return nil
}

// write pours the text and makes sure that it is the one that was promised.
func (s *saver) write(h handle) error {
	got, size, err := pour(h, s.chunks)
	if err == nil && (got != s.want || size != s.size) {
		err = fmt.Errorf("chunks changed while they were saved: got %d bytes, want %d", size, s.size)
	}
	return err
}

// syncParent makes a rename durable. A directory that may be searched but not read can't be
// opened; the journals of Linux file systems take a new name down with a sync of its file.
func (s *saver) syncParent(h handle) error {
	err := syncDir(s.sys, filepath.Dir(s.target))
	if is(err, syscall.EACCES, syscall.EPERM) {
		return h.Sync()
	}
	return err
}

// note records a save by rename. Without a record only the tidying after a kill is lost, so a
// state directory that is missing, full or read-only does not keep anybody from saving.
func (s *saver) note(id, temp string) *record {
	rec := &record{sys: s.sys, dir: s.opts.IntentDir, id: id}
	rec.intent = intent{target: s.target, temp: temp, new: s.want, newSize: s.size}
	if rec.dir != "" {
		_ = rec.begin() // a record that was never begun has nothing to end
	}
	return rec
}

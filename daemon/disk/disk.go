package disk

import "io"

// FS is a file system as the daemon's state needs it. Names are slash-separated paths. Errors of a
// missing or an existing name match fs.ErrNotExist and fs.ErrExist.
//
// An FS may be used by many goroutines at once.
type FS interface {
	// OpenFile opens a regular file. flag is made of os.O_RDONLY, os.O_RDWR, os.O_CREATE, os.O_EXCL
	// and os.O_TRUNC; a created file has mode 0600.
	OpenFile(name string, flag int) (File, error)
	// Rename gives a file a new name in one step and replaces what had that name.
	Rename(oldName, newName string) error
	// Remove removes a file or an empty directory.
	Remove(name string) error
	// ReadDir lists a directory in the order of its names.
	ReadDir(dir string) ([]Entry, error)
	// Mkdir makes one directory, mode 0700. MkdirAll is what most callers want.
	Mkdir(dir string) error
	// SyncDir makes the names in a directory durable.
	SyncDir(dir string) error
}

// Entry is one name in a directory.
type Entry struct {
	Name string // without its directory
	Size int64  // bytes; 0 for a directory
	Dir  bool
}

// File is an open regular file. ReadAt and WriteAt may be called by several goroutines at once.
type File interface {
	io.ReaderAt
	io.WriterAt
	io.Closer
	// Sync makes the content and the size durable (fdatasync).
	Sync() error
	// Truncate sets the size in bytes.
	Truncate(size int64) error
	// Size returns the size in bytes.
	Size() (int64, error)
}

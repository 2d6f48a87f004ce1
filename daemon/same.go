package daemon

import (
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"apex/core"
)

// sameTimeout bounds the search for a file's other names: one of them may lie on a file server that
// does not answer, and that must not keep another file from being opened.
const sameTimeout = time.Second

// otherName returns the name under which a buffer holds the file at path already: through a link, or
// by a hard link. Two buffers on one file would overwrite each other's work. It is empty if there is
// none.
func (s *session) otherName(path string) string {
	names := s.fileNames()
	found := make(chan string, 1)
	within(sameTimeout, func() {
		info, err := os.Stat(path)
		if err == nil {
			found <- sameFile(info, names)
		}
	})
	select {
	case name := <-found:
		return name
	default:
		return ""
	}
}

func sameFile(info fs.FileInfo, names []string) string {
	for _, name := range names {
		if other, err := os.Stat(name); err == nil && os.SameFile(info, other) {
			return name
		}
	}
	return ""
}

// fileNames lists the files and directories that buffers hold.
func (s *session) fileNames() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	var names []string
	for _, shard := range s.a.Meta().Shards {
		b := s.a.Buffer(core.BufferID(shard.ID))
		if shard.Kind == core.KindBuffer && b != nil && filepath.IsAbs(b.Name) &&
			(b.Kind == core.BufferFile || b.Kind == core.BufferDir) {
			names = append(names, b.Name)
		}
	}
	return names
}

// final is the path with its links resolved, itself if that can't be done.
func final(path string) string {
	if p, err := filepath.EvalSymlinks(path); err == nil {
		return p
	}
	return path
}

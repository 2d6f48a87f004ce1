package daemon

import (
	"os"
	"path/filepath"
	"sync"
	"time"

	"apex/core"
	"apex/daemon/file"
)

// cameUpFor is for how long a name that came up may be where a file went that is gone: both are told in
// one burst, and a file counts as gone a moment later.
const cameUpFor = 5 * time.Second

// cameUp remembers files that came up beside open ones.
type cameUp struct {
	mu    sync.Mutex
	files []newFile
}

type newFile struct {
	path  string
	bytes int64
	at    time.Time
}

// note takes in names that came up, and forgets old ones. What bounds a burst bounds them.
func (c *cameUp) note(names []string) {
	now := time.Now()
	var fresh []newFile
	for _, name := range names {
		if info, err := os.Lstat(name); err == nil && info.Mode().IsRegular() {
			fresh = append(fresh, newFile{name, info.Size(), now})
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.files {
		if now.Sub(f.at) < cameUpFor {
			fresh = append(fresh, f)
		}
	}
	c.files = fresh
}

// ofSize returns files of a size that came up a moment ago.
func (c *cameUp) ofSize(bytes int) (paths []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, f := range c.files {
		if f.bytes == int64(bytes) && time.Since(f.at) < cameUpFor {
			paths = append(paths, f.path)
		}
	}
	return paths
}

// recogniseMove notes where a buffer's file went that is gone: to a file that came up at the same time
// and holds what it held. Inodes prove nothing: the next file may get that of one that was removed.
func (s *session) recogniseMove(id core.BufferID, b *core.Buffer) {
	if !b.OnDisk || b.DiskBytes == 0 {
		return
	}
	for _, path := range s.d.cameUp.ofSize(b.DiskBytes) {
		if c, err := file.Open(path, int64(b.DiskBytes)); err != nil || core.Hash(c.Hash) != b.Disk {
			continue
		}
		if _, _, held := s.holding(path); held {
			continue
		}
		s.log.Info("an open file was renamed", "from", b.Name, "to", path)
		s.checks.mu.Lock()
		s.checks.moved[id] = path
		s.checks.mu.Unlock()
		return
	}
}

// cameBack forgets where a file went that is there.
func (s *session) cameBack(id core.BufferID) {
	s.checks.mu.Lock()
	delete(s.checks.moved, id)
	s.checks.mu.Unlock()
}

// movedTo returns where a buffer's file went; empty if it is not gone, or nobody knows.
func (s *session) movedTo(id core.BufferID) string {
	s.checks.mu.Lock()
	defer s.checks.mu.Unlock()
	return s.checks.moved[id]
}

// follow gives a buffer whose file was renamed to path its new name, and so its window and its history
// go on with the file. It returns the old name; empty if no buffer's file went there.
func (s *session) follow(author core.Author, path string) (from string, err error) {
	id, b := s.movedHere(path)
	if b == nil {
		return "", nil
	}
	if _, err := os.Lstat(b.Name); err == nil {
		return "", nil // it is there again
	}
	r := s.local(core.Proposal{Author: author, Ask: &core.AskRename{Buffer: id, Name: path}})
	if r.Err != nil {
		return "", r.Err
	}
	// What the old file held is what the new one held when it got its name: changes since show.
	r = s.local(core.Proposal{Author: diskAuthor, Ask: &core.AskClean{Buffer: id, Version: b.CleanVersion,
		Disk: core.DiskState{Hash: b.Disk, Bytes: b.DiskBytes, Name: path, Apart: b.Apart}}})
	s.cameBack(id)
	if r.Err != nil {
		return "", r.Err
	}
	s.upToDate(id)
	return b.Name, nil
}

// movedHere returns the buffer whose file went to path.
func (s *session) movedHere(path string) (core.BufferID, *core.Buffer) {
	s.checks.mu.Lock()
	var id core.BufferID
	for x, to := range s.checks.moved {
		if to == filepath.Clean(path) {
			id = x
		}
	}
	s.checks.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.a.Buffer(id)
	if id == 0 || b == nil || !b.Missing || b.Name == path {
		return 0, nil
	}
	return id, b
}

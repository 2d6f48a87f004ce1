package daemon

import (
	"sync"
	"time"

	"apex/core"
	"apex/core/edit"
	"apex/daemon/file"
	"apex/proto"
)

// A look at a file compares what is on disk with what the buffer was last read from or written to.
// Whoever leads the buffer makes the entry, as for any proposal, so a look fences nobody.
//
//  1. The file's content decides. If its inode is as it was when it was last read, and was so for
//     long enough, that is taken for its content.
//  2. What the buffer had from the disk: nothing changed.
//  3. What the buffer has by itself: it is clean.
//  4. Else a clean buffer takes it in, as an edit of the actor disk; the leader refuses that if the
//     buffer is dirty by then.
//  5. A dirty one is marked.

const (
	// checksAtOnce is how many files are read at a time: enough for a disk.
	checksAtOnce = 16
	// checkTimeout is how long a file may take to be read before others take its place: one on a file
	// server that hangs must not keep others from being looked at.
	checkTimeout = 10 * time.Second
	// readWaits is how long a reader waits for the look at a file: what it tells is then older.
	readWaits = time.Second
	// goneFor is how long a file must be gone to count as gone: some programs take it away and make it
	// again.
	goneFor = 100 * time.Millisecond
	// toldRest is how long a file must be at rest for its inode to be trusted where the system tells of
	// every change: what comes later within a tick of the kernel's clock is told a moment after.
	toldRest = 20 * time.Millisecond
	// checkTries bounds how often a text is compared that changes at the same time.
	checkTries = 8
)

// checks are a session's looks at files: one of a buffer at a time.
type checks struct {
	mu      sync.Mutex
	running map[core.BufferID]*checkRun
	seen    map[core.BufferID]sight
	moved   map[core.BufferID]string // where a file went that is gone
}

type checkRun struct {
	done chan struct{} // closed at the end of the look that runs
	next chan struct{} // and of the one after it; nil if nobody wants one
}

// sight is what a look found.
type sight struct {
	path  string
	look  file.Look
	hash  core.Hash
	large bool // it is more than a clean buffer can take in
}

// checkSoon has a buffer's file looked at, from now on, and returns what is closed when that is done;
// the turn is held.
func (s *session) checkSoon(id core.BufferID) <-chan struct{} {
	c := &s.checks
	c.mu.Lock()
	defer c.mu.Unlock()
	if r := c.running[id]; r != nil {
		if r.next == nil {
			r.next = make(chan struct{})
		}
		return r.next
	}
	r := &checkRun{done: make(chan struct{})}
	c.begin()
	c.running[id] = r
	done := r.done
	s.tasks.Go(func() {
		for more := true; more; more = c.ended(id) {
			s.check(id)
		}
	})
	return done
}

// ended ends a look, and reports whether another one is wanted.
func (c *checks) ended(id core.BufferID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	r := c.running[id]
	close(r.done)
	r.done, r.next = r.next, nil
	if r.done == nil {
		delete(c.running, id)
	}
	return r.done != nil
}

// upToDate waits until a buffer's file has been looked at, for a client that reads it, but not for
// long; the turn is not held.
func (s *session) upToDate(id core.BufferID) {
	s.mu.Lock()
	b := s.a.Buffer(id)
	if s.ended || !onFile(b) {
		s.mu.Unlock()
		return
	}
	s.mu.Unlock()
	if s.d.watch.Told(b.Name) && s.asSeen(id, b, toldRest) { // a stat there does not hang
		return
	}
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return
	}
	done := s.checkSoon(id)
	s.mu.Unlock()
	late := time.NewTimer(readWaits)
	defer late.Stop()
	select {
	case <-done:
	case <-late.C:
	}
}

// freshen has the file of a text looked at that a request is about to read: a tool is to see what the
// disk holds.
func (d *Daemon) freshen(r proto.Request) {
	var label, win string
	switch r := r.(type) {
	case *proto.Read:
		label, win = r.Session, r.Win
	case *proto.Info:
		label, win = r.Session, r.Win
	default:
		return
	}
	s, err := d.reg.session(label)
	if err != nil {
		return // the request says it
	}
	s.mu.Lock()
	_, id, _, err := s.text(win, false)
	s.mu.Unlock()
	if err == nil {
		s.upToDate(id)
	}
}

// freshen has the file of a window's text looked at that a command is about to act on.
func (s *session) freshen(w core.WindowID) {
	s.mu.Lock()
	win := s.a.Window(w)
	s.mu.Unlock()
	if win != nil {
		s.upToDate(win.Body)
	}
}

// asSeen reports whether the file's inode hints at no change since the buffer's file was looked at, if
// it was at rest then, and the buffer knows what was found.
func (s *session) asSeen(id core.BufferID, b *core.Buffer, rest time.Duration) bool {
	seen, ok := s.sightOf(id, b.Name)
	known := b.OnDisk && b.Disk == seen.hash
	if b.Stale {
		known = b.StaleDisk == seen.hash && (seen.large || b.Dirty())
	}
	if !ok || b.Missing || !known {
		return false
	}
	look, err := file.LookAt(b.Name)
	return err == nil && seen.look.Same(look, rest)
}

func (s *session) sightOf(id core.BufferID, path string) (sight, bool) {
	s.checks.mu.Lock()
	defer s.checks.mu.Unlock()
	seen, ok := s.checks.seen[id]
	return seen, ok && seen.path == path
}

// setSight notes what was found where a buffer's file is. Of what is gone nothing is kept.
func (s *session) setSight(id core.BufferID, v sight) {
	s.checks.mu.Lock()
	s.checks.begin()
	s.checks.seen[id] = v
	s.checks.mu.Unlock()
}

// begin makes the tables; the lock is held.
func (c *checks) begin() {
	if c.running == nil {
		c.running, c.seen = map[core.BufferID]*checkRun{}, map[core.BufferID]sight{}
		c.moved = map[core.BufferID]string{}
	}
}

// check looks at a buffer's file, until what it found is what is known.
func (s *session) check(id core.BufferID) {
	for range checkTries {
		s.mu.Lock()
		b := s.a.Buffer(id)
		if s.ended || s.a.Failed() || !onFile(b) { // when the disk takes records again all are looked at
			s.mu.Unlock()
			if b == nil {
				s.checks.forget(id)
			}
			return
		}
		s.mu.Unlock()
		if s.asSeen(id, b, file.Rest) || s.compare(id, b) {
			return
		}
	}
	s.log.Warn("a text changes faster than its file can be compared", "buffer", id.String())
}

func (c *checks) forget(id core.BufferID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.seen, id)
	delete(c.moved, id)
}

// compare takes in what the buffer's file holds. It reports false if the text was another one by
// then.
func (s *session) compare(id core.BufferID, b *core.Buffer) (done bool) {
	s.d.saves.lock(b.Name)() // a save of ours that runs is noted down before
	found, err := s.readDisk(id, b)
	switch code := core.CodeOf(err); {
	case code == core.CodeNotFound || err == nil && (found.New || found.Dir):
		return s.gone(id, b)
	case err != nil:
		s.log.Debug("a file can't be compared", "path", b.Name, "err", err)
		return true
	}
	disk := core.DiskState{Hash: core.Hash(found.Hash), Bytes: len(found.Data), Name: b.Name}
	if wrote := s.written(b.Name); wrote != nil && *wrote == found.Hash {
		return true // our own, and not noted down so far
	}
	s.cameBack(id)
	var ask core.Ask
	switch {
	case b.OnDisk && b.Disk == disk.Hash:
		if !b.Stale && !b.Missing {
			return true
		}
		ask = &core.AskStale{Buffer: id, Disk: disk.Hash, Name: b.Name, Seen: true}
	case b.Text.Bytes() == disk.Bytes && core.SumText(b.Text.Chunks()) == disk.Hash:
		ask = &core.AskClean{Buffer: id, Version: b.Version, Disk: disk}
	case b.Dirty():
		if b.Stale && b.StaleDisk == disk.Hash {
			return true
		}
		ask = &core.AskStale{Buffer: id, Disk: disk.Hash, Name: b.Name, Seen: true}
	default:
		ask = &core.AskSet{Buffer: id, HasBase: true, Base: b.Version, Disk: &disk,
			Edits: edit.Change(b, string(found.Data))}
	}
	return s.took(id, ask)
}

// took proposes what was seen of the disk. It reports false if it has to be looked at again.
func (s *session) took(id core.BufferID, ask core.Ask) bool {
	r := s.local(core.Proposal{Author: diskAuthor, Ask: ask})
	switch set, sets := ask.(*core.AskSet); {
	case r.Err != nil && r.Err.Code == core.CodeUnsaved:
		return false // it is dirty by now
	case r.Err != nil && r.Err.Code == core.CodeTooLarge && sets:
		s.log.Warn("a change on disk is too large to be taken in", "path", set.Disk.Name, "err", r.Err)
		if seen, ok := s.sightOf(id, set.Disk.Name); ok {
			seen.large = true
			s.setSight(id, seen)
		}
		s.local(core.Proposal{Author: diskAuthor, Ask: &core.AskStale{Buffer: id, Disk: set.Disk.Hash,
			Name: set.Disk.Name, Seen: true}})
		return true
	case r.Err != nil:
		if r.Err.Code != core.CodeNotFound {
			s.log.Warn("what the disk holds is not taken in", "buffer", id.String(), "err", r.Err)
		}
		return true
	}
	// A mark on a text that was saved meanwhile, or that has become what it was: look again.
	s.mu.Lock()
	defer s.mu.Unlock()
	b := s.a.Buffer(id)
	return r.Outcome != core.NeedsMerge && (b == nil || !b.Stale || b.Dirty())
}

// readDisk reads a buffer's file, a few at a time.
func (s *session) readDisk(id core.BufferID, b *core.Buffer) (file.Content, error) {
	s.d.checking <- struct{}{}
	defer func() { <-s.d.checking }()
	type answer struct {
		c    file.Content
		look file.Look
		err  error
	}
	read := make(chan answer, 1)
	ok := within(checkTimeout, func() {
		look, _ := file.LookAt(b.Name) // before: a change while it is read shows at the next look
		c, err := file.Open(b.Name, core.MaxTextBytes)
		read <- answer{c, look, err}
	})
	if !ok {
		return file.Content{}, core.Errorf(core.CodeUnavailable, "%s: not read in %v", b.Name, checkTimeout)
	}
	a := <-read
	if a.err == nil && !a.c.New && !a.c.Dir {
		s.setSight(id, sight{path: b.Name, look: a.look, hash: core.Hash(a.c.Hash)})
	}
	return a.c, fileError(a.err)
}

// gone marks a buffer whose file is gone, unless there never was one.
func (s *session) gone(id core.BufferID, b *core.Buffer) (done bool) {
	if !b.OnDisk && !b.Stale {
		return true
	}
	if !b.Missing {
		select {
		case <-time.After(goneFor):
		case <-s.d.stopped.Done():
		}
		if _, err := file.LookAt(b.Name); err == nil {
			return false
		}
	}
	s.recogniseMove(id, b)
	if b.Missing {
		return true
	}
	return s.took(id, &core.AskStale{Buffer: id, Name: b.Name, Seen: true, Missing: true})
}

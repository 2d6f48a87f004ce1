package daemon

import (
	"path/filepath"
	"slices"
	"sync"

	"apex/core"
	"apex/daemon/watch"
)

// watching is what a session has watched of the disk: the files that its buffers hold.
type watching struct {
	due   bool // buffers came, went or were renamed; the turn is held
	focus core.View

	mu    sync.Mutex // of those who bring it up to date, one at a time
	names map[string]bool
}

// renames reports whether a record may change which files are open.
func renames(batches []*core.Sealed) bool {
	for _, b := range batches {
		if b.Shard.Kind != core.KindBuffer && b.Shard.Kind != core.KindMeta {
			continue
		}
		for i := range b.Ops {
			switch b.Ops[i].Kind {
			case core.OpBufferNew, core.OpLoaded, core.OpRename, core.OpShardDel:
				return true
			}
		}
	}
	return false
}

// noticed begins what a turn leaves to be looked at on disk, at its end: files that were opened, and
// the one that got the focus. The turn is held.
func (s *session) noticed() {
	if s.ended || s.a == nil || s.d.watch == nil { // Check looks at no file
		return
	}
	if s.watching.due {
		s.watching.due = false
		s.tasks.Go(s.watchFiles)
	}
	if l := s.a.Layout(); l != nil && l.Focus != s.watching.focus {
		s.watching.focus = l.Focus
		s.lookedAt(l.Focus)
	}
}

// lookedAt has the file of a view looked at that somebody has turned to; the turn is held.
func (s *session) lookedAt(v core.View) {
	if id, ok := v.Window(); ok && !s.ended {
		if w := s.a.Window(id); w != nil && w.Body != 0 && w.Term == 0 {
			s.checkSoon(w.Body)
		}
	}
}

// watchFiles has the files watched that are open by now. Those that are new are looked at as soon as
// they are watched.
func (s *session) watchFiles() {
	w := &s.watching
	w.mu.Lock()
	defer w.mu.Unlock()
	open := map[string]bool{}
	s.mu.Lock()
	if !s.ended {
		for _, f := range s.openOnes() {
			open[f.name] = true
		}
	}
	s.mu.Unlock()
	for name := range w.names {
		if !open[name] {
			s.d.watch.Remove(name)
		}
	}
	for name := range open {
		if !w.names[name] {
			s.d.watch.Add(name)
		}
	}
	w.names = open
}

// openOne is a file that a buffer holds.
type openOne struct {
	name string
	id   core.BufferID
}

// openOnes lists the files that buffers hold; the turn is held.
func (s *session) openOnes() []openOne {
	var out []openOne
	for _, shard := range s.a.Meta().Shards {
		if shard.Kind != core.KindBuffer {
			continue
		}
		id := core.BufferID(shard.ID)
		if b := s.a.Buffer(id); onFile(b) {
			out = append(out, openOne{b.Name, id})
		}
	}
	return out
}

// onFile reports whether a buffer's text is compared with a file's.
func onFile(b *core.Buffer) bool {
	return b != nil && b.Kind == core.BufferFile && !b.Loading && filepath.IsAbs(b.Name)
}

// changedOnDisk has files looked at that something happened to.
func (d *Daemon) changedOnDisk(b watch.Burst) {
	d.cameUp.note(b.Appeared)
	for _, s := range d.reg.sessions() {
		s.mu.Lock()
		if !s.ended && s.a != nil {
			for _, f := range s.openOnes() {
				if _, hit := slices.BinarySearch(b.Files, f.name); hit {
					s.checkSoon(f.id)
				}
			}
		}
		s.mu.Unlock()
	}
}

// checkAll has every open file looked at; the turn is held.
func (s *session) checkAll() {
	for _, f := range s.openOnes() {
		s.checkSoon(f.id)
	}
}

package daemon

import (
	"cmp"
	"encoding/hex"
	"errors"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"apex/core"
	"apex/daemon/disk"
	"apex/daemon/journal"
	"apex/proto"
)

// Fsck verifies the sessions of a state directory that no daemon uses, and changes nothing. Whoever
// calls it holds the directory's lock. Errors: not_found if no session is meant.
func Fsck(state string, r *proto.Fsck) (*proto.Checked, error) {
	f := &fsck{fs: disk.OS, req: r}
	sessions := filepath.Join(state, "sessions")
	entries, err := f.fs.ReadDir(sessions)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, e := range entries {
		if e.Dir {
			f.offline(filepath.Join(sessions, e.Name), "", e.Name, false)
		} else if isSessionName(e.Name) {
			f.bad(e.Name, "it is a file, and not a directory with a journal")
		}
	}
	if r.Ended {
		if err := f.ended(filepath.Join(state, "ended")); err != nil {
			return nil, err
		}
	}
	return f.result()
}

// fsck verifies sessions.
type fsck struct {
	fs  disk.FS
	req *proto.Fsck
	out proto.Checked
}

// means reports whether a session is asked for. Its label is not known before it was read; one that
// can't be read may be any.
func (f *fsck) means(label, id string) bool {
	want := f.req.Session
	return want == "" || label == want || label == "" || isIDPart(want) && strings.HasPrefix(id, want)
}

// idPartMin is how many digits of an id are taken for one.
const idPartMin = 6

func isIDPart(s string) bool {
	_, err := hex.DecodeString(s[:len(s)&^1])
	return len(s) >= idPartMin && err == nil
}

// offline verifies a directory that nobody uses.
func (f *fsck) offline(dir, label, id string, ended bool) {
	if label != "" && !f.means(label, id) {
		return
	}
	c := newJournalCheck(id, core.Shard(f.req.Shard))
	c.kept(f.fs, dir)
	f.add(c.done(journal.Verify(f.fs, dir, c)), label, ended)
}

// bad adds a session of which there is nothing to read.
func (f *fsck) bad(id, what string) {
	f.add(&proto.SessionCheck{ID: id, Findings: []proto.Finding{{What: what}}}, "", false)
}

func (f *fsck) add(c *proto.SessionCheck, label string, ended bool) {
	c.Label, c.Ended = cmp.Or(label, c.Label), ended
	if f.means(c.Label, c.ID) {
		f.out.Sessions = append(f.out.Sessions, *c)
	}
}

// ended verifies the sessions that have ended. What a crash left half removed is not one any more.
func (f *fsck) ended(dir string) error {
	all, err := listEnded(f.fs, dir)
	for _, e := range all {
		if !e.going() {
			f.offline(filepath.Join(dir, e.name), e.label, e.id, true)
		}
	}
	return err
}

func (f *fsck) result() (*proto.Checked, error) {
	if f.req.Session != "" && len(f.out.Sessions) == 0 {
		return nil, core.Errorf(core.CodeNotFound, "no session %q", f.req.Session)
	}
	slices.SortStableFunc(f.out.Sessions, func(a, b proto.SessionCheck) int {
		return cmp.Or(strings.Compare(a.Label, b.Label), strings.Compare(a.ID, b.ID))
	})
	return &f.out, nil
}

// fsck verifies sessions that are in use: their files while they are written to, and their memory
// against what the files lead to. One runs at a time, since each holds a session a second time.
func (d *Daemon) fsck(r *proto.Fsck) (proto.Reply, error) {
	if !d.verifying.TryLock() {
		return nil, core.Errorf(core.CodeBusy, "sessions are being verified already")
	}
	defer d.verifying.Unlock()
	f := &fsck{fs: d.fs, req: r}
	slots, labels := d.reg.all()
	for i, sl := range slots {
		switch {
		case sl.s == nil:
			f.offline(sl.dir, labels[i], filepath.Base(sl.dir), false)
		case f.means(labels[i], filepath.Base(sl.s.dir)):
			f.add(sl.s.verify(core.Shard(r.Shard)), labels[i], false)
		}
	}
	if r.Ended {
		if err := f.ended(d.endedDir()); err != nil {
			return nil, err
		}
	}
	return f.result()
}

// verify is fsck of a session that is in use.
func (s *session) verify(shard core.Shard) *proto.SessionCheck {
	c := newJournalCheck(filepath.Base(s.dir), shard)
	c.kept(s.d.fs, s.dir)
	if err := s.flush(); err != nil {
		c.finding(proto.Finding{What: err.Error()})
	}
	s.mu.Lock()
	if s.durable >= s.last && !s.gated && !s.ended {
		c.live, c.liveAt = s.a.Copy(), s.last
	}
	s.mu.Unlock()
	return c.done(s.j.Verify(c))
}

package daemon

import (
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"apex/core"
	"apex/daemon/disk"
	"apex/daemon/journal"
)

// loadsAtOnce is how many sessions are read at a time: the disk is the limit, not the cores.
const loadsAtOnce = 4

// loaded is what was found in one session's directory.
type loaded struct {
	dir string
	s   *session
	err error
}

// load reads every session. One that can't be read is listed with the reason, and stops nobody.
func (d *Daemon) load() error {
	entries, err := d.fs.ReadDir(d.sessionsDir())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read sessions: %w", err)
	}
	making := map[string]bool{}
	entries = slices.DeleteFunc(entries, func(e disk.Entry) bool {
		name, is := strings.CutSuffix(e.Name, makingSuffix)
		making[name] = making[name] || is && !e.Dir
		return !e.Dir && !isSessionName(e.Name)
	})
	found := make([]loaded, len(entries))
	slots := make(chan struct{}, loadsAtOnce)
	var wg sync.WaitGroup
	for i, e := range entries {
		wg.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			dir := filepath.Join(d.sessionsDir(), e.Name)
			s, err := d.recoverEntry(e, making[e.Name])
			found[i] = loaded{dir, s, err}
		})
	}
	wg.Wait()
	// The oldest keeps its label, whatever order the disk gave them in.
	slices.SortFunc(found, func(a, b loaded) int {
		return cmp.Or(cmp.Compare(a.created(), b.created()), strings.Compare(a.dir, b.dir))
	})
	setCopiesAside(found)
	for _, f := range found {
		d.enter(f)
		if errors.Is(f.err, errUnborn) && d.fs.Remove(f.dir) != nil {
			delete(making, filepath.Base(f.dir)) // not empty: the next start has to know again
		}
	}
	for name := range making {
		if making[name] {
			d.made(filepath.Join(d.sessionsDir(), name))
		}
	}
	return nil
}

// setCopiesAside closes sessions that are there twice: one that lies in the directory that is named
// after it runs, or else the first.
func setCopiesAside(found []loaded) {
	runs := map[core.SessionID]int{}
	for i, f := range found {
		if f.s == nil {
			continue
		}
		first, twice := runs[f.s.id]
		if !twice || filepath.Base(f.dir) == hex.EncodeToString(f.s.id[:]) {
			runs[f.s.id] = i
		} else {
			first = i
		}
		if twice {
			c := &found[first]
			c.s.end(errEnded)
			c.s.tasks.Wait()
			c.err = errors.Join(fmt.Errorf("a copy of session %x, which runs", c.s.id[:]), c.s.j.Close())
			c.s = nil
		}
	}
}

// isSessionName reports whether a name in the directory of sessions is that of one.
func isSessionName(name string) bool {
	_, ok := parseSessionID(name)
	return ok
}

func parseSessionID(name string) (id core.SessionID, ok bool) {
	b, err := hex.DecodeString(name)
	copy(id[:], b)
	return id, err == nil && len(b) == len(id)
}

// recoverEntry reads a session from what is there under its name, unless nothing is left of it.
// One that was being made may have no journal yet.
func (d *Daemon) recoverEntry(e disk.Entry, making bool) (*session, error) {
	if !e.Dir {
		return nil, errors.New("it is a file, and not a directory with a journal")
	}
	dir := filepath.Join(d.sessionsDir(), e.Name)
	has, err := journal.Exists(d.fs, dir)
	switch {
	case err != nil:
		return nil, err
	case !has && making:
		return nil, errUnborn
	case !has:
		return nil, errors.New("its journal is gone")
	}
	return d.recoverSession(dir)
}

// makingSuffix ends the name of the file that lies beside a session's directory while it is made:
// without it, a directory without a journal is a loss.
const makingSuffix = ".new"

// made says that a session is there, or that its making was given up.
func (d *Daemon) made(dir string) {
	if err := d.fs.Remove(dir + makingSuffix); err != nil {
		d.log.Warn("a session is still marked as being made", "dir", dir, "err", err)
	}
}

// created is when a session was made; those that can't be read come last.
func (f loaded) created() core.Millis {
	if f.s == nil {
		return 1<<63 - 1
	}
	return f.s.a.Meta().Identity.Created
}

// errUnborn is a session whose first record never became durable: nobody was told that it exists.
var errUnborn = errors.New("the session was never made")

// enter puts a session that was read into the registry.
func (d *Daemon) enter(f loaded) {
	switch {
	case errors.Is(f.err, errUnborn):
		d.log.Info("a session was not made before the daemon ended", "dir", f.dir)
	case f.err != nil:
		d.log.Error("session can't be read", "dir", f.dir, "err", f.err)
		name := filepath.Base(f.dir)
		sl := d.reg.reserveNear("damaged-" + name[:min(8, len(name))])
		sl.dir = f.dir
		sl.fill(nil, core.Errorf(core.CodeUnavailable, "session %s can't be read: %v", f.dir, f.err))
	default:
		label := f.s.a.Meta().Label
		sl := d.reg.reserveNear(label)
		if sl.label != label {
			f.s.log.Warn("two sessions have one label", "label", label, "now", sl.label)
			if err := f.s.relabel(sl.label); err != nil {
				f.s.log.Error("session keeps a label that another one has", "err", err)
			}
		}
		sl.fill(f.s, nil)
	}
}

func (s *session) openJournal() (err error) {
	s.j, err = journal.Open(s.d.fs, s.dir, journal.Options{Durable: s.stored, Failed: s.storeFailed,
		MaxPending: journalMaxPending})
	return err
}

// journalMaxPending is far above what the authority and the turn let wait for the disk, so that a
// record is not refused.
const journalMaxPending = 4 * journal.DefaultMaxPending

// recoverSession reads a session from its journal.
func (d *Daemon) recoverSession(dir string) (*session, error) {
	s := d.newSession(dir)
	if err := s.openJournal(); err != nil {
		return nil, err
	}
	r := newRecovery()
	report, err := s.j.Recover(r)
	r.end()
	if err == nil && report.Generation != 0 && report.Last == 0 && report.Parts == 0 &&
		len(report.Damages) == 0 {
		err = errUnborn
	}
	if err != nil {
		return nil, errors.Join(err, s.j.Close())
	}
	s.tell(report)
	if err := s.restore(r, report); err != nil {
		return nil, errors.Join(err, s.j.Close())
	}
	if report.NotDurable != nil {
		s.reviveNow()
	} else if report.Tail != nil { // so that the next start still knows
		if err := s.rotateNow(); err != nil {
			s.log.Error("new generation not begun", "err", err)
		}
	}
	return s, nil
}

// tell logs what was wrong with a journal.
func (s *session) tell(report journal.Report) {
	for _, x := range report.Damages {
		s.log.Error("journal damaged", "where", x.String(), "part", x.Part)
	}
	if report.Tail != nil {
		s.log.Warn("an unfinished record was cut", "where", report.Tail.Damage.String(),
			"kept", report.Tail.Kept)
	}
}

// restore makes the session's state of what was read.
func (s *session) restore(r *recovery, report journal.Report) error {
	r.settle()
	a, ready, err := r.restore.Done(now())
	if err != nil {
		return err
	}
	s.mu.Lock()
	defer s.unlock()
	s.a, s.id = a, a.Session()
	s.last, s.durable, s.stamp = report.Last, report.Last, r.stamp
	s.readOnly, s.losses = r.readOnly(), r.lost(report, now())
	if report.NotDurable != nil {
		s.notDurable(report.NotDurable)
	}
	s.watching.due = true
	s.perform(ready)
	return nil
}

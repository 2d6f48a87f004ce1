package daemon

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"apex/core"
	"apex/daemon/disk"
)

// Ended sessions are kept for a while, so that one that was ended by mistake is not lost. Their
// directories are moved to ended/, under names that say which session it was and when it ended:
// LABEL,TIME,ID. That a name is there is also how it is known that a session has ended.
const (
	// endedMaxBytes bounds what all of them take, the newest one aside: as much as four sessions
	// with full histories.
	endedMaxBytes = 1 << 30
	// endedMaxAge is how long one is kept: long enough to come back to last quarter's work.
	endedMaxAge = 90 * 24 * time.Hour
	// endedEvery is how often a daemon looks for those that are too old.
	endedEvery = 24 * time.Hour

	endedTime = "20060102T150405.000Z"
	// removedSuffix ends the name of one that is being removed: whoever finds it goes on.
	removedSuffix = ".removed"
)

// ended is an ended session's directory.
type ended struct {
	name  string // in ended/
	label string
	id    string // the name of its directory
	at    time.Time
	size  int64 // bytes
}

// going reports whether its removal was cut off.
func (e *ended) going() bool { return strings.HasSuffix(e.name, removedSuffix) }

func endedName(label string, at time.Time, id string) string {
	return strings.Join([]string{label, at.UTC().Format(endedTime), id}, ",")
}

// parseEnded reports whether a name is one that endedName makes.
func parseEnded(name string) (e ended, ok bool) {
	parts := strings.Split(name, ",")
	if len(parts) != 3 {
		return ended{}, false
	}
	at, err := time.Parse(endedTime, parts[1])
	return ended{name: name, label: parts[0], at: at, id: strings.TrimSuffix(parts[2], removedSuffix)},
		err == nil
}

// listEnded returns what ended/ has, oldest first, without sizes. Names that are not the daemon's
// are left out, and alone.
func (d *Daemon) listEnded() ([]ended, error) { return listEnded(d.fs, d.endedDir()) }

func listEnded(fsys disk.FS, dir string) ([]ended, error) {
	entries, err := fsys.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var out []ended
	for _, x := range entries {
		if e, ok := parseEnded(x.Name); ok && x.Dir {
			out = append(out, e)
		}
	}
	slices.SortStableFunc(out, func(a, b ended) int { return a.at.Compare(b.at) })
	return out, err
}

// hasEnded says of a label that no session has when the last session of that label ended; not_found
// if none is known.
func (d *Daemon) hasEnded(label string) (string, error) {
	all, err := d.listEnded()
	for _, e := range slices.Backward(all) {
		if e.label == label && !e.going() {
			return fmt.Sprintf("session %q ended at %s", label, e.at.Format(time.RFC3339)), nil
		}
	}
	if err != nil {
		return "", core.Errorf(core.CodeUnavailable, "no session %q, and what ended is not known: %v",
			label, err)
	}
	return "", core.Errorf(core.CodeNotFound, "no session %q", label)
}

// setAside moves an ended session's files away.
func (d *Daemon) setAside(label, dir string) error {
	if err := disk.MkdirAll(d.fs, d.endedDir()); err != nil {
		return err
	}
	name := endedName(label, time.Now(), filepath.Base(dir))
	err := d.fs.Rename(dir, filepath.Join(d.endedDir(), name))
	if errors.Is(err, fs.ErrNotExist) {
		return d.nothingAside(label, name)
	}
	if err == nil {
		err = d.fs.SyncDir(d.endedDir())
	}
	if err == nil {
		err = d.fs.SyncDir(d.sessionsDir())
	}
	d.keepEnded()
	return err
}

// nothingAside notes that a session ended whose files somebody deleted.
func (d *Daemon) nothingAside(label, name string) error {
	d.log.Warn("an ended session's files were gone", "label", label)
	return disk.MkdirAll(d.fs, filepath.Join(d.endedDir(), name))
}

// endedDirs is what the daemon does to ended/: one look at a time.
type endedDirs struct {
	mu     sync.Mutex
	looked time.Time // when it was looked through
}

// keepEnded removes ended sessions that have outlived their time or are beyond the budget.
func (d *Daemon) keepEnded() {
	h := &d.home.ended
	h.mu.Lock()
	defer h.mu.Unlock()
	h.looked = time.Now()
	all, err := d.listEnded()
	if err != nil {
		d.log.Warn("ended sessions are not looked through", "err", err)
	}
	for i := range all {
		all[i].size = d.treeBytes(filepath.Join(d.endedDir(), all[i].name))
	}
	for _, e := range surplus(all, h.looked) {
		if err := d.removeEnded(e.name); err != nil {
			d.log.Warn("an ended session is not removed", "name", e.name, "err", err)
			continue
		}
		d.log.Info("an ended session is removed", "name", e.name, "bytes", e.size)
	}
}

// keepEndedDaily is keepEnded if that was long ago.
func (d *Daemon) keepEndedDaily() {
	d.home.ended.mu.Lock()
	due := time.Since(d.home.ended.looked) > endedEvery
	d.home.ended.mu.Unlock()
	if due {
		d.keepEnded()
	}
}

// surplus returns those that are to go, of all, oldest first: what is half removed, what is too
// old, and the oldest until the rest fits the budget. The newest stays for its time whatever its
// size.
func surplus(all []ended, now time.Time) []ended {
	var out []ended
	total := int64(0)
	for _, e := range all {
		total += e.size
	}
	for i, e := range all {
		over := total > endedMaxBytes && i < len(all)-1
		if e.going() || now.Sub(e.at) > endedMaxAge || over {
			out = append(out, e)
			total -= e.size
		}
	}
	return out
}

// removeEnded removes an ended session's directory, under another name first: what is left by a
// crash in the middle is not taken for a session.
func (d *Daemon) removeEnded(name string) error {
	from := filepath.Join(d.endedDir(), name)
	if !strings.HasSuffix(name, removedSuffix) {
		if err := d.fs.Rename(from, from+removedSuffix); err != nil {
			return err
		}
		from += removedSuffix
	}
	return d.removeTree(from)
}

func (d *Daemon) removeTree(dir string) error {
	entries, err := d.fs.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, x := range entries {
		path := filepath.Join(dir, x.Name)
		remove := d.fs.Remove
		if x.Dir {
			remove = d.removeTree
		}
		if err := remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return d.fs.Remove(dir)
}

// treeBytes is what the files of a directory take, as far as it can be read.
func (d *Daemon) treeBytes(dir string) int64 {
	entries, _ := d.fs.ReadDir(dir)
	n := int64(0)
	for _, x := range entries {
		if n += x.Size; x.Dir {
			n += d.treeBytes(filepath.Join(dir, x.Name))
		}
	}
	return n
}

package watch

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"time"
)

// dirState says how a directory's files are watched.
type dirState uint8

const (
	unwatched dirState = iota // not yet, or not any more
	notified                  // by the notifier
	polled
)

// dir is a directory that holds watched files.
type dir struct {
	files map[string]map[string]bool // by the name in it: the watched files that this is a place of
	state dirState
	why   error // that it is polled
	looks map[string]fs.FileInfo
}

// errRemote says that a directory's file system does not tell what others do there.
var errRemote = errors.New("a network file system, which does not tell of changes")

// Polling is what can't be watched.
type Polling struct {
	Dirs int    // directories; those that are gone don't count
	Why  string // of one of them
}

// Polling returns what is polled because it can't be watched.
func (w *Watcher) Polling() Polling {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.polling()
}

func (w *Watcher) polling() (p Polling) {
	for _, d := range w.dirs {
		if d.state != polled || errors.Is(d.why, fs.ErrNotExist) {
			continue
		}
		if why := d.why.Error(); p.Why == "" || why < p.Why {
			p.Why = why
		}
		p.Dirs++
	}
	return p
}

// keep places files, watches their directories, and polls those that can't be watched.
func (w *Watcher) keep() {
	poll := time.NewTimer(time.Hour)
	defer poll.Stop()
	defer w.closeNotifier()
	due := false
	for {
		select {
		case <-w.done:
			return
		case <-poll.C:
			due = false
			w.poll()
		case <-w.work:
		}
		w.placeAll()
		if w.arm() && !due {
			due = true
			poll.Reset(w.o.PollEvery)
		}
		w.tell()
	}
}

// closeNotifier ends what listens to the notifier, at the end of keep, which alone makes one.
func (w *Watcher) closeNotifier() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.notifier != nil {
		w.notifier.Close()
	}
}

// placeAll looks up where files are that are new or that something happened to.
func (w *Watcher) placeAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.unplaced) > 0 {
		var names []string
		for name := range w.unplaced {
			names = append(names, name)
		}
		clear(w.unplaced)
		w.mu.Unlock()
		places := make([][]place, len(names))
		for i, name := range names {
			places[i] = placesOf(name)
		}
		w.mu.Lock()
		for i, name := range names {
			if f := w.files[name]; f != nil && !slices.Equal(f.places, places[i]) {
				w.unplace(name, f)
				w.place(name, f, places[i])
			}
		}
	}
}

// placesOf returns the names under which something may happen to a file: its own, and that which its
// links lead to.
func placesOf(name string) []place {
	own := place{realDir(filepath.Dir(name)), filepath.Base(name)}
	out := []place{own}
	if real, err := filepath.EvalSymlinks(name); err == nil {
		if p := (place{filepath.Dir(real), filepath.Base(real)}); p != own {
			out = append(out, p)
		}
	}
	return out
}

// realDir is a directory's path without links, itself if it is gone.
func realDir(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// place enters a file at its places; the lock is held.
func (w *Watcher) place(name string, f *watched, places []place) {
	f.places = places
	for _, p := range places {
		d := w.dirs[p.dir]
		if d == nil {
			d = &dir{files: map[string]map[string]bool{}}
			w.dirs[p.dir] = d
		}
		if d.files[p.base] == nil {
			d.files[p.base] = map[string]bool{}
		}
		d.files[p.base][name] = true
		if d.state != unwatched {
			w.touch(name)
		}
	}
}

// unplace takes a file out of its places, and ends the watching of directories that hold no other;
// the lock is held.
func (w *Watcher) unplace(name string, f *watched) {
	for _, p := range f.places {
		d := w.dirs[p.dir]
		delete(d.files[p.base], name)
		if len(d.files[p.base]) == 0 {
			delete(d.files, p.base)
		}
		if len(d.files) == 0 {
			delete(w.dirs, p.dir)
			if d.state == notified {
				w.notifier.Remove(p.dir)
			}
		}
	}
	f.places = nil
}

// arm watches directories that are not watched, and reports whether some can't be. When the system
// has no watches left, it is not asked for more of them until the next time.
func (w *Watcher) arm() (polls bool) {
	w.mu.Lock()
	var todo []string
	for path, d := range w.dirs {
		if d.state != notified {
			todo = append(todo, path)
		}
	}
	w.mu.Unlock()
	var full error
	for _, path := range todo {
		err := full
		if err == nil {
			err = w.armOne(path)
		}
		if errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EMFILE) {
			full = err
		}
		polls = polls || err != nil
		w.armed(path, err)
	}
	return polls
}

// armOne begins to watch a directory.
func (w *Watcher) armOne(path string) error {
	if _, err := os.Stat(path); err != nil {
		return err
	}
	if remote(path) {
		return errRemote
	}
	n, err := w.open()
	if err != nil {
		return fmt.Errorf("the system's watches: %w", err)
	}
	return n.Add(path)
}

// open returns the notifier, made if there is none yet.
func (w *Watcher) open() (Notifier, error) {
	w.mu.Lock()
	n := w.notifier
	w.mu.Unlock()
	if n != nil {
		return n, nil
	}
	n, err := w.o.Open()
	if err != nil {
		return nil, err
	}
	w.mu.Lock()
	w.notifier = n
	w.mu.Unlock()
	w.wg.Go(func() { w.listen(n) })
	return n, nil
}

// armed notes how a directory is watched from now on. What happened in it before that is not known:
// all of its files count.
func (w *Watcher) armed(path string, err error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.dirs[path]
	switch {
	case d == nil && err == nil:
		w.notifier.Remove(path) // nobody wants it any more
	case d == nil:
	case err == nil:
		d.state, d.why, d.looks = notified, nil, nil
		w.touchDir(d)
	case d.state == unwatched:
		d.state, d.why, d.looks = polled, err, map[string]fs.FileInfo{}
		w.touchDir(d)
	default:
		d.why = err
	}
}

// poll looks at the files that are polled.
func (w *Watcher) poll() {
	w.mu.Lock()
	looks := map[string][]string{}
	for path, d := range w.dirs {
		if d.state == polled {
			for base := range d.files {
				looks[path] = append(looks[path], base)
			}
		}
	}
	w.mu.Unlock()
	for path, names := range looks {
		for _, base := range names {
			info, err := os.Stat(filepath.Join(path, base))
			if err != nil {
				info = nil
			}
			w.looked(path, base, info)
		}
	}
}

// looked takes in what a look at a polled file has found.
func (w *Watcher) looked(path, base string, info fs.FileInfo) {
	w.mu.Lock()
	defer w.mu.Unlock()
	d := w.dirs[path]
	if d == nil || d.state != polled {
		return
	}
	before, known := d.looks[base]
	d.looks[base] = info
	if known && sameLook(before, info) {
		return
	}
	for name := range d.files[base] {
		w.touch(name)
	}
}

// sameLook reports whether two looks hint at no change.
func sameLook(a, b fs.FileInfo) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return os.SameFile(a, b) && a.Size() == b.Size() && a.ModTime().Equal(b.ModTime())
}

// tell logs, once for a time of it, that something is polled.
func (w *Watcher) tell() {
	w.mu.Lock()
	p := w.polling()
	news := (p.Dirs > 0) != w.troubled
	w.troubled = p.Dirs > 0
	w.mu.Unlock()
	switch {
	case news && p.Dirs > 0:
		w.o.Log.Warn("changes of files are looked for by polling", "directories", p.Dirs,
			"every", w.o.PollEvery, "why", p.Why)
	case news:
		w.o.Log.Info("changes of files are told by the system again")
	}
}

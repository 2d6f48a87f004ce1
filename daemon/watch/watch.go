package watch

import (
	"log/slog"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

const (
	// quiet is how long nothing has to happen before a burst is told: a program that writes a file in
	// pieces, or a checkout of many, is one.
	quiet = 50 * time.Millisecond
	// most is how long a burst is gathered at most: what goes on for longer is told in parts.
	most = 250 * time.Millisecond
	// pollEvery is how often files are looked at that can't be watched. It is what people wait for
	// anyway after a build; a look costs about a microsecond a file.
	pollEvery = 2 * time.Second
	// appearedMax bounds the names of other files that come up in one burst. Past it the rest is not
	// told, and what that costs is that a renamed file is not recognised.
	appearedMax = 4096
)

// Burst is what happened at about the same time.
type Burst struct {
	Files    []string // watched files that something happened to, ordered
	Appeared []string // other names that came up in the directories of watched files
}

// Options say how a Watcher works. The zero value of a field means its default.
type Options struct {
	Log *slog.Logger
	// Changed is told of bursts, one at a time.
	Changed func(Burst)
	// Open makes the notifier; the operating system's if nil. It is tried again after an error.
	Open func() (Notifier, error)
	// PollEvery is how often is polled what can't be watched.
	PollEvery time.Duration
}

// Watcher watches the directories of files. It is safe for concurrent use.
type Watcher struct {
	o     Options
	done  chan struct{}
	burst chan struct{} // something was touched
	work  chan struct{} // there is something for keep
	wg    sync.WaitGroup

	mu       sync.Mutex
	closed   bool
	files    map[string]*watched
	dirs     map[string]*dir
	touched  map[string]bool // files, since the last burst
	appeared []string
	unplaced map[string]bool // files whose places are to be looked up
	notifier Notifier        // nil: it could not be made
	troubled bool            // that something is polled was logged
}

// watched is a file that somebody wants to know of.
type watched struct {
	users  int
	places []place
}

// place is a name in a directory, which has no links in its path.
type place struct{ dir, base string }

// New begins to watch. Close ends it.
func New(o Options) *Watcher {
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Open == nil {
		o.Open = System
	}
	if o.PollEvery == 0 {
		o.PollEvery = pollEvery
	}
	w := &Watcher{o: o, done: make(chan struct{}), burst: make(chan struct{}, 1),
		work: make(chan struct{}, 1), files: map[string]*watched{}, dirs: map[string]*dir{},
		touched: map[string]bool{}, unplaced: map[string]bool{}}
	w.wg.Go(w.run)
	w.wg.Go(w.keep)
	return w
}

// Close ends the watching. Nothing is told afterwards.
func (w *Watcher) Close() {
	w.mu.Lock()
	if w.closed {
		w.mu.Unlock()
		return
	}
	w.closed = true
	w.mu.Unlock()
	close(w.done)
	w.wg.Wait()
}

// Add begins to watch a file, by its absolute name, which need not be there. It is told in a burst as
// soon as it is watched: what happened before is not missed.
func (w *Watcher) Add(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.files[name]
	if f == nil {
		f = &watched{}
		w.files[name] = f
		w.unplaced[name] = true
		poke(w.work)
	}
	f.users++
}

// Remove takes back one Add.
func (w *Watcher) Remove(name string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.files[name]
	if f == nil {
		return
	}
	if f.users--; f.users > 0 {
		return
	}
	w.unplace(name, f)
	delete(w.files, name)
	delete(w.unplaced, name)
	delete(w.touched, name)
}

// Told reports whether the system tells of changes of a file that is watched, which it does on disks of
// this machine only.
func (w *Watcher) Told(name string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	f := w.files[name]
	if f == nil || len(f.places) == 0 {
		return false
	}
	for _, p := range f.places {
		if w.dirs[p.dir].state != notified {
			return false
		}
	}
	return true
}

// poke wakes a goroutine that looks at everything when it wakes.
func poke(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// run tells bursts.
func (w *Watcher) run() {
	rest := time.NewTimer(time.Hour)
	defer rest.Stop()
	for {
		select {
		case <-w.done:
			return
		case <-w.burst:
		}
		began := time.Now()
		rest.Reset(quiet)
		for gathering := true; gathering; {
			select {
			case <-w.done:
				return
			case <-w.burst:
				rest.Reset(min(quiet, max(most-time.Since(began), 0)))
			case <-rest.C:
				gathering = false
			}
		}
		if b := w.take(); len(b.Files) > 0 {
			w.o.Changed(b)
		}
	}
}

// take ends a burst. A file that something happened to may be a link that leads elsewhere now.
func (w *Watcher) take() Burst {
	w.mu.Lock()
	defer w.mu.Unlock()
	b := Burst{Appeared: w.appeared}
	for name := range w.touched {
		b.Files = append(b.Files, name)
		w.unplaced[name] = true
	}
	slices.Sort(b.Files)
	clear(w.touched)
	w.appeared = nil
	if len(b.Files) > 0 {
		poke(w.work)
	}
	return b
}

// listen takes in what a notifier tells, until it is closed.
func (w *Watcher) listen(n Notifier) {
	for {
		select {
		case e, ok := <-n.Events():
			if !ok {
				return
			}
			w.event(e)
		case <-n.Lost():
			w.o.Log.Warn("the system dropped news of files: all are looked at")
			w.touchAll()
		}
	}
}

// event notes what something happened to.
func (w *Watcher) event(e Event) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if d := w.dirs[e.Name]; d != nil { // the directory itself is gone, or another one
		d.state = unwatched
		w.touchDir(d)
		poke(w.work)
	}
	d := w.dirs[filepath.Dir(e.Name)]
	if d == nil {
		return
	}
	names := d.files[filepath.Base(e.Name)]
	for name := range names {
		w.touch(name)
	}
	if len(names) == 0 && e.Created && len(w.appeared) < appearedMax {
		w.appeared = append(w.appeared, e.Name)
	}
}

// touch notes that something may have happened to a file; the lock is held.
func (w *Watcher) touch(name string) {
	w.touched[name] = true
	poke(w.burst)
}

func (w *Watcher) touchDir(d *dir) {
	for _, names := range d.files {
		for name := range names {
			w.touch(name)
		}
	}
}

func (w *Watcher) touchAll() {
	w.mu.Lock()
	defer w.mu.Unlock()
	for name := range w.files {
		w.touch(name)
	}
}

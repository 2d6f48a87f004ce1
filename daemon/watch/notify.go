package watch

import (
	"errors"

	"github.com/fsnotify/fsnotify"
)

// Event says that something happened to a name in a directory, or to the directory itself.
type Event struct {
	Name    string // the directory as it was added, and the name in it
	Created bool   // it came up, perhaps in place of another
	Gone    bool   // it went away, perhaps to come up under another name
}

// Notifier tells what happens in directories. Tests replace it.
type Notifier interface {
	// Add begins to watch a directory.
	Add(dir string) error
	// Remove ends that.
	Remove(dir string)
	// Events returns the channel of what happens; it is closed by Close.
	Events() <-chan Event
	// Lost returns a channel that tells of events that the system has dropped.
	Lost() <-chan struct{}
	// Close ends everything.
	Close()
}

// system is the operating system's notifier.
type system struct {
	w      *fsnotify.Watcher
	events chan Event
	lost   chan struct{}
}

// System makes the operating system's notifier: what a Watcher has if it is given no other.
func System() (Notifier, error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return nil, err
	}
	s := &system{w: w, events: make(chan Event), lost: make(chan struct{}, 1)}
	go s.pass()
	return s, nil
}

func (s *system) Add(dir string) error  { return s.w.Add(dir) }
func (s *system) Remove(dir string)     { _ = s.w.Remove(dir) } // one that is gone is none
func (s *system) Events() <-chan Event  { return s.events }
func (s *system) Lost() <-chan struct{} { return s.lost }
func (s *system) Close()                { _ = s.w.Close() }

// pass hands on events until Close. What only concerns a file's properties is none.
func (s *system) pass() {
	defer close(s.events)
	for {
		select {
		case e, ok := <-s.w.Events:
			if !ok {
				return
			}
			if e.Op != fsnotify.Chmod {
				s.events <- Event{Name: e.Name, Created: e.Has(fsnotify.Create),
					Gone: e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)}
			}
		case err, ok := <-s.w.Errors:
			if !ok {
				return
			}
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				select {
				case s.lost <- struct{}{}:
				default: // it is told already
				}
			}
		}
	}
}

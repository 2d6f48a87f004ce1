package daemon

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"apex/core"
)

// registry is the daemon's sessions by label. Its mutex guards the map and the slots' labels;
// nothing is called under it.
type registry struct {
	mu    sync.Mutex
	slots map[string]*slot
}

// slot is a label's place. While a session is made or renamed its slot is taken, so that of two who
// want a label one gets it; whoever looks for the session waits until it is there.
type slot struct {
	label string // the registry's mutex guards it
	busy  bool   // being renamed or ended; the registry's mutex guards it

	ready chan struct{} // closed when what follows is set, once
	s     *session      // nil if the session could not be made or read
	err   error         // why
	dir   string        // of a session that could not be read
}

// reserve takes a free label.
func (r *registry) reserve(label string) (*slot, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slots[label] != nil {
		return nil, core.Errorf(core.CodeExists, "session %q exists", label)
	}
	sl := &slot{label: label, ready: make(chan struct{})}
	r.slots[label] = sl
	return sl, nil
}

// reserveNear takes a free label, label itself if it is free.
func (r *registry) reserveNear(label string) *slot {
	for n := 1; ; n++ {
		try := label
		if n > 1 {
			suffix := fmt.Sprintf("-%d", n)
			try = label[:min(len(label), core.MaxLabelBytes-len(suffix))] + suffix
		}
		if sl, err := r.reserve(try); err == nil {
			return sl
		}
	}
}

// fill says what became of a slot.
func (sl *slot) fill(s *session, err error) {
	sl.s, sl.err = s, err
	close(sl.ready)
}

// session is the session that the slot is of, as far as its directory tells, if it can't be read.
func (sl *slot) session() core.SessionID {
	if sl.s != nil {
		return sl.s.id
	}
	id, _ := parseSessionID(filepath.Base(sl.dir))
	return id
}

// drop frees a slot's labels.
func (r *registry) drop(sl *slot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for label, x := range r.slots {
		if x == sl {
			delete(r.slots, label)
		}
	}
}

// replace puts another slot in the place of one; the slot is held.
func (r *registry) replace(sl, by *slot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for label, x := range r.slots {
		if x == sl {
			delete(r.slots, label)
		}
	}
	r.slots[by.label] = by
}

// find returns the slot of a label; empty is the default session's.
func (r *registry) find(label string) (*slot, error) {
	if label == "" {
		label = DefaultLabel
	}
	r.mu.Lock()
	sl := r.slots[label]
	r.mu.Unlock()
	if sl == nil {
		return nil, core.Errorf(core.CodeNotFound, "no session %q", label)
	}
	<-sl.ready
	return sl, nil
}

// session returns the session of a label.
func (r *registry) session(label string) (*session, error) {
	sl, err := r.find(label)
	if err != nil {
		return nil, err
	}
	return sl.s, sl.err
}

// hold keeps others from renaming or ending a session until let.
func (r *registry) hold(sl *slot) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.slots[sl.label] != sl {
		return core.Errorf(core.CodeNotFound, "no session %q", sl.label) // it ended since it was found
	}
	if sl.busy {
		return core.Errorf(core.CodeBusy, "session %q is being renamed or ended", sl.label)
	}
	sl.busy = true
	return nil
}

func (r *registry) let(sl *slot) {
	r.mu.Lock()
	defer r.mu.Unlock()
	sl.busy = false
}

// alias makes a slot known under another label too; the slot is held.
func (r *registry) alias(sl *slot, label string) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	if x := r.slots[label]; x != nil && x != sl {
		return core.Errorf(core.CodeExists, "session %q exists", label)
	}
	r.slots[label] = sl
	return nil
}

// relabel leaves a slot that has two labels with one; the slot is held.
func (r *registry) relabel(sl *slot, label string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for l, x := range r.slots {
		if x == sl && l != label {
			delete(r.slots, l)
		}
	}
	sl.label = label
}

// all returns the slots that are filled, each with its label, ordered by label.
func (r *registry) all() (slots []*slot, labels []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for label, sl := range r.slots {
		select {
		case <-sl.ready:
			if label == sl.label {
				slots = append(slots, sl)
			}
		default:
		}
	}
	slices.SortFunc(slots, func(a, b *slot) int { return strings.Compare(a.label, b.label) })
	for _, sl := range slots {
		labels = append(labels, sl.label)
	}
	return slots, labels
}

// sessions returns the sessions, ordered by label.
func (r *registry) sessions() []*session {
	var out []*session
	slots, _ := r.all()
	for _, sl := range slots {
		if sl.s != nil {
			out = append(out, sl.s)
		}
	}
	return out
}

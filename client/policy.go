package client

import (
	"slices"

	"apex/core"
	"apex/core/edit"
)

// Policy says what a session follows and takes by itself.
type Policy uint8

// The policies.
const (
	// PolicyOfKind is PolicyLead for a UI, PolicyWatch for an observer, PolicyNone for a tool.
	PolicyOfKind Policy = iota
	// PolicyLead follows what a screen shows (the layout, all windows, and the tags, terminals and
	// bodies that they and the layout name) and leads what can be led: it takes over when it
	// attaches, and takes what comes back to the daemon, until another UI takes over.
	PolicyLead
	// PolicyWatch follows the same, and takes nothing until TakeAll.
	PolicyWatch
	// PolicyNone follows nothing but the metalog: the owner chooses.
	PolicyNone
)

// lead carries a policy out. It belongs to the session's owner.
type lead struct {
	policy   Policy
	watching bool // another UI leads, or may: nothing is taken until TakeAll
	all      bool // TakeAll: the next time whoever holds it
	led      bool // the layout was led here
	brought  bool // what this client brings was sent over this link
	stirred  bool // something happened that may change what is followed, led, or in order
	disorder bool // references between shards may dangle
	unsure   bool // something was refused, and the metalog has not said why yet
	followed map[core.Shard]bool
	// asked has the epoch at which each lease was asked for: it is asked for once.
	asked map[core.Shard]core.Epoch
}

func newLead(opts Options) lead {
	l := lead{policy: opts.Policy, followed: map[core.Shard]bool{},
		asked: map[core.Shard]core.Epoch{}}
	if l.policy == PolicyOfKind {
		switch opts.Kind {
		case core.AttachTool:
			l.policy = PolicyNone
		case core.AttachObserver:
			l.policy = PolicyWatch
		default:
			l.policy = PolicyLead
		}
	}
	l.watching = l.policy != PolicyLead || opts.Kind == core.AttachObserver
	return l
}

// welcomed forgets what was asked for: requests don't outlive a link.
func (l *lead) welcomed() {
	l.brought = false
	clear(l.asked)
}

// takeAll makes the next step ask for everything.
func (l *lead) takeAll() {
	l.watching, l.all, l.stirred = false, true, true
	clear(l.asked)
}

// stir makes the next step look.
func (l *lead) stir() { l.stirred = true }

// refused makes repairs wait for news of the leases: until then they would be refused as well, by
// the same fence.
func (l *lead) refused() { l.unsure = true }

// metaChanged takes in that there are such news.
func (l *lead) metaChanged() { l.unsure, l.stirred = false, true }

// gone forgets a shard that is no more.
func (l *lead) gone(shard core.Shard) {
	delete(l.followed, shard)
	l.stirred = true
}

// arrived reports whether there is something to show.
func (l *lead) arrived(s *Session) bool {
	if l.policy == PolicyNone {
		return true
	}
	return knowsWindows(s)
}

// knowsWindows reports whether the layout and all windows are here.
func knowsWindows(s *Session) bool {
	if !s.Knows(core.LayoutShard) {
		return false
	}
	for _, shard := range s.Meta().Shards {
		if shard.Kind == core.KindWindow && !s.Knows(shard) {
			return false
		}
	}
	return true
}

// step brings what is followed and led up to what the session is now.
func (l *lead) step(s *Session) {
	if l.policy == PolicyNone {
		return
	}
	if l.stirred {
		l.stirred, l.disorder = false, true
		l.notice(s)
		shown := shown(s)
		l.follow(s, shown)
		if !l.watching {
			l.take(s, shown)
		}
	}
	// What was made here is in the metalog when it is acknowledged: before that it would be taken
	// for what dangles.
	if l.disorder && !l.watching && !l.unsure && s.replica.Unsynced() == 0 {
		l.disorder = false
		l.repair(s)
	}
}

// follow follows what is shown and not followed yet.
func (l *lead) follow(s *Session, shown []core.Shard) {
	var more []core.Shard
	for _, shard := range shown {
		if !l.followed[shard] {
			l.followed[shard] = true
			more = append(more, shard)
		}
	}
	if len(more) > 0 {
		s.took(s.replica.Follow(more...))
	}
}

// take asks for the leases that are wanted, in one message.
func (l *lead) take(s *Session, shown []core.Shard) {
	if want := l.wants(s, shown); len(want) > 0 {
		s.took(s.replica.Take(want...))
	}
	l.all = false
}

// repair makes what is led here agree with the rest: a window that the daemon made has no view on
// a body that is led here until its leader adds one.
func (l *lead) repair(s *Session) {
	b := edit.Repair(s, s.replica.Author())
	if b.Empty() {
		return
	}
	if out, err := s.replica.Commit(b); err == nil {
		s.took(out)
	}
}

// notice sees whether another UI has taken over: then this one watches. What the daemon or a tool
// holds comes back.
func (l *lead) notice(s *Session) {
	lease, ok := s.Meta().Lease(core.LayoutShard)
	if !ok || lease.Released {
		return
	}
	self := s.replica.Attachment()
	if lease.Holder == self {
		if l.led = true; !l.brought {
			l.brought = true
			s.bring()
		}
		return
	}
	l.brought = false
	if l.led && isUI(s.Meta(), lease.Holder) {
		l.led, l.watching = false, true
	}
}

func isUI(m *core.Meta, a core.AttachmentID) bool {
	at, ok := m.Attached(a)
	return ok && at.Kind == core.AttachUI
}

// wants returns the leases to ask for: of the layout and windows at once, of a buffer when it is
// known here; from the daemon and from other UIs, and from tools when everything is asked for.
func (l *lead) wants(s *Session, shown []core.Shard) []core.Shard {
	m := s.Meta()
	self := s.replica.Attachment()
	var want []core.Shard
	for _, shard := range shown {
		lease, ok := m.Lease(shard)
		epoch, asked := l.asked[shard]
		switch {
		case !ok || lease.Released || lease.Holder == self:
		case asked && epoch == lease.Epoch:
		case shard.Kind == core.KindBuffer && !s.Knows(shard):
		case lease.Holder == core.Server || l.all || isUI(m, lease.Holder):
			l.asked[shard] = lease.Epoch
			want = append(want, shard)
		}
	}
	return want
}

// shown returns what a screen shows, in the order in which it is wanted: the layout, the windows,
// the tags and terminals, then the bodies, that of the focus first. All but the layout and windows
// is left out until these are known: asked for together they are one message.
func shown(s *Session) []core.Shard {
	out := []core.Shard{core.LayoutShard}
	m := s.Meta()
	var bodies []core.Shard
	add := func(list *[]core.Shard, id core.BufferID) {
		if shard := id.Shard(); m.Has(shard) {
			*list = append(*list, shard)
		}
	}
	for _, shard := range m.Shards {
		if shard.Kind == core.KindWindow {
			out = append(out, shard)
		}
	}
	if !knowsWindows(s) {
		return out
	}
	l := s.Layout()
	if l != nil {
		add(&out, l.Top)
		for _, c := range l.Columns {
			add(&out, c.Tag)
		}
		if id, ok := l.Focus.Window(); ok && s.Window(id) != nil {
			add(&bodies, s.Window(id).Body)
		}
	}
	for _, shard := range m.Shards {
		if w := s.Window(core.WindowID(shard.ID)); shard.Kind == core.KindWindow && w != nil {
			add(&out, w.Tag)
			if term := w.Term.Shard(); m.Has(term) {
				out = append(out, term)
			}
			add(&bodies, w.Body)
		}
	}
	out = append(out, bodies...)
	seen := make(map[core.Shard]bool, len(out))
	return slices.DeleteFunc(out, func(shard core.Shard) bool {
		again := seen[shard]
		seen[shard] = true
		return again
	})
}

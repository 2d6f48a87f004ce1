package core

import (
	"maps"
	"slices"
)

// Replica is the client's half of a session: it follows shards, leads the ones that it holds
// leases of without waiting for the daemon, and comes back after a lost link from where it was. It
// does nothing itself: every method returns the messages to send, in order, and what happened.
//
// Its owner calls it from one goroutine.
type Replica struct {
	Log
	hello    Hello
	evaluate Evaluator
	author   Author
	creation Epoch  // at which the shards that it makes start
	next     uint64 // id counter
	seen     Epoch

	wanted   []Shard        // to be followed
	fresh    map[Shard]bool // a snapshot is on its way; until then what is here is out of date
	unproven map[Shard]bool // since the last welcome the daemon has not said that this is its history
	assumed  map[Shard]bool // made here, and not yet in the metalog: led all the same
	giving   map[Shard]bool // released or lost, and not yet in the metalog: not led any more
	tails    map[Shard]*tail
	sent     []*Append        // not fully acknowledged, oldest first
	dead     map[*Sealed]bool // batches of sent that are lost

	proposals []*pending // without an answer; sent again after a reconnect
	nextCall  uint64

	connected bool
	joining   bool   // after a reconnect, until the metalog has caught up
	heads     []Head // of the daemon's shards at the last welcome
	out       Out
}

// tail is what a leader appended and the daemon has not acknowledged.
type tail struct {
	epoch   Epoch
	unacked []led
	missed  bool // what others appended was passed over: the lease is gone
}

// led is a batch of a leader's own making.
type led struct {
	*Sealed
	asked  bool // for a proposal: if it is lost, the daemon asks the next leader for it
	before Hash // the shard's chain value before it
}

// pending is a proposal without an answer.
type pending struct {
	*Propose
	tail bool // it hands over what was typed under a lease that was lost: it must not fail
	held bool // refused for now; sent again by Retry
	told bool // its owner waits for an EventResult, also of what is kept elsewhere
}

// Out is what a Replica's method wants done.
type Out struct {
	Send   []Msg
	Events []Event
}

// Event is something that the replica's owner may want to know.
type Event struct {
	Kind   EventKind
	Shard  Shard
	ID     uint64 // EventResult: of the proposal
	Result Result
	Err    *Error
}

// EventKind says what happened.
type EventKind uint8

// The kinds of event.
const (
	EventChanged   EventKind = iota + 1 // a shard's state is another
	EventGone                           // a shard was deleted
	EventLease                          // a shard's lease moved
	EventResult                         // a proposal was answered
	EventRefused                        // the daemon refused something of a shard
	EventRecovered                      // a fenced tail was handed over as a proposal
	EventDraining                       // the daemon is stopping
	EventFailed                         // the connection is of no use any more
	EventNotTaken                       // a lease that was asked for is not to be had: Err says why
)

// NewReplica returns a replica that has not attached yet.
func NewReplica(h Hello, ev Evaluator) *Replica {
	r := &Replica{hello: h, evaluate: ev, next: 1}
	r.reset()
	return r
}

func (r *Replica) reset() {
	r.shards = map[Shard]*shardLog{}
	r.fresh, r.unproven = map[Shard]bool{}, map[Shard]bool{}
	r.assumed, r.giving = map[Shard]bool{}, map[Shard]bool{}
	r.tails, r.dead = map[Shard]*tail{}, map[*Sealed]bool{}
}

// Hello is the first message of a connection: a new attachment, or the one that it has.
func (r *Replica) Hello() *Hello {
	h := r.hello
	h.Seen = r.seen
	return &h
}

// Attachment returns the replica's attachment, 0 before the first welcome.
func (r *Replica) Attachment() AttachmentID { return r.author.Attachment }

// Author signs what the replica's owner does.
func (r *Replica) Author() Author { return r.author }

// Unsynced is how many messages' worth of changes are not known to be on disk.
func (r *Replica) Unsynced() int {
	n := len(r.sent)
	for _, p := range r.proposals {
		if p.tail {
			n++
		}
	}
	return n
}

// Pending is how many proposals have no answer yet.
func (r *Replica) Pending() int { return len(r.proposals) }

// NewID implements Minter.
func (r *Replica) NewID() ID {
	id := MakeID(r.author.Attachment, r.next)
	r.next++
	return id
}

// Meta returns the metalog's state; empty before it arrived.
func (r *Replica) Meta() *Meta {
	if s, ok := r.shards[MetaShard]; ok {
		return s.Meta()
	}
	return &Meta{}
}

// Leads implements Session: whether the owner may append to a shard now, without asking.
func (r *Replica) Leads(s Shard) bool {
	sl, ok := r.shards[s]
	if !ok || r.fresh[s] || r.unproven[s] || r.giving[s] {
		return false
	}
	if r.assumed[s] {
		return true
	}
	l, ok := r.Meta().Lease(s)
	return ok && l.Holder == r.author.Attachment && !l.Released && sl.Mark.Seq >= l.Begin
}

// Knows reports whether a shard's state is here and being kept up to date.
func (r *Replica) Knows(s Shard) bool { return r.shards[s] != nil && !r.fresh[s] }

// Disconnected says that the connection is gone. What is led stays led; what is appended waits.
func (r *Replica) Disconnected() { r.connected, r.joining = false, false }

// Welcomed takes in the answer to Hello. The metalog is followed first: it tells what became of
// the leases.
func (r *Replica) Welcomed(w *Welcome) Out {
	r.begin()
	if w.Session != r.session && r.session != (SessionID{}) {
		r.setAsideAll("the session's history is another one")
		r.reset()
	}
	r.session = w.Session
	if !w.Resumed {
		if w.Attachment != r.author.Attachment { // the same one again, if the disk never had it
			r.next = w.Next
		}
		r.author = Author{w.Attachment, r.hello.Actor}
		r.creation = w.Epoch
		r.seen = max(r.seen, w.Epoch)
	}
	r.next = max(r.next, w.Next)
	r.hello.Resume = &Credential{w.Attachment, w.Secret}
	r.connected, r.joining = true, true
	r.heads = w.Heads
	r.send(&Follow{[]FollowShard{r.subscription(MetaShard)}})
	return r.end()
}

// Forget drops the credential that the daemon does not know any more: the next Hello attaches
// anew, and what was led is recovered where others lead now.
func (r *Replica) Forget() { r.hello.Resume = nil }

// subscription asks for a shard from where the replica is.
func (r *Replica) subscription(s Shard) FollowShard {
	sl, ok := r.shards[s]
	if !ok || r.fresh[s] {
		r.fresh[s] = true
		return FollowShard{Shard: s}
	}
	m := sl.Mark
	return FollowShard{s, &m}
}

// Follow adds shards to those that are kept up to date.
func (r *Replica) Follow(shards ...Shard) Out {
	r.begin()
	var f []FollowShard
	for _, s := range shards {
		if slices.Contains(r.wanted, s) {
			continue
		}
		r.wanted = append(r.wanted, s)
		if !r.Leads(s) {
			f = append(f, r.subscription(s))
		}
	}
	if len(f) > 0 && r.connected && !r.joining {
		r.send(&Follow{f})
	}
	return r.end()
}

// Unfollow drops shards that are not led.
func (r *Replica) Unfollow(shards ...Shard) Out {
	r.begin()
	var gone []Shard
	for _, s := range shards {
		if i := slices.Index(r.wanted, s); i >= 0 && r.tails[s] == nil {
			r.wanted = slices.Delete(r.wanted, i, i+1)
			delete(r.shards, s)
			delete(r.fresh, s)
			gone = append(gone, s)
		}
	}
	if len(gone) > 0 {
		r.send(&Unfollow{gone})
	}
	return r.end()
}

// Wants reports whether a shard is followed.
func (r *Replica) Wants(s Shard) bool { return slices.Contains(r.wanted, s) }

// Take asks for leases that others hold.
func (r *Replica) Take(shards ...Shard) Out {
	r.begin()
	ask := slices.DeleteFunc(slices.Clone(shards), r.Leads)
	if len(ask) > 0 && r.connected {
		r.send(&Take{Shards: ask})
	}
	return r.end()
}

// TakeFor asks for leases for a time after each Renew, as tools do. An EventLease says when one has
// come, an EventNotTaken that it does not.
func (r *Replica) TakeFor(ttl Millis, shards ...Shard) Out {
	r.begin()
	ask := slices.DeleteFunc(slices.Clone(shards), r.Leads)
	if len(ask) > 0 && r.connected {
		r.send(&Take{ask, ttl})
	}
	return r.end()
}

// Give releases leases.
func (r *Replica) Give(shards ...Shard) Out {
	r.begin()
	r.give(shards)
	return r.end()
}

func (r *Replica) give(shards []Shard) {
	var give []Shard
	for _, s := range shards {
		if r.Leads(s) && !r.assumed[s] {
			r.giving[s] = true
			give = append(give, s)
			r.event(Event{Kind: EventLease, Shard: s})
		}
	}
	if len(give) > 0 {
		r.send(&Release{give})
	}
}

// Propose asks whoever leads for a change; an EventResult with the ID answers. It is sent again
// after a reconnect until it is answered: the intent makes that safe.
func (r *Replica) Propose(p Proposal) (uint64, Out) {
	r.begin()
	m := r.propose(p)
	return m.ID, r.end()
}

// Hand is Propose of an edit that a person made where somebody else leads. As what was lost with a lease
// it is not given up: what no leader takes is kept in +Recovered, and then the EventResult is an error.
func (r *Replica) Hand(p Proposal) (uint64, Out) {
	r.begin()
	m := r.propose(p)
	m.tail, m.told = true, true
	return m.ID, r.end()
}

// Retry sends again what was lost with a lease and was refused since, because the disk was full or
// the daemon was busy. News of leases and of the disk do that too; while Unsynced is not 0 and
// nothing comes, the owner calls it every few seconds.
func (r *Replica) Retry() Out {
	r.begin()
	r.retry()
	return r.end()
}

func (r *Replica) retry() {
	for _, p := range r.proposals {
		if p.held && !r.joining {
			p.held = false
			r.send(p.Propose)
		}
	}
}

func (r *Replica) propose(p Proposal) *pending {
	if p.Author == (Author{}) {
		p.Author = r.author
	}
	r.nextCall++
	m := &pending{Propose: &Propose{ID: r.nextCall, Proposal: p}}
	r.proposals = append(r.proposals, m)
	if !r.joining {
		r.send(m.Propose)
	}
	return m
}

// Bye ends the attachment.
func (r *Replica) Bye() Out {
	r.begin()
	r.send(&Bye{})
	return r.end()
}

// Receive takes in a message of the daemon.
func (r *Replica) Receive(m Msg) Out {
	r.begin()
	switch m := m.(type) {
	case *Snapshot:
		r.snapshot(m.State)
	case *Deliver:
		for _, b := range m.Batches {
			r.deliver(b)
		}
	case *CaughtUp:
		r.caughtUp(m)
	case *Ack:
		r.acked(m.Heads)
	case *Refused:
		r.refused(m)
	case *NotTaken:
		for _, s := range m.Shards {
			r.event(Event{Kind: EventNotTaken, Shard: s, Err: m.Err})
		}
	case *Asked:
		r.give(m.Shards)
	case *Evaluate:
		r.evaluateFor(m)
	case *ProposeResult:
		r.answered(m)
	case *Resync:
		for _, s := range m.Shards {
			if t := r.tails[s]; t != nil {
				t.missed = true
			} else if !r.Leads(s) {
				r.fresh[s] = true
			}
		}
	case *Check:
		r.check(m)
	case *Draining:
		r.event(Event{Kind: EventDraining})
	case *Failure:
		r.event(Event{Kind: EventFailed, Err: m.Err})
	}
	return r.end()
}

func (r *Replica) begin() { r.out = Out{} }

func (r *Replica) end() Out {
	o := r.out
	r.out = Out{}
	return o
}

// send queues a message; without a connection it is dropped, since everything that has to arrive
// is kept until it was answered.
func (r *Replica) send(m Msg) {
	if r.connected {
		r.out.Send = append(r.out.Send, m)
	}
}

func (r *Replica) event(e Event) { r.out.Events = append(r.out.Events, e) }

// snapshot takes in a shard's whole state. A shard with a tail needs none: the tail is ahead of
// it, or is to be set aside first.
func (r *Replica) snapshot(s ShardState) {
	if s.Shard == MetaShard {
		before := r.Meta()
		r.history = s.Meta().Identity.History
		r.shards[s.Shard] = newShardLog(s)
		delete(r.fresh, s.Shard)
		r.metaChanged(before)
		return
	}
	if t := r.tails[s.Shard]; t != nil {
		t.missed = t.missed || s.Mark.Seq >= t.unacked[0].First
		return
	}
	r.shards[s.Shard] = newShardLog(s)
	delete(r.fresh, s.Shard)
	delete(r.unproven, s.Shard)
	r.event(Event{Kind: EventChanged, Shard: s.Shard})
}

// deliver applies a batch that somebody else appended. What does not follow is not stitched.
func (r *Replica) deliver(b *Sealed) {
	sl, ok := r.shards[b.Shard]
	switch {
	case !ok || r.fresh[b.Shard]:
		return
	case r.tails[b.Shard] != nil:
		r.tails[b.Shard].missed = true // the log went on without what was appended here
		r.fenced(b.Shard)
		return
	case b.Last() <= sl.Mark.Seq:
		return
	}
	next, err := sl.Apply(b)
	if err != nil {
		r.lose(b.Shard)
		return
	}
	before := r.Meta()
	sl.push(b, next)
	if b.Shard == MetaShard {
		r.metaBatch(b)
		r.metaChanged(before)
		return
	}
	r.event(Event{Kind: EventChanged, Shard: b.Shard})
}

// caughtUp compares the replica's mark with the daemon's. While a snapshot is awaited it speaks of
// what was on its way before that.
func (r *Replica) caughtUp(m *CaughtUp) {
	if r.fresh[m.Shard] {
		return
	}
	if sl, ok := r.shards[m.Shard]; ok && r.tails[m.Shard] == nil {
		if m.Mark.Seq > sl.Mark.Seq || m.Mark.Seq == sl.Mark.Seq && m.Mark.Chain != sl.Mark.Chain {
			r.refollow(m.Shard)
			return
		}
	}
	delete(r.unproven, m.Shard)
	if m.Shard == MetaShard && r.joining {
		r.joined()
	}
}

// refollow asks for a snapshot.
func (r *Replica) refollow(s Shard) {
	r.fresh[s] = true
	r.send(&Follow{[]FollowShard{{Shard: s}}})
}

// check compares the state with the daemon's; a replica that differs says so and takes a snapshot.
// Before the welcome of a new link nothing is known of whether the histories are the same.
func (r *Replica) check(m *Check) {
	sl, ok := r.shards[m.Shard]
	if !ok || !r.connected || r.joining || r.fresh[m.Shard] || r.unproven[m.Shard] || r.tails[m.Shard] != nil ||
		sl.Mark.Seq != m.Seq || sl.Hash() == m.Hash {
		return
	}
	r.event(Event{Kind: EventRefused, Shard: m.Shard,
		Err: Errorf(CodeInternal, "shard %v differs from the daemon's at %d", m.Shard, m.Seq)})
	r.send(&Diverged{m.Shard, m.Seq})
	r.lose(m.Shard)
}

// metaBatch takes in what a batch of the metalog says about shards that are gone.
func (r *Replica) metaBatch(b *Sealed) {
	for i := range b.Ops {
		if o, ok := b.Ops[i].Body.(*ShardDel); ok {
			r.forget(o.Shard)
		}
	}
}

// forget drops a shard that is no more. What was typed there and is not stored is kept.
func (r *Replica) forget(s Shard) {
	if t := r.tails[s]; t != nil {
		r.setAside(s, t)
	}
	r.drop(s)
	r.pruneSent()
}

// drop drops a shard and all that is known of it.
func (r *Replica) drop(s Shard) {
	delete(r.shards, s)
	delete(r.fresh, s)
	delete(r.unproven, s)
	delete(r.assumed, s)
	delete(r.giving, s)
	delete(r.tails, s)
	if i := slices.Index(r.wanted, s); i >= 0 {
		r.wanted = slices.Delete(r.wanted, i, i+1)
	}
	r.event(Event{Kind: EventGone, Shard: s})
}

// unmade reports whether a shard that the daemon does not have was made here and never stored: one
// that died before its disk had it had told of it. It is made again; if it was deleted, the daemon
// will say so.
func (r *Replica) unmade(s Shard) bool {
	t := r.tails[s]
	return t != nil && t.unacked[0].First == 1 && t.epoch == r.creation &&
		s.ID.Creator() == r.author.Attachment
}

// metaChanged works out which leases moved and which shards went.
func (r *Replica) metaChanged(before *Meta) {
	m := r.Meta()
	r.seen = max(r.seen, m.MaxEpoch)
	maps.DeleteFunc(r.assumed, func(s Shard, _ bool) bool { return m.Has(s) })
	r.event(Event{Kind: EventChanged, Shard: MetaShard})
	for _, l := range m.Leases {
		old, had := before.Lease(l.Shard)
		if had && old.Epoch == l.Epoch && old.Released == l.Released {
			continue
		}
		delete(r.giving, l.Shard)
		if t := r.tails[l.Shard]; t != nil && t.epoch != l.Epoch {
			r.lose(l.Shard)
		}
		r.event(Event{Kind: EventLease, Shard: l.Shard})
	}
	for _, s := range before.Shards {
		switch {
		case m.Has(s) || r.assumed[s]:
		case r.unmade(s):
			r.assumed[s] = true
		default:
			r.forget(s)
		}
	}
	r.retry()
}

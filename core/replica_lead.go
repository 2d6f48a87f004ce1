package core

import "slices"

// Commit does what the bundle says at once, and ships it. Every shard that it changes must be led
// here; otherwise nothing happens and the error has code not_leader.
func (r *Replica) Commit(b Bundle) (Out, error) {
	r.begin()
	if b.Author == (Author{}) {
		b.Author = r.author
	}
	if err := r.commit(&b); err != nil {
		return Out{}, err
	}
	return r.end(), nil
}

// MaxBundleBytes bounds the batches of one bundle: they travel in one message, whose frame holds
// 16 MiB, since what belongs together is stored together or not at all.
const MaxBundleBytes = 15 << 20

func size(batches []*Sealed) int {
	n := 0
	for _, b := range batches {
		n += len(b.Bytes)
	}
	return n
}

func (r *Replica) commit(b *Bundle) error {
	st := r.stage()
	var made []led
	for _, s := range b.New {
		if s.ID.Creator() != r.author.Attachment || !r.Leads(LayoutShard) {
			return Errorf(CodeNotLeader, "shard %v can't be made by attachment %d", s, r.author.Attachment)
		}
		st.create(s)
	}
	for _, p := range b.Parts {
		epoch, err := r.epochOf(p.Shard, b.New)
		if err != nil {
			return err
		}
		var intent IntentID
		if p.Shard == b.Target {
			intent = b.Intent
		}
		before, _ := st.state(p.Shard)
		x, err := st.seal(p.Shard, r.author.Attachment, epoch, b.Author, intent, p.Ops)
		if err != nil {
			return err
		}
		made = append(made, led{x, b.Intent != (IntentID{}), before.Mark.Chain})
	}
	if len(b.Del) > 0 && !r.Leads(LayoutShard) {
		return Errorf(CodeNotLeader, "shards are deleted by who leads the layout")
	}
	if n := size(st.batches); n > MaxBundleBytes {
		return Errorf(CodeTooLarge, "bundle of %d bytes, at most %d", n, MaxBundleBytes)
	}
	st.commit()
	r.ship(b, made)
	return nil
}

// epochOf returns the epoch under which the owner appends to a shard.
func (r *Replica) epochOf(s Shard, made []Shard) (Epoch, error) {
	if r.assumed[s] || slices.Contains(made, s) {
		return r.creation, nil
	}
	if !r.Leads(s) {
		return 0, Errorf(CodeNotLeader, "shard %v is led by somebody else", s)
	}
	l, _ := r.Meta().Lease(s)
	return l.Epoch, nil
}

// ship sends a bundle and keeps it until it is acknowledged.
func (r *Replica) ship(b *Bundle, made []led) {
	for _, s := range b.New {
		r.assumed[s] = true
		r.wanted = append(r.wanted, s)
	}
	m := &Append{New: b.New, Del: b.Del}
	for _, x := range made {
		m.Batches = append(m.Batches, x.Sealed)
		t := r.tails[x.Shard]
		if t == nil {
			t = &tail{epoch: x.Epoch}
			r.tails[x.Shard] = t
		}
		t.unacked = append(t.unacked, x)
		r.event(Event{Kind: EventChanged, Shard: x.Shard})
	}
	if len(made) > 0 {
		r.sent = append(r.sent, m)
	}
	for _, s := range b.Del {
		r.drop(s)
	}
	if !r.joining {
		r.send(m)
	}
}

// acked drops what is on disk.
func (r *Replica) acked(heads []Head) {
	for _, h := range heads {
		t := r.tails[h.Shard]
		if t == nil {
			continue
		}
		n := 0
		for n < len(t.unacked) && t.unacked[n].Last() <= h.Mark.Seq {
			n++
		}
		if n > 0 && t.unacked[n-1].Last() == h.Mark.Seq && t.unacked[n-1].Chain != h.Mark.Chain {
			r.lose(h.Shard) // another history
			continue
		}
		r.trim(h.Shard, n)
	}
	// Messages are stored in the order in which they were sent, so looking at the oldest is enough:
	// the tail may be long, and every acknowledgement comes here.
	n := 0
	for n < len(r.sent) && !slices.ContainsFunc(r.sent[n].Batches, r.isUnacked) {
		n++
	}
	r.sent = slices.Delete(r.sent, 0, n)
	r.retry()
}

// trim drops the first n batches of a tail.
func (r *Replica) trim(s Shard, n int) {
	t := r.tails[s]
	t.unacked = t.unacked[n:]
	if len(t.unacked) > 0 {
		return
	}
	delete(r.tails, s)
	if t.missed && r.connected && !r.joining {
		r.send(&Follow{[]FollowShard{r.subscription(s)}})
	}
}

// pruneSent drops the messages that hold nothing unacknowledged any more.
func (r *Replica) pruneSent() {
	r.sent = slices.DeleteFunc(r.sent, func(m *Append) bool {
		return !slices.ContainsFunc(m.Batches, r.isUnacked)
	})
	if len(r.sent) == 0 {
		clear(r.dead)
	}
}

func (r *Replica) isUnacked(b *Sealed) bool {
	t := r.tails[b.Shard]
	return t != nil && len(t.unacked) > 0 && b.First >= t.unacked[0].First && b.Epoch == t.epoch &&
		!r.dead[b]
}

// joined: after a welcome the metalog has caught up, so it is known what is still led. What is led
// goes on from the daemon's mark; the rest is followed from the replica's own.
func (r *Replica) joined() {
	r.joining = false
	clear(r.giving) // what was released and is held still was released on a link that dropped
	for _, s := range r.tailShards() {
		r.rejoin(s)
	}
	r.giveUpWhole()
	r.pruneSent()
	for _, m := range r.sent {
		again := *m
		again.Batches = slices.DeleteFunc(slices.Clone(m.Batches), func(b *Sealed) bool {
			return !r.isUnacked(b) && r.Meta().Has(b.Shard)
		})
		r.send(&again)
	}
	// After what was sent above the daemon's log of a led shard is the replica's own, so that its
	// mark fits there too.
	var f []FollowShard
	for _, s := range r.wanted {
		if s == MetaShard || r.assumed[s] {
			continue
		}
		f = append(f, r.subscription(s))
		if sl, ok := r.shards[s]; ok && r.tails[s] == nil && sl.Mark != r.head(s) {
			r.unproven[s] = true
		}
	}
	if len(f) > 0 {
		r.send(&Follow{f})
	}
	for _, p := range r.proposals {
		p.held = false
		r.send(p.Propose)
	}
}

// giveUpWhole gives up what belongs to a bundle of which a part is lost: a bundle is stored whole
// or not at all. On a link that is up the daemon sees to that; on a new one, what would be sent again
// is gone through first.
func (r *Replica) giveUpWhole() {
	for again := true; again; {
		again = false
		for _, m := range slices.Clone(r.sent) {
			if !slices.ContainsFunc(m.Batches, func(b *Sealed) bool { return r.dead[b] }) {
				continue
			}
			for _, b := range m.Batches {
				switch {
				case !r.isUnacked(b):
					continue
				case r.assumed[b.Shard]:
					r.forget(b.Shard)
				default:
					r.lose(b.Shard)
				}
				again = true
			}
		}
	}
}

// tailShards returns the shards with a tail, ordered.
func (r *Replica) tailShards() []Shard {
	out := make([]Shard, 0, len(r.tails))
	for s := range r.tails {
		out = append(out, s)
	}
	slices.SortFunc(out, Shard.Compare)
	return out
}

// rejoin compares a tail with what the daemon has: what it has is dropped from the tail, a tail
// that is of another history or under an epoch that is over is set aside.
func (r *Replica) rejoin(s Shard) {
	t := r.tails[s]
	if r.assumed[s] && !r.Meta().Has(s) {
		return // the daemon has not heard of it: it is made again
	}
	delete(r.assumed, s)
	l, ok := r.Meta().Lease(s)
	if !ok || l.Holder != r.author.Attachment || l.Epoch != t.epoch || l.Released {
		r.lose(s)
		return
	}
	head := r.head(s)
	switch first := &t.unacked[0]; {
	case head.Seq+1 < first.First, head.Seq+1 == first.First && head.Chain != first.before:
		r.lose(s) // the daemon lost what it had acknowledged: a restored store
		return
	case head.Seq+1 == first.First:
		return
	}
	for i, b := range t.unacked {
		if b.Last() == head.Seq && b.Chain == head.Chain {
			r.trim(s, i+1)
			return
		}
	}
	r.lose(s)
}

// head returns a shard's mark on the daemon at the last welcome.
func (r *Replica) head(s Shard) Mark {
	i, ok := slices.BinarySearchFunc(r.heads, s, func(h Head, s Shard) int {
		return h.Shard.Compare(s)
	})
	if !ok {
		return Mark{}
	}
	return r.heads[i].Mark
}

// fenced stops leading a shard whose lease is gone, as something shows that overtook the metalog.
// Only the metalog says which entries of the tail the log has, so the tail is kept until it comes.
func (r *Replica) fenced(s Shard) {
	t := r.tails[s]
	l, ok := r.Meta().Lease(s)
	if t != nil && (r.assumed[s] || ok && l.Epoch == t.epoch) {
		r.giving[s] = true
		r.event(Event{Kind: EventLease, Shard: s})
		return
	}
	r.lose(s)
}

// lose gives up a shard that is not led any more, or whose log went another way: what the log does
// not have is handed over as proposals, and the shard is taken afresh.
func (r *Replica) lose(s Shard) {
	t := r.tails[s]
	delete(r.tails, s)
	delete(r.giving, s)
	defer r.event(Event{Kind: EventLease, Shard: s})
	kept := t != nil && !r.setAside(s, t) // the log has all of it: acknowledgements are under way
	r.pruneSent()
	if kept && !t.missed {
		return
	}
	if !kept {
		r.fresh[s] = true
	}
	if r.connected && !r.joining {
		r.send(&Follow{[]FollowShard{r.subscription(s)}})
	}
}

// refused: the daemon took nothing of a message. A shard that it does not have exists here only.
func (r *Replica) refused(m *Refused) {
	for _, s := range m.Shards {
		r.event(Event{Kind: EventRefused, Shard: s, Err: m.Err})
		if m.Err.Code == CodeNotFound {
			r.forget(s)
		} else {
			r.fenced(s)
		}
	}
	r.pruneSent()
}

func (r *Replica) setAsideAll(string) {
	for _, s := range r.tailShards() {
		r.setAside(s, r.tails[s])
	}
	r.tails = map[Shard]*tail{}
	r.sent = nil
}

// setAside turns a buffer's unacknowledged tail, less what the log has, into a proposal against
// the version that it was made on. What then conflicts is kept in +Recovered: nothing typed is
// dropped. The tails of other shards hold no text. It reports whether the log lacks any of it.
func (r *Replica) setAside(s Shard, t *tail) bool {
	lost := t.unacked
	if l, ok := r.Meta().Lease(s); ok && l.Epoch > t.epoch {
		if at, ok := l.EndOf(t.epoch); ok {
			lost = slices.DeleteFunc(slices.Clone(lost), func(b led) bool { return b.Last() <= at })
		}
	}
	if len(lost) == 0 {
		return false
	}
	for _, b := range lost {
		r.dead[b.Sealed] = true
	}
	buf := r.shards[s].Buffer()
	if buf == nil {
		return true
	}
	asks := recovery(r.recoveredName(), r.author, BufferID(s.ID), buf, lost)
	if len(asks) == 0 {
		return true
	}
	var intent IntentID
	sum := extend(Hash{}, lost[0].Bytes)
	copy(intent[:], sum[:])
	r.handOver(r.author, intent, asks)
	r.event(Event{Kind: EventRecovered, Shard: s})
	return true
}

// handOver proposes what was lost with a lease. The same text may be lost twice, at the same
// place: each time is a proposal of its own.
func (r *Replica) handOver(by Author, intent IntentID, asks []Ask) {
	for _, ask := range asks {
		r.propose(Proposal{Intent: derived(intent, r.nextCall), Author: by, Ask: ask}).tail = true
	}
}

// evaluateFor answers a proposal that the daemon routed here, as the leader.
func (r *Replica) evaluateFor(m *Evaluate) {
	fail := func(err error) { r.send(&Answer{Call: m.Call, Result: Failed(err)}) }
	target := m.Proposal.Ask.Target()
	if !r.Leads(target) {
		fail(Errorf(CodeNotLeader, "shard %v is led by somebody else", target))
		return
	}
	if sl := r.shards[target]; m.Proposal.Intent != (IntentID{}) {
		if _, ok := sl.Answered(m.Proposal.Intent); ok {
			return // its batch is on its way: the daemon answers when it is stored
		}
	}
	b, res := r.evaluate(r, r, &m.Proposal)
	if res.Err != nil || b.Empty() {
		r.send(&Answer{Call: m.Call, Result: res})
		return
	}
	at := len(r.out.Send)
	r.send(&Answer{Call: m.Call, Result: res, Follows: true})
	if err := r.commit(&b); err != nil {
		r.out.Send = r.out.Send[:min(at, len(r.out.Send))]
		fail(err)
	}
}

// answered takes in the answer to a proposal.
func (r *Replica) answered(m *ProposeResult) {
	i := slices.IndexFunc(r.proposals, func(p *pending) bool { return p.ID == m.ID })
	if i < 0 {
		return
	}
	if p := r.proposals[i]; p.tail && m.Result.Err != nil {
		r.keep(p, m.Result.Err.Code, m.Result.Err.Message)
		return
	}
	r.proposals = slices.Delete(r.proposals, i, i+1)
	r.event(Event{Kind: EventResult, ID: m.ID, Result: m.Result})
}

// keep holds on to what was lost with a lease when the daemon did not take it: what may be taken
// later waits for Retry, what has no place any more is asked to be kept in +Recovered.
func (r *Replica) keep(p *pending, why Code, said string) {
	a, ok := p.Proposal.Ask.(*AskEdit)
	switch why {
	case CodeReadOnly, CodeDraining, CodeBusy, CodeUnavailable, CodeFenced:
		ok = false
	}
	if !ok {
		p.held = true
		return
	}
	r.proposals = slices.DeleteFunc(r.proposals, func(x *pending) bool { return x == p })
	if p.told {
		r.event(Event{Kind: EventResult, ID: p.ID, Result: Failed(Errorf(why, "it is in +Recovered: %s", said))})
	}
	by := p.Proposal.Author
	r.handOver(by, p.Proposal.Intent, keepSpans(r.recoveredName(), by, a))
}

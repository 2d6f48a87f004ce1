package core

import (
	"crypto/subtle"
	"slices"

	"github.com/zeebo/blake3"
)

// hello attaches a connection: as a new attachment, or as one that comes back.
func (a *Authority) hello(c ConnID, h *Hello, secret [32]byte) {
	fail := func(err *Error) { // after the disk: a detach that is lost with a crash did not happen
		if a.failed && a.neverAttached(h.Resume) {
			a.now1(c, &Failure{err})
		} else {
			a.later1(c, &Failure{err})
		}
		a.effect(&CloseConn{c})
	}
	switch {
	case a.draining:
		fail(Errorf(CodeDraining, "the daemon is stopping"))
		return
	case a.peer(c) != nil:
		fail(badf("hello on a connection that is attached"))
		return
	case a.frozen[MetaShard] != "":
		fail(Errorf(CodeReadOnly, "the session is read-only: %s", a.frozen[MetaShard]))
		return
	case h.Resume != nil:
		a.resumeHello(c, h, fail)
		return
	}
	m := a.Meta()
	at := &Attach{ID: m.NextAttach, Kind: h.Kind, Name: h.Name, Actor: h.Actor,
		Secret: blake3.Sum256(secret[:]), Since: a.now, Epoch: a.epochFor(h.Seen)}
	if err := a.stageMeta(Of(at)); err != nil {
		a.discard()
		fail(AsError(err))
		return
	}
	a.commitStep()
	a.welcome(c, at.ID, secret, false)
}

// epochFor returns a new epoch, above what the client has seen: a store that was restored under a
// slow clock must not give out an epoch twice. What is far ahead of the clock is not believed.
func (a *Authority) epochFor(seen Epoch) Epoch {
	e := a.Meta().NextEpoch(a.now)
	if seen >= e && seen <= Epoch(a.now)+seenLead {
		e = seen + 1
	}
	return e
}

func (a *Authority) resumeHello(c ConnID, h *Hello, fail func(*Error)) {
	at, ok := a.Meta().Attached(h.Resume.ID)
	sum := Hash(blake3.Sum256(h.Resume.Secret[:]))
	if !ok {
		fail(Errorf(CodeNotAttached, "attachment %d is not known any more", h.Resume.ID))
		return
	}
	if subtle.ConstantTimeCompare(sum[:], at.Secret[:]) != 1 {
		fail(Errorf(CodeDenied, "the secret is not that of attachment %d", h.Resume.ID))
		return
	}
	if a.failed && a.unkept.appended[at.ID] {
		a.turnBack(c)
		return
	}
	if old := a.connOf(at.ID); old != 0 {
		a.now1(old, &Failure{Errorf(CodeFenced, "attachment %d was resumed elsewhere", at.ID)})
		a.effect(&CloseConn{old})
		a.drop(old)
	}
	if err := a.stageMeta(Of(&Resume{at.ID})); err != nil {
		a.discard()
		fail(AsError(err))
		return
	}
	a.commitStep()
	a.offline = slices.DeleteFunc(a.offline, func(o offline) bool { return o.att == at.ID })
	a.renew(at.ID)
	for _, l := range a.Meta().Leases {
		if l.Holder == at.ID {
			a.changed(l.Shard)
		}
	}
	a.welcome(c, at.ID, h.Resume.Secret, true)
}

func (a *Authority) welcome(c ConnID, id AttachmentID, secret [32]byte, resumed bool) {
	m := a.Meta()
	at, _ := m.Attached(id)
	p := &peer{conn: c, att: id, kind: at.Kind, actor: at.Actor}
	i, _ := a.peerIndex(c)
	a.conns = slices.Insert(a.conns, i, p)
	w := &Welcome{Attachment: id, Secret: secret, Session: a.session, Next: at.Next,
		Epoch: at.Epoch, Resumed: resumed}
	for _, s := range m.Shards {
		if sl, ok := a.shards[s]; ok && s.Kind.Journaled() {
			w.Heads = append(w.Heads, Head{s, sl.Mark})
		}
	}
	if w.Unkept = a.failed; w.Unkept {
		a.now1(c, w)
	} else {
		a.later1(c, w)
	}
}

func (p *peer) durableOnly() bool { return p.kind == AttachTool }

// eager reports whether entries of such shards go out without waiting for the disk: to people's UIs
// those of what clients lead, to everybody those that no disk ever holds.
func (k ShardKind) eager() bool { return k.Leasable() || !k.Journaled() }

// eager reports whether a peer gets a shard's entries without waiting for the disk.
func (p *peer) eager(s Shard) bool {
	return s.Kind.eager() && (!p.durableOnly() || !s.Kind.Journaled())
}

// follow subscribes to shards. A client gets the tail after its mark where its history is the
// log's, and a snapshot otherwise.
func (a *Authority) follow(p *peer, m *Follow) {
	if !p.joined && slices.ContainsFunc(m.Shards, func(f FollowShard) bool { return f.Shard.Kind.Leasable() }) {
		p.joined = true
		a.serveWaiting()
		defer a.retryCalls()
	}
	if a.veils(p.att) && slices.ContainsFunc(m.Shards, func(f FollowShard) bool { return f.Shard == MetaShard }) {
		a.turnBack(p.conn)
		return
	}
	for _, f := range m.Shards {
		if !a.known(f.Shard) {
			a.later1(p.conn, &Refused{[]Shard{f.Shard}, Errorf(CodeNotFound, "no shard %v", f.Shard)})
			continue
		}
		if !slices.Contains(p.follows, f.Shard) {
			p.follows = append(p.follows, f.Shard)
		}
		if !p.behind {
			a.subscribe(p, f)
		}
	}
}

// subscribe sends what a follower lacks and enters it for what follows.
func (a *Authority) subscribe(p *peer, f FollowShard) {
	a.unsubscribe(p, f.Shard)
	sl, ok := a.shards[f.Shard]
	if !ok {
		a.enter(p, f.Shard) // it gets the state when there is one
		return
	}
	send := a.now1
	if !p.eager(f.Shard) && !a.unveiled(p) {
		send = a.later1
	}
	if f.From == nil {
		send(p.conn, &Snapshot{sl.ShardState})
	} else if tail, ok := sl.since(*f.From); !ok {
		send(p.conn, &Snapshot{sl.ShardState})
	} else {
		a.changed(f.Shard) // what it has was not checked, if it missed that
		if len(tail) > 0 {
			send(p.conn, &Deliver{slices.Clone(tail)})
		}
	}
	send(p.conn, &CaughtUp{f.Shard, sl.Mark})
	a.enter(p, f.Shard)
}

// known reports whether a shard can be followed: it has a state, or it is a terminal that has none
// yet in this daemon's life.
func (a *Authority) known(s Shard) bool {
	_, ok := a.shards[s]
	return ok || s.Kind == KindTerm && a.Meta().Has(s)
}

// enter puts a connection among those that get a shard's entries. The lists are replaced, not
// changed: sends that are under way share them.
func (a *Authority) enter(p *peer, s Shard) {
	fan := a.fans[s]
	if fan == nil {
		fan = &fans{}
		a.fans[s] = fan
	}
	list := &fan.eager
	if p.durableOnly() && s.Kind.Journaled() {
		list = &fan.durable
	}
	*list = append(slices.Clone(*list), p.conn)
}

// unsubscribe takes a follower out of a shard's fans. The lists are replaced, not changed: sends
// that are under way share them.
func (a *Authority) unsubscribe(p *peer, s Shard) {
	f := a.fans[s]
	if f == nil {
		return
	}
	without := func(list []ConnID) []ConnID {
		if i := slices.Index(list, p.conn); i >= 0 {
			return slices.Delete(slices.Clone(list), i, i+1)
		}
		return list
	}
	f.eager, f.durable = without(f.eager), without(f.durable)
}

func (a *Authority) unfollow(p *peer, shards []Shard) {
	for _, s := range shards {
		a.unsubscribe(p, s)
		if i := slices.Index(p.follows, s); i >= 0 {
			p.follows = slices.Delete(p.follows, i, i+1)
		}
	}
}

// overflowed tells a slow client that it lost entries; it gets snapshots when it has taken what
// is left for it.
func (a *Authority) overflowed(c ConnID) {
	p := a.peer(c)
	if p == nil || p.behind {
		return
	}
	p.behind = true
	for _, s := range p.follows {
		a.unsubscribe(p, s)
	}
	a.now1(c, &Resync{slices.Clone(p.follows)})
}

func (a *Authority) drained(c ConnID) {
	p := a.peer(c)
	if p == nil || !p.behind {
		return
	}
	p.behind = false
	for _, s := range p.follows {
		if a.known(s) {
			a.subscribe(p, FollowShard{Shard: s})
		}
	}
}

// drop forgets a connection.
func (a *Authority) drop(c ConnID) *peer {
	i, ok := a.peerIndex(c)
	if !ok {
		return nil
	}
	p := a.conns[i]
	a.conns = slices.Delete(a.conns, i, i+1)
	for _, s := range p.follows {
		a.unsubscribe(p, s)
	}
	for _, c := range a.calls { // without anybody to tell, the change is made all the same
		c.askers = slices.DeleteFunc(c.askers, func(w asker) bool { return w.conn == p.conn })
	}
	return p
}

// closed: the connection is gone, the attachment stays for its grace time.
func (a *Authority) closed(c ConnID) {
	p := a.drop(c)
	if p == nil {
		return
	}
	a.offline = append(a.offline, offline{p.att, a.now})
	a.yield(p.att)
	a.retryCalls()
}

// bye: the client left for good.
func (a *Authority) bye(p *peer) {
	a.drop(p.conn)
	a.detach(p.att, "left")
	a.effect(&CloseConn{p.conn})
	a.retryCalls()
}

// detach ends an attachment. What it leads goes to who waits for it, else to the daemon.
func (a *Authority) detach(at AttachmentID, why string) {
	a.reclaimAll(at)
	if err := a.stageMeta(Of(&Detach{at, why})); err != nil {
		a.discard()
		return
	}
	a.commitStep()
	a.offline = slices.DeleteFunc(a.offline, func(o offline) bool { return o.att == at })
}

func (a *Authority) drain() {
	a.draining = true
	for _, p := range a.conns {
		a.now1(p.conn, &Draining{})
	}
}

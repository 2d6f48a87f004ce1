package daemontest

import (
	"apex/core"
	"apex/core/edit"
	"apex/proto"
)

// Peer is a client with a replica, driven by hand.
type Peer struct {
	*Client
	R       *core.Replica
	Resyncs int         // how often it was told that it lost entries
	Acked   []core.Head // what was acknowledged, oldest first
	Heads   []core.Head // of the last welcome
}

// Attach attaches a client of a kind to a session, made if it is missing, and follows everything.
func (d *Daemon) Attach(kind core.AttachKind, label, actor string) *Peer {
	d.t.Helper()
	p := &Peer{R: core.NewReplica(core.Hello{Kind: kind, Name: "test", Actor: actor}, edit.Evaluate)}
	p.Join(d, label)
	return p
}

// Join connects the peer, again after its connection ended, and waits until it knows the session.
func (p *Peer) Join(d *Daemon, label string) {
	d.t.Helper()
	fragile := p.Client != nil && p.Fragile
	p.Client = d.Dial()
	p.Fragile = fragile
	at := Must[*proto.Attached](p.Client,
		&proto.Attach{Session: label, Create: true, Hello: *p.R.Hello()})
	p.Heads = at.Welcome.Heads
	p.Do(p.R.Welcomed(&at.Welcome))
	p.Until(func() bool { return p.R.Knows(core.MetaShard) })
	p.Do(p.R.Follow(p.R.Meta().Shards...))
}

// Do sends what a replica's method wants sent, and returns the events.
func (p *Peer) Do(o core.Out) []core.Event {
	p.t.Helper()
	for _, m := range o.Send {
		p.Send(m)
	}
	return o.Events
}

// Until takes messages in until a condition holds. Shards that are made are followed. It reports
// false if the connection ended before, which only a fragile one may.
func (p *Peer) Until(cond func() bool) bool {
	p.t.Helper()
	for !cond() {
		if !p.Take() {
			return false
		}
	}
	return true
}

// Take takes in one message; false at the end of a fragile connection.
func (p *Peer) Take() bool {
	p.t.Helper()
	m := p.Recv()
	if m == nil && !p.Fragile {
		p.t.Fatal("the connection ended too soon")
	}
	if m == nil {
		return false
	}
	switch m := m.(type) {
	case *core.Resync:
		p.Resyncs++
	case *core.Ack:
		p.Acked = append(p.Acked, m.Heads...)
	}
	if x, ok := m.(core.Msg); ok {
		p.Do(p.R.Receive(x))
	}
	for _, s := range p.R.Meta().Shards {
		if !p.R.Wants(s) {
			p.Do(p.R.Follow(s))
		}
	}
	return true
}

// Lead takes a shard's lease.
func (p *Peer) Lead(s core.Shard) {
	p.t.Helper()
	p.Until(func() bool { return p.R.Knows(s) })
	p.Do(p.R.Take(s))
	p.Until(func() bool { return p.R.Leads(s) })
}

// Commit does what a bundle says, as the leader.
func (p *Peer) Commit(b core.Bundle) {
	p.t.Helper()
	o, err := p.R.Commit(b)
	if err != nil {
		p.t.Fatal(err)
	}
	p.Do(o)
}

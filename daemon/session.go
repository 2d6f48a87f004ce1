package daemon

import (
	"crypto/rand"
	"log/slog"
	"slices"
	"sync"
	"time"

	"apex/core"
	"apex/daemon/journal"
	"apex/proto"
)

// session is one session's owner. Its turn is a mutex: the reader goroutine that has a message
// runs the step itself, which saves the hop to another goroutine on the keystroke path. A step
// never waits for a disk, a socket or a program: it hands records to the journal, puts frames into
// outboxes, and starts effects on goroutines of their own. Sockets are written after the turn.
type session struct {
	d   *Daemon
	id  core.SessionID
	dir string // of its journal
	log *slog.Logger

	mu      sync.Mutex
	a       *core.Authority
	j       *journal.Journal
	conns   []*conn
	waiting []due // what is due when records are durable, oldest first
	last    uint64
	durable uint64
	stamp   core.Millis // when the newest record was handed over
	touched []*conn     // to be flushed after the turn
	timer   *time.Timer
	calls   map[uint64]chan core.Result // Locals without an answer
	nextTag uint64
	moving  bool // a new generation is being begun
	ended   bool
	trouble string // why the session is read-only or not durable

	openMu  sync.Mutex // one open at a time: two of one file find one buffer
	effects sync.WaitGroup
}

// due is what a step wants done when a record is durable.
type due struct {
	record uint64
	after  core.After
}

func now() core.Millis { return core.Millis(time.Now().UnixMilli()) }

// step runs one step of the session.
func (s *session) step(in core.Input) {
	s.mu.Lock()
	s.run(in)
	s.unlock()
}

// run steps and does what the step wants; the turn is held.
func (s *session) run(in core.Input) {
	if !s.ended {
		s.perform(s.a.Step(now(), in))
	}
}

// unlock ends the turn and writes what it left for connections.
func (s *session) unlock() {
	touched := s.touched
	s.touched = nil
	s.schedule()
	s.mu.Unlock()
	for _, c := range touched {
		c.out.flush()
	}
}

// schedule sets the timer to the authority's next deadline.
func (s *session) schedule() {
	at, ok := s.a.Deadline()
	if !ok || s.ended {
		if s.timer != nil {
			s.timer.Stop()
		}
		return
	}
	wait := max(time.Duration(at-min(at, now()))*time.Millisecond, time.Millisecond)
	if s.timer == nil {
		s.timer = time.AfterFunc(wait, func() { s.step(&core.Tick{}) })
		return
	}
	s.timer.Reset(wait)
}

// perform does what a step wants: store, send, and what has to wait until it is durable.
func (s *session) perform(r core.Ready) {
	if r.Store != nil {
		s.store(r.Store)
	}
	for _, x := range r.SendNow {
		s.send(x)
	}
	if len(r.AfterStore.Send)+len(r.AfterStore.Effects) == 0 {
		return
	}
	if s.durable >= s.last && len(s.waiting) == 0 {
		s.after(r.AfterStore)
		return
	}
	s.waiting = append(s.waiting, due{s.last, r.AfterStore})
}

func (s *session) after(a core.After) {
	for _, x := range a.Send {
		s.send(x)
	}
	for _, e := range a.Effects {
		s.effect(e)
	}
}

// stored takes the journal's word that records are on disk.
func (s *session) stored(upTo uint64) {
	s.mu.Lock()
	defer s.unlock()
	s.durable = max(s.durable, upTo)
	n := 0
	for n < len(s.waiting) && s.waiting[n].record <= s.durable {
		n++
	}
	ready := s.waiting[:n:n]
	s.waiting = s.waiting[n:]
	for _, d := range ready {
		s.after(d.after)
	}
	if s.durable >= s.last {
		s.run(&core.Stored{UpTo: s.durable})
	}
	s.maybeRotate()
}

// send queues a message for its connections, encoded once.
func (s *session) send(x core.Send) {
	it, ok := s.encode(x.Msg)
	for _, id := range x.To {
		c := s.conn(id)
		if c == nil || id == x.Except || !ok {
			continue
		}
		if w, isWelcome := x.Msg.(*core.Welcome); isWelcome {
			c.reply(c.attach, &proto.Attached{Label: s.a.Meta().Label, Now: now(), Welcome: *w}, nil)
			c.attach = 0
			s.presence()
			continue
		}
		if f, failed := x.Msg.(*core.Failure); failed && c.attach != 0 {
			c.reply(c.attach, nil, f.Err)
			c.attach = 0
			continue
		}
		for _, i := range it {
			if c.out.put(i) {
				s.run(&core.Overflowed{Conn: id})
				c.out.told()
			}
		}
		s.touch(c)
	}
}

// encode makes the items of a message.
func (s *session) encode(m core.Msg) ([]item, bool) {
	switch m := m.(type) {
	case *core.Welcome:
		return nil, true
	case *core.Snapshot:
		return []item{{snapshot: &m.State, entry: true}}, true
	case *core.Deliver:
		var out []item
		for rest := m.Batches; len(rest) > 0; {
			n := proto.DeliverFits(rest)
			frame, err := proto.Append(nil, &core.Deliver{Batches: rest[:n]})
			if err != nil {
				s.log.Error("batches not encoded", "err", err)
				return nil, false
			}
			out = append(out, item{frame: frame, entry: true})
			rest = rest[n:]
		}
		return out, true
	}
	frame, err := proto.Append(nil, m)
	if err != nil {
		s.log.Error("message not encoded", "err", err)
		return nil, false
	}
	_, mark := m.(*core.CaughtUp) // goes with the snapshot before it, and is dropped with it
	return []item{{frame: frame, entry: mark}}, true
}

func (s *session) touch(c *conn) {
	if !slices.Contains(s.touched, c) {
		s.touched = append(s.touched, c)
	}
}

func (s *session) conn(id core.ConnID) *conn {
	i, ok := slices.BinarySearchFunc(s.conns, id, func(c *conn, id core.ConnID) int {
		return int(int64(c.id) - int64(id))
	})
	if !ok {
		return nil
	}
	return s.conns[i]
}

// attach attaches a connection; the Welcome answers the call.
func (s *session) attach(c *conn, id uint64, h *core.Hello) error {
	var secret [32]byte
	rand.Read(secret[:])
	s.mu.Lock()
	defer s.unlock()
	if s.ended {
		return core.Errorf(core.CodeNotFound, "the session has ended")
	}
	c.attach = id
	c.joined = now()
	s.conns = append(s.conns, c)
	slices.SortFunc(s.conns, func(a, b *conn) int { return int(int64(a.id) - int64(b.id)) })
	c.session.Store(s)
	s.run(&core.Received{Conn: c.id, Msg: h, Secret: secret})
	return nil
}

// receive takes a message of an attached client.
func (s *session) receive(c *conn, m core.Msg) {
	if p, ok := m.(*core.Propose); ok {
		s.mu.Lock()
		s.address(&p.Proposal)
		s.run(&core.Received{Conn: c.id, Msg: m})
		s.unlock()
		return
	}
	s.step(&core.Received{Conn: c.id, Msg: m})
}

// leave forgets a connection that ended.
func (s *session) leave(c *conn) {
	s.mu.Lock()
	s.conns = slices.DeleteFunc(s.conns, func(x *conn) bool { return x == c })
	s.run(&core.Closed{Conn: c.id})
	s.presence()
	s.unlock()
}

// local makes a proposal on the daemon's own behalf and waits for its answer; the turn is not
// held.
func (s *session) local(p core.Proposal) core.Result {
	answer := make(chan core.Result, 1)
	s.mu.Lock()
	if s.ended {
		s.mu.Unlock()
		return core.Failed(core.Errorf(core.CodeNotFound, "the session has ended"))
	}
	s.nextTag++
	tag := s.nextTag
	s.calls[tag] = answer
	s.address(&p)
	s.run(&core.Local{Tag: tag, Proposal: p})
	s.unlock()
	return <-answer
}

// resolve answers a local proposal.
func (s *session) resolve(e *core.Resolved) {
	if answer := s.calls[e.Tag]; answer != nil {
		answer <- e.Result
		delete(s.calls, e.Tag)
	}
}

// view runs f with the session's state, in its turn.
func (s *session) view(f func(a *core.Authority) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return f(s.a)
}

// presence sends the roster to everybody; the turn is held.
func (s *session) presence() {
	frame, err := proto.Append(nil, &proto.Presence{Peers: s.roster()})
	if err != nil {
		s.log.Error("roster not encoded", "err", err)
		return
	}
	for _, c := range s.conns {
		if c.attach == 0 {
			c.out.put(item{frame: frame})
			s.touch(c)
		}
	}
}

// presenceTTL is what a roster promises of a peer: the socket tells when it is gone.
const presenceTTL = 60_000

// roster is who is attached and connected, ordered by attachment; the turn is held.
func (s *session) roster() []proto.Peer {
	m := s.a.Meta()
	layout, _ := m.Lease(core.LayoutShard)
	var out []proto.Peer
	for _, c := range s.conns {
		id, ok := s.a.Attachment(c.id)
		if !ok {
			continue
		}
		at, _ := m.Attached(id)
		out = append(out, proto.Peer{ID: "a" + itoa(uint64(id)), Attachment: id, Kind: at.Kind,
			Name: at.Name, Actor: at.Actor, Since: at.Since, TTL: presenceTTL,
			View: proto.View(c.looking.View), Q0: c.looking.Q0, Q1: c.looking.Q1,
			Leads: layout.Holder == id})
	}
	slices.SortFunc(out, func(a, b proto.Peer) int { return int(a.Attachment) - int(b.Attachment) })
	return out
}

// here takes in what a client looks at.
func (s *session) here(c *conn, h proto.Here) {
	s.mu.Lock()
	c.looking = h
	s.presence()
	s.unlock()
}

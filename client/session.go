package client

import (
	"context"
	"net"
	"sync"
	"sync/atomic"
	"time"

	"apex/core"
	"apex/core/edit"
	"apex/proto"
)

// Options say what to attach to, and as what.
type Options struct {
	Label  string // of the session; empty: the default one
	Create bool   // make the session if it is missing
	Dir    string // where a session that is made works; absolute

	Kind  core.AttachKind // a person's UI unless it says otherwise
	Name  string          // what the client calls itself
	Actor string          // durable name of who acts, such as human:ann

	// Lines has what windows show come ahead of their buffers: so many lines around the origin of
	// each body (Session.Lines); 0 for nothing.
	Lines int

	// Environ is what a client that leads brings to the programs of the session: see Environment.
	Environ []proto.EnvVar

	Policy   Policy
	Evaluate core.Evaluator // how proposals become changes; nil: edit.Evaluate

	Daemon Daemon
	// Dial makes a connection in another way than through Daemon; nothing is started then.
	Dial func(context.Context) (net.Conn, error)
	// Via reaches the daemon through a command. Connect has been called; the caller closes it after the
	// session. What is of this machine alone, such as Environ, is the other end's then.
	Via *Via
}

// Session is one session as this client knows it, and the way to change it. It implements
// core.Session and core.Minter. See the package's doc for who may call what.
type Session struct {
	Requests
	opts    Options
	inbox   *inbox
	replica *core.Replica

	// unsynced says, to the goroutine of the link, that the replica may have something to retry.
	unsynced atomic.Bool
	// renewEvery says how often leases are renewed, in ms, 0 for never; renewing that it changed.
	renewEvery atomic.Uint64
	renewing   chan struct{}

	// The owner's.
	conn      *Conn // that the replica's messages go out on; nil while there is none
	out       []byte
	holds     bool    // what is sent waits for Flush
	events    []Event // not told yet
	told      []Event // the slice that Process returned last
	changed   map[core.Shard]bool
	joined    bool // since the last welcome the metalog has caught up
	state     State
	peers     []proto.Peer
	lines     []proto.Lines
	lead      lead
	proposing map[uint64]*proposing
	handed    map[uint64]func(core.Result)

	// Shared with the goroutine that keeps the link up.
	attached atomic.Bool // once
	kept     atomic.Bool // a disk had it once: from then on the session is only resumed
	draining atomic.Bool
	fresh    atomic.Bool   // the last link was welcomed: the next is tried without delay
	again    chan struct{} // has a value when a link is to be tried at once
	over     chan struct{} // closed by Close
	closing  sync.Once
	stop     context.CancelFunc
	wait     sync.WaitGroup

	mu      sync.Mutex
	link    *Conn         // for requests; nil while there is none
	linked  chan struct{} // closed while there is one
	here    proto.Here    // what Look said last
	waiting int           // proposals that the owner has not taken in
}

// Attach attaches to a session, and returns when its metalog is known, and to who follows them
// its layout and windows. The caller becomes the session's owner.
func Attach(ctx context.Context, opts Options) (*Session, error) {
	if opts.Kind == core.AttachInvalid {
		opts.Kind = core.AttachUI
	}
	if opts.Evaluate == nil {
		opts.Evaluate = edit.Evaluate
	}
	hello := core.Hello{Kind: opts.Kind, Name: opts.Name, Actor: opts.Actor}
	s := &Session{
		opts:      opts,
		replica:   core.NewReplica(hello, opts.Evaluate),
		changed:   map[core.Shard]bool{},
		proposing: map[uint64]*proposing{},
		again:     make(chan struct{}, 1),
		handed:    map[uint64]func(core.Result){},
		over:      make(chan struct{}),
		renewing:  make(chan struct{}, 1),
		linked:    make(chan struct{}),
	}
	s.inbox = newInbox(s.interrupt)
	s.Requests = Requests{s.Call}
	s.lead = newLead(opts)
	s.state = State{Observer: opts.Kind == core.AttachObserver, Since: time.Now()}
	run, stop := context.WithCancel(context.WithoutCancel(ctx))
	s.stop = stop
	s.wait.Go(func() { s.keepLinked(run) })
	if err := s.arrive(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}

// arrive takes things in until there is something to show. Only a daemon that is stopping is
// waited for; everything else that goes wrong is an answer.
func (s *Session) arrive(ctx context.Context) error {
	const limit = startTimeout + AnswerTimeout
	ctx, cancel := context.WithTimeoutCause(ctx, limit,
		unavailable("the session has not come in %v", limit))
	defer cancel()
	for {
		if err := s.Wait(ctx); err != nil {
			return err
		}
		s.Process()
		if s.state.Err != nil && core.CodeOf(s.state.Err) != core.CodeDraining {
			return s.state.Err
		}
		if s.joined && s.lead.arrived(s) {
			return nil
		}
		if s.state.Unkept && s.opts.Kind == core.AttachTool {
			return core.Errorf(core.CodeReadOnly, "session %q is not durable (`apex ls` says why): what "+
				"a tool gets waits for the disk", s.opts.Label)
		}
	}
}

// Wait returns when something has arrived that Process takes in. The socket is read meanwhile, and
// at no other time but while somebody waits for an answer. The error is that of ctx, or unavailable
// when the session was closed. Any goroutine may call it: while there is one that does, again and
// again, the owner may wait for other things.
func (s *Session) Wait(ctx context.Context) error {
	defer context.AfterFunc(ctx, s.interrupt)()
	enough := func() bool { return s.inbox.woken() || ctx.Err() != nil }
	for {
		conn, _ := s.linkNow()
		var turn chan struct{}
		if conn != nil && conn.Err() == nil { // else there will be news of it
			turn = conn.in.turn
		}
		select {
		case <-s.inbox.wake:
			return nil
		case <-turn:
			conn.attend(enough)
			turn <- struct{}{}
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-s.over:
			return unavailable("the session was closed")
		}
	}
}

// Remind makes a Wait return, for Process to be called, though nothing has arrived. Any goroutine may
// call it, and so may what is called with an answer.
func (s *Session) Remind() { s.inbox.remind() }

// interrupt makes who reads for Wait look whether there is something else.
func (s *Session) interrupt() {
	if conn, _ := s.linkNow(); conn != nil {
		conn.in.interrupt()
	}
}

// Process takes in what has arrived and says what it was. It never waits. What it returns is good
// until the next call.
func (s *Session) Process() []Event {
	for _, i := range s.inbox.take() {
		s.takeIn(i.what)
	}
	if s.joined {
		s.lead.step(s)
	}
	s.flush()
	s.unsynced.Store(s.replica.Unsynced() > 0)
	clear(s.changed)
	s.events, s.told = s.told[:0], s.events
	return s.told
}

// Commit does what a bundle says at once and ships it, connected or not. Unless this client leads
// every shard that the bundle changes, nothing happens and the error has code not_leader.
// An empty bundle is nothing to do; a part without ops is bad_request: no frame holds
// one, and it would be sent again for ever.
func (s *Session) Commit(b core.Bundle) error {
	if b.Empty() {
		return nil
	}
	for _, p := range b.Parts {
		if len(p.Ops) == 0 {
			return core.Errorf(core.CodeBadRequest, "a bundle without ops on %v", p.Shard)
		}
	}
	out, err := s.replica.Commit(b)
	if err != nil {
		return err
	}
	for _, e := range out.Events {
		if e.Kind != core.EventChanged { // by the caller, who knows
			s.tell(e)
		}
	}
	s.send(out.Send)
	s.finish()
	return nil
}

// Follow keeps shards up to date from now on; they are known when an EventChanged says so.
func (s *Session) Follow(shards ...core.Shard) { s.do(s.replica.Follow(shards...)) }

// Unfollow drops shards that are not led.
func (s *Session) Unfollow(shards ...core.Shard) { s.do(s.replica.Unfollow(shards...)) }

// Take asks for leases, of whoever holds them; an EventLease says when one has come. Shards that
// are to be led must be followed too.
func (s *Session) Take(shards ...core.Shard) { s.do(s.replica.Take(shards...)) }

// Give gives leases back.
func (s *Session) Give(shards ...core.Shard) { s.do(s.replica.Give(shards...)) }

// TakeAll takes over: it asks for every lease that the policy wants, whoever holds it.
func (s *Session) TakeAll() {
	if s.state.Observer {
		return
	}
	s.lead.takeAll()
	if s.joined {
		s.lead.step(s)
	}
	s.finish()
}

// State says how the session stands.
func (s *Session) State() State {
	st := s.state
	st.Leading = s.replica.Leads(core.LayoutShard)
	st.Watching = s.lead.watching
	st.Unsynced = s.replica.Unsynced()
	return st
}

// Peers returns who is in the session, as the daemon said last. The caller doesn't change it.
func (s *Session) Peers() []proto.Peer { return s.peers }

// Actor signs what this client does.
func (s *Session) Actor() core.Author { return s.replica.Author() }

// ID returns the session's identity.
func (s *Session) ID() core.SessionID { return s.replica.Session() }

// Meta implements core.Session.
func (s *Session) Meta() *core.Meta { return s.replica.Meta() }

// Layout implements core.Session.
func (s *Session) Layout() *core.Layout { return s.replica.Layout() }

// Window implements core.Session.
func (s *Session) Window(w core.WindowID) *core.Window { return s.replica.Window(w) }

// Buffer implements core.Session.
func (s *Session) Buffer(b core.BufferID) *core.Buffer { return s.replica.Buffer(b) }

// Term implements core.Session.
func (s *Session) Term(t core.TermID) *core.Term { return s.replica.Term(t) }

// Leads implements core.Session: whether Commit may change a shard now.
func (s *Session) Leads(shard core.Shard) bool { return s.replica.Leads(shard) }

// NewID implements core.Minter.
func (s *Session) NewID() core.ID { return s.replica.NewID() }

// Shard returns a shard's whole state; not ok if it is not known here.
func (s *Session) Shard(shard core.Shard) (core.ShardState, bool) { return s.replica.State(shard) }

// Knows reports whether a shard's state is here and up to date.
func (s *Session) Knows(shard core.Shard) bool { return s.replica.Knows(shard) }

// do does what a method of the replica wants done.
func (s *Session) do(o core.Out) {
	s.took(o)
	s.finish()
}

// finish ends what the owner did outside of Process: what there is to tell is told by the next.
func (s *Session) finish() {
	if !s.holds {
		s.flush()
	}
	if len(s.events) > 0 {
		s.inbox.remind()
	}
}

func (s *Session) took(o core.Out) {
	for _, e := range o.Events {
		s.tell(e)
	}
	s.send(o.Send)
}

// send puts messages into the next write.
func (s *Session) send(messages []core.Msg) {
	for _, m := range messages {
		if s.conn == nil {
			return // the replica keeps what has to arrive
		}
		b, err := proto.Append(s.out, m)
		if err != nil {
			s.unsendable(m, err)
			continue
		}
		if s.out = b; len(b) > turnMaxBytes {
			s.flush()
		}
	}
}

// Hold keeps what is done from now on until Flush, so that the owner can show it before the socket
// takes it. What is long goes out at once all the same.
func (s *Session) Hold() { s.holds = true }

// Flush sends what Hold has kept.
func (s *Session) Flush() {
	s.holds = false
	s.flush()
}

// flush writes what send put together.
func (s *Session) flush() {
	if len(s.out) == 0 {
		return
	}
	if s.conn != nil {
		s.conn.write(s.out)
	}
	if s.out = s.out[:0]; cap(s.out) > writerKeepBytes {
		s.out = nil
	}
}

// unsendable answers a proposal that no frame holds. What is appended always fits one: the replica
// refuses a bundle that does not.
func (s *Session) unsendable(m core.Msg, err error) {
	if m, ok := m.(*core.Propose); ok {
		refusal := &core.Error{Code: core.CodeOf(err), Message: err.Error()}
		s.took(s.replica.Receive(&core.ProposeResult{ID: m.ID, Result: core.Result{Err: refusal}}))
	}
}

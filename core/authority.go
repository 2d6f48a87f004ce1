package core

import (
	"slices"
)

// Authority is the daemon's half of a session: it sequences what the daemon leads, admits and
// stores what clients lead, forwards, grants leases, and routes proposals. It does nothing itself:
// Step takes what happened and returns what is to be done.
//
// The caller hands Ready.Store to the journal in order, does Ready.AfterStore when that record and
// all before it are durable, and says so by Stored. It keeps its own clock and gives Step the time;
// Deadline tells when the next Tick is due.
type Authority struct {
	Log
	evaluate Evaluator
	now      Millis

	conns    []*peer // ordered by connection
	offline  []offline
	fans     map[Shard]*fans
	asked    []askedLease // leases requested from connected holders
	timed    []timedLease // that tools hold
	calls    []*call      // proposals without an answer, oldest first
	nextCall uint64

	handedOut uint64 // records
	unstored  int    // bytes of batches since the last Stored
	failed    bool
	why       string // it failed
	unkept    unkept
	minted    uint64 // the lowest id counter that the daemon has not handed out since its start
	draining  bool
	changes   map[Shard]Millis // when shards changed that wait to be checked
	quiet     []quietShard     // these shards, in the order in which they are looked at
	frozen    map[Shard]string // damaged shards: why nothing is appended to them

	step  *staging // what the current step stores
	ready Ready
}

// Deadlines and bounds of the protocol.
const (
	transferDeadline = 500    // Millis that a holder has to release a lease that somebody waits for
	heldProposal     = 2_000  // Millis that a proposal waits for a leader
	graceUI          = 60_000 // Millis until a UI that nobody resumes is detached
	graceTool        = 10_000 // the same for a tool
	maxCalls         = 4096   // proposals waiting in one session; more are answered busy
	// maxCallsEach is how many of them may be one client's, so that one that floods leaves room for
	// the others.
	maxCallsEach = maxCalls / 4
	// busyRetry is in how many Millis who was answered busy may try again: proposals take a few.
	busyRetry   = 50
	maxUnstored = 64 << 20
	seenLead    = 24 * 3600 * 1000 // Millis that a client's highest epoch may be ahead of the clock
)

// peer is a connection that attached.
type peer struct {
	conn    ConnID
	att     AttachmentID
	kind    AttachKind
	actor   string
	follows []Shard
	joined  bool // it knows its leases: before that it is asked nothing
	behind  bool // its queue overflowed: nothing is sent until Drained
}

// offline is an attachment without a connection, and since when.
type offline struct {
	att   AttachmentID
	since Millis
}

// fans are the connections that follow a shard: tools get durable entries only.
type fans struct{ eager, durable []ConnID }

// NewSession returns the authority of a new session and the first record to store. first makes
// the layout that a session starts with.
func NewSession(id Identity, label, dir string, now Millis, ev Evaluator,
	first func(Minter) Bundle) (*Authority, Ready, error) {
	a := newAuthority(id.Session, id.History, ev)
	a.begin(now)
	a.shards[MetaShard] = newShardLog(NewShardState(id.History, id.Session, MetaShard))
	a.shards[LayoutShard] = newShardLog(NewShardState(id.History, id.Session, LayoutShard))
	a.shards[NotesShard] = newShardLog(NewShardState(id.History, id.Session, NotesShard))
	err := a.stageMeta(Of(&id), Of(&Label{label}), Of(&Place{dir}),
		Of(&ShardNew{LayoutShard, Server, Epoch(now)}))
	if err != nil {
		return nil, Ready{}, err
	}
	a.commitStep()
	b := first(a)
	b.Author = serverAuthor
	if _, err := a.stageBundle(&b); err != nil {
		return nil, Ready{}, err
	}
	a.commitStep()
	return a, a.finish(), nil
}

// serverAuthor signs what the daemon does of its own accord.
var serverAuthor = Author{Actor: "apex"}

func newAuthority(session SessionID, history [16]byte, ev Evaluator) *Authority {
	return &Authority{
		Log:      Log{session: session, history: history, shards: map[Shard]*shardLog{}},
		evaluate: ev,
		fans:     map[Shard]*fans{},
		frozen:   map[Shard]string{},
		changes:  map[Shard]Millis{},
	}
}

// Restore builds a session's state again from a journal: snapshots, then batches in the order in
// which they were stored.
type Restore struct{ a *Authority }

// NewRestore begins with nothing.
func NewRestore(ev Evaluator) *Restore {
	return &Restore{newAuthority(SessionID{}, [16]byte{}, ev)}
}

// Snapshot takes in a shard's snapshot.
func (r *Restore) Snapshot(s ShardState) {
	r.a.shards[s.Shard] = newShardLog(s)
	if m := s.Meta(); m != nil {
		r.a.session, r.a.history = m.Identity.Session, m.Identity.History
	}
}

// Batch takes in a stored batch. A batch that its shard already covers is skipped; one that does
// not follow is an error, and the caller freezes the shard: its log is readable up to there.
func (r *Restore) Batch(b *Sealed) error {
	a := r.a
	sl, ok := a.shards[b.Shard]
	if !ok {
		if b.Shard == MetaShard {
			if id, ok := b.Ops[0].Body.(*Identity); ok {
				a.session, a.history = id.Session, id.History
			}
		}
		sl = newShardLog(NewShardState(a.history, a.session, b.Shard))
		a.shards[b.Shard] = sl
	}
	if b.Last() <= sl.Mark.Seq {
		return nil
	}
	next, err := sl.Apply(b)
	if err != nil {
		return err
	}
	sl.push(b, next)
	if b.Shard == MetaShard {
		a.session, a.history = a.Meta().Identity.Session, a.Meta().Identity.History
		a.dropDeleted(b)
	}
	return nil
}

// Log is what was taken in so far. It is not to be changed.
func (r *Restore) Log() *Log { return &r.a.Log }

// Freeze makes a shard read-only and says why.
func (r *Restore) Freeze(s Shard, why string) { r.a.frozen[s] = why }

// Done returns the authority. Epochs of what the daemon leads are raised; leases that clients hold
// keep theirs, so that their unacknowledged tails still fit. Commands whose outcome was not
// recorded have an unknown one.
func (r *Restore) Done(now Millis) (*Authority, Ready, error) {
	a := r.a
	if a.shards[MetaShard] == nil || a.session == (SessionID{}) {
		return nil, Ready{}, Errorf(CodeInternal, "the metalog is missing")
	}
	for _, s := range []Shard{LayoutShard, NotesShard} {
		if a.shards[s] == nil {
			a.shards[s] = newShardLog(NewShardState(a.history, a.session, s))
		}
	}
	a.begin(now)
	for _, at := range a.Meta().Attachments {
		a.offline = append(a.offline, offline{at.ID, now})
	}
	var ops []Op
	epoch := a.Meta().NextEpoch(now)
	for _, l := range a.Meta().Leases {
		if l.Holder == Server {
			ops = append(ops, Of(&LeaseReclaim{l.Shard, Server, epoch, a.last(l.Shard)}))
		}
	}
	if len(ops) > 0 && a.frozen[MetaShard] == "" {
		if err := a.stageMeta(ops...); err != nil {
			return nil, Ready{}, err
		}
		a.commitStep()
	}
	a.startTenures()
	a.settleRuns()
	return a, a.finish(), nil
}

// settleRuns answers commands that a crash cut off from their outcome. How a program ends that may
// still run, the daemon tells.
func (a *Authority) settleRuns() {
	for _, s := range a.Meta().Shards {
		w := a.Window(WindowID(s.ID))
		if s.Kind != KindWindow || w == nil {
			continue
		}
		for _, r := range w.Runs {
			if !r.Done && !a.Meta().runs(WindowID(s.ID), r.At) {
				a.propose(&call{proposal: Proposal{Author: serverAuthor, Ask: &AskStatus{WindowID(s.ID),
					Status{r.At, CodeUnavailable, "unknown: the daemon stopped before it ended"}}}})
			}
		}
	}
}

// Frozen returns why a shard is read-only, or "".
func (a *Authority) Frozen(s Shard) string { return a.frozen[s] }

// Failed reports whether the session is not durable at the moment.
func (a *Authority) Failed() bool { return a.failed }

// DiskRefuses is what is said to whoever brings something new while the session is not durable.
func (a *Authority) DiskRefuses() *Error {
	why := ""
	if a.why != "" {
		why = " (" + a.why + ")"
	}
	return Errorf(CodeReadOnly, "the disk refuses, so nothing new is taken%s", why)
}

// Leads implements Session: whether the daemon itself may append to a shard.
func (a *Authority) Leads(s Shard) bool { return a.Meta().Leads(Server, s) && a.frozen[s] == "" }

// NewID implements Minter for what the daemon creates. The counter is durable with the shard.
func (a *Authority) NewID() ID {
	m := a.shards[MetaShard].Meta()
	n := max(m.ServerNext, a.minted, 1)
	a.minted = n + 1
	return MakeID(Server, n)
}

// NoRoom reports whether a session that is not durable takes nothing more in, of anybody.
func (a *Authority) NoRoom() bool { return a.failed && a.unstored > maxUnstored }

// CommitLocal does what the daemon does as a leader: all of the bundle, or none with an error.
func (a *Authority) CommitLocal(now Millis, b Bundle) (Ready, error) {
	a.begin(now)
	if _, err := a.stageBundle(&b); err != nil {
		a.discard()
		return a.finish(), err
	}
	return a.finish(), nil
}

// Step takes one input at a time now and returns what is to be done.
func (a *Authority) Step(now Millis, in Input) Ready {
	a.begin(now)
	switch in := in.(type) {
	case *Received:
		a.receive(in)
	case *Closed:
		a.closed(in.Conn)
	case *Overflowed:
		a.overflowed(in.Conn)
	case *Drained:
		a.drained(in.Conn)
	case *Stored:
		a.unstored, a.failed = 0, false
		if in.All {
			a.unkept.clear()
		}
	case *StoreFailed:
		a.storeFailed(in.Why)
	case *StoreRevived:
		a.failed = false
	case *Tick:
		a.tick()
	case *Local:
		a.propose(&call{askers: []asker{{tag: in.Tag}}, proposal: in.Proposal, unkept: in.Unkept})
	case *Recall:
		a.recall(in.Shard)
	case *Drain:
		a.drain()
	case *Hashed:
		a.hashed(in)
	}
	return a.finish()
}

func (a *Authority) receive(in *Received) {
	if h, ok := in.Msg.(*Hello); ok {
		a.hello(in.Conn, h, in.Secret)
		return
	}
	p := a.peer(in.Conn)
	if p == nil {
		a.now1(in.Conn, &Failure{Errorf(CodeNotAttached, "the first message of a client is hello")})
		return
	}
	switch m := in.Msg.(type) {
	case *Append:
		a.append(p, m)
	case *Follow:
		a.follow(p, m)
	case *Unfollow:
		a.unfollow(p, m.Shards)
	case *Take:
		a.take(p, m)
	case *Renew:
		a.renew(p.att)
	case *Release:
		a.release(p, m.Shards)
	case *Propose:
		m.Proposal.Author = Author{p.att, p.actor}
		c := &call{askers: []asker{{conn: p.conn, id: m.ID}}, proposal: m.Proposal}
		if err := m.Proposal.CheckText(); err != nil && p.kind != AttachUI {
			a.turnAway(c, err)
			return
		}
		a.propose(c)
	case *Answer:
		a.answer(p, m)
	case *Bye:
		a.bye(p)
	case *Diverged:
		a.diverged(p, m)
	default:
		a.now1(p.conn, &Failure{badf("message %T is not for a daemon", in.Msg)})
	}
}

func (a *Authority) begin(now Millis) {
	a.now = max(a.now, now)
	a.step = a.stage()
	a.ready = Ready{}
}

// commitStep makes what is staged the state and puts it into the step's record. Several commits
// of one step make one record.
func (a *Authority) commitStep() {
	if len(a.step.batches) == 0 {
		a.step = a.stage()
		return
	}
	a.unkept.noteYielded(a.Meta(), a.step.batches)
	a.step.commit()
	batches := a.step.batches
	a.step = a.stage()
	for _, b := range batches {
		if b.Shard.Kind.Journaled() {
			a.ready.Store = append(a.ready.Store, b)
			a.unstored += len(b.Bytes)
		}
	}
	a.forward(batches)
	for _, b := range batches {
		a.changed(b.Shard)
		a.observe(b)
	}
}

// discard forgets what is staged.
func (a *Authority) discard() { a.step = a.stage() }

// finish returns the step's Ready.
func (a *Authority) finish() Ready {
	a.commitStep()
	if a.ready.Store != nil {
		a.handedOut++
	}
	r := a.ready
	a.ready = Ready{}
	return r
}

// forward sends batches to who follows their shards: at once to people's UIs, once durable to
// tools. The metalog waits for the disk, since it is where grants are announced; while the disk
// refuses see unkept. What no disk ever holds goes to everybody at once.
func (a *Authority) forward(batches []*Sealed) {
	for len(batches) > 0 {
		n := 1
		for n < len(batches) && batches[n].Shard == batches[0].Shard {
			n++
		}
		run := batches[:n:n]
		batches = batches[n:]
		f := a.fans[run[0].Shard]
		if f == nil {
			continue
		}
		from := a.connOf(run[0].Attachment)
		if len(f.eager) > 0 && !(len(f.eager) == 1 && f.eager[0] == from) {
			s := Send{To: f.eager, Except: from, Msg: &Deliver{run}}
			switch {
			case run[0].Shard.Kind.eager():
				a.ready.SendNow = append(a.ready.SendNow, s)
			case a.failed:
				a.unveil(s)
			default:
				a.later(s)
			}
		}
		if len(f.durable) > 0 {
			a.later(Send{To: f.durable, Except: from, Msg: &Deliver{run}})
		}
	}
}

// observe does what a new batch asks for: effects, and answers to proposals that it settles.
func (a *Authority) observe(b *Sealed) {
	if b.Shard == MetaShard {
		a.dropDeleted(b)
	}
	if b.Intent != (IntentID{}) {
		a.settle(b)
	}
	w := WindowID(b.Shard.ID) // 0 for the layout: a tag outside windows
	for i := range b.Ops {
		switch o := b.Ops[i].Body.(type) {
		case *Exec:
			a.effect(&RunExec{w, b.First + Seq(i), b.Author, *o, a.Buffer(o.Buffer)})
		case *LayoutExec:
			a.effect(&RunExec{At: b.First + Seq(i), Author: b.Author, Exec: Exec{Command: o.Command}})
		case *Status:
			a.settleExec(w, o)
		case *LayoutStatus:
			a.settleExec(w, (*Status)(o))
		case *LeaseGrant:
			a.startTenure(o.Shard)
		case *LeaseTTL:
			if l, ok := a.Meta().Lease(o.Shard); ok && l.Holder == o.By {
				a.startTenure(o.Shard)
			}
		case *LeaseReclaim:
			a.startTenure(o.Shard)
		case *WindowNew:
			a.addView(w, o.Body)
		}
	}
}

// addView gives a new window its view on a body that the daemon leads: the window's maker could
// not.
func (a *Authority) addView(w WindowID, body BufferID) {
	buf := a.Buffer(body)
	if buf == nil || !a.Leads(body.Shard()) {
		return
	}
	if _, has := buf.View(w.Body()); has {
		return
	}
	if err := a.stageOps(body.Shard(), serverAuthor, IntentID{}, Of(&ViewAdd{View: w.Body()})); err != nil {
		a.discard()
		return
	}
	a.commitStep()
}

// dropDeleted forgets the shards that a metalog batch deletes.
func (a *Authority) dropDeleted(b *Sealed) {
	for i := range b.Ops {
		if d, ok := b.Ops[i].Body.(*ShardDel); ok {
			delete(a.shards, d.Shard)
			delete(a.fans, d.Shard)
		}
	}
}

func (a *Authority) later(s Send) { a.ready.AfterStore.Send = append(a.ready.AfterStore.Send, s) }

func (a *Authority) later1(c ConnID, m Msg) { a.later(Send{To: []ConnID{c}, Msg: m}) }

func (a *Authority) now1(c ConnID, m Msg) {
	a.ready.SendNow = append(a.ready.SendNow, Send{To: []ConnID{c}, Msg: m})
}

func (a *Authority) effect(e Effect) {
	a.ready.AfterStore.Effects = append(a.ready.AfterStore.Effects, e)
}

func (a *Authority) last(s Shard) Seq {
	st, _ := a.step.state(s)
	return st.Mark.Seq
}

// stageMeta stages a batch of the metalog by the daemon.
func (a *Authority) stageMeta(ops ...Op) error {
	return a.stageOps(MetaShard, serverAuthor, IntentID{}, ops...)
}

// stageOps stages a batch by the daemon on a shard that it leads.
func (a *Authority) stageOps(s Shard, author Author, intent IntentID, ops ...Op) error {
	if why := a.frozen[s]; why != "" {
		return Errorf(CodeReadOnly, "shard %v is read-only: %s", s, why)
	}
	var epoch Epoch
	if s.Kind.Leasable() {
		l, ok := a.step.meta().Lease(s)
		if !ok || l.Holder != Server || l.Released {
			return Errorf(CodeNotLeader, "shard %v: the daemon does not lead it", s)
		}
		epoch = l.Epoch
	}
	_, err := a.step.seal(s, Server, epoch, author, intent, ops)
	return err
}

// stageBundle stages what the daemon does as a leader and returns the batch of its target.
func (a *Authority) stageBundle(b *Bundle) (*Sealed, error) {
	var meta []Op
	epoch := a.step.meta().NextEpoch(a.now)
	for _, s := range b.New {
		if s.ID.Creator() != Server {
			return nil, Errorf(CodeDenied, "shard %v: made by the daemon with an id of %d", s, s.ID.Creator())
		}
		meta = append(meta, Of(&ShardNew{s, Server, epoch}))
		if s.Kind != KindTerm { // which has no state before SetTerm
			a.step.create(s)
		}
	}
	if len(meta) > 0 {
		if err := a.stageMeta(meta...); err != nil {
			return nil, err
		}
	}
	var target *Sealed
	for _, p := range b.Parts {
		var intent IntentID
		if p.Shard == b.Target {
			intent = b.Intent
		}
		if err := a.stageOps(p.Shard, b.Author, intent, p.Ops...); err != nil {
			return nil, err
		}
		if p.Shard == b.Target {
			target = a.step.batches[len(a.step.batches)-1]
		}
	}
	return target, a.stageDeletes(b.Del, Server)
}

// stageDeletes deletes shards on behalf of the layout's leader, or the daemon's own terminals.
func (a *Authority) stageDeletes(del []Shard, by AttachmentID) error {
	if len(del) == 0 {
		return nil
	}
	var ops []Op
	for _, s := range del {
		switch {
		case s.Kind == KindTerm && by != Server:
			return Errorf(CodeDenied, "shard %v is the daemon's to delete", s)
		case s.Kind != KindTerm && !a.step.meta().Leads(by, LayoutShard):
			return Errorf(CodeFenced, "shards are deleted by who leads the layout")
		}
		a.unkept.yield(a.step.meta(), s, by)
		ops = append(ops, Of(&ShardDel{s}))
	}
	return a.stageMeta(ops...)
}

func (a *Authority) peer(c ConnID) *peer {
	i, ok := a.peerIndex(c)
	if !ok {
		return nil
	}
	return a.conns[i]
}

func (a *Authority) peerIndex(c ConnID) (int, bool) {
	return slices.BinarySearchFunc(a.conns, c, func(p *peer, c ConnID) int {
		return int(int64(p.conn) - int64(c))
	})
}

// connOf returns an attachment's connection, 0 if it has none.
func (a *Authority) connOf(at AttachmentID) ConnID {
	if at == Server {
		return 0
	}
	for _, p := range a.conns {
		if p.att == at {
			return p.conn
		}
	}
	return 0
}

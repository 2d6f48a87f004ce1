// Package tuitest runs the terminal interface without a terminal, a daemon or a clock: keys go in,
// a grid of cells comes out.
package tuitest

import (
	"context"
	"fmt"
	"maps"
	"path"
	"slices"

	"apex/client"
	"apex/core"
	"apex/core/addr"
	"apex/core/edit"
	"apex/core/text"
	"apex/proto"
)

// Me is who the fake session's person is.
var Me = core.Author{Attachment: 1, Actor: "human:ann"}

// Session is a session in memory. It leads every shard that Led says, applies bundles to the states
// of their shards as the daemon would, and opens the files in Files. Tests change its fields.
type Session struct {
	Files    map[string]string // by path
	Status   client.State
	Roster   []proto.Peer // who is in the session
	Led      func(core.Shard) bool
	Refusal  error  // of every request
	Mute     bool   // the daemon answers no Call
	Trouble  string // of the session, as the daemon tells it
	Ended    bool
	Looked   core.View
	Hidden   map[core.BufferID]bool // buffers that have not arrived
	Peeks    []proto.Lines          // what Peek answers
	Took     int                    // how often TakeAll was called
	Redials  int                    // how often Redial was called
	Asked    []core.Ask             // proposals made
	Calls    []proto.Request        // requests made by Call, oldest first
	Log      []core.Bundle          // what was committed, oldest first
	Forget   bool                   // keep no Log
	Terms    []*Term
	Stiff    bool // terminals keep their size
	Slow     bool // what Send sends is answered by Answer
	waiting  []func()
	handed   []handed
	leased   map[core.BufferID]bool
	states   map[core.Shard]core.ShardState
	events   []client.Event
	later    []func()
	wake     chan struct{}
	reminded bool
	next     uint64
}

var history = [16]byte{1}

// NewSession returns a session named "default" in /home/ann with a top row and two columns, which
// leads everything.
func NewSession() *Session {
	s := &Session{
		Files:  map[string]string{},
		Status: client.State{Connected: true, Leading: true},
		Led:    func(core.Shard) bool { return true },
		states: map[core.Shard]core.ShardState{},
		wake:   make(chan struct{}, 1),
	}
	s.make(core.MetaShard)
	s.make(core.LayoutShard)
	s.append(core.MetaShard, Me, core.Of(&core.Identity{Session: core.SessionID{1}}),
		core.Of(&core.Label{Label: "default"}), core.Of(&core.Place{Dir: "/home/ann"}))
	s.attach(core.AttachUI, Me.Actor)
	s.must(edit.FirstBundle(s))
	return s
}

// Join lets somebody else appear in the session.
func (s *Session) Join(kind core.AttachKind, actor string) {
	id := s.attach(kind, actor)
	s.Roster = append(s.Roster, proto.Peer{Attachment: id, Kind: kind, Actor: actor})
	s.Tell(client.Event{Kind: client.EventPresence})
}

func (s *Session) attach(kind core.AttachKind, actor string) core.AttachmentID {
	id := s.Meta().NextAttach
	at := &core.Attach{ID: id, Kind: kind, Name: "test", Actor: actor}
	s.append(core.MetaShard, Me, core.Of(at))
	return id
}

// File makes a window on a file that is on disk with a text.
func (s *Session) File(name, contents string) core.WindowID {
	id := s.window(name, core.BufferFile, contents)
	s.MustAsk(&core.AskClean{Buffer: s.Window(id).Body, Disk: core.DiskState{
		Hash: core.SumText(text.FromString(contents).Chunks()), Bytes: len(contents)}})
	return id
}

// window makes a window on a new buffer. A text that is too large for one op is pasted in pieces.
func (s *Session) window(name string, kind core.BufferKind, contents string) core.WindowID {
	first := contents[:min(len(contents), core.LoadMaxBytes)]
	id := s.MustAsk(&core.AskWindow{Name: name, Kind: kind, Text: first, Focus: true}).Window
	body := s.Window(id).Body
	for rest := contents[len(first):]; rest != ""; {
		n := min(len(rest), core.LoadMaxBytes)
		b := s.Buffer(body)
		end := b.Text.Runes()
		var bundle core.Bundle
		bundle.Add(body.Shard(), core.Edit(b.Version, end, end, rest[:n], 0))
		s.must(bundle)
		rest = rest[n:]
	}
	return id
}

// MustAsk evaluates a proposal and applies it.
func (s *Session) MustAsk(a core.Ask) core.Result {
	b, res := edit.Evaluate(s, s, &core.Proposal{Author: Me, Ask: a})
	if res.Err != nil {
		panic(fmt.Sprintf("tuitest: %T: %v", a, res.Err))
	}
	s.must(b)
	return res
}

// Do applies what somebody else did, and says that it has arrived.
func (s *Session) Do(by core.Author, shard core.Shard, ops ...core.Op) {
	s.append(shard, by, ops...)
	s.Tell(client.Event{Kind: client.EventChanged, Shard: shard})
}

// Later has f called when the model takes in what has arrived.
func (s *Session) Later(f func()) { s.later = append(s.later, f) }

// Tell lets an event arrive.
func (s *Session) Tell(e client.Event) { s.events = append(s.events, e) }

// Text returns the text of a window's body.
func (s *Session) Text(id core.WindowID) string { return s.Buffer(s.Window(id).Body).Text.String() }

// Tag returns the text of a window's tag.
func (s *Session) Tag(id core.WindowID) string { return s.Buffer(s.Window(id).Tag).Text.String() }

// View returns a view's dot and origin.
func (s *Session) View(v core.View) core.ViewState {
	id, err := edit.BufferOf(s, v)
	if err != nil {
		panic("tuitest: " + err.Error())
	}
	state, _ := s.Buffer(id).View(v)
	return state
}

func (s *Session) make(shard core.Shard) {
	s.states[shard] = core.NewShardState(history, core.SessionID{1}, shard)
}

// append applies one batch.
func (s *Session) append(shard core.Shard, by core.Author, ops ...core.Op) {
	if err := s.try(shard, by, ops); err != nil {
		panic(fmt.Sprintf("tuitest: %v: %v", shard, err))
	}
}

func (s *Session) try(shard core.Shard, by core.Author, ops []core.Op) error {
	state, ok := s.states[shard]
	if !ok {
		return core.Errorf(core.CodeNotFound, "no shard %v", shard)
	}
	b := core.Batch{Shard: shard, Attachment: 1, Epoch: 1, First: state.Mark.Seq + 1,
		Author: by, Ops: ops}
	sealed, err := core.Open(b.Append(nil))
	if err != nil {
		return err
	}
	after, err := state.Apply(sealed)
	if err == nil {
		s.states[shard] = after
	}
	return err
}

func (s *Session) must(b core.Bundle) {
	if err := s.apply(b); err != nil {
		panic("tuitest: " + err.Error())
	}
}

// apply does what a bundle says, whole or not at all.
func (s *Session) apply(b core.Bundle) error {
	before := maps.Clone(s.states)
	for _, shard := range b.New {
		s.make(shard)
	}
	for _, p := range b.Parts {
		if err := s.try(p.Shard, b.Author, p.Ops); err != nil {
			s.states = before
			return err
		}
	}
	for _, shard := range b.Del {
		delete(s.states, shard)
	}
	return nil
}

// Commit implements tui.Session.
func (s *Session) Commit(b core.Bundle) error {
	for _, p := range b.Parts {
		if !slices.Contains(b.New, p.Shard) && !s.Led(p.Shard) {
			return core.Errorf(core.CodeNotLeader, "not the leader of %v", p.Shard)
		}
	}
	if err := s.apply(b); err != nil {
		return err
	}
	if !s.Forget {
		s.Log = append(s.Log, b)
	}
	return nil
}

// Meta implements core.Session.
func (s *Session) Meta() *core.Meta { st := s.states[core.MetaShard]; return st.Meta() }

// Layout implements core.Session.
func (s *Session) Layout() *core.Layout { st := s.states[core.LayoutShard]; return st.Layout() }

// Window implements core.Session.
func (s *Session) Window(id core.WindowID) *core.Window {
	st, ok := s.states[id.Shard()]
	if !ok {
		return nil
	}
	return st.Window()
}

// Buffer implements core.Session.
func (s *Session) Buffer(id core.BufferID) *core.Buffer {
	st, ok := s.states[id.Shard()]
	if !ok || s.Hidden[id] {
		return nil
	}
	return st.Buffer()
}

// Term implements core.Session.
func (s *Session) Term(id core.TermID) *core.Term {
	st, ok := s.states[id.Shard()]
	if !ok {
		return nil
	}
	return st.Term()
}

// Leads implements core.Session.
func (s *Session) Leads(shard core.Shard) bool { return s.Led(shard) }

// NewID implements core.Minter.
func (s *Session) NewID() core.ID {
	s.next++
	return core.MakeID(1, s.next)
}

// Wait implements tui.Session: a test says itself when something has arrived.
func (s *Session) Wait(ctx context.Context) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// Process implements tui.Session.
func (s *Session) Process() []client.Event {
	for _, f := range s.later {
		f()
	}
	out := s.events
	s.later = nil
	s.events = nil
	return out
}

// TakeAll implements tui.Session.
func (s *Session) TakeAll() {
	s.Took++
	s.Status.Watching = false
}

// State implements tui.Session.
func (s *Session) State() client.State { return s.Status }

// Actor implements tui.Session.
func (s *Session) Actor() core.Author { return Me }

// Propose implements tui.Session.
func (s *Session) Propose(_ context.Context, a core.Ask) (core.Result, error) {
	s.Asked = append(s.Asked, a)
	return core.Result{Outcome: core.Applied}, nil
}

// Look implements tui.Session.
func (s *Session) Look(v core.View, _, _ int) { s.Looked = v }

// Lines implements tui.Session: nothing came ahead.
func (s *Session) Lines() []proto.Lines { return nil }

// Peek implements tui.Session.
func (s *Session) Peek(context.Context, string, []core.View, int) ([]proto.Lines, error) {
	return s.Peeks, nil
}

// Peers implements tui.Session.
func (s *Session) Peers() []proto.Peer { return s.Roster }

// Open implements tui.Session: it makes windows on files in Files, or on new ones.
func (s *Session) Open(_ context.Context, req *proto.Open) ([]proto.Place, error) {
	if !s.Led(core.LayoutShard) {
		return nil, core.Errorf(core.CodeNotLeader, "the layout is led by somebody else")
	}
	var out []proto.Place
	for _, f := range req.Files {
		name := path.Clean(f.Path)
		id := s.opened(name)
		if id == 0 {
			id = s.File(name, s.Files[name])
		} else {
			s.MustAsk(&core.AskShow{Window: id})
		}
		if err := s.select1(id, f.Addr); err != nil {
			bad := proto.Place{Path: name, Code: core.CodeBadRequest, Message: err.Error()}
			out = append(out, bad)
			continue
		}
		out = append(out, proto.Place{Path: name, Window: id})
	}
	return out, nil
}

// opened returns the window on a file, 0 for none.
func (s *Session) opened(name string) core.WindowID {
	for _, c := range s.Layout().Columns {
		for _, slot := range c.Slots {
			if s.Buffer(s.Window(slot.Window).Body).Name == name {
				return slot.Window
			}
		}
	}
	return 0
}

func (s *Session) select1(id core.WindowID, address string) error {
	a, err := addr.Parse(address)
	if err != nil {
		return err
	}
	body := s.Window(id).Body
	r, err := a.Eval(s.Buffer(body).Text, addr.Range{})
	if err == nil {
		s.MustAsk(&core.AskSelect{Buffer: body, View: id.Body(), Q0: r.Q0, Q1: r.Q1})
	}
	return err
}

// Call implements tui.Session: it answers what the sessions are, and requests about terminals,
// unless Mute.
func (s *Session) Call(_ context.Context, req proto.Request) (proto.Reply, error) {
	s.Calls = append(s.Calls, req)
	if s.Refusal != nil {
		return nil, s.Refusal
	}
	if s.Mute {
		return nil, &client.LostError{Err: core.Errorf(core.CodeUnavailable, "no answer")}
	}
	if _, ok := req.(*proto.TermColours); ok {
		return &proto.Done{}, nil
	}
	if reply, err, ok := s.callTerm(req); ok {
		return reply, err
	}
	return &proto.Sessions{Sessions: []proto.SessionInfo{{Label: s.Meta().Label,
		Trouble: s.Trouble, Unkept: s.Trouble != ""}}}, nil
}

// Redial implements tui.Session.
func (s *Session) Redial() { s.Redials++ }

// EndSession implements tui.Session. It is refused while a file is dirty, unless it is forced.
func (s *Session) EndSession(_ context.Context, _ string, force bool) error {
	for shard, st := range s.states {
		if b := st.Buffer(); b != nil && b.Dirty() && !force {
			return core.Errorf(core.CodeUnsaved, "%v has unsaved changes", shard)
		}
	}
	s.Ended = true
	return nil
}

package edit

import (
	"bytes"
	"fmt"
	"slices"
	"testing"

	"apex/core"
)

// tester is what tests, rapid's checks and fuzzing have in common.
type tester interface {
	Helper()
	Fatalf(format string, args ...any)
}

// world is a leader in memory: it commits bundles to the states of their shards as the daemon
// would, through the canonical bytes of their batches.
type world struct {
	tester
	states map[core.Shard]core.ShardState
	next   uint64
	others map[core.Shard]bool // shards that somebody else leads
	author core.Author
}

const testDir = "/home/ann"

var ann = core.Author{Attachment: 1, Actor: "human:ann"}

// newWorld returns a session with a top row and two columns.
func newWorld(t tester) *world {
	w := &world{tester: t, states: map[core.Shard]core.ShardState{}, next: 1,
		others: map[core.Shard]bool{}, author: ann}
	w.states[core.MetaShard] = core.NewShardState([16]byte{1}, core.SessionID{1}, core.MetaShard)
	w.states[core.LayoutShard] = core.NewShardState([16]byte{1}, core.SessionID{1},
		core.LayoutShard)
	w.append(core.MetaShard, core.Author{}, core.IntentID{},
		core.Of(&core.Identity{Session: core.SessionID{1}}),
		core.Of(&core.Label{Label: "default"}), core.Of(&core.Place{Dir: testDir}))
	return w
}

func (w *world) Meta() *core.Meta     { s := w.states[core.MetaShard]; return s.Meta() }
func (w *world) Layout() *core.Layout { s := w.states[core.LayoutShard]; return s.Layout() }

func (w *world) Window(id core.WindowID) *core.Window {
	s, ok := w.states[id.Shard()]
	if !ok {
		return nil
	}
	return s.Window()
}

func (w *world) Term(id core.TermID) *core.Term {
	s, ok := w.states[id.Shard()]
	if !ok {
		return nil
	}
	return s.Term()
}

func (w *world) Buffer(id core.BufferID) *core.Buffer {
	s, ok := w.states[id.Shard()]
	if !ok {
		return nil
	}
	return s.Buffer()
}

func (w *world) Leads(s core.Shard) bool { return !w.others[s] }

func (w *world) NewID() core.ID {
	w.next++
	return core.MakeID(1, w.next)
}

// append applies one batch to one shard.
func (w *world) append(s core.Shard, by core.Author, intent core.IntentID, ops ...core.Op) {
	w.Helper()
	state, ok := w.states[s]
	if !ok {
		w.Fatalf("batch for shard %v, which is not there", s)
	}
	b := core.Batch{Shard: s, Attachment: 1, Epoch: 1, First: state.Mark.Seq + 1, Author: by,
		Intent: intent, Ops: ops}
	sealed, err := core.Open(b.Append(nil))
	if err != nil {
		w.Fatalf("batch for %v: %v", s, err)
	}
	after, err := state.Apply(sealed)
	if err != nil {
		w.Fatalf("batch for %v does not apply: %v", s, err)
	}
	w.states[s] = after
}

// commit does what a bundle says.
func (w *world) commit(b core.Bundle) {
	w.Helper()
	for _, s := range b.New {
		if _, ok := w.states[s]; ok {
			w.Fatalf("shard %v is made twice", s)
		}
		w.append(core.MetaShard, core.Author{}, core.IntentID{},
			core.Of(&core.ShardNew{Shard: s, Holder: core.Server, Epoch: 1}))
		w.states[s] = core.NewShardState([16]byte{1}, core.SessionID{1}, s)
	}
	for _, p := range b.Parts {
		if w.others[p.Shard] {
			w.Fatalf("bundle appends to %v, which somebody else leads", p.Shard)
		}
		intent := core.IntentID{}
		if p.Shard == b.Target {
			intent = b.Intent
		}
		w.append(p.Shard, b.Author, intent, p.Ops...)
	}
	for _, s := range b.Del {
		w.append(core.MetaShard, core.Author{}, core.IntentID{}, core.Of(&core.ShardDel{Shard: s}))
		delete(w.states, s)
	}
}

// ask evaluates and commits a proposal.
func (w *world) ask(a core.Ask) core.Result {
	w.Helper()
	w.next++
	p := &core.Proposal{Author: w.author, Ask: a, Intent: core.IntentID{byte(w.next),
		byte(w.next >> 8), 1}}
	b, res := Evaluate(w, w, p)
	if (res.Err != nil || res.Outcome != core.Applied) && !b.Empty() {
		w.Fatalf("%T: %v %v with a bundle", a, res.Outcome, res.Err)
	}
	if !b.Empty() {
		w.commit(b)
		if s := w.states[a.Target()]; s.Shard.Valid() && !slices.Contains(b.Del, a.Target()) {
			if _, ok := s.Answered(p.Intent); !ok {
				w.Fatalf("%T: the target does not remember the intent", a)
			}
		}
	}
	if id := a.Target(); id.Kind == core.KindBuffer && res.Err == nil {
		if got := w.Buffer(core.BufferID(id.ID)).Version; got != res.Version {
			w.Fatalf("%T: result says version %d, buffer is at %d", a, res.Version, got)
		}
	}
	return res
}

// must is ask where only applied will do.
func (w *world) must(a core.Ask) core.Result {
	w.Helper()
	res := w.ask(a)
	if res.Err != nil || res.Outcome != core.Applied {
		w.Fatalf("%T: %v %v", a, res.Outcome, res.Err)
	}
	return res
}

// file makes a window on a file that is on disk with a text, and returns it and its body.
func (w *world) file(name, s string) (core.WindowID, core.BufferID) {
	w.Helper()
	id := w.must(&core.AskWindow{Name: name, Kind: core.BufferFile, Text: s, Focus: true}).Window
	body := w.Window(id).Body
	w.must(&core.AskClean{Buffer: body, Disk: core.DiskState{Hash: hashOf(s), Bytes: len(s)}})
	return id, body
}

func (w *world) text(id core.BufferID) string { return w.Buffer(id).Text.String() }

func (w *world) tag(id core.WindowID) string { return w.text(w.Window(id).Tag) }

func (w *world) dot(v core.View, id core.BufferID) [2]int {
	s, ok := w.Buffer(id).View(v)
	if !ok {
		w.Fatalf("no view %v on %v", v, id)
	}
	return [2]int{s.Q0, s.Q1}
}

// verify compares every state with what its snapshot gives, byte for byte, and checks what shards
// say of each other.
func (w *world) verify() {
	w.Helper()
	for s, state := range w.states {
		var one, two bytes.Buffer
		if err := state.WriteSnapshot(&one); err != nil {
			w.Fatalf("%v: %v", s, err)
		}
		read, err := core.ReadSnapshot(one.Bytes())
		if err != nil {
			w.Fatalf("%v: snapshot: %v", s, err)
		}
		if err := read.WriteSnapshot(&two); err != nil {
			w.Fatalf("%v: %v", s, err)
		}
		if !bytes.Equal(one.Bytes(), two.Bytes()) || state.Hash() != read.Hash() {
			w.Fatalf("%v: the state and its snapshot differ", s)
		}
		if b := state.Buffer(); b != nil {
			if err := b.Text.Verify(); err != nil {
				w.Fatalf("%v: %v", s, err)
			}
		}
	}
	w.verifyLayout()
}

// verifyLayout checks that the layout has every window once, and views for all that it shows.
func (w *world) verifyLayout() {
	w.Helper()
	seen := map[core.Shard]bool{core.MetaShard: true, core.LayoutShard: true}
	l := w.Layout()
	expect := func(b core.BufferID, v core.View) {
		seen[b.Shard()] = true
		if w.Buffer(b) == nil {
			w.Fatalf("buffer %v of view %v is not there", b, v)
		}
		if _, ok := w.Buffer(b).View(v); !ok && !w.others[b.Shard()] {
			w.Fatalf("buffer %v lacks view %v", b, v)
		}
	}
	if l.Top != 0 {
		expect(l.Top, core.TopView)
	}
	for _, c := range l.Columns {
		expect(c.Tag, core.ColumnView(c.Tag))
	}
	for _, id := range windows(&l.Arrange) {
		win := w.Window(id)
		if win == nil {
			w.Fatalf("window %v stands in the layout and is not there", id)
		}
		seen[id.Shard()] = true
		expect(win.Tag, id.Tag())
		expect(win.Body, id.Body())
	}
	if f, ok := l.Focus.Window(); ok && w.Window(f) == nil {
		w.Fatalf("the focus is on %v, which is not there", l.Focus)
	}
	for s := range w.states {
		if !seen[s] {
			w.Fatalf("nothing leads to shard %v", s)
		}
	}
}

// arrangement prints the columns in short: window's name, share and state.
func (w *world) arrangement() string {
	out := ""
	for _, c := range w.Layout().Columns {
		out += fmt.Sprintf("[%d", c.Weight)
		for _, s := range c.Slots {
			out += fmt.Sprintf(" %s:%d%s", TagName(w.tag(s.Window)), s.Share,
				[]string{"", "-", "+", "?"}[s.Show])
		}
		out += "]"
	}
	return out
}

var _ tester = (*testing.T)(nil)

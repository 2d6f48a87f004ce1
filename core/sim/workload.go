package sim

import (
	"encoding/binary"
	"fmt"

	"apex/core"
	"apex/core/edit"
)

// maxWindows bounds the windows that a run keeps open: a few are enough to cut between.
const maxWindows = 6

// work lets a random client, or the daemon itself, do something.
func (r *run) work() {
	if r.oneIn(12) {
		r.workHere()
		return
	}
	c := r.Clients[r.rand.IntN(len(r.Clients))]
	if c.dead || c.left || c.R.Attachment() == 0 || !c.R.Knows(core.MetaShard) || c.R.Layout() == nil {
		return
	}
	if c.Kind == core.AttachUI {
		r.workUI(c)
		return
	}
	r.workTool(c)
}

// workHere does what the daemon does of its own accord: opens a file, ends a command, tells what
// became of a file on disk, shows what terminals' programs wrote.
func (r *run) workHere() {
	if r.Auth == nil {
		return
	}
	if r.oneIn(2) {
		r.workTerm()
		return
	}
	if r.oneIn(4) {
		r.workDisk()
		return
	}
	if len(r.execs) > 0 {
		r.endExec()
		return
	}
	if len(r.windows(r.Auth)) >= maxWindows {
		return
	}
	id := core.BufferID(r.Auth.NewID())
	b := core.Bundle{New: []core.Shard{id.Shard()}}
	b.Add(id.Shard(), core.Of(&core.BufferNew{Kind: core.BufferFile, Name: "/sim/" + id.String(),
		Text: "a file\n"}))
	ready, err := r.Auth.CommitLocal(r.Now, b)
	if err != nil {
		r.failf("the daemon opens a file: %v", err)
		return
	}
	r.do(ready)
	r.Local(core.Proposal{Intent: r.intent(), Ask: &core.AskWindow{Body: id, Focus: true}})
}

// endExec records how a command ended.
func (r *run) endExec() {
	e := r.execs[0]
	r.execs = r.execs[1:]
	r.ending[r.locals+1] = e
	r.Local(core.Proposal{Ask: &core.AskStatus{Window: e.Window,
		Status: core.Status{Of: e.At, Message: "done"}}})
}

// workUI types, selects, undoes, opens and deletes where the client leads, and asks where not.
func (r *run) workUI(c *Client) {
	switch n := r.rand.IntN(100); {
	case n < 48:
		r.typeToken(c)
	case n < 55:
		r.typeTwo(c)
	case n < 63:
		r.cutText(c)
	case n < 70:
		r.act(c, r.undo(c))
	case n < 77:
		r.act(c, r.selectDot(c))
	case n < 82:
		r.exec(c)
	case n < 88:
		r.act(c, r.window(c))
	case n < 91:
		r.act(c, r.remove(c))
	default:
		r.proposeSome(c)
	}
}

func (r *run) workTool(c *Client) {
	switch n := r.rand.IntN(100); {
	case n < 60:
		r.proposeSome(c)
	case n < 75 && c.Kind == core.AttachTool:
		r.holdBuffer(c)
	case n < 80:
		r.propose(c, r.window(c))
	case n < 83:
		r.propose(c, r.remove(c))
	case n < 90:
		r.propose(c, r.undo(c))
	default:
		r.repeat(c)
	}
}

// act does what an ask says if the client leads, else proposes it.
func (r *run) act(c *Client, a core.Ask) {
	if a == nil {
		return
	}
	if !c.R.Leads(a.Target()) {
		r.propose(c, a)
		return
	}
	b, res := edit.Evaluate(c.R, c.R, &core.Proposal{Author: c.R.Author(), Ask: a})
	if res.Err != nil || b.Empty() {
		return
	}
	if err := c.Commit(r.World, b); err != nil {
		r.failf("%s can't commit what it evaluated: %v", c.Name, err)
	}
}

func (r *run) propose(c *Client, a core.Ask) {
	if a == nil || c.R.Pending() > 20 {
		return
	}
	p := core.Proposal{Intent: r.intent(), Ask: a}
	if r.oneIn(20) {
		if l, ok := c.R.Meta().Lease(a.Target()); ok {
			p.ExpectedEpoch = l.Epoch
		}
	}
	r.Count.Proposals++
	r.intents = append(r.intents, p)
	c.Propose(r.World, p)
}

// repeat sends a proposal again that was sent before, by anybody.
func (r *run) repeat(c *Client) {
	if len(r.intents) > 0 && c.R.Pending() <= 20 {
		c.Propose(r.World, r.intents[r.rand.IntN(len(r.intents))])
	}
}

func (r *run) intent() core.IntentID {
	var i core.IntentID
	binary.BigEndian.PutUint64(i[:], r.rand.Uint64())
	binary.BigEndian.PutUint64(i[8:], r.rand.Uint64())
	return i
}

func (r *run) token() string {
	r.tokens++
	return tokenText(r.tokens)
}

// windows returns the windows of a session that are known with their bodies.
func (r *run) windows(s core.Session) []core.WindowID {
	var out []core.WindowID
	l := s.Layout()
	if l == nil {
		return nil
	}
	for _, c := range l.Columns {
		for _, slot := range c.Slots {
			if w := s.Window(slot.Window); w != nil && s.Buffer(w.Body) != nil {
				out = append(out, slot.Window)
			}
		}
	}
	return out
}

// body returns a random body, 0 if there is none.
func (r *run) body(s core.Session) (core.WindowID, core.BufferID) {
	all := r.windows(s)
	if len(all) == 0 {
		return 0, 0
	}
	w := all[r.rand.IntN(len(all))]
	return w, s.Window(w).Body
}

// typeToken types a unique text where the client leads: at the dot, or replacing a little.
func (r *run) typeToken(c *Client) {
	w, id := r.body(c.R)
	if id == 0 {
		r.act(c, r.window(c))
		return
	}
	b := c.R.Buffer(id)
	if b.Kind == core.BufferInvalid || b.Loading || !c.R.Leads(id.Shard()) {
		return
	}
	tok := &token{text: r.token(), buffer: id}
	q0 := r.rand.IntN(b.Text.Runes() + 1)
	if v, ok := b.View(w.Body()); ok && !r.oneIn(4) {
		q0 = v.Q0
	}
	q1 := q0
	if r.oneIn(10) {
		q1 = min(q0+r.rand.IntN(6), b.Text.Runes())
	}
	bundle := core.Bundle{}
	bundle.Add(id.Shard(), core.Edit(b.Version, q0, q1, tok.text, 0))
	if _, ok := b.View(w.Body()); ok {
		end := q0 + tokenRunes
		bundle.Add(id.Shard(), core.Select(w.Body(), end, end))
	}
	if err := c.Commit(r.World, bundle); err != nil {
		r.failf("%s leads %v and can't type: %v", c.Name, id, err)
		return
	}
	r.Count.Tokens++
	c.typed = append(c.typed, tok)
}

// typeTwo types into two buffers at once: one bundle, stored whole or not at all.
func (r *run) typeTwo(c *Client) {
	_, one := r.body(c.R)
	_, two := r.body(c.R)
	if one == two || one == 0 || !c.R.Leads(one.Shard()) || !c.R.Leads(two.Shard()) {
		return
	}
	var bundle core.Bundle
	var pair [2]*token
	for i, id := range []core.BufferID{one, two} {
		b := c.R.Buffer(id)
		if b.Kind == core.BufferInvalid || b.Loading {
			return
		}
		pair[i] = &token{text: r.token(), buffer: id}
		q := r.rand.IntN(b.Text.Runes() + 1)
		bundle.Add(id.Shard(), core.Edit(b.Version, q, q, pair[i].text, 0))
	}
	if err := c.Commit(r.World, bundle); err != nil {
		r.failf("%s leads %v and %v and can't type: %v", c.Name, one, two, err)
		return
	}
	r.Count.Tokens += 2
	r.Count.Bundles++
	c.typed = append(c.typed, pair[:]...)
	r.pairs = append(r.pairs, pair)
}

// cutText deletes a little.
func (r *run) cutText(c *Client) {
	_, id := r.body(c.R)
	if b := c.R.Buffer(id); b != nil && b.Text.Runes() > 0 {
		q0 := r.rand.IntN(b.Text.Runes())
		r.act(c, &core.AskEdit{Buffer: id, Base: b.Version,
			Edits: []core.Span{{Q0: q0, Q1: min(b.Text.Runes(), q0+1+r.rand.IntN(4))}}})
	}
}

func (r *run) undo(c *Client) core.Ask {
	if _, id := r.body(c.R); id != 0 {
		return &core.AskUndo{Buffer: id, Redo: r.oneIn(2), All: r.oneIn(4)}
	}
	return nil
}

func (r *run) selectDot(c *Client) core.Ask {
	w, id := r.body(c.R)
	if id == 0 {
		return nil
	}
	n := c.R.Buffer(id).Text.Runes()
	q0 := r.rand.IntN(n + 1)
	return &core.AskSelect{Buffer: id, View: w.Body(), Q0: q0, Q1: q0 + r.rand.IntN(n-q0+1),
		Show: r.oneIn(2)}
}

// exec records a command in a window, whose effect the daemon begins once.
func (r *run) exec(c *Client) {
	w, id := r.body(c.R)
	if id == 0 || !c.R.Leads(w.Shard()) {
		return
	}
	b := core.Bundle{}
	b.Add(w.Shard(), core.Of(&core.Exec{Command: "Put", Buffer: id, Version: c.R.Buffer(id).Version}))
	if err := c.Commit(r.World, b); err != nil {
		r.failf("%s leads %v and can't run: %v", c.Name, w, err)
	}
}

func (r *run) window(c *Client) core.Ask {
	if len(r.windows(c.R)) >= maxWindows {
		return nil
	}
	r.tokens++
	a := &core.AskWindow{Kind: core.BufferFile, Name: fmt.Sprintf("/sim/f%d", r.tokens),
		Text: "text\n", Focus: true}
	if _, id := r.body(c.R); id != 0 && r.oneIn(4) { // a second window on a body
		a = &core.AskWindow{Body: id}
	}
	return a
}

func (r *run) remove(c *Client) core.Ask {
	if w, id := r.body(c.R); id != 0 {
		return &core.AskDelete{Window: w, Force: !r.oneIn(4)}
	}
	return nil
}

// proposeSome proposes a change of a text, against what the client knows or something older.
func (r *run) proposeSome(c *Client) {
	w, id := r.body(c.R)
	if id == 0 {
		return
	}
	b := c.R.Buffer(id)
	if r.oneIn(8) && c.Kind == core.AttachTool {
		now := b.Text.String()
		tokensIn(now, func(t string) { r.set[t] = true })
		r.propose(c, &core.AskSet{Buffer: id, Text: now + r.token()})
		return
	}
	n := b.Text.Runes()
	a := &core.AskEdit{Buffer: id, Base: b.Version, OnConflict: core.OnConflict(r.rand.IntN(2))}
	q0 := r.rand.IntN(n + 1)
	a.Edits = []core.Span{{Q0: q0, Q1: q0, Text: r.token()}}
	if r.oneIn(3) {
		a.Edits[0].Q1 = min(n, q0+r.rand.IntN(4))
	}
	if r.oneIn(4) && a.Edits[0].Q1 < n {
		q := a.Edits[0].Q1 + 1
		a.Edits = append(a.Edits, core.Span{Q0: q, Q1: q, Text: r.token()})
	}
	if r.oneIn(6) && b.Version > 0 {
		if base := b.Version - core.Version(r.rand.IntN(int(min(b.Version, 4)))); true {
			if old, ok := b.At(base); ok && a.Edits[len(a.Edits)-1].Q1 <= old.Runes() {
				a.Base = base
			}
		}
	}
	if r.oneIn(6) {
		a.Select = w.Body()
	}
	r.propose(c, a)
}

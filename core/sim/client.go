package sim

import (
	"slices"
	"strings"

	"apex/core"
)

// Client is one client: its replica and how it behaves. A UI follows everything and leads what it
// may; a tool and an observer follow and propose.
type Client struct {
	Name    string
	Kind    core.AttachKind
	R       *core.Replica
	Leading bool // it wants the leases
	Manual  bool // a script says what it follows and takes

	link   *link
	taken  map[core.Shard]core.Epoch // leases that it asked for, and the epoch then
	over   map[core.Shard]bool       // leases that it takes over, whoever holds them; nil: all
	absent map[core.Shard]core.Seq   // shards that the daemon does not have, and the metalog then
	asked  map[uint64]*asked         // its proposals by id
	typed  []*token
	dead   bool
	failed bool // the daemon does not know its attachment any more
	left   bool
}

// asked is a proposal and its answer.
type asked struct {
	intent   core.IntentID
	answered bool
	result   core.Result
}

// NewClient adds a client that is not connected.
func (w *World) NewClient(name string, kind core.AttachKind) *Client {
	c := &Client{Name: name, Kind: kind, Leading: kind == core.AttachUI,
		taken: map[core.Shard]core.Epoch{}, absent: map[core.Shard]core.Seq{}, asked: map[uint64]*asked{}}
	actor := "human:" + name
	if kind == core.AttachTool {
		actor = "agent:" + name
	}
	c.R = core.NewReplica(core.Hello{Kind: kind, Name: "sim", Actor: actor}, w.evaluate)
	w.Clients = append(w.Clients, c)
	return c
}

// Connected reports whether the client has a connection.
func (c *Client) Connected() bool { return c.link != nil }

// receive takes a message in and does what a client program does about it.
func (c *Client) receive(w *World, m core.Msg) {
	var out core.Out
	before, doomed := c.texts(m), c.doomed(m)
	if welcome, ok := m.(*core.Welcome); ok {
		if welcome.Resumed {
			w.Count.Resumes++
		}
		if welcome.Unkept {
			w.Count.Unkept++
		}
		clear(c.taken)
		out = c.R.Welcomed(welcome)
	} else {
		out = c.R.Receive(m)
	}
	c.notice(before)
	w.deleted(c, doomed)
	w.observe(c, m, out)
	c.post(w, out.Send...)
	for _, e := range out.Events {
		c.event(w, e)
	}
	switch m := m.(type) {
	case *core.Failure:
		c.failed = m.Err.Code == core.CodeNotAttached || m.Err.Code == core.CodeDenied
	case *core.Asked:
		if slices.Contains(m.Shards, core.LayoutShard) {
			c.Leading = c.Manual // somebody takes over; it watches
		}
	}
	c.manage(w)
}

func (c *Client) event(w *World, e core.Event) {
	switch e.Kind {
	case core.EventResult:
		if p := c.asked[e.ID]; p != nil {
			p.answered, p.result = true, e.Result
			w.Count.Results[string(e.Result.Outcome)]++
		}
	case core.EventRecovered:
		w.Count.Recovered++
		w.logf("%s recovers %v", c.Name, e.Shard)
	case core.EventRefused:
		w.Count.Refused++
		if e.Err.Code == core.CodeFenced {
			w.Count.Fences++
		}
		if e.Err.Code == core.CodeInternal && !w.forgive { // a hash that differs
			w.failf("%s: %v", c.Name, e.Err)
		}
		if e.Err.Code == core.CodeNotFound {
			c.absent[e.Shard] = c.metaSeq()
		}
	}
}

// observe counts what happened to a client.
func (w *World) observe(c *Client, m core.Msg, out core.Out) {
	switch m := m.(type) {
	case *core.Resync:
		w.Count.Resyncs++
	case *core.Snapshot:
		w.Count.Snapshots++
	case *core.Deliver:
		for _, b := range m.Batches {
			for i := range b.Ops {
				w.count(b.Ops[i].Body, c)
			}
		}
	}
}

func (w *World) count(b core.Body, c *Client) {
	switch o := b.(type) {
	case *core.LeaseReclaim:
		if o.To != core.Server && o.To == c.R.Attachment() {
			w.Count.Takeovers++
		}
	}
}

// manage follows what there is and asks for what the client wants to lead.
func (c *Client) manage(w *World) {
	if c.Manual || c.link == nil || !c.R.Knows(core.MetaShard) {
		return
	}
	m := c.R.Meta()
	var follow []core.Shard
	for _, s := range m.Shards {
		if at, absent := c.absent[s]; absent && at == c.metaSeq() {
			continue // deleted: the metalog is behind
		}
		if (s.Kind.Leasable() || s.Kind == core.KindTerm) && !c.R.Wants(s) {
			follow = append(follow, s)
		}
	}
	if len(follow) > 0 {
		c.post(w, c.R.Follow(follow...).Send...)
	}
	if !c.Leading {
		return
	}
	if c.over == nil {
		c.over = map[core.Shard]bool{}
		for _, l := range m.Leases {
			c.over[l.Shard] = true
		}
	}
	c.take(w, m)
}

func (c *Client) take(w *World, m *core.Meta) {
	var take []core.Shard
	for _, l := range m.Leases {
		if !c.R.Knows(l.Shard) || l.Holder == c.R.Attachment() || c.taken[l.Shard] == l.Epoch {
			continue
		}
		if l.Holder == core.Server || c.over[l.Shard] {
			c.taken[l.Shard] = l.Epoch
			delete(c.over, l.Shard)
			take = append(take, l.Shard)
		}
	}
	if len(take) > 0 {
		c.post(w, c.R.Take(take...).Send...)
	}
}

// TakeBack asks for everything again.
func (c *Client) TakeBack(w *World) {
	c.Leading, c.over = true, nil
	clear(c.taken)
	c.manage(w)
}

// post sends what a replica wants sent, and remembers what of it goes to +Recovered.
func (c *Client) post(w *World, msgs ...core.Msg) {
	for _, m := range msgs {
		p, ok := m.(*core.Propose)
		if !ok {
			continue
		}
		if a, ok := p.Proposal.Ask.(*core.AskWindow); ok && a.Append {
			tokensIn(a.Text, func(t string) { w.recovered[t] = true })
		}
	}
	w.post(c, msgs...)
}

// Commit does a bundle as a leader and remembers what of its own typing it removed.
func (c *Client) Commit(w *World, b core.Bundle) error {
	before := c.allTexts()
	doomed := map[core.BufferID]*core.Buffer{}
	for _, s := range b.Del {
		if buf := c.R.Buffer(core.BufferID(s.ID)); s.Kind == core.KindBuffer && buf != nil {
			doomed[core.BufferID(s.ID)] = buf
		}
	}
	out, err := c.R.Commit(b)
	if err != nil {
		return err
	}
	c.notice(before)
	w.deleted(c, doomed)
	if w.Trace != nil {
		for _, m := range out.Send {
			w.logf("%s: %s", c.Name, core.Describe(m))
		}
		if len(out.Send) == 0 {
			w.logf("%s: keeps %v", c.Name, b.Parts)
		}
	}
	c.post(w, out.Send...)
	return nil
}

// Propose sends a proposal.
func (c *Client) Propose(w *World, p core.Proposal) {
	id, out := c.R.Propose(p)
	c.asked[id] = &asked{intent: p.Intent}
	if w.Trace != nil {
		w.logf("%s proposes %d %v", c.Name, id, &p)
	}
	c.post(w, out.Send...)
}

// texts returns the texts that an evaluation may change under a client's own typing.
func (c *Client) texts(m core.Msg) []heldText {
	if _, ok := m.(*core.Evaluate); !ok {
		return nil
	}
	return c.allTexts()
}

// doomed returns the body that an evaluation may delete.
func (c *Client) doomed(m core.Msg) map[core.BufferID]*core.Buffer {
	e, ok := m.(*core.Evaluate)
	if !ok {
		return nil
	}
	a, ok := e.Proposal.Ask.(*core.AskDelete)
	if !ok || c.R.Window(a.Window) == nil {
		return nil
	}
	body := c.R.Window(a.Window).Body
	return map[core.BufferID]*core.Buffer{body: c.R.Buffer(body)}
}

// deleted remembers the tokens in buffers that a client deleted, which may hold what the log never
// had.
func (w *World) deleted(c *Client, doomed map[core.BufferID]*core.Buffer) {
	for id, b := range doomed {
		if b != nil && c.R.Buffer(id) == nil {
			tokensIn(b.Text.String(), func(t string) { w.gone[t] = true })
		}
	}
}

type heldText struct {
	t   *token
	buf *core.Buffer
}

// allTexts returns the buffers that the client typed into.
func (c *Client) allTexts() []heldText {
	var out []heldText
	for _, t := range c.typed {
		if b := c.R.Buffer(t.buffer); b != nil {
			out = append(out, heldText{t, b})
		}
	}
	return out
}

// notice marks the tokens that a change of the client's own removed, or brought back.
func (c *Client) notice(before []heldText) {
	for _, h := range before {
		after := c.R.Buffer(h.t.buffer)
		if after == h.buf {
			continue
		}
		had := strings.Contains(h.buf.Text.String(), h.t.text)
		has := after != nil && strings.Contains(after.Text.String(), h.t.text)
		h.t.gone = h.t.gone || had && !has
		h.t.revived = h.t.revived || has && !had
	}
}

func (c *Client) metaSeq() core.Seq {
	st, _ := c.R.State(core.MetaShard)
	return st.Mark.Seq
}

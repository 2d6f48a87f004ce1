package core

// Bundle is what a leader does at once: shards that it makes, entries, shards that it deletes. It
// is stored as one record, all or nothing.
type Bundle struct {
	Author Author
	Intent IntentID // goes with the part on IntentShard
	Target Shard    // the shard whose batch carries the intent
	New    []Shard
	Del    []Shard // needs the layout's lease
	Parts  []Part
}

// Part is a bundle's ops on one shard.
type Part struct {
	Shard Shard
	Ops   []Op
}

// Add appends ops to the part on a shard, making it if need be. A part has at least one op.
func (b *Bundle) Add(s Shard, ops ...Op) {
	if len(ops) == 0 {
		return
	}
	for i := range b.Parts {
		if b.Parts[i].Shard == s {
			b.Parts[i].Ops = append(b.Parts[i].Ops, ops...)
			return
		}
	}
	b.Parts = append(b.Parts, Part{s, ops})
}

// Empty reports whether the bundle does nothing.
func (b *Bundle) Empty() bool { return len(b.New) == 0 && len(b.Del) == 0 && len(b.Parts) == 0 }

// Session is read by evaluators: what a leader, a follower or the daemon knows of a session.
type Session interface {
	// Meta returns the session's metalog state.
	Meta() *Meta
	// Layout returns the layout, or nil if it is not known here.
	Layout() *Layout
	// Window returns a window, or nil.
	Window(WindowID) *Window
	// Buffer returns a buffer, or nil.
	Buffer(BufferID) *Buffer
	// Term returns a terminal, or nil.
	Term(TermID) *Term
	// Leads reports whether the reader may append to a shard now.
	Leads(Shard) bool
}

// Minter gives out IDs of the attachment that creates.
type Minter interface{ NewID() ID }

// Evaluator turns a proposal into the bundle that makes its change, on the leader's exact current
// state. The Result says what becomes of it when the bundle is stored: Applied or Superseded, or
// what refused it, and then the bundle is empty.
type Evaluator func(s Session, ids Minter, p *Proposal) (Bundle, Result)

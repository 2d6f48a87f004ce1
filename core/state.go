package core

import "github.com/zeebo/blake3"

// state is the part of a session that one shard drives. Every implementation is an immutable
// value behind a pointer: apply returns a new one, so that a batch applies whole or not at all,
// a reader keeps what it has, and a snapshot costs nothing.
type state interface {
	apply(b *Batch) (state, error)
	// encode writes the canonical encoding: if a field is not in it, it does not exist.
	encode(w *encoder)
	// encodeHistory writes what a snapshot carries beside it: content that the canonical
	// encoding covers by a digest.
	encodeHistory(w *encoder)
}

// ShardState is one shard's state and the mark that it covers: an immutable value.
type ShardState struct {
	Shard   Shard
	Mark    Mark
	intents intents
	state   state
}

// NewShardState returns the state of a shard before its first batch.
func NewShardState(history [16]byte, session SessionID, s Shard) ShardState {
	return ShardState{Shard: s, Mark: Mark{Chain: origin(history, session, s)}, state: newState(s.Kind)}
}

func newState(k ShardKind) state {
	switch k {
	case KindRegistry:
		return &Registry{}
	case KindMeta:
		return &Meta{}
	case KindLayout:
		return &Layout{}
	case KindWindow:
		return &Window{}
	case KindBuffer:
		return &Buffer{}
	case KindTerm:
		return &Term{}
	}
	return &Unused{}
}

// Apply returns the state after batch b, whose bytes are b.Bytes, and sets b.Chain. The state
// that it is called on stays as it is; on an error nothing happened.
func (s *ShardState) Apply(b *Sealed) (ShardState, error) {
	if b.Shard != s.Shard {
		return ShardState{}, badf("batch for %v applied to %v", b.Shard, s.Shard)
	}
	if b.First != s.Mark.Seq+1 {
		return ShardState{}, badf("shard %v: batch from %d, want %d", s.Shard, b.First, s.Mark.Seq+1)
	}
	full, err := b.whole()
	if err != nil {
		return ShardState{}, err
	}
	next, err := s.state.apply(&full.Batch)
	if err != nil {
		return ShardState{}, err
	}
	b.Chain = extend(s.Mark.Chain, b.Bytes)
	out := ShardState{Shard: s.Shard, Mark: b.Mark(), intents: s.intents, state: next}
	if b.Intent != (IntentID{}) {
		out.remember(b)
	}
	return out, nil
}

func (s *ShardState) remember(b *Sealed) {
	a := Answered{Intent: b.Intent, First: b.First, Last: b.Last()}
	if buf, ok := s.state.(*Buffer); ok {
		a.Version = buf.Version
	}
	s.intents = s.intents.with(a)
}

// Answered returns how an intent was answered, if the shard remembers it.
func (s *ShardState) Answered(i IntentID) (Answered, bool) {
	for a := range s.intents.backwards {
		if a.Intent == i {
			return *a, true
		}
	}
	return Answered{}, false
}

// Meta, Layout, Window, Buffer, Term and Registry return the state by kind, or nil.

// Meta returns the state of a meta shard, nil for another.
func (s *ShardState) Meta() *Meta { m, _ := s.state.(*Meta); return m }

// Layout returns the state of a layout shard, nil for another.
func (s *ShardState) Layout() *Layout { l, _ := s.state.(*Layout); return l }

// Window returns the state of a window shard, nil for another.
func (s *ShardState) Window() *Window { w, _ := s.state.(*Window); return w }

// Buffer returns the state of a buffer shard, nil for another.
func (s *ShardState) Buffer() *Buffer { b, _ := s.state.(*Buffer); return b }

// Term returns the state of a terminal's shard, nil for another.
func (s *ShardState) Term() *Term { t, _ := s.state.(*Term); return t }

// Registry returns the state of a registry shard, nil for another.
func (s *ShardState) Registry() *Registry { r, _ := s.state.(*Registry); return r }

// Unused is the state of the kinds of shard that no op drives yet.
type Unused struct{}

func (*Unused) apply(b *Batch) (state, error) {
	return nil, badf("shard %v takes no ops", b.Shard)
}
func (*Unused) encode(*encoder)        {}
func (*Unused) encodeHistory(*encoder) {}

// Hash is the BLAKE3 hash of the canonical encoding.
func (s *ShardState) Hash() Hash {
	h := blake3.New()
	if err := s.WriteCanonical(h); err != nil {
		panic("core: a hash failed to take bytes: " + err.Error())
	}
	var out Hash
	h.Sum(out[:0])
	return out
}

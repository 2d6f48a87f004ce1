package core

import "slices"

// maxTailBytes is how much of a shard's newest batches stays in memory for clients that resume:
// minutes of typing for every client that a person has, hours for most.
const maxTailBytes = 4 << 20

// maxStateTailBytes is the same for shards of which only the newest state counts: about what a
// snapshot of one takes. Whoever missed more takes that.
const maxStateTailBytes = 16 << 10

// shardLog is one shard's state and the newest part of its log.
type shardLog struct {
	ShardState
	base      Mark // before tail[0]
	tail      []*Sealed
	tailBytes int
}

func newShardLog(s ShardState) *shardLog { return &shardLog{ShardState: s, base: s.Mark} }

// maxLoadKept is how long a batch may be that brings in a buffer's text and is kept: whoever
// missed a longer one takes a snapshot, which holds that text only once.
const maxLoadKept = 16 << 10

// push takes in a batch that led to state next.
func (l *shardLog) push(b *Sealed, next ShardState) {
	l.ShardState = next
	if b.loads() && len(b.Bytes) > maxLoadKept {
		l.base, l.tail, l.tailBytes = b.Mark(), nil, 0
		return
	}
	l.tail = append(l.tail, b.kept())
	l.tailBytes += len(b.Bytes)
	most := maxTailBytes
	if !b.Shard.Kind.Journaled() {
		most = maxStateTailBytes
	}
	for l.tailBytes > most && len(l.tail) > 1 {
		l.base = l.tail[0].Mark()
		l.tailBytes -= len(l.tail[0].Bytes)
		l.tail[0] = nil
		l.tail = l.tail[1:]
	}
}

// since returns the batches after a mark; not ok unless the mark is at a batch's border of the
// kept log, with this history's chain value.
func (l *shardLog) since(m Mark) ([]*Sealed, bool) {
	if m == l.Mark {
		return nil, true
	}
	if m == l.base {
		return l.tail, true
	}
	i, ok := slices.BinarySearchFunc(l.tail, m.Seq, func(b *Sealed, s Seq) int {
		return int(int64(b.Last()) - int64(s))
	})
	if !ok || l.tail[i].Chain != m.Chain {
		return nil, false
	}
	return l.tail[i+1:], true
}

// has reports whether the kept log holds exactly this batch.
func (l *shardLog) has(b *Sealed) bool {
	i, ok := slices.BinarySearchFunc(l.tail, b.First, func(t *Sealed, s Seq) int {
		return int(int64(t.First) - int64(s))
	})
	return ok && string(l.tail[i].Bytes) == string(b.Bytes)
}

// Log is what one party knows of a session: its shards' states and the newest part of their logs.
// On the daemon it is the authority, on a client the mirror.
type Log struct {
	session SessionID
	history [16]byte
	shards  map[Shard]*shardLog // looked up only; where order matters, Meta has it
}

// Copy returns the log's states as they are now, without their newest batches: a value that can be
// read beside whoever goes on.
func (l *Log) Copy() *Log {
	out := &Log{session: l.session, history: l.history, shards: make(map[Shard]*shardLog, len(l.shards))}
	for s, sl := range l.shards {
		out.shards[s] = newShardLog(sl.ShardState)
	}
	return out
}

// Session returns the session's identity.
func (l *Log) Session() SessionID { return l.session }

// State returns a shard's state; not ok if the shard is not known here.
func (l *Log) State(s Shard) (ShardState, bool) {
	sl, ok := l.shards[s]
	if !ok {
		return ShardState{}, false
	}
	return sl.ShardState, true
}

// Meta returns the metalog's state.
func (l *Log) Meta() *Meta { return l.shards[MetaShard].Meta() }

// Layout returns the layout, or nil if it is not known here.
func (l *Log) Layout() *Layout {
	if s, ok := l.shards[LayoutShard]; ok {
		return s.Layout()
	}
	return nil
}

// Window returns a window, or nil if it is not known here.
func (l *Log) Window(w WindowID) *Window {
	if s, ok := l.shards[w.Shard()]; ok {
		return s.Window()
	}
	return nil
}

// Buffer returns a buffer, or nil if it is not known here.
func (l *Log) Buffer(b BufferID) *Buffer {
	if s, ok := l.shards[b.Shard()]; ok {
		return s.Buffer()
	}
	return nil
}

// Term returns a terminal, or nil if it is not known here.
func (l *Log) Term(t TermID) *Term {
	if s, ok := l.shards[t.Shard()]; ok {
		return s.Term()
	}
	return nil
}

// staging collects what a record changes, so that it takes effect whole or not at all.
type staging struct {
	log     *Log
	next    []ShardState // the newest state of each shard touched
	batches []*Sealed    // in the order in which they are stored
	after   []ShardState // the state after each batch
}

func (l *Log) stage() *staging { return &staging{log: l} }

// state returns a shard as the staged batches leave it.
func (s *staging) state(shard Shard) (ShardState, bool) {
	for i := range s.next {
		if s.next[i].Shard == shard {
			return s.next[i], true
		}
	}
	return s.log.State(shard)
}

func (s *staging) meta() *Meta {
	st, _ := s.state(MetaShard)
	return st.Meta()
}

// create stages an empty shard.
func (s *staging) create(shard Shard) {
	s.next = append(s.next, NewShardState(s.log.history, s.log.session, shard))
}

// apply stages a batch.
func (s *staging) apply(b *Sealed) error {
	st, ok := s.state(b.Shard)
	if !ok {
		return Errorf(CodeNotFound, "no shard %v", b.Shard)
	}
	next, err := st.Apply(b)
	if err != nil {
		return err
	}
	s.put(next)
	s.batches = append(s.batches, b)
	s.after = append(s.after, next)
	return nil
}

func (s *staging) put(next ShardState) {
	for i := range s.next {
		if s.next[i].Shard == next.Shard {
			s.next[i] = next
			return
		}
	}
	s.next = append(s.next, next)
}

// seal makes the batch that puts ops on a shard next, and stages it.
func (s *staging) seal(shard Shard, by AttachmentID, epoch Epoch, author Author, intent IntentID,
	ops []Op) (*Sealed, error) {
	st, ok := s.state(shard)
	if !ok {
		return nil, Errorf(CodeNotFound, "no shard %v", shard)
	}
	b := &Sealed{Batch: Batch{Shard: shard, Attachment: by, Epoch: epoch, First: st.Mark.Seq + 1,
		Author: author, Intent: intent, Ops: ops}}
	if len(ops) > MaxBatchOps {
		return nil, Errorf(CodeTooLarge, "%d ops in one batch, at most %d", len(ops), MaxBatchOps)
	}
	b.Bytes = b.Batch.Append(nil)
	if len(b.Bytes) > MaxBatchBytes {
		return nil, Errorf(CodeTooLarge, "batch of %d bytes, at most %d", len(b.Bytes), MaxBatchBytes)
	}
	return b, s.apply(b)
}

// commit makes what was staged the log's state. It cannot fail.
func (s *staging) commit() {
	for i, b := range s.batches {
		sl, ok := s.log.shards[b.Shard]
		if !ok {
			sl = newShardLog(NewShardState(s.log.history, s.log.session, b.Shard))
			s.log.shards[b.Shard] = sl
		}
		sl.push(b, s.after[i])
	}
	for i := range s.next {
		if _, ok := s.log.shards[s.next[i].Shard]; !ok {
			s.log.shards[s.next[i].Shard] = newShardLog(s.next[i])
		}
	}
}

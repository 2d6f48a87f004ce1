package core

import (
	"slices"

	"apex/core/codec"

	"github.com/zeebo/blake3"
)

// Author says who caused a batch, which may be somebody else than the leader that sequenced it.
// The actor's name is what undo groups belong to: it outlives attachments.
type Author struct {
	Attachment AttachmentID
	Actor      string // such as human:ann, agent:x, disk
}

// Batch is a run of consecutive entries of one shard by one attachment under one epoch: the unit
// of append, of durability, of forwarding and of atomicity.
type Batch struct {
	Shard      Shard
	Attachment AttachmentID // the lease's holder, which sequenced it
	Epoch      Epoch
	First      Seq
	Author     Author
	Intent     IntentID // the proposal that it answers; zero for none
	Ops        []Op
	Gone       int // ops that are not in Ops: a log keeps a long run of edits as bytes only
}

// Len is the number of the batch's entries.
func (b *Batch) Len() int { return len(b.Ops) + b.Gone }

// Last is the number of the batch's last entry.
func (b *Batch) Last() Seq { return b.First + Seq(b.Len()) - 1 }

// loads reports whether the batch brings in a buffer's text.
func (b *Batch) loads() bool {
	return len(b.Ops) > 0 && (b.Ops[0].Kind == OpBufferNew || b.Ops[0].Kind == OpLoad)
}

// MaxBatchOps bounds one batch: 8,192 entries a frame were measured to let both sides overlap, and
// twice that keeps the work of one step short.
const MaxBatchOps = 16384

// MaxBatchBytes bounds one batch's canonical bytes: a frame of 16 MiB holds it with room for the
// rest of the message.
const MaxBatchBytes = 12 << 20

// MaxActorBytes bounds an actor's name.
const MaxActorBytes = 128

// batchFields is the length of a batch's array: kind, id, attachment, epoch, first, author's
// attachment, actor, intent, ops.
const batchFields = 9

// opBytes is about what a typed rune takes among a batch's bytes.
const opBytes = 24

// Append appends the batch's canonical bytes: what is hashed, stored and forwarded.
func (b *Batch) Append(dst []byte) []byte {
	dst = slices.Grow(dst, 2*MaxActorBytes+opBytes*len(b.Ops))
	dst = codec.AppendArray(dst, batchFields)
	dst = codec.AppendUint(dst, uint64(b.Shard.Kind))
	dst = codec.AppendUint(dst, uint64(b.Shard.ID))
	dst = codec.AppendUint(dst, uint64(b.Attachment))
	dst = codec.AppendUint(dst, uint64(b.Epoch))
	dst = codec.AppendUint(dst, uint64(b.First))
	dst = codec.AppendUint(dst, uint64(b.Author.Attachment))
	dst = codec.AppendBytes(dst, b.Author.Actor)
	if b.Intent == (IntentID{}) {
		dst = codec.AppendNull(dst)
	} else {
		dst = codec.AppendBytes(dst, b.Intent[:])
	}
	dst = codec.AppendArray(dst, len(b.Ops))
	for i := range b.Ops {
		dst = b.Ops[i].append(dst)
	}
	return dst
}

// Read reads one batch from c. Edits' texts alias c's bytes. What it returns is well-formed:
// between 1 and MaxBatchOps ops that fit the shard, epoch and attachment in range.
func (b *Batch) Read(c *codec.Cursor) {
	n := c.ArrayMin(batchFields)
	b.Shard = Shard{ShardKind(c.UintMax(uint64(kindEnd) - 1)), ID(c.Uint())}
	b.Attachment = AttachmentID(c.UintMax(uint64(MaxAttachment)))
	b.Epoch = Epoch(c.UintMax(uint64(MaxEpoch)))
	b.First = Seq(c.UintMax(1 << 62))
	b.Author.Attachment = AttachmentID(c.UintMax(uint64(MaxAttachment)))
	actor := c.Bytes()
	if len(actor) > MaxActorBytes {
		c.Fail("actor of %d bytes, at most %d", len(actor), MaxActorBytes)
	}
	b.Author.Actor = string(actor)
	if !c.Null() {
		copy(b.Intent[:], c.BytesN(len(b.Intent)))
	}
	count := c.Array()
	if count > MaxBatchOps {
		c.Fail("batch of %d ops, at most %d", count, MaxBatchOps)
	}
	if c.Err() != nil {
		return
	}
	if !b.Shard.Valid() || b.First == 0 || count == 0 {
		c.Fail("batch of %d ops from %d on shard %v", count, b.First, b.Shard)
		return
	}
	b.Ops = make([]Op, count)
	for i := range b.Ops {
		o := &b.Ops[i]
		if !o.readTyped(c) {
			o.read(c)
		}
		if c.Err() != nil {
			return
		}
		if o.fits() != b.Shard.Kind {
			c.Fail("op %d does not fit shard %v", o.Kind, b.Shard)
			return
		}
	}
	c.SkipN(n - batchFields)
}

// Sealed is a batch with its canonical bytes and the mark after it. The bytes are made once, by
// whoever sequenced the batch, and are never changed: the same slice goes to the journal and to
// every follower.
type Sealed struct {
	Batch
	Bytes []byte
	Chain Hash // the shard's chain value after this batch
}

// Mark is how far a replica that has applied the batch is.
func (s *Sealed) Mark() Mark { return Mark{s.Last(), s.Chain} }

// manyOps is from where on a batch that is kept lets go of its ops: they take four times the memory
// of the bytes that hold them too.
const manyOps = 16

// kept returns the batch as a log keeps it, to be sent again: a long run of edits without its ops.
func (s *Sealed) kept() *Sealed {
	if s.Shard.Kind != KindBuffer || len(s.Ops) < manyOps {
		return s
	}
	k := *s
	k.Ops, k.Gone = nil, len(s.Ops)
	return &k
}

// whole returns the batch with its ops.
func (s *Sealed) whole() (*Sealed, error) {
	if s.Gone == 0 {
		return s, nil
	}
	return Open(s.Bytes)
}

// Open reads the one batch in b, which it keeps.
func Open(b []byte) (*Sealed, error) {
	c := codec.NewCursor(b)
	s := &Sealed{Bytes: b}
	s.Batch.Read(&c)
	if err := c.Done(); err != nil {
		return nil, badf("batch: %v", err)
	}
	return s, nil
}

// extend returns the chain value after a batch: BLAKE3(previous chain, canonical batch bytes).
func extend(chain Hash, batch []byte) Hash {
	h := blake3.New()
	h.Write(chain[:])
	h.Write(batch)
	var out Hash
	h.Sum(out[:0])
	return out
}

// origin is a shard's chain value before its first batch: it binds a history to the store that it
// began in, the session and the shard.
func origin(history [16]byte, session SessionID, s Shard) Hash {
	h := blake3.New()
	h.WriteString("apex shard 1")
	h.Write(history[:])
	h.Write(session[:])
	h.Write(codec.AppendUint(codec.AppendUint(nil, uint64(s.Kind)), uint64(s.ID)))
	var out Hash
	h.Sum(out[:0])
	return out
}

// SumText is the hash of a text's bytes, as for the bytes of a file on disk.
func SumText(chunks func(func([]byte) bool)) Hash {
	h := blake3.New()
	for c := range chunks {
		h.Write(c)
	}
	var out Hash
	h.Sum(out[:0])
	return out
}

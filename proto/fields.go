package proto

import (
	"apex/core"
	"apex/core/codec"
)

// Bounds of lists, each checked before anything of the list's size is allocated.
const (
	maxShards = core.MaxShards // a message may name every shard of a session
	// maxSpans bounds one proposal's edits and maxFrameOps the entries of one frame: an Edit
	// command that changes each of 250,000 lines is one of either, and 30 MB of memory.
	maxSpans    = 1 << 18
	maxFrameOps = 1 << 18
	// maxFrameBatches bounds the batches of one frame; a bundle has one for each shard, and for
	// each core.MaxBatchOps of them.
	maxFrameBatches = 1 << 15
)

// bounded describes a list of at most most elements, each an array that each describes.
func bounded[T any](f *codec.Fields, most int, p *[]T, each func(*codec.Fields, *T)) {
	f.Raw(func(b []byte) []byte {
		b = codec.AppendArray(b, len(*p))
		for i := range *p {
			b = codec.AppendFields(b, func(g *codec.Fields) { each(g, &(*p)[i]) })
		}
		return b
	}, func(c *codec.Cursor) {
		n := count(c, most)
		*p = nil
		for i := 0; i < n && c.Err() == nil; i++ {
			var e T
			codec.ReadFields(c, func(g *codec.Fields) { each(g, &e) })
			*p = append(*p, e)
		}
	})
}

// count reads the head of an array of at most most items.
func count(c *codec.Cursor, most int) int {
	n := c.Array()
	if n > most {
		c.Fail("list of %d, at most %d", n, most)
		return 0
	}
	return n
}

// nullable describes a pointer: null, or the array that each describes.
func nullable[T any](f *codec.Fields, p **T, each func(*codec.Fields, *T)) {
	f.Raw(func(b []byte) []byte {
		if *p == nil {
			return codec.AppendNull(b)
		}
		return codec.AppendFields(b, func(g *codec.Fields) { each(g, *p) })
	}, func(c *codec.Cursor) {
		if *p = nil; c.Null() {
			return
		}
		*p = new(T)
		codec.ReadFields(c, func(g *codec.Fields) { each(g, *p) })
	})
}

// num describes an unsigned integer of at most most.
func num[T codec.Integer](f *codec.Fields, p *T, most T) {
	codec.Num(f, p)
	if f.Reading() && *p > most {
		f.Fail("%d exceeds %d", uint64(*p), uint64(most))
		*p = 0
	}
}

func attachment(f *codec.Fields, a *core.AttachmentID) { num(f, a, core.MaxAttachment) }

func epoch(f *codec.Fields, e *core.Epoch) { num(f, e, core.MaxEpoch) }

// maxSeq is the highest sequence number that a batch may have.
const maxSeq core.Seq = 1 << 62

func seq(f *codec.Fields, s *core.Seq) { num(f, s, maxSeq) }

// shardFields describes a shard; the zero one, where the caller has an answer to it, is none.
func shardFields(f *codec.Fields, s *core.Shard) {
	codec.Num(f, &s.Kind)
	codec.Num(f, &s.ID)
	if f.Reading() && *s != (core.Shard{}) && !s.Valid() {
		f.Fail("no shard %v with id %v", s.Kind, s.ID)
	}
}

// namedShard describes a shard that must be one.
func namedShard(f *codec.Fields, s *core.Shard) {
	shardFields(f, s)
	if f.Reading() && *s == (core.Shard{}) {
		f.Fail("no shard")
	}
}

func shards(f *codec.Fields, p *[]core.Shard) { bounded(f, maxShards, p, namedShard) }

func markFields(f *codec.Fields, m *core.Mark) {
	f.Struct(func(f *codec.Fields) { markItem(f, m) })
}

func markItem(f *codec.Fields, m *core.Mark) {
	seq(f, &m.Seq)
	f.Fixed(m.Chain[:])
}

func headFields(f *codec.Fields, h *core.Head) {
	namedShard(f, &h.Shard)
	markItem(f, &h.Mark)
}

func viewFields(f *codec.Fields, v *core.View) {
	codec.Num(f, &v.Kind)
	codec.Num(f, &v.ID)
}

func spanFields(f *codec.Fields, s *core.Span) {
	codec.Num(f, &s.Q0)
	codec.Num(f, &s.Q1)
	f.String(&s.Text)
}

func authorFields(f *codec.Fields, a *core.Author) {
	attachment(f, &a.Attachment)
	f.String(&a.Actor)
	if f.Reading() && len(a.Actor) > core.MaxActorBytes {
		f.Fail("actor of %d bytes, at most %d", len(a.Actor), core.MaxActorBytes)
	}
}

func coreErrorFields(f *codec.Fields, e *core.Error) {
	f.String((*string)(&e.Code))
	f.String(&e.Message)
	if f.Optional(); f.Reading() || e.RetryAfter != 0 { // older builds had none
		codec.Num(f, &e.RetryAfter)
	}
	if f.Reading() && e.Code == "" {
		f.Fail("error without a code")
	}
}

func helloFields(f *codec.Fields, m *core.Hello) {
	codec.Num(f, &m.Kind)
	f.String(&m.Name)
	f.String(&m.Actor)
	epoch(f, &m.Seen)
	nullable(f, &m.Resume, func(f *codec.Fields, c *core.Credential) {
		attachment(f, &c.ID)
		f.Fixed(c.Secret[:])
	})
}

func welcomeFields(f *codec.Fields, m *core.Welcome) {
	attachment(f, &m.Attachment)
	f.Fixed(m.Secret[:])
	f.Fixed(m.Session[:])
	num(f, &m.Next, core.MaxCounter+1)
	epoch(f, &m.Epoch)
	f.Bool(&m.Resumed)
	bounded(f, maxShards, &m.Heads, headFields)
	if f.Optional(); f.Reading() || m.Unkept { // older builds had none
		f.Bool(&m.Unkept)
	}
}

func followFields(f *codec.Fields, m *core.Follow) {
	bounded(f, maxShards, &m.Shards, func(f *codec.Fields, s *core.FollowShard) {
		namedShard(f, &s.Shard)
		nullable(f, &s.From, markItem)
	})
}

func resultFields(f *codec.Fields, r *core.Result) {
	f.String((*string)(&r.Outcome))
	nullable(f, &r.Err, coreErrorFields)
	shardFields(f, &r.Shard)
	seq(f, &r.First)
	seq(f, &r.Last)
	codec.Num(f, &r.Version)
	epoch(f, &r.Epoch)
	codec.Num(f, &r.Window)
	f.Fixed(r.Hash[:])
	f.String(&r.Message)
	if f.Reading() && (r.Outcome == "") == (r.Err == nil) {
		f.Fail("result with outcome %q and error %v: want one of both", r.Outcome, r.Err)
	}
}

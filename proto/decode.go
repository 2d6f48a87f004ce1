package proto

import (
	"apex/core"
	"apex/core/codec"
)

// Decode reads the message in a frame's item that came from the given side. Batches and chunks
// alias frame, which must not change any more. Whatever is wrong unwraps to a *core.Error,
// bad_request or too_large, and ends the connection, but for a *CallError; nothing of a message
// that is refused is returned. The two first frames have functions of their own.
func Decode(from Side, frame []byte) (Message, error) {
	start := codec.NewCursor(frame)
	c := start
	n := c.ArrayMin(1)
	number := Number(c.Uint())
	if err := c.Err(); err != nil {
		return nil, badf("frame: %v", err)
	}
	k := Lookup(number)
	switch {
	case k == nil:
		return nil, badf("unknown message %d", uint64(number))
	case k.From&from == 0:
		return nil, badf("%s is not the %v's to send", k.Name, from)
	}
	d := decoder{k: k, c: c, left: n - 1}
	var m Message
	switch {
	case k.Channel == Calls:
		m = d.call()
	default:
		if m = d.hot(); m == nil {
			d.c = start
			m = d.cold()
		}
	}
	if err := d.done(); err != nil {
		return nil, err
	}
	return m, nil
}

func badf(format string, args ...any) *core.Error {
	return core.Errorf(core.CodeBadRequest, format, args...)
}

// decoder reads one message.
type decoder struct {
	k    *Kind
	c    codec.Cursor // behind the number
	left int          // fields behind the number
	err  error        // with a code, where the cursor's has none
	id   uint64       // of a call
	read bool         // the call has the right shape: an error is about its values
}

// done returns the first error, with a code and the message's name.
func (d *decoder) done() error {
	if d.err == nil {
		d.err = d.c.Done()
	}
	if d.err == nil {
		return nil
	}
	code := core.CodeOf(d.err)
	if code == core.CodeInternal {
		code = core.CodeBadRequest
	}
	err := core.Errorf(code, "%s: %v", d.k.Name, d.err)
	if d.read {
		return &CallError{d.id, err}
	}
	return err
}

// need reports whether the message has the fields that this version reads, and sets left to how
// many a later one added.
func (d *decoder) need(n int) bool {
	if d.left < n {
		d.c.Fail("%d fields behind the number, want %d", d.left, n)
		return false
	}
	d.left -= n
	return true
}

// hot reads the messages that are coded by hand, or returns nil.
func (d *decoder) hot() Message {
	c := &d.c
	var m Message
	switch d.k.Number {
	case nAppend:
		a := new(core.Append)
		if d.need(3) {
			a.New, a.Del = readShards(c), readShards(c)
			a.Batches = d.batches(len(a.New)+len(a.Del) == 0)
		}
		m = a
	case nDeliver, nShow:
		a := new(core.Deliver)
		if d.need(1) {
			a.Batches = d.batches(true)
		}
		m = a
	case nAck:
		a := new(core.Ack)
		if d.need(1) {
			a.Heads = readHeads(c)
		}
		m = a
	case nCaughtUp:
		a := new(core.CaughtUp)
		if d.need(4) {
			a.Shard, a.Mark = readShard(c), readMark(c)
		}
		m = a
	case nCheck:
		a := new(core.Check)
		if d.need(4) {
			a.Shard, a.Seq = readShard(c), readSeq(c)
			copy(a.Hash[:], c.BytesN(len(a.Hash)))
		}
		m = a
	case nSnapshot:
		a := new(SnapshotChunk)
		if d.need(5) {
			a.Shard, a.Index, a.Last, a.Bytes = readShard(c), c.Int(), c.Bool(), c.Bytes()
		}
		m = a
	default:
		return nil
	}
	c.SkipN(d.left)
	return m
}

// cold reads the messages that describe knows, from the array's head on.
func (d *decoder) cold() Message {
	m := d.k.make()
	codec.ReadFields(&d.c, func(f *codec.Fields) { d.k.describe(f, m) })
	return m
}

// call reads a request or a reply.
func (d *decoder) call() Message {
	if !d.need(2) {
		return nil
	}
	d.id = d.c.Uint()
	body := d.k.make()
	if b, ok := body.(described); ok {
		codec.ReadFields(&d.c, b.fields)
	} else {
		readMap(&d.c, body)
	}
	d.c.SkipN(d.left)
	if b, ok := body.(checked); ok && d.c.Done() == nil {
		d.err, d.read = b.check(), true
	}
	switch b := body.(type) {
	case Request:
		return &Call{ID: d.id, Request: b}
	case *Error:
		return &Return{ID: d.id, Err: b}
	case Reply:
		return &Return{ID: d.id, Reply: b}
	}
	panic("proto: " + d.k.Name + " is neither request nor reply")
}

// batches reads byte strings that hold a batch each; must says that there has to be one.
func (d *decoder) batches(must bool) []*core.Sealed {
	n := count(&d.c, maxFrameBatches)
	if n == 0 {
		if must && d.c.Err() == nil {
			d.err = d.k.admit(0)
		}
		return nil
	}
	out := make([]*core.Sealed, 0, n)
	ops := 0
	for i := 0; i < n && d.c.Err() == nil; i++ {
		s := openBatch(&d.c)
		if d.c.Err() != nil {
			return nil
		}
		if d.err = d.k.admit(s.First); d.err == nil {
			d.err = d.k.carries(s.Shard)
		}
		if d.err != nil {
			return nil
		}
		if ops += len(s.Ops); ops > maxFrameOps {
			d.err = core.Errorf(core.CodeTooLarge, "over %d entries in one frame", maxFrameOps)
			return nil
		}
		out = append(out, s)
	}
	return out
}

// openBatch reads one byte string that holds a batch; what it returns aliases c's bytes.
func openBatch(c *codec.Cursor) *core.Sealed {
	b := c.Bytes()
	if c.Err() != nil {
		return nil
	}
	s, err := core.Open(b)
	if err != nil {
		c.Fail("%v", err)
	}
	return s
}

func readShard(c *codec.Cursor) core.Shard {
	const maxKind = uint64(^core.ShardKind(0))
	s := core.Shard{Kind: core.ShardKind(c.UintMax(maxKind)), ID: core.ID(c.Uint())}
	if c.Err() == nil && !s.Valid() {
		c.Fail("no shard %v with id %v", s.Kind, s.ID)
	}
	return s
}

func readSeq(c *codec.Cursor) core.Seq { return core.Seq(c.UintMax(uint64(maxSeq))) }

func readMark(c *codec.Cursor) (m core.Mark) {
	m.Seq = readSeq(c)
	copy(m.Chain[:], c.BytesN(len(m.Chain)))
	return m
}

func readShards(c *codec.Cursor) []core.Shard {
	n := count(c, maxShards)
	if n == 0 {
		return nil
	}
	out := make([]core.Shard, 0, n)
	for i := 0; i < n && c.Err() == nil; i++ {
		fields := c.ArrayMin(2)
		out = append(out, readShard(c))
		c.SkipN(fields - 2)
	}
	return out
}

func readHeads(c *codec.Cursor) []core.Head {
	n := count(c, maxShards)
	if n == 0 {
		return nil
	}
	out := make([]core.Head, 0, n)
	for i := 0; i < n && c.Err() == nil; i++ {
		fields := c.ArrayMin(4)
		out = append(out, core.Head{Shard: readShard(c), Mark: readMark(c)})
		c.SkipN(fields - 4)
	}
	return out
}

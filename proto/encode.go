package proto

import (
	"slices"

	"apex/core"
	"apex/core/codec"
)

// described is a body or message that core/codec's arrays describe, for both directions.
type described interface{ fields(*codec.Fields) }

// Append appends m's whole frame to dst. It fails, and returns dst as it was, if the frame would
// pass MaxFrame (too_large), or if m is no Message.
func Append(dst []byte, m Message) ([]byte, error) {
	at := len(dst)
	b := beginFrame(dst)
	switch m := m.(type) {
	case *core.Append:
		b = appendAppend(b, m)
	case *core.Deliver:
		b = appendDeliver(b, m)
	case *core.Ack:
		b = appendAck(b, m)
	case *core.CaughtUp:
		b = appendCaughtUp(b, m)
	case *core.Check:
		b = appendCheck(b, m)
	case *SnapshotChunk:
		b = m.append(b)
	case *Call:
		b = appendBody(b, m.ID, m.Request)
	case *Return:
		if m.Err != nil {
			b = appendBody(b, m.ID, m.Err)
		} else {
			b = appendBody(b, m.ID, m.Reply)
		}
	case *Server:
		b = m.append(b)
	case *Client:
		b = m.append(b)
	default:
		b = appendCold(b, m)
	}
	if b == nil {
		return dst, core.Errorf(core.CodeInternal, "%T has no frame", m)
	}
	return endFrame(b, at)
}

// appendCold appends a message that describe knows, or returns nil.
func appendCold(b []byte, m Message) []byte {
	k := Lookup(numberOf(m))
	if k == nil || k.Channel == Calls {
		return nil
	}
	return codec.AppendFields(b, func(f *codec.Fields) { k.describe(f, m) })
}

// appendBody appends a call or its reply, or returns nil for one that is not in the table.
func appendBody(b []byte, id uint64, body any) []byte {
	n := numberOf(body)
	if k := Lookup(n); k == nil || k.Channel != Calls {
		return nil
	}
	b = codec.AppendUint(codec.AppendArray(b, 3), uint64(n))
	b = codec.AppendUint(b, id)
	if d, ok := body.(described); ok {
		return codec.AppendFields(b, d.fields)
	}
	return appendMap(b, body)
}

func appendShard(b []byte, s core.Shard) []byte {
	return codec.AppendUint(codec.AppendUint(b, uint64(s.Kind)), uint64(s.ID))
}

func appendMark(b []byte, m core.Mark) []byte {
	return codec.AppendBytes(codec.AppendUint(b, uint64(m.Seq)), m.Chain[:])
}

func appendShards(b []byte, s []core.Shard) []byte {
	b = codec.AppendArray(b, len(s))
	for i := range s {
		b = appendShard(codec.AppendArray(b, 2), s[i])
	}
	return b
}

// appendBatches appends batches as byte strings: their bytes were made once, by whoever sequenced
// them, and stay as they are.
func appendBatches(b []byte, batches []*core.Sealed) []byte {
	b = codec.AppendArray(b, len(batches))
	for _, s := range batches {
		b = codec.AppendBytes(b, s.Bytes)
	}
	return b
}

// batchesBytes bounds what appendBatches will append, heads included.
func batchesBytes(batches []*core.Sealed) int {
	n := maxHead
	for _, s := range batches {
		n += maxHead + len(s.Bytes)
	}
	return n
}

// maxHead is the length of the longest head of an item that fits a frame.
const maxHead = 5

// fixedBytes is ample for the array's head and the number of a frame with batches.
const fixedBytes = 8

func appendAppend(b []byte, m *core.Append) []byte {
	b = slices.Grow(b, fixedBytes+batchesBytes(m.Batches))
	b = codec.AppendUint(codec.AppendArray(b, 4), uint64(nAppend))
	b = appendShards(appendShards(b, m.New), m.Del)
	return appendBatches(b, m.Batches)
}

func appendDeliver(b []byte, m *core.Deliver) []byte {
	b = slices.Grow(b, fixedBytes+batchesBytes(m.Batches))
	b = codec.AppendUint(codec.AppendArray(b, 2), uint64(deliverNumber(m)))
	return appendBatches(b, m.Batches)
}

// DeliverFits returns how many of the batches, from the first on, fit one Deliver: at least 1
// unless there is none. A Deliver may be cut between any two batches; an Append may not.
func DeliverFits(batches []*core.Sealed) int {
	bytes, ops := fixedBytes+maxHead, 0
	for i, s := range batches {
		bytes += maxHead + len(s.Bytes)
		ops += s.Len()
		if i > 0 && (bytes > MaxFrame || ops > maxFrameOps || i >= maxFrameBatches) {
			return i
		}
	}
	return len(batches)
}

func appendAck(b []byte, m *core.Ack) []byte {
	b = codec.AppendUint(codec.AppendArray(b, 2), uint64(nAck))
	b = codec.AppendArray(b, len(m.Heads))
	for i := range m.Heads {
		b = appendMark(appendShard(codec.AppendArray(b, 4), m.Heads[i].Shard), m.Heads[i].Mark)
	}
	return b
}

func appendCaughtUp(b []byte, m *core.CaughtUp) []byte {
	b = codec.AppendUint(codec.AppendArray(b, 5), uint64(nCaughtUp))
	return appendMark(appendShard(b, m.Shard), m.Mark)
}

func appendCheck(b []byte, m *core.Check) []byte {
	b = codec.AppendUint(codec.AppendArray(b, 5), uint64(nCheck))
	b = codec.AppendUint(appendShard(b, m.Shard), uint64(m.Seq))
	return codec.AppendBytes(b, m.Hash[:])
}

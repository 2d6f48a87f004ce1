package edit

import (
	"slices"

	"apex/core"
)

// opBytes is what an op takes at most beside its text: numbers of nine bytes each and its head.
const opBytes = 64

// checkBundle refuses a bundle that could not be committed by the session's reader.
func checkBundle(s core.Session, b *core.Bundle) error {
	for _, p := range b.Parts {
		if !slices.Contains(b.New, p.Shard) && !s.Leads(p.Shard) {
			return core.Errorf(core.CodeNotLeader, "shard %v is led by somebody else", p.Shard)
		}
		if len(p.Ops) > core.MaxBatchOps {
			return core.Errorf(core.CodeTooLarge, "%d changes of %v at once, at most %d",
				len(p.Ops), p.Shard, core.MaxBatchOps)
		}
		if n := partBytes(p.Ops); n > core.MaxBatchBytes {
			return core.Errorf(core.CodeTooLarge, "changes of %v of %d bytes at once, at most %d",
				p.Shard, n, core.MaxBatchBytes)
		}
	}
	if len(b.Del) > 0 && !s.Leads(core.LayoutShard) {
		return core.Errorf(core.CodeNotLeader, "the layout is led by somebody else")
	}
	return nil
}

// partBytes bounds the bytes of ops from above.
func partBytes(ops []core.Op) int {
	n := 0
	for i := range ops {
		n += opBytes + len(ops[i].Text)
		switch o := ops[i].Body.(type) {
		case *core.Undo:
			for _, e := range o.Edits {
				n += opBytes + len(e.Text)
			}
		case *core.Merged:
			for _, e := range o.Apart {
				n += opBytes + len(e.Text)
			}
		case *core.BufferNew:
			n += len(o.Text) + len(o.Name)
		case *core.Snarf:
			n += len(o.Text)
		case *core.Arrange:
			for _, c := range o.Columns {
				n += opBytes * (1 + len(c.Slots))
			}
		}
	}
	return n
}

// join adds the parts of other to b: what one verb does after another, at once.
func join(b *core.Bundle, other core.Bundle) {
	b.New = append(b.New, other.New...)
	b.Del = append(b.Del, other.Del...)
	for _, p := range other.Parts {
		b.Add(p.Shard, p.Ops...)
	}
}

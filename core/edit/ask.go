package edit

import (
	"slices"

	"apex/core"
)

// AskOf returns what asks the leader of a buffer for what ops do to it here, nil if they change no
// text: its edits as one, or an undo. What cannot be applied where it was meant is kept in +Recovered.
func AskOf(id core.BufferID, b *core.Buffer, ops []core.Op) core.Ask {
	if i := slices.IndexFunc(ops, func(o core.Op) bool { return o.Kind == core.OpUndo }); i >= 0 {
		return &core.AskUndo{Buffer: id, Redo: ops[i].Body.(*core.Undo).Redo}
	}
	var delta core.Delta
	d := b.Text.Edit()
	for i := range ops {
		if o := &ops[i]; o.Kind == core.OpEdit {
			nd := o.Q1 - o.Q0
			delta.Add(o.Q0, nd, d.Replace(o.Q0, o.Q1, o.Text)+nd)
		}
	}
	spans := delta.Spans(d.Text().Substring)
	if len(spans) == 0 {
		return nil
	}
	return &core.AskEdit{Buffer: id, Base: b.Version, OnConflict: core.ConflictRecover, Edits: spans}
}
